"""Putting small pictures onto large ones, thousands of times per clip."""

from PIL import Image

Rgba = tuple[int, int, int, int]


def paste_sprite(picture: Image.Image, sprite: Image.Image, left: int, top: int) -> None:
    """A sprite with an alpha channel over a picture of the drawing's own, also where it reaches over an edge.

    What `Image.paste` looks at before it calls the same function takes four times as long as the pixels of a player.
    """
    pixels = sprite.im
    picture.im.paste(pixels, (left, top, left + sprite.width, top + sprite.height), pixels)


def paste_colour(picture: Image.Image, ink: Rgba, mask: Image.Image, left: int, top: int) -> None:
    """One colour over a picture, as much as the mask lets through."""
    picture.im.paste(ink, (left, top, left + mask.width, top + mask.height), mask.im)
