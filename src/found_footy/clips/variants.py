"""Which encoding of a posted video to fetch."""

import re
from urllib.parse import urlsplit

from found_footy.model.handoff import FoundVideo, VideoVariant

MOST_LINES = 1080
_SIZE_IN_PATH = re.compile(r"/(\d{2,5})x(\d{2,5})/")


def best_variant(video: FoundVideo) -> VideoVariant | None:
    """The best MP4 up to 1080 lines, the smallest of the larger ones if there is no other, None without any MP4."""
    playable = [_with_size(variant) for variant in video.variants if _is_mp4(variant.url)]
    if not playable:
        return VideoVariant(video.url) if _is_mp4(video.url) else None
    fitting = [variant for variant in playable if _lines(variant) <= MOST_LINES]
    if fitting:
        return max(fitting, key=lambda v: (v.bitrate, _lines(v), v.url))
    return min(playable, key=lambda v: (_lines(v), v.bitrate, v.url))


def _is_mp4(url: str) -> bool:
    """By its name, or because it is a blob of Bluesky's network, which has no name but is the file as it was posted."""
    return urlsplit(url).path.lower().endswith((".mp4", "/com.atproto.sync.getblob"))


def _lines(variant: VideoVariant) -> int:
    return min(variant.width, variant.height)


def _with_size(variant: VideoVariant) -> VideoVariant:
    """The host writes the size into the path, which helps where the search did not tell it."""
    found = _SIZE_IN_PATH.search(urlsplit(variant.url).path)
    if (variant.width and variant.height) or not found:
        return variant
    return VideoVariant(variant.url, variant.bitrate, int(found.group(1)), int(found.group(2)))
