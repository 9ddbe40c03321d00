"""How an original is served back: with the type of its bytes, and shown by a browser only if it is a plain picture."""

from urllib.parse import quote

from found_footy.platform.media.image_types import HEAD_BYTES, ImageType, sniff_image_type

__all__ = ["HEAD_BYTES", "build_serving_headers"]

_SHOWN_TYPES = frozenset({ImageType.JPEG, ImageType.PNG, ImageType.GIF, ImageType.WEBP, ImageType.BMP, ImageType.AVIF})
_UNKNOWN_TYPE = "application/octet-stream"


def build_serving_headers(head: bytes, name: str) -> dict[str, str]:
    """Headers for a file that begins with `head` (HEAD_BYTES of it, or all). Whatever is not a picture that browsers
    show is offered for download, without a type that a browser could run.
    """
    image_type = sniff_image_type(head)
    disposition = "inline" if image_type in _SHOWN_TYPES else "attachment"
    return {
        "Content-Type": image_type.value if image_type else _UNKNOWN_TYPE,
        "X-Content-Type-Options": "nosniff",
        "Content-Disposition": f"{disposition}; filename*=UTF-8''{quote(name, safe='')}",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
