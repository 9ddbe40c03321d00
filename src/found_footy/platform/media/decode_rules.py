"""Which videos are decoded at all: what every browser plays in an MP4, and no picture beyond a size. Pure.

The rules hold for what the container says and again for each decoded picture, because a stream can change its size and
format in the middle.
"""

from typing import Any

# As the decoder library names codecs; and its decoders of them, the only ones that it may open.
ALLOWED_CODECS = frozenset({"h264", "vp9", "av1"})
_ALLOWED_DECODERS = "h264,vp9,libdav1d,av1"
# Eight bits, colour at half the lines and columns.
ALLOWED_PIXEL_FORMATS = frozenset({"yuv420p", "yuvj420p"})
MAX_SIDE = 8192
MAX_PIXELS = 3840 * 2160 * 2
# As much of a picture as a reader can use; what is larger is made smaller by the child, whose memory is limited.
MAX_EXTRACTED_SIDE = 1920
# The one demuxer, by force. Guessing would take a playlist for one, which makes another open whatever it names.
DEMUXER = "mp4"
# For whoever opens a file: nothing but the file, and no other decoder, not even to look for the facts.
INPUT_OPTIONS = {"protocol_whitelist": "file", "codec_whitelist": _ALLOWED_DECODERS, "max_pixels": str(MAX_PIXELS)}
# For the decoder that is opened: it refuses larger pictures before it makes room for them.
DECODER_OPTIONS = {"codec_whitelist": _ALLOWED_DECODERS, "max_pixels": str(MAX_PIXELS)}


def codec_name(context: Any) -> str:
    """The codec of a stream, by its decoder, which is None where the library has none."""
    return "a codec without a decoder" if context is None else str(context.codec.canonical_name)


def check_codec(codec: str) -> str | None:
    """Why a video of that codec is not decoded; None if it is."""
    return None if codec in ALLOWED_CODECS else f"{codec}: only {', '.join(sorted(ALLOWED_CODECS))} play everywhere"


def check_picture_size(width: int, height: int) -> str | None:
    """Why a picture is too large, or none at all."""
    fits = 0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE and width * height <= MAX_PIXELS
    return None if fits else f"{width}x{height}"


def check_pixel_format(codec: str, pixel_format: str) -> str | None:
    """Why pictures of that format are not used: more colour or more bits than browsers play."""
    return (
        None
        if pixel_format in ALLOWED_PIXEL_FORMATS
        else f"{codec} in {pixel_format}: only 8 bits in 4:2:0 play everywhere"
    )
