"""What of a picture file is given to the decoder: the first picture, without metadata that may be a bomb. Pure.

Text and colour profiles inside a PNG are compressed, comments of a GIF are joined piece by piece, directories of a TIFF
may point at the same bytes thousands of times, and a JPEG may have thousands of scans: each costs the decoder far more
than the file is long, and nothing of it is needed. These functions walk the containers and decode nothing.
"""

import re
import struct
from collections.abc import Iterator

from found_footy.platform.media.image_types import ImageType

_PNG_SIGNATURE_BYTES = 8
_PNG_KEPT_CHUNKS = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})
_MAX_EXIF_BYTES = 64 * 1024
_GIF_EXTENSION, _GIF_IMAGE, _GIF_CONTROL = 0x21, 0x2C, 0xF9
_GIF_TRAILER = b";"
_MAX_JPEG_SCANS = 100
_JPEG_START_OF_SCAN, _JPEG_END = 0xDA, 0xD9
_JPEG_MARKERS_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})
# Inside a scan a marker is what follows FF, unless it is a stuffed zero, a restart or a fill byte.
_JPEG_MARKER_AFTER_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_MAX_TIFF_TAGS = 256
_MAX_TIFF_STRIPS = 100_000
_TIFF_STRIP_TAGS = frozenset({273, 279, 324, 325})
_TIFF_VALUE_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8}


class BrokenContainer(ValueError):
    """The file breaks the rules of its own type, or uses them to cost more than a picture does."""


def keep_first_picture(image_type: ImageType, data: bytes) -> bytes:
    """The file without what the decoder does not need. Raises BrokenContainer."""
    if image_type is ImageType.PNG:
        return _strip_png(data)
    if image_type is ImageType.GIF:
        return _strip_gif(data)
    if image_type is ImageType.JPEG:
        _check_jpeg_scans(data)
    elif image_type is ImageType.TIFF:
        _check_tiff_directory(data)
    return data


def read_webp_size(data: bytes) -> tuple[int, int]:
    """Width and height of the canvas, for which the decoder asks for memory before anybody can look at them."""
    kind, payload = data[12:16], data[20:30]
    if len(payload) < 10:
        raise BrokenContainer("the file ends within its header")
    if kind == b"VP8X":
        return int.from_bytes(payload[4:7], "little") + 1, int.from_bytes(payload[7:10], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(payload[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", payload[6:10])
        return width & 0x3FFF, height & 0x3FFF
    raise BrokenContainer(f"its first part is {kind!r}")


def _strip_png(data: bytes) -> bytes:
    """Keep the parts that make the first picture, and the EXIF data for its orientation."""
    parts, at = [data[:_PNG_SIGNATURE_BYTES]], _PNG_SIGNATURE_BYTES
    while at + 12 <= len(data):
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        end = at + 12 + length
        if kind in _PNG_KEPT_CHUNKS or (kind == b"eXIf" and length <= _MAX_EXIF_BYTES):
            parts.append(data[at:end])
        if kind == b"IEND":
            break
        at = end
    return b"".join(parts)


def _strip_gif(data: bytes) -> bytes:
    """Keep the screen, the first picture and its transparency."""
    at = 13 + _gif_table_bytes(data, 10)
    parts = [data[:at]]
    while at < len(data):
        if data[at] == _GIF_EXTENSION:
            end = _skip_gif_blocks(data, at + 2)
            if data[at + 1 : at + 2] == bytes([_GIF_CONTROL]):
                parts[1:] = [data[at:end]]
            at = end
        elif data[at] == _GIF_IMAGE:
            end = _skip_gif_blocks(data, at + 10 + _gif_table_bytes(data, at + 9) + 1)
            return b"".join([*parts, data[at:end], _GIF_TRAILER])
        else:
            break
    raise BrokenContainer("there is no picture in it")


def _gif_table_bytes(data: bytes, at: int) -> int:
    """The length of the colour table that the flags at this position announce."""
    if at >= len(data):
        raise BrokenContainer("the file ends within its header")
    return 3 * 2 ** ((data[at] & 7) + 1) if data[at] & 0x80 else 0


def _skip_gif_blocks(data: bytes, at: int) -> int:
    while at < len(data) and data[at]:
        at += data[at] + 1
    return at + 1


def _check_jpeg_scans(data: bytes) -> None:
    scans = sum(1 for marker in _jpeg_markers(data) if marker == _JPEG_START_OF_SCAN)
    if scans > _MAX_JPEG_SCANS:
        raise BrokenContainer(f"it has more than {_MAX_JPEG_SCANS} scans")


def _jpeg_markers(data: bytes) -> Iterator[int]:
    """The markers of the first picture in the file, up to a few more scans than are allowed."""
    at, scans = 2, 0
    while at + 4 <= len(data) and data[at] == 0xFF and scans <= _MAX_JPEG_SCANS:
        marker = data[at + 1]
        if marker == _JPEG_END:
            return
        if marker == 0xFF:
            at += 1
            continue
        yield marker
        at += 2 if marker in _JPEG_MARKERS_WITHOUT_LENGTH else 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == _JPEG_START_OF_SCAN:
            scans += 1
            following = _JPEG_MARKER_AFTER_SCAN.search(data, at)
            if following is None:
                return
            at = following.start()


def _check_tiff_directory(data: bytes) -> None:
    """The values of the first directory must fit into the file once, and its strips must be of a usable number."""
    order = "<" if data.startswith(b"II") else ">"
    try:
        (offset,) = struct.unpack_from(f"{order}I", data, 4)
        (count,) = struct.unpack_from(f"{order}H", data, offset)
        entries = [struct.unpack_from(f"{order}HHI", data, offset + 2 + 12 * index) for index in range(count)]
    except struct.error as error:
        raise BrokenContainer("the file ends within its directory") from error
    if count > _MAX_TIFF_TAGS or any(n > _MAX_TIFF_STRIPS for tag, _, n in entries if tag in _TIFF_STRIP_TAGS):
        raise BrokenContainer("its directory is too long")
    if sum(_TIFF_VALUE_BYTES.get(kind, 1) * n for _, kind, n in entries) > len(data):
        raise BrokenContainer("its directory claims more bytes than the file has")
