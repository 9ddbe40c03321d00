"""Child program that decodes untrusted pictures, run in the sandbox under limits.

`python -m found_footy.platform.media.children.image SOURCE FOLDER TYPE MAX_PIXELS CPU_SECONDS` writes the picture as
raw RGB and its preview as a JPEG into FOLDER, and prints one JSON object: its size, or the fault that makes it
unusable.
"""

import json
import resource
import signal
import struct
import sys
import warnings
import zlib
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from found_footy.platform.media.image_containers import BrokenContainer, keep_first_picture, read_webp_size
from found_footy.platform.media.image_rules import (
    MAX_PREVIEW_SIDE,
    PICTURE_FILE,
    PREVIEW_FILE,
    SHORT_SIDE,
    ImageFault,
    compute_middle,
    compute_picture_size,
    compute_preview_size,
    compute_reduction,
)
from found_footy.platform.media.image_types import ImageType
from found_footy.platform.system_errors import classify_system_error

_PREVIEW_QUALITY = 80
_MAX_DETAIL_LENGTH = 300
_ORIENTATION_TAG = 0x0112
_TRANSPOSITIONS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_SIDEWAYS_ORIENTATIONS = frozenset({5, 6, 7, 8})
_MAX_16_BIT = 65_535
_ALPHA_MODES = frozenset({"RGBA", "LA", "PA", "La", "RGBa"})
# The only plugin that opens a file of each type. Imported here: the sandboxed child may not be able to read them.
_PLUGINS: dict[ImageType, Callable[[BytesIO], Image.Image]] = {
    ImageType.JPEG: JpegImagePlugin.JpegImageFile,
    ImageType.PNG: PngImagePlugin.PngImageFile,
    ImageType.GIF: GifImagePlugin.GifImageFile,
    ImageType.WEBP: WebPImagePlugin.WebPImageFile,
    ImageType.BMP: BmpImagePlugin.BmpImageFile,
    ImageType.TIFF: TiffImagePlugin.TiffImageFile,
    ImageType.AVIF: AvifImagePlugin.AvifImageFile,
}
# What decoders raise about a file; the sandbox's own limits come as MemoryError or with an errno.
_DECODER_ERRORS = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    EOFError,
    RuntimeError,
    AssertionError,
    MemoryError,
    struct.error,
    zlib.error,
)
AvifImagePlugin.DEFAULT_MAX_THREADS = 1  # the child may start no thread


class UnusableImageError(Exception):
    def __init__(self, fault: ImageFault, detail: str) -> None:
        super().__init__(f"{fault}: {detail}")
        self.fault = fault
        self.detail = detail


def main(arguments: list[str]) -> int:
    source, folder, image_type, max_pixels, cpu_seconds = arguments
    _limit_processor_time(int(cpu_seconds))
    warnings.simplefilter("ignore")
    try:
        found = _decode_file(Path(source), Path(folder), ImageType(image_type), int(max_pixels))
    except UnusableImageError as error:
        found = {"refused": error.fault, "detail": error.detail}
    except BrokenContainer as error:
        found = {"refused": ImageFault.DAMAGED, "detail": str(error)}
    except _DECODER_ERRORS as error:
        found = _describe_error(error)
    sys.stdout.write(json.dumps(found))
    return 0


def _limit_processor_time(seconds: int) -> None:
    """End with SIGXCPU before the hard limit, which kills like a machine without memory does."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, hard))


def _describe_error(error: Exception) -> dict[str, object]:
    detail = f"{type(error).__name__}: {error}"[:_MAX_DETAIL_LENGTH]
    machine_fault = classify_system_error(error)
    return {"fault": machine_fault, "detail": detail} if machine_fault else {"refused": "damaged", "detail": detail}


def _decode_file(source: Path, folder: Path, image_type: ImageType, max_pixels: int) -> dict[str, object]:
    data = source.read_bytes()
    if image_type is ImageType.WEBP:
        _check_size(read_webp_size(data), max_pixels)
    Image.MAX_IMAGE_PIXELS = max_pixels
    try:
        with _open_image(image_type, keep_first_picture(image_type, data)) as image:
            del data
            _check_size(image.size, max_pixels)
            return _write_pictures(image, folder)
    except Image.DecompressionBombError as error:
        raise UnusableImageError(ImageFault.TOO_MANY_PIXELS, str(error)) from error


def _open_image(image_type: ImageType, data: bytes) -> Image.Image:
    """Read the header, by this type's plugin alone; nothing is decoded yet. A JPEG with several pictures is one."""
    return _PLUGINS[image_type](BytesIO(data))


