"""Typefaces by name, as far as this machine has them."""

from functools import lru_cache

from PIL import ImageFont

# The first is Pillow's own and so always available. The others come with most desktops and with many packages.
TYPEFACES = (
    "",
    "LiberationSansNarrow-Bold.ttf",
    "DejaVuSansCondensed-Bold.ttf",
    "LiberationSans-Bold.ttf",
    "DejaVuSans-Bold.ttf",
    "LiberationSans-BoldItalic.ttf",
    "DejaVuSansMono-Bold.ttf",
    "LiberationSans-Regular.ttf",
    "DejaVuSerifCondensed-Bold.ttf",
    "LiberationMono-Bold.ttf",
)


@lru_cache(maxsize=256)
def load_typeface(name: str, size: int) -> ImageFont.FreeTypeFont:
    """Return the typeface in a size; Pillow's own if this machine does not have it."""
    try:
        return ImageFont.truetype(name, size) if name else load_default_font(size)
    except OSError:
        return load_default_font(size)


@lru_cache(maxsize=64)
def load_default_font(size: int) -> ImageFont.FreeTypeFont:
    found = ImageFont.load_default(size)
    assert isinstance(found, ImageFont.FreeTypeFont)
    return found
