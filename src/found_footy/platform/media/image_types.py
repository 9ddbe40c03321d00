"""The type of a picture by its first bytes, never by its name or by what the sender says. Pure."""

import re
from enum import StrEnum

# As many bytes as the type is recognized by.
HEAD_BYTES = 4096
_MARKUP_WINDOW = 1024
_BMP_HEADER_SIZES = frozenset({12, 16, 40, 52, 56, 64, 108, 124})
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
_HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})
_SVG = re.compile(rb"<svg[\s>/]|<!doctype\s+svg", re.IGNORECASE)
_HTML = re.compile(rb"<!doctype\s+html|<(html|head|body|script|iframe|title|meta)[\s>/]", re.IGNORECASE)
_OTHER_SIGNATURES = (
    (b"%PDF", "PDF"),
    (b"8BPS", "Photoshop"),
    (b"\xff\x0a", "JPEG XL"),
    (b"\x00\x00\x00\x0cJXL ", "JPEG XL"),
    (b"\x00\x00\x00\x0cjP  ", "JPEG 2000"),
    (b"\xff\x4f\xff\x51", "JPEG 2000"),
    (b"II+\x00", "BigTIFF"),
    (b"MM\x00+", "BigTIFF"),
    (b"\x00\x00\x01\x00", "icon (ICO)"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"\x1aE\xdf\xa3", "Matroska or WebM video"),
    (b"%!PS", "PostScript"),
)


class ImageType(StrEnum):
    """Types of pictures that are recognized. The value is the media type."""

    JPEG = "image/jpeg"
    PNG = "image/png"
    GIF = "image/gif"
    WEBP = "image/webp"
    BMP = "image/bmp"
    TIFF = "image/tiff"
    AVIF = "image/avif"
    HEIC = "image/heic"

    @property
    def label(self) -> str:
        """The name for people."""
        return "WebP" if self is ImageType.WEBP else self.name


# Plain pictures that browsers show without running anything; everything else is served as a download.
SHOWN_TYPES = frozenset({ImageType.JPEG, ImageType.PNG, ImageType.GIF, ImageType.WEBP, ImageType.BMP, ImageType.AVIF})


def sniff_image_type(head: bytes) -> ImageType | None:
    """The type of a file that begins with these bytes; None if it is no picture of a known type."""
    for signature, image_type in (
        (b"\xff\xd8\xff", ImageType.JPEG),
        (b"\x89PNG\r\n\x1a\n", ImageType.PNG),
        (b"GIF87a", ImageType.GIF),
        (b"GIF89a", ImageType.GIF),
        (b"II*\x00", ImageType.TIFF),
        (b"MM\x00*", ImageType.TIFF),
    ):
        if head.startswith(signature):
            return image_type
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return ImageType.WEBP
    if head.startswith(b"BM") and int.from_bytes(head[14:18], "little") in _BMP_HEADER_SIZES:
        return ImageType.BMP
    return _sniff_iso_type(_iso_brands(head))


def name_other_type(head: bytes) -> str | None:
    """The name of a type that is not decoded, as far as it is recognized."""
    for signature, name in _OTHER_SIGNATURES:
        if head.startswith(signature):
            return name
    if _iso_brands(head):
        return "MP4 or QuickTime video"
    beginning = head[:_MARKUP_WINDOW]
    if _SVG.search(beginning):
        return "SVG"
    return "HTML" if _HTML.search(beginning) else None


def _iso_brands(head: bytes) -> list[bytes]:
    """The brands of a file in the ISO base media format, the major one first; empty if it is another."""
    if head[4:8] != b"ftyp":
        return []
    end = min(int.from_bytes(head[:4], "big"), len(head))
    return [head[8:12], *(head[at : at + 4] for at in range(16, end - 3, 4))]


def _sniff_iso_type(brands: list[bytes]) -> ImageType | None:
    """The major brand counts first: a file may name others that can read it too."""
    for group in (brands[:1], brands[1:]):
        if _AVIF_BRANDS & set(group):
            return ImageType.AVIF
        if _HEIC_BRANDS & set(group) and not _AVIF_BRANDS & set(brands):
            return ImageType.HEIC
    return None
