"""Which encoding of a posted video to fetch."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from found_footy.model.handoff import FoundVideo, VideoVariant
from found_footy.model.screening import with_size

MOST_LINES = 1080
_BITS = 8
_USUAL_BYTES = 20 * 10**6
_HEVC = frozenset({"hevc", "hvc1", "hev1"})


def best_variant(video: FoundVideo) -> VideoVariant | None:
    """The best MP4 up to 1080 lines, the smallest of the larger ones if there is no other, None without any MP4."""
    return next(iter(by_quality(video)), None)


def by_quality(video: FoundVideo) -> tuple[VideoVariant, ...]:
    """The MP4s worth fetching, best first. One above 1080 lines is worth it only if all are; so is HEVC, which many
    browsers do not play.
    """
    mp4s = [with_size(variant) for variant in video.variants if _is_mp4(variant.url)]
    if not mp4s:
        return (VideoVariant(video.url),) if _is_mp4(video.url) else ()
    playable = [variant for variant in mp4s if not _is_hevc(variant)] or mp4s
    fitting = [variant for variant in playable if _lines(variant) <= MOST_LINES]
    smallest = min(playable, key=lambda v: (_lines(v), v.bitrate, v.url))
    return tuple(sorted(fitting, key=lambda v: (v.bitrate, _lines(v), v.url), reverse=True)) or (smallest,)


def within(variants: Sequence[VideoVariant], seconds: float | None, max_bytes: int) -> tuple[VideoVariant, ...]:
    """Those that are not bound to be too large by their bitrate; the smallest in any case, for the file decides."""
    small = [v for v in variants if v.bitrate * (seconds or 0.0) / _BITS <= max_bytes]
    return tuple(small) or tuple(variants[-1:])


def expected_bytes(video: FoundVideo, max_bytes: int) -> int:
    """How large the file will be that is fetched first, by its bitrate and length; a usual size where neither is
    told.
    """
    best = next(iter(within(by_quality(video), video.duration_seconds, max_bytes)), None)
    told = int(best.bitrate * (video.duration_seconds or 0.0) / _BITS) if best else 0
    return min(told or _USUAL_BYTES, max_bytes)


def _is_mp4(url: str) -> bool:
    """By its name, or because it is a blob of Bluesky's network, which has no name but is the file as it was posted."""
    return urlsplit(url).path.lower().endswith((".mp4", "/com.atproto.sync.getblob"))


def _is_hevc(variant: VideoVariant) -> bool:
    """By the host's path, `…/vid/hevc/…` beside `…/vid/avc1/…`; a post tells it nowhere else."""
    return not _HEVC.isdisjoint(urlsplit(variant.url).path.lower().split("/"))


def _lines(variant: VideoVariant) -> int:
    return min(variant.width, variant.height)
