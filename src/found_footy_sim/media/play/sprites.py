"""Pastes small pictures onto large ones, thousands of times per clip."""

from PIL import Image

Rgba = tuple[int, int, int, int]


def paste_sprite(picture: Image.Image, sprite: Image.Image, left: int, top: int) -> None:
    """Paste a sprite with an alpha channel over a picture, also across its edges.

    The checks of `Image.paste` before it calls the same function take four times as long as the pixels of a player.
    """
    pixels = sprite.im
    picture.im.paste(pixels, (left, top, left + sprite.width, top + sprite.height), pixels)


def paste_colour(picture: Image.Image, ink: Rgba, mask: Image.Image, left: int, top: int) -> None:
    """Paste one colour over a picture through the mask."""
    picture.im.paste(ink, (left, top, left + mask.width, top + mask.height), mask.im)
