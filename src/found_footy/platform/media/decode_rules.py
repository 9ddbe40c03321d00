"""Which videos are decoded: codecs that every browser plays in an MP4, and frames up to a maximum size. Pure.

The rules are applied to the container's declaration and again to each decoded frame, because a stream can change its
size and format in the middle.
"""

from typing import Any

# Codec names of the decoder library, and the only decoders it may open.
ALLOWED_CODECS = frozenset({"h264", "vp9", "av1"})
_ALLOWED_DECODERS = "h264,vp9,libdav1d,av1"
# 8-bit 4:2:0.
ALLOWED_PIXEL_FORMATS = frozenset({"yuv420p", "yuvj420p"})
MAX_SIDE = 8192
MAX_PIXELS = 3840 * 2160 * 2
# The largest frame that a vision reader can use; the child, whose memory is limited, scales larger ones down.
MAX_EXTRACTED_SIDE = 1920
# The only demuxer, forced. Format detection could choose a playlist demuxer, which opens whatever the playlist names.
DEMUXER = "mp4"
# For opening a file: only the file protocol, and no other decoder, not even for probing.
INPUT_OPTIONS = {"protocol_whitelist": "file", "codec_whitelist": _ALLOWED_DECODERS, "max_pixels": str(MAX_PIXELS)}
# For opening a decoder: it rejects larger frames before it allocates memory for them.
DECODER_OPTIONS = {"codec_whitelist": _ALLOWED_DECODERS, "max_pixels": str(MAX_PIXELS)}


def codec_name(context: Any) -> str:
    """The codec of a stream, by its decoder, which is None where the library has none."""
    return "a codec without a decoder" if context is None else str(context.codec.canonical_name)


def check_codec(codec: str) -> str | None:
    """Return why a video of this codec is not decoded; None if it is."""
    return None if codec in ALLOWED_CODECS else f"{codec}: only {', '.join(sorted(ALLOWED_CODECS))} play everywhere"


def check_picture_size(width: int, height: int) -> str | None:
    """Return why the frame is empty or too large; None if it is neither."""
    fits = 0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE and width * height <= MAX_PIXELS
    return None if fits else f"{width}x{height}"


def check_pixel_format(codec: str, pixel_format: str) -> str | None:
    """Return why frames of this format are not used: more colour or more bits than browsers play."""
    return (
        None
        if pixel_format in ALLOWED_PIXEL_FORMATS
        else f"{codec} in {pixel_format}: only 8 bits in 4:2:0 play everywhere"
    )
