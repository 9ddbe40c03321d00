"""A file is what its bytes are: neither its name nor what the sender says decides how it is decoded or served."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.platform.media.image_types import SHOWN_TYPES, ImageType, name_other_type, sniff_image_type
from tests.support.uploads.pictures import ordinary_files

HEIC = b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"


@pytest.mark.parametrize("content_type", [one.value for one in ImageType if one is not ImageType.HEIC])
def test_every_supported_type_is_recognized(content_type: str) -> None:
    assert sniff_image_type(ordinary_files()[content_type]) == content_type


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (HEIC, ImageType.HEIC),
        (b"\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00mif1avifmiaf", ImageType.AVIF),
        (b"\x00\x00\x00\x14ftypavif\x00\x00\x00\x00mif1", ImageType.AVIF),
        (b"\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isommp42", None),
        (b"BM is how this text begins, and it is no picture", None),
        (b"", None),
        (b"\xff\xd8", None),
    ],
)
def test_types_that_share_a_beginning_are_told_apart(head: bytes, expected: ImageType | None) -> None:
    assert sniff_image_type(head) == expected


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>', "SVG"),
        (b"<SVG onload=alert(1)>", "SVG"),
        (b"<!DOCTYPE html><html>", "HTML"),
        (b"\n\n  <script>alert(1)</script>", "HTML"),
        (b"%PDF-1.7", "PDF"),
        (b"\xff\x0a\xfa", "JPEG XL"),
        (b"8BPS\x00\x01", "Photoshop"),
        (b"II+\x00\x08\x00", "BigTIFF"),
        (b"\x00\x00\x00\x18ftypisom\x00\x00\x00\x00", "MP4 or QuickTime video"),
        (b"just words", None),
    ],
)
def test_other_types_have_a_name(head: bytes, name: str | None) -> None:
    assert sniff_image_type(head) is None
    assert name_other_type(head) == name


def test_a_picture_that_is_a_script_too_is_a_picture() -> None:
    """GIF89a is a beginning that a script can continue; with this type and `nosniff` no browser runs it."""
    assert sniff_image_type(b"GIF89a/*" + b"\x00" * 20 + b"*/=1;</script><html>") is ImageType.GIF


def test_browsers_show_plain_pictures_only() -> None:
    assert {one.value for one in SHOWN_TYPES} == set(ordinary_files()) - {"image/tiff"}


@given(st.binary(max_size=200))
def test_any_bytes_have_a_type_or_none(head: bytes) -> None:
    found = sniff_image_type(head)
    assert found is None or found in ImageType
    name_other_type(head)
