"""Decodes untrusted pictures: only a sandboxed child process opens them. The worker reads their first bytes at most."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from found_footy.platform.media.frames import Pixels
from found_footy.platform.media.image_rules import (
    MAX_PREVIEW_BYTES,
    PICTURE_FILE,
    PREVIEW_FILE,
    ImageFault,
    is_picture_size,
)
from found_footy.platform.media.image_types import HEAD_BYTES, ImageType, name_other_type, sniff_image_type
from found_footy.platform.media.probe import MediaFault, MediaLimits, UnusableMedia, run_in_sandbox

_CHILD = "found_footy.platform.media.children.image"
_JPEG_SIGNATURE = b"\xff\xd8\xff"
_MAX_OUTPUT_BYTES = 16 * 2**20
_MAX_ANSWER_BYTES = 4096
# Between the end of a child that needs too long, which is the picture's fault, and the kernel's hard limit.
_SPARE_CPU_SECONDS = 5


@dataclass(frozen=True)
class ImageLimits:
    """`cpu_seconds` is what the largest permitted picture needs, several times over; `timeout` includes waiting for a
    processor. `memory` is the address space of the child.
    """

    max_bytes: int = 25_000_000
    max_pixels: int = 50_000_000
    timeout: timedelta = timedelta(seconds=90)
    cpu_seconds: int = 20
    memory: int = 1_200 * 2**20


@dataclass(frozen=True, eq=False)
class DecodedImage:
    """`width` and `height` are those of the whole picture as displayed. `pixels` is a smaller copy, height × width × 3
    bytes, red first, its middle if it is very long; `preview` a JPEG without metadata.
    """

    image_type: ImageType
    width: int
    height: int
    pixels: Pixels
    preview: Path


@dataclass(frozen=True)
class UndecodableImage:
    fault: ImageFault
    detail: str
    image_type: ImageType | None = None


async def decode_image(
    source: Path, folder: Path, limits: ImageLimits
) -> DecodedImage | UndecodableImage | UnusableMedia:
    """Decode the file, and leave its preview in `folder`. UndecodableImage is a fault of the file; UnusableMedia is one
    of this machine, or may be: a decoder that crashed or was starved. Raises OSError if the file cannot be read.
    """
    size, head = await asyncio.to_thread(_read_head, source)
    image_type = sniff_image_type(head)
    if (refused := _check_file(size, head, image_type, limits)) is not None or image_type is None:
        return refused or UndecodableImage(ImageFault.NOT_AN_IMAGE, "")
    answer = await run_in_sandbox(
        _CHILD,
        [source, folder, image_type.value, str(limits.max_pixels), str(limits.cpu_seconds)],
        _build_child_limits(limits),
        [folder],
    )
    if isinstance(answer, UnusableMedia):
        too_costly = answer.fault is MediaFault.TOO_COSTLY
        return UndecodableImage(ImageFault.TOO_COSTLY, answer.detail, image_type) if too_costly else answer
    try:
        return await asyncio.to_thread(_read_answer, folder, image_type, answer)
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        return UnusableMedia(MediaFault.CRASHED, f"the decoder's answer is invalid: {error}"[:300])


def _read_head(source: Path) -> tuple[int, bytes]:
    with source.open("rb") as file:
        return source.stat().st_size, file.read(HEAD_BYTES)


def _check_file(size: int, head: bytes, image_type: ImageType | None, limits: ImageLimits) -> UndecodableImage | None:
    if size == 0:
        return UndecodableImage(ImageFault.EMPTY, "")
    if size > limits.max_bytes:
        return UndecodableImage(ImageFault.TOO_LARGE, f"{size} bytes", image_type)
    if image_type is ImageType.HEIC:
        return UndecodableImage(ImageFault.UNSUPPORTED_TYPE, "HEIC", image_type)
    if image_type is not None:
        return None
    name = name_other_type(head)
    return UndecodableImage(ImageFault.UNSUPPORTED_TYPE if name else ImageFault.NOT_AN_IMAGE, name or "")


def _build_child_limits(limits: ImageLimits) -> MediaLimits:
    return MediaLimits(
        timeout=limits.timeout,
        cpu_seconds=limits.cpu_seconds + _SPARE_CPU_SECONDS,
        memory=limits.memory,
        max_output_bytes=_MAX_OUTPUT_BYTES,
        max_answer_bytes=_MAX_ANSWER_BYTES,
    )


def _read_answer(folder: Path, image_type: ImageType, answer: Mapping[str, Any]) -> DecodedImage | UndecodableImage:
    """Read the answer without trusting the child: a known fault; or a possible size, that many bytes, and a JPEG."""
    if "refused" in answer:
        return UndecodableImage(ImageFault(answer["refused"]), str(answer["detail"])[:300], image_type)
    width, height, columns, rows = (
        _read_count(answer, key) for key in ("width", "height", "picture_width", "picture_height")
    )
    if not is_picture_size(columns, rows):
        raise ValueError(f"a picture of {columns}x{rows}")
    raw = np.fromfile(folder / PICTURE_FILE, np.uint8, count=rows * columns * 3)
    preview = folder / PREVIEW_FILE
    with preview.open("rb") as file:
        start = file.read(len(_JPEG_SIGNATURE))
    if start != _JPEG_SIGNATURE or preview.stat().st_size > MAX_PREVIEW_BYTES:
        raise ValueError("the preview is no small JPEG")
    return DecodedImage(image_type, width, height, raw.reshape(rows, columns, 3), preview)


def _read_count(answer: Mapping[str, Any], key: str) -> int:
    value = answer[key]
    if type(value) is not int or value < 1:
        raise ValueError(f"{key} is {value!r}"[:100])
    return value
