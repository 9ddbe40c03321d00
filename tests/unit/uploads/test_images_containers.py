"""The decoder gets the first picture of a file and no metadata that costs more than the picture."""

import struct
import zlib
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from found_footy.platform.media.image_containers import BrokenContainer, keep_first_picture, read_webp_size
from found_footy.platform.media.image_types import ImageType
from tests.support.uploads.pictures import (
    corner_picture,
    encode,
    gif_with_comments,
    jpeg_with_scans,
    ordinary_files,
    packed_zeros,
    png_chunk,
    tiff_with_directory,
    turned,
    webp_of_size,
    with_first_png_chunk,
)


def pixels_of(data: bytes) -> bytes:
    with Image.open(BytesIO(data)) as image:
        return image.convert("RGB").tobytes()


@pytest.mark.parametrize("image_type", [one for one in ImageType if one is not ImageType.HEIC])
def test_the_picture_stays_the_same(image_type: ImageType) -> None:
    data = ordinary_files()[image_type]
    assert pixels_of(keep_first_picture(image_type, data)) == pixels_of(data)


@pytest.mark.parametrize("kind", [b"zTXt", b"iTXt", b"tEXt", b"iCCP", b"acTL", b"fdAT"])
def test_text_profiles_and_animation_of_a_png_are_left_out(kind: bytes) -> None:
    data = with_first_png_chunk(ordinary_files()["image/png"], png_chunk(kind, b"x\x00\x00" + packed_zeros(4)))
    kept = keep_first_picture(ImageType.PNG, data)
    assert kind not in kept
    assert pixels_of(kept) == pixels_of(ordinary_files()["image/png"])


def test_the_orientation_of_a_png_is_kept() -> None:
    assert b"eXIf" in keep_first_picture(ImageType.PNG, turned("PNG", 6))


def test_what_follows_the_end_of_a_png_is_left_out() -> None:
    data = ordinary_files()["image/png"]
    assert b"<script>" not in keep_first_picture(ImageType.PNG, data + b"<script>alert(1)</script>")


def test_an_animated_gif_becomes_its_first_picture_and_loses_its_comments() -> None:
    frames = [corner_picture(), Image.new("RGB", (96, 64), "green")]
    data = encode(frames[0], "GIF", save_all=True, append_images=frames[1:])
    kept = keep_first_picture(ImageType.GIF, data)
    with Image.open(BytesIO(kept)) as image:
        assert getattr(image, "n_frames", 1) == 1
    assert pixels_of(kept) == pixels_of(data)
    commented = keep_first_picture(ImageType.GIF, gif_with_comments(1000))
    assert len(commented) < 10_000
    assert pixels_of(commented) == pixels_of(ordinary_files()["image/gif"])


def test_transparency_of_a_gif_is_kept() -> None:
    picture = Image.new("P", (20, 20), 0)
    picture.putpalette([255, 0, 0, 0, 255, 0])
    kept = keep_first_picture(ImageType.GIF, encode(picture, "GIF", transparency=0))
    with Image.open(BytesIO(kept)) as image:
        assert image.convert("RGBA").getpixel((5, 5)) == (255, 0, 0, 0)


@pytest.mark.parametrize("data", [b"GIF89a", b"GIF89a" + bytes(7), b"GIF89a" + bytes(7) + b";"])
def test_a_gif_without_a_picture_is_broken(data: bytes) -> None:
    with pytest.raises(BrokenContainer):
        keep_first_picture(ImageType.GIF, data)


def test_a_jpeg_of_many_scans_is_refused_and_a_progressive_one_is_not() -> None:
    assert keep_first_picture(ImageType.JPEG, jpeg_with_scans(1))
    with pytest.raises(BrokenContainer, match="scans"):
        keep_first_picture(ImageType.JPEG, jpeg_with_scans(200))


def test_scans_behind_the_end_of_a_jpeg_do_not_count() -> None:
    """Phones append a film to a picture."""
    data = ordinary_files()["image/jpeg"] + b"\xff\xda\x00\x02" * 500
    assert keep_first_picture(ImageType.JPEG, data) == data


@pytest.mark.parametrize(
    "entries",
    [
        [(273, 4, 200_000, 8)],
        [(700, 1, 2**31, 8)],
        [(number, 4, 300, 8) for number in range(200)],
        [(number, 1, 1, 8) for number in range(300)],
    ],
)
def test_a_tiff_directory_that_claims_too_much_is_refused(entries: list[tuple[int, int, int, int]]) -> None:
    with pytest.raises(BrokenContainer):
        keep_first_picture(ImageType.TIFF, tiff_with_directory(entries, filler=10_000))


def test_a_tiff_directory_outside_the_file_is_refused() -> None:
    with pytest.raises(BrokenContainer):
        keep_first_picture(ImageType.TIFF, b"II*\x00" + struct.pack("<I", 2**31))


def test_the_size_of_a_webp_is_read_from_each_of_its_forms() -> None:
    assert read_webp_size(webp_of_size(16_384, 9_000)) == (16_384, 9_000)
    assert read_webp_size(encode(corner_picture(50, 30), "WEBP")) == (50, 30)
    assert read_webp_size(encode(corner_picture(50, 30), "WEBP", lossless=True)) == (50, 30)
    with pytest.raises(BrokenContainer):
        read_webp_size(b"RIFF\x00\x00\x00\x00WEBP")
    with pytest.raises(BrokenContainer):
        read_webp_size(b"RIFF\x00\x00\x00\x00WEBPXXXX" + bytes(20))


@given(st.sampled_from(list(ImageType)), st.binary(max_size=300), st.integers(0, 200), st.integers(0, 255))
def test_any_bytes_are_stripped_or_broken(image_type: ImageType, noise: bytes, at: int, value: int) -> None:
    """Bytes that begin like a picture and go on like noise, and pictures with one wrong byte."""
    whole = ordinary_files().get(image_type, b"")
    changed = bytearray(whole)
    if changed:
        changed[at % len(changed)] = value
    for data in (whole[:at] + noise, bytes(changed), whole[:at]):
        try:
            kept = keep_first_picture(image_type, data)
        except BrokenContainer:
            continue
        assert len(kept) <= len(data) + 1


def test_zeros_that_pack_well_really_do() -> None:
    """The bombs of these tests are bombs."""
    assert len(zlib.decompress(packed_zeros(4))) == 4 * 2**20
    assert len(packed_zeros(4)) < 20_000


def test_a_tiff_of_too_many_strips_is_refused_although_the_file_is_long_enough_for_them() -> None:
    strips = [(273, 4, 100_001, 8)]
    with pytest.raises(BrokenContainer, match="too long"):
        keep_first_picture(ImageType.TIFF, tiff_with_directory(strips, filler=500_000))


def test_exif_data_of_a_png_that_is_longer_than_an_orientation_needs_is_left_out() -> None:
    png = ordinary_files()["image/png"]
    short, long = (png_chunk(b"eXIf", bytes(size)) for size in (64 * 1024, 64 * 1024 + 1))
    assert b"eXIf" in keep_first_picture(ImageType.PNG, with_first_png_chunk(png, short))
    assert b"eXIf" not in keep_first_picture(ImageType.PNG, with_first_png_chunk(png, long))