def _check_size(size: tuple[int, int], max_pixels: int) -> None:
    width, height = size
    if width * height > max_pixels:
        raise UnusableImageError(ImageFault.TOO_MANY_PIXELS, f"{width}x{height}")
    if width < 1 or height < 1:
        raise UnusableImageError(ImageFault.DAMAGED, f"it is {width}x{height}")


def _write_pictures(image: Image.Image, folder: Path) -> dict[str, object]:
    declared_size = image.size
    image.draft(None, (SHORT_SIDE, SHORT_SIDE))
    image.load()
    # The plugin for TIFF turns the picture itself, and takes the orientation away.
    width, height = image.size if isinstance(image, TiffImagePlugin.TiffImageFile) else declared_size
    orientation = _read_orientation(image)
    picture, preview = _make_pictures(image)
    image.close()
    if (turn := _TRANSPOSITIONS.get(orientation)) is not None:
        picture, preview = picture.transpose(turn), preview.transpose(turn)
    if orientation in _SIDEWAYS_ORIENTATIONS:
        width, height = height, width
    preview.save(folder / PREVIEW_FILE, "JPEG", quality=_PREVIEW_QUALITY)
    (folder / PICTURE_FILE).write_bytes(picture.tobytes())
    return {"width": width, "height": height, "picture_width": picture.width, "picture_height": picture.height}


def _make_pictures(image: Image.Image) -> tuple[Image.Image, Image.Image]:
    """The picture for the classifiers, of a long one its middle, and the preview, which shows all of it."""
    middle = compute_middle(*image.size)
    is_whole = middle == (0, 0, *image.size)
    reduced = _average_down(image if is_whole else image.crop(middle), image.info)
    whole = reduced if is_whole else _average_down(image, image.info, for_preview=True)
    preview = whole.resize(compute_preview_size(*image.size), Image.Resampling.BICUBIC)
    preview.info = {}  # comments and profiles of the original, which would be written too
    return reduced.resize(compute_picture_size(*reduced.size), Image.Resampling.BICUBIC), preview


def _read_orientation(image: Image.Image) -> int:
    """How the picture is to be turned; 1 if the metadata does not say it in a readable form."""
    try:
        orientation = image.getexif().get(_ORIENTATION_TAG, 1)
    except _DECODER_ERRORS as error:
        if isinstance(error, MemoryError):
            raise
        return 1
    return orientation if isinstance(orientation, int) else 1


def _average_down(image: Image.Image, info: Mapping[Any, Any], *, for_preview: bool = False) -> Image.Image:
    """A smaller RGB copy. Averaging comes first, so that the other steps need little memory; colours of a palette,
    single bits and 16-bit values are converted before it, because those cannot be averaged.
    """
    if image.mode.startswith("I;16"):
        image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    elif image.mode == "1":
        image = image.convert("L")
    elif image.mode in ("P", "PA") or "transparency" in info:
        image = image.convert("RGBA" if image.mode == "PA" or "transparency" in info else "RGB")
    factor = compute_reduction(*image.size)
    factors = tuple(max(1, side // (2 * MAX_PREVIEW_SIDE)) for side in image.size) if for_preview else (factor, factor)
    return _convert_to_rgb(image.reduce((factors[0], factors[1])))


def _convert_to_rgb(image: Image.Image) -> Image.Image:
    """Put transparent parts on white; no colour profile is applied."""
    if image.mode in ("I", "F"):
        image = Image.fromarray(_scale_to_bytes(np.asarray(image)))
    if image.mode == "LAB":
        raise UnusableImageError(ImageFault.UNSUPPORTED_TYPE, "a picture in Lab colours")
    if image.mode in _ALPHA_MODES:
        opaque = Image.new("RGBA", image.size, "white")
        opaque.alpha_composite(image.convert("RGBA"))
        image = opaque
    return image.convert("RGB")


def _scale_to_bytes(values: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Values of 8 or 16 bits and of 0 to 1 keep their meaning; others are stretched from the least to the most."""
    finite = np.nan_to_num(values.astype(np.float64), posinf=0.0, neginf=0.0)
    least, most = float(finite.min()), float(finite.max())
    if least < 0 or most > _MAX_16_BIT:
        scaled = (finite - least) * (255 / max(most - least, 1e-9))
    elif values.dtype.kind == "f" and most <= 1:
        scaled = finite * 255
    else:
        scaled = finite if most <= 255 else finite / 257
    return scaled.astype(np.uint8)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
