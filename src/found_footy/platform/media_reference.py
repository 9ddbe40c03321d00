"""Whether this machine can decode at all: a small clip of our own is prepared as a stranger's would be."""

import asyncio
from importlib.resources import files
from pathlib import Path

from found_footy.platform.media import MediaLimits, Prepared, prepare

# Three seconds of a moving pattern, 1280×720, H.264, with its index at the end, so that a copy is written.
_CLIP = files("found_footy.platform") / "data" / "reference.mp4"


async def decoder_works(folder: Path, limits: MediaLimits | None = None) -> bool:
    """Through the same child process, limits and disk as strangers' files; what is made is left in `folder`."""
    source, made = folder / "reference.mp4", folder / "made"
    await asyncio.to_thread(_lay_out, source, made)
    thumbnail, playable, preview = (made / name for name in ("clip.jpg", "clip.mp4", "preview.mp4"))
    prepared = await prepare(source, thumbnail=thumbnail, playable=playable, preview=preview, limits=limits)
    return isinstance(prepared, Prepared) and prepared.remuxed


def _lay_out(source: Path, made: Path) -> None:
    source.write_bytes(_CLIP.read_bytes())
    made.mkdir()
