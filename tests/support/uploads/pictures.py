"""Pictures that organizations upload: ordinary ones of every type, and those that strangers make."""

import struct
import zlib
from functools import cache
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image

WIDTH, HEIGHT = 96, 64
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
ORIENTATION = 0x0112


def corner_picture(width: int = WIDTH, height: int = HEIGHT) -> Image.Image:
    """Red in the upper left quarter, blue elsewhere: shows how it is turned."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[:, :, 2] = 255
    pixels[: height // 2, : width // 2] = (255, 0, 0)
    return Image.fromarray(pixels)


def encode(picture: Image.Image, form: str, **options: Any) -> bytes:
    data = BytesIO()
    picture.save(data, form, **options)
    return data.getvalue()


@cache
def ordinary_files() -> dict[str, bytes]:
    picture = corner_picture()
    return {
        "image/jpeg": encode(picture, "JPEG", quality=95, subsampling=0),
        "image/png": encode(picture, "PNG"),
        "image/gif": encode(picture, "GIF"),
        "image/webp": encode(picture, "WEBP", quality=95),
        "image/bmp": encode(picture, "BMP"),
        "image/tiff": encode(picture, "TIFF"),
        "image/avif": encode(picture, "AVIF", quality=95, speed=10),
    }


def turned(form: str, orientation: int) -> bytes:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    return encode(corner_picture(), form, exif=exif, **({"speed": 10} if form == "AVIF" else {}))


def png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_file(width: int, height: int, *, channels: int = 3, bits: int = 8, extra: bytes = b"", rows: int = -1) -> bytes:
    """A PNG of zeros, made without holding its pixels. `extra` stands before the picture; `rows` of it are there."""
    colour_type = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    packer = zlib.compressobj(1)
    row = bytes(1 + (width * channels * bits + 7) // 8)
    parts = [packer.compress(row) for _ in range(height if rows < 0 else rows)]
    parts.append(packer.flush())
    header = struct.pack(">IIBBBBB", width, height, bits, colour_type, 0, 0, 0)
    return (
        PNG_SIGNATURE
        + png_chunk(b"IHDR", header)
        + extra
        + png_chunk(b"IDAT", b"".join(parts))
        + png_chunk(b"IEND", b"")
    )


@cache
def packed_zeros(megabytes: int) -> bytes:
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(bytes(2**20)) for _ in range(megabytes)) + packer.flush()


def with_first_png_chunk(png: bytes, chunk: bytes) -> bytes:
    """The chunk behind the header."""
    end = len(PNG_SIGNATURE) + 25
    return png[:end] + chunk + png[end:]


def jpeg_with_scans(count: int, width: int = WIDTH, height: int = HEIGHT) -> bytes:
    """A progressive JPEG whose last scan is repeated."""
    data = encode(Image.new("RGB", (width, height)), "JPEG", progressive=True)
    start = data.rindex(b"\xff\xda")
    return data[:start] + data[start:-2] * count + b"\xff\xd9"


def gif_with_comments(blocks: int) -> bytes:
    data = ordinary_files()["image/gif"]
    table = 13 + 3 * 2 ** ((data[10] & 7) + 1) if data[10] & 0x80 else 13
    return data[:table] + b"\x21\xfe" + (b"\xff" + b"c" * 255) * blocks + b"\x00" + data[table:]


def tiff_with_directory(entries: list[tuple[int, int, int, int]], filler: int = 0) -> bytes:
    """A TIFF whose only directory has these tags: number, type, count, value."""
    directory = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return b"II*\x00" + struct.pack("<IH", 8, len(entries)) + directory + b"\x00" * (4 + filler)


def webp_of_size(width: int, height: int) -> bytes:
    """The header of a picture of this size, and nothing of it."""
    body = b"VP8X" + struct.pack("<I", 10) + b"\x02\x00\x00\x00"
    body += (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


def gif_of_size(width: int, height: int) -> bytes:
    data = bytearray(ordinary_files()["image/gif"])
    data[6:10] = struct.pack("<HH", width, height)
    return bytes(data)
