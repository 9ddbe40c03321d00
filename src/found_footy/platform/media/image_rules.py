"""Limits and sizes of decoded pictures, for the worker and for the child that decodes. Pure."""

from enum import StrEnum

PICTURE_FILE = "picture.rgb"
PREVIEW_FILE = "preview.jpg"
MAX_PREVIEW_SIDE = 320
MAX_PREVIEW_BYTES = 256 * 1024
# The short side of a picture for the classifiers, which need up to 256. Smaller pictures keep their size.
SHORT_SIDE = 320
# Of longer pictures the middle is classified.
MAX_ASPECT_RATIO = 4


class ImageFault(StrEnum):
    """Why a picture cannot be used. Each is about the file, none about this machine."""

    EMPTY = "empty"
    TOO_LARGE = "too_large"
    NOT_AN_IMAGE = "not_an_image"
    UNSUPPORTED_TYPE = "unsupported_type"
    TOO_MANY_PIXELS = "too_many_pixels"
    DAMAGED = "damaged"
    TOO_COSTLY = "too_costly"


def compute_reduction(width: int, height: int) -> int:
    """By how much the picture is averaged down before it is resized, so that it stays large enough for that."""
    return max(1, min(width, height) // SHORT_SIDE)


def compute_middle(width: int, height: int) -> tuple[int, int, int, int]:
    """The box (left, top, right, bottom) in the middle whose sides differ by at most MAX_ASPECT_RATIO."""
    longest = min(width, height) * MAX_ASPECT_RATIO
    kept_width, kept_height = min(width, longest), min(height, longest)
    left, top = (width - kept_width) // 2, (height - kept_height) // 2
    return left, top, left + kept_width, top + kept_height


def compute_picture_size(width: int, height: int) -> tuple[int, int]:
    """The size for the classifiers, in the same proportions."""
    short = min(width, height)
    return (width, height) if short <= SHORT_SIDE else (width * SHORT_SIDE // short, height * SHORT_SIDE // short)


def compute_preview_size(width: int, height: int) -> tuple[int, int]:
    """The size of the preview: in the same proportions, at most MAX_PREVIEW_SIDE, and never enlarged."""
    scale = min(1.0, MAX_PREVIEW_SIDE / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def is_picture_size(width: int, height: int) -> bool:
    """Whether a child that follows the rules can have written a picture of this size."""
    short, long = min(width, height), max(width, height)
    return 0 < short <= SHORT_SIDE and long <= short * MAX_ASPECT_RATIO
