"""The child that decodes pictures refuses one of too many pixels before the library asks for memory for it."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from found_footy.platform.media.children import image
from found_footy.platform.media.image_rules import ImageFault
from found_footy.platform.media.image_types import ImageType
from tests.support.uploads.pictures import ordinary_files, webp_of_size

MAX_PIXELS = 10_000


class OpenedImage(Exception):
    """The library was asked to open a picture."""


def open_nothing(*_: Any) -> Image.Image:
    raise OpenedImage


def test_a_webp_of_too_many_pixels_is_refused_before_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    monkeypatch.setattr(image, "_open_image", open_nothing)
    source = tmp_path / "picture"
    source.write_bytes(webp_of_size(100, 101))
    with pytest.raises(image.UnusableImageError) as refused:
        image._decode_file(source, tmp_path, ImageType.WEBP, MAX_PIXELS)
    assert refused.value.fault is ImageFault.TOO_MANY_PIXELS
    source.write_bytes(webp_of_size(100, 100))
    with pytest.raises(OpenedImage):
        image._decode_file(source, tmp_path, ImageType.WEBP, MAX_PIXELS)


def test_the_library_opens_a_picture_with_our_limit_of_pixels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[int | None] = []

    def record_limit(*_: Any) -> Image.Image:
        limits.append(Image.MAX_IMAGE_PIXELS)
        raise OpenedImage

    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    monkeypatch.setattr(image, "_open_image", record_limit)
    source = tmp_path / "picture"
    source.write_bytes(ordinary_files()["image/png"])
    with pytest.raises(OpenedImage):
        image._decode_file(source, tmp_path, ImageType.PNG, MAX_PIXELS)
    assert limits == [MAX_PIXELS]
