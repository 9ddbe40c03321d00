"""Which encoding of a posted video to fetch."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from found_footy.model.handoff import FoundVideo, VideoVariant

MOST_LINES = 1080
_SIZE_IN_PATH = re.compile(r"/(\d{2,5})x(\d{2,5})/")
_BITS = 8


def best_variant(video: FoundVideo) -> VideoVariant | None:
    """The best MP4 up to 1080 lines, the smallest of the larger ones if there is no other, None without any MP4."""
    return next(iter(by_quality(video)), None)


def by_quality(video: FoundVideo) -> tuple[VideoVariant, ...]:
    """The MP4s worth fetching, best first. One above 1080 lines is worth it only if all are."""
    playable = [with_size(variant) for variant in video.variants if _is_mp4(variant.url)]
    if not playable:
        return (VideoVariant(video.url),) if _is_mp4(video.url) else ()
    fitting = [variant for variant in playable if _lines(variant) <= MOST_LINES]
    smallest = min(playable, key=lambda v: (_lines(v), v.bitrate, v.url))
    return tuple(sorted(fitting, key=lambda v: (v.bitrate, _lines(v), v.url), reverse=True)) or (smallest,)


def within(variants: Sequence[VideoVariant], seconds: float | None, max_bytes: int) -> tuple[VideoVariant, ...]:
    """Those that are not bound to be too large by their bitrate; the smallest in any case, for the file decides."""
    small = [v for v in variants if v.bitrate * (seconds or 0.0) / _BITS <= max_bytes]
    return tuple(small) or tuple(variants[-1:])


def with_size(variant: VideoVariant) -> VideoVariant:
    """The host writes the size into the path, which helps where the source did not tell it."""
    found = _SIZE_IN_PATH.search(urlsplit(variant.url).path)
    if (variant.width and variant.height) or not found:
        return variant
    return VideoVariant(variant.url, variant.bitrate, int(found.group(1)), int(found.group(2)))


def _is_mp4(url: str) -> bool:
    """By its name, or because it is a blob of Bluesky's network, which has no name but is the file as it was posted."""
    return urlsplit(url).path.lower().endswith((".mp4", "/com.atproto.sync.getblob"))


def _lines(variant: VideoVariant) -> int:
    return min(variant.width, variant.height)
