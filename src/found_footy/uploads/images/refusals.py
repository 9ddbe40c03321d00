"""What people read about a picture that cannot be classified. Pure."""

from dataclasses import dataclass

from found_footy.platform.media.image_decoder import ImageLimits, UndecodableImage
from found_footy.platform.media.image_rules import ImageFault

SUPPORTED_TYPES = "JPEG, PNG, WebP, GIF, BMP, TIFF and AVIF"
DECODER_FAILS = "decoder_fails"


@dataclass(frozen=True)
class RefusedImage:
    """A verdict on the picture: the same bytes are refused again. `reason` is for programs, `sentence` for people."""

    reason: str
    sentence: str


def refuse_image(found: UndecodableImage, limits: ImageLimits) -> RefusedImage:
    return RefusedImage(found.fault.value, _write_sentence(found, limits))


def refuse_large_file(max_bytes: int) -> RefusedImage:
    return RefusedImage(ImageFault.TOO_LARGE.value, f"The file is larger than {_write_size(max_bytes)}.")


def refuse_crashing_image() -> RefusedImage:
    """For a picture that ends the decoder every time, on a machine that decodes others."""
    return RefusedImage(DECODER_FAILS, "The picture cannot be decoded: the decoder fails on it every time.")


def _write_size(size: int) -> str:
    return f"{size / 1e6:.3g} MB" if size % 2**20 else f"{size // 2**20} MiB"


def _write_sentence(found: UndecodableImage, limits: ImageLimits) -> str:
    label = found.image_type.label if found.image_type else "picture"
    match found.fault:
        case ImageFault.EMPTY:
            return "The file is empty."
        case ImageFault.TOO_LARGE:
            return refuse_large_file(limits.max_bytes).sentence
        case ImageFault.NOT_AN_IMAGE:
            return f"The file is not a picture. Supported are {SUPPORTED_TYPES}."
        case ImageFault.UNSUPPORTED_TYPE:
            return f"The type of this file is not supported: {found.detail}. Supported are {SUPPORTED_TYPES}."
        case ImageFault.TOO_MANY_PIXELS:
            return f"The picture has more than {limits.max_pixels / 1e6:g} megapixels."
        case ImageFault.TOO_COSTLY:
            return f"The {label} takes too long to decode."
        case ImageFault.DAMAGED:
            return f"The {label} is damaged or incomplete."
