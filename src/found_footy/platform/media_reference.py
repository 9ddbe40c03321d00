"""Whether this machine can decode at all: it makes a small clip of its own and decodes it."""

from pathlib import Path

from found_footy.platform.media import MediaLimits, Unusable, in_child

_PROGRAM = "found_footy.platform.media_reference_child"


async def decoder_works(folder: Path, limits: MediaLimits | None = None) -> bool:
    """Through the same child process, limits and disk as strangers' files; it is left in `folder`."""
    return not isinstance(await in_child(_PROGRAM, [folder / "reference.mp4"], limits or MediaLimits()), Unusable)
