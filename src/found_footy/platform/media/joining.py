"""Joins a file with the picture and one with the sound, in a sandboxed child."""

from pathlib import Path

from found_footy.platform.media.probe import MediaLimits, UnusableMedia, run_in_sandbox

_CHILD_MODULE = "found_footy.platform.media.children.mux"


async def join_picture_and_sound(
    picture: Path, sound: Path, output: Path, limits: MediaLimits | None = None
) -> UnusableMedia | None:
    """Write both to `output`, or return why that is impossible. The child writes only into the folder of `output`,
    which must also hold the sound.
    """
    arguments = [picture, sound, output]
    answer = await run_in_sandbox(_CHILD_MODULE, arguments, limits or MediaLimits(), [output.parent])
    return answer if isinstance(answer, UnusableMedia) else None
