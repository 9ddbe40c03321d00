"""From a stored file to what is classified: a picture of a usable size and its preview, or why there is none."""

import asyncio
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

from found_footy.platform.errors import DiskFailed, Unavailable
from found_footy.platform.media.frames import Pixels
from found_footy.platform.media.image_decoder import DecodedImage, ImageLimits, UndecodableImage, decode_image
from found_footy.platform.media.probe import MediaFault, UnusableMedia
from found_footy.platform.system_errors import translate_disk_errors
from found_footy.uploads.images.refusals import RefusedImage, refuse_crashing_image, refuse_image

# Attempts before a picture on which the decoder fails may be refused.
DECODER_MAX_ATTEMPTS = 3
_REFERENCE_SIDE = 64


class ImageDecoderFailed(Unavailable):
    """The decoder crashed, was killed or got no processor: this machine or the picture may be at fault. Retryable."""

    def __init__(self, message: str) -> None:
        super().__init__("image decoder", message)

    def __reduce__(self) -> tuple[type["ImageDecoderFailed"], tuple[str]]:  # type: ignore[override]
        return (type(self), (self.message,))


@dataclass(frozen=True, eq=False)
class PreparedImage:
    """`width` and `height` as displayed; `pixels` a smaller RGB copy for the classifier; `preview` a JPEG on disk."""

    content_type: str
    width: int
    height: int
    pixels: Pixels
    preview: Path


async def prepare_image(source: Path, folder: Path, limits: ImageLimits) -> PreparedImage | RefusedImage:
    """Decode an untrusted file in a sandbox; the preview is left in `folder`. RefusedImage is a verdict on the file.
    Raises ImageDecoderFailed or DiskFailed, both retryable, for what may be the fault of this machine.
    """
    with translate_disk_errors():
        found = await decode_image(source, folder, limits)
    if isinstance(found, UndecodableImage):
        return refuse_image(found, limits)
    if isinstance(found, DecodedImage):
        return PreparedImage(found.image_type.value, found.width, found.height, found.pixels, found.preview)
    raise _to_error(found)


async def prepare_image_or_give_up(
    source: Path, folder: Path, limits: ImageLimits, attempt: int
) -> PreparedImage | RefusedImage:
    """The same for the given attempt, counted from 1. From the third on, a picture on which the decoder fails is
    refused, if the decoder works on a picture of our own right afterwards.
    """
    try:
        return await prepare_image(source, folder, limits)
    except ImageDecoderFailed:
        if attempt < DECODER_MAX_ATTEMPTS or not await can_decode_reference(folder, limits):
            raise
        return refuse_crashing_image()


async def can_decode_reference(folder: Path, limits: ImageLimits) -> bool:
    """Whether this machine decodes a picture of our own, by the same child, limits and disk."""
    source, made = folder / "reference.png", folder / "reference"
    with translate_disk_errors():
        await asyncio.to_thread(_write_reference, source, made)
        return isinstance(await decode_image(source, made, limits), DecodedImage)


def _to_error(found: UnusableMedia) -> Unavailable:
    if found.fault is MediaFault.MACHINE:
        return DiskFailed("disk", found.detail)
    return ImageDecoderFailed(f"{found.fault}: {found.detail}")


def _write_reference(source: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    source.write_bytes(_build_reference_png())


def _build_reference_png() -> bytes:
    """A grey gradient."""
    row = b"\x00" + bytes(range(0, 256, 256 // _REFERENCE_SIDE))
    header = struct.pack(">IIBBBBB", _REFERENCE_SIDE, _REFERENCE_SIDE, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(row * _REFERENCE_SIDE)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
