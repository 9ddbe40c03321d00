"""Ordinary pictures of every type and form come out upright, in RGB, with a small preview without metadata."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from found_footy.platform.media.image_decoder import ImageLimits
from found_footy.uploads.images.preparation import PreparedImage, can_decode_reference, prepare_image
from tests.support.patience import PATIENCE
from tests.support.uploads.pictures import (
    HEIGHT,
    ORIENTATION,
    WIDTH,
    corner_picture,
    encode,
    ordinary_files,
    packed_zeros,
    png_chunk,
    png_file,
    turned,
    with_first_png_chunk,
)

LIMITS = replace(ImageLimits(), timeout=PATIENCE)
RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


async def prepare(folder: Path, data: bytes, name: str = "picture") -> PreparedImage:
    (folder / name).write_bytes(data)
    (folder / "out").mkdir(exist_ok=True)
    found = await prepare_image(folder / name, folder / "out", LIMITS)
    assert isinstance(found, PreparedImage), found
    return found


def is_near(pixel: object, colour: tuple[int, int, int], tolerance: int = 30) -> bool:
    return bool(np.abs(np.asarray(pixel, int) - colour).max() <= tolerance)


@pytest.mark.parametrize("content_type", list(ordinary_files()))
async def test_every_type_is_decoded_whatever_its_name_says(tmp_path: Path, content_type: str) -> None:
    found = await prepare(tmp_path, ordinary_files()[content_type], "holiday.html")
    assert (found.content_type, found.width, found.height) == (content_type, WIDTH, HEIGHT)
    assert found.pixels.shape == (HEIGHT, WIDTH, 3)
    assert is_near(found.pixels[8, 8], RED)
    assert is_near(found.pixels[-8, -8], BLUE)
    with Image.open(found.preview) as preview:
        assert (preview.format, preview.size) == ("JPEG", (WIDTH, HEIGHT))


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
@pytest.mark.parametrize(
    ("orientation", "corner"), [(3, (1, 1)), (6, (0, 1)), (8, (1, 0)), (5, (0, 0)), (2, (0, 1)), (99, (0, 0))]
)
async def test_a_turned_picture_comes_out_upright(
    tmp_path: Path, form: str, orientation: int, corner: tuple[int, int]
) -> None:
    found = await prepare(tmp_path, turned(form, orientation))
    sideways = orientation in (5, 6, 8)
    assert (found.width, found.height) == ((HEIGHT, WIDTH) if sideways else (WIDTH, HEIGHT))
    rows, columns = found.pixels.shape[:2]
    assert (columns, rows) == (found.width, found.height)
    assert is_near(found.pixels[(4, rows - 4)[corner[0]], (4, columns - 4)[corner[1]]], RED, 60)
    with Image.open(found.preview) as preview:
        assert preview.size == (found.width, found.height)
        assert not preview.getexif()


async def test_a_large_picture_becomes_small_and_keeps_its_proportions(tmp_path: Path) -> None:
    found = await prepare(tmp_path, encode(corner_picture(3000, 2000), "JPEG"))
    assert (found.width, found.height) == (3000, 2000)
    assert found.pixels.shape == (320, 480, 3)
    with Image.open(found.preview) as preview:
        assert preview.size == (320, 213)
    assert is_near(found.pixels[20, 20], RED)


async def test_of_a_very_long_picture_the_middle_is_classified_and_all_of_it_is_shown(tmp_path: Path) -> None:
    picture = Image.new("RGB", (4000, 100), "red")
    picture.paste((0, 0, 255), (1700, 0, 2300, 100))
    found = await prepare(tmp_path, encode(picture, "PNG"))
    assert found.pixels.shape == (100, 400, 3)
    assert is_near(found.pixels.reshape(-1, 3).mean(0), BLUE)
    with Image.open(found.preview) as preview:
        assert preview.size == (320, 8)
        assert is_near(preview.getpixel((5, 4)), RED)


async def test_metadata_does_not_reach_the_preview(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x010F] = "SECRET CAMERA"
    data = encode(corner_picture(), "JPEG", exif=exif, comment=b"SECRET PLACE", icc_profile=b"SECRET PROFILE" * 20)
    found = await prepare(tmp_path, data)
    assert b"SECRET" in data
    assert b"SECRET" not in found.preview.read_bytes()


@pytest.mark.parametrize("form", ["PNG", "WEBP", "TIFF"])
async def test_transparent_parts_become_white(tmp_path: Path, form: str) -> None:
    picture = Image.new("RGBA", (64, 64), (0, 0, 0, 0))
    picture.paste((255, 0, 0, 255), (0, 0, 32, 64))
    found = await prepare(tmp_path, encode(picture, form, **({"lossless": True} if form == "WEBP" else {})))
    assert is_near(found.pixels[32, 8], RED)
    assert is_near(found.pixels[32, 56], WHITE)


async def test_transparency_of_palettes_and_single_colours_becomes_white(tmp_path: Path) -> None:
    palette = Image.new("P", (40, 40), 0)
    palette.putpalette([0, 255, 0, 255, 0, 0])
    palette.paste(1, (0, 0, 20, 40))
    for data in (
        encode(palette, "PNG", transparency=0),
        encode(palette, "GIF", transparency=0),
        encode(palette.convert("RGB"), "PNG", transparency=(0, 255, 0)),
    ):
        found = await prepare(tmp_path, data)
        assert is_near(found.pixels[20, 5], RED)
        assert is_near(found.pixels[20, 35], WHITE)


GRADIENT = np.tile(np.linspace(0, 65_535, 256), (64, 1))
FORMS = {
    "CMYK JPEG": encode(corner_picture().convert("CMYK"), "JPEG", quality=95),
    "CMYK TIFF": encode(corner_picture().convert("CMYK"), "TIFF"),
    "palette PNG": encode(corner_picture().quantize(4), "PNG"),
    "YCbCr TIFF": encode(corner_picture().convert("YCbCr"), "TIFF"),
    "LZW TIFF": encode(corner_picture(), "TIFF", compression="tiff_lzw"),
    "progressive JPEG": encode(corner_picture(), "JPEG", progressive=True, quality=95),
}
GREY_FORMS = {
    "16-bit PNG": encode(Image.fromarray(GRADIENT.astype(np.uint16)), "PNG"),
    "16-bit TIFF": encode(Image.fromarray(GRADIENT.astype(np.uint16)), "TIFF"),
    "32-bit TIFF": encode(Image.fromarray(GRADIENT.astype(np.int32)), "TIFF"),
    "float TIFF": encode(Image.fromarray((GRADIENT / 65_535).astype(np.float32)), "TIFF"),
    "signed TIFF": encode(Image.fromarray((GRADIENT * 1000 - 30_000_000).astype(np.int32)), "TIFF"),
    "grey PNG": encode(Image.fromarray((GRADIENT / 257).astype(np.uint8)), "PNG"),
    "grey JPEG": encode(Image.fromarray((GRADIENT / 257).astype(np.uint8)), "JPEG"),
}


@pytest.mark.parametrize("form", FORMS)
async def test_colours_of_every_form_are_kept(tmp_path: Path, form: str) -> None:
    found = await prepare(tmp_path, FORMS[form])
    assert is_near(found.pixels[8, 8], RED, 45)
    assert is_near(found.pixels[-8, -8], BLUE, 45)


@pytest.mark.parametrize("form", GREY_FORMS)
async def test_greys_of_every_depth_keep_their_brightness(tmp_path: Path, form: str) -> None:
    found = await prepare(tmp_path, GREY_FORMS[form])
    for column in (10, 64, 128, 200, 250):
        assert is_near(found.pixels[32, column], (column, column, column), 6)


async def test_16_bit_colours_are_decoded(tmp_path: Path) -> None:
    assert (await prepare(tmp_path, png_file(50, 40, channels=3, bits=16))).pixels.max() == 0
    assert (await prepare(tmp_path, png_file(50, 40, channels=4, bits=16))).pixels.min() == 255, "transparent"


async def test_single_bits_are_decoded(tmp_path: Path) -> None:
    picture = Image.new("1", (64, 64), 1)
    picture.paste(0, (0, 0, 32, 64))
    for form, options in (("PNG", {}), ("TIFF", {"compression": "group4"}), ("BMP", {})):
        found = await prepare(tmp_path, encode(picture, form, **options))
        assert (found.pixels[32, 8].max(), found.pixels[32, 56].min()) == (0, 255)


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG", "TIFF"])
async def test_of_several_pictures_the_first_counts(tmp_path: Path, form: str) -> None:
    others = [Image.new("RGB", (WIDTH, HEIGHT), "green")] * 3
    data = encode(corner_picture(), form, save_all=True, append_images=others)
    found = await prepare(tmp_path, data)
    assert is_near(found.pixels[8, 8], RED, 60)
    assert is_near(found.pixels[-8, -8], BLUE, 60)


@pytest.mark.parametrize("kind", [b"zTXt", b"iTXt", b"iCCP"])
async def test_a_bomb_in_the_metadata_of_a_png_does_not_matter(tmp_path: Path, kind: bytes) -> None:
    beginning = {b"zTXt": b"k\0\0", b"iTXt": b"k\0\1\0\0\0", b"iCCP": b"k\0\0"}[kind]
    bomb = png_chunk(kind, beginning + packed_zeros(80))
    found = await prepare(tmp_path, with_first_png_chunk(ordinary_files()["image/png"], bomb))
    assert is_near(found.pixels[8, 8], RED)


async def test_unreadable_exif_data_turns_nothing(tmp_path: Path) -> None:
    data = turned("JPEG", 6)
    at = data.index(b"Exif\0\0") + 6
    assert (await prepare(tmp_path, data[:at] + b"XXXX" + data[at + 4 :])).width == WIDTH
    text = Image.Exif()
    text[ORIENTATION] = 6
    cut = encode(corner_picture(), "PNG", exif=text.tobytes()[:14])
    assert (await prepare(tmp_path, cut)).width == WIDTH


async def test_this_machine_decodes_a_picture_of_our_own(tmp_path: Path) -> None:
    assert await can_decode_reference(tmp_path, LIMITS)
    assert BytesIO((tmp_path / "reference" / "preview.jpg").read_bytes()).read(3) == b"\xff\xd8\xff"
