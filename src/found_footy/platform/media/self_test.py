"""Self-test of the decoder: prepares a small clip of our own like an untrusted file."""

import asyncio
from importlib.resources import files
from pathlib import Path

from found_footy.platform.media.probe import MediaLimits, PreparedMedia, prepare_media

# Three seconds of a moving pattern, 1280×720, H.264, with its index at the end, so that a copy is written.
_REFERENCE_CLIP = files("found_footy.platform.media") / "data" / "reference.mp4"


async def can_decode_reference(folder: Path, limits: MediaLimits | None = None) -> bool:
    """Decode the reference clip with the same child process, limits and disk as untrusted files; output is left in
    `folder`.
    """
    source, made = folder / "reference.mp4", folder / "made"
    await asyncio.to_thread(_write_reference, source, made)
    thumbnail, playable, preview = (made / name for name in ("clip.jpg", "clip.mp4", "preview.mp4"))
    prepared = await prepare_media(source, thumbnail=thumbnail, playable=playable, preview=preview, limits=limits)
    return isinstance(prepared, PreparedMedia) and prepared.is_remuxed


def _write_reference(source: Path, made: Path) -> None:
    source.write_bytes(_REFERENCE_CLIP.read_bytes())
    made.mkdir()
