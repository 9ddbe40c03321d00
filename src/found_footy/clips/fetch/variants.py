"""Chooses which encoding of a candidate's video to fetch."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.screening import infer_variant_size

MAX_LINES = 1080
_BITS_PER_BYTE = 8
_DEFAULT_BYTES = 20 * 10**6
_HEVC = frozenset({"hevc", "hvc1", "hev1"})


def rank_variants(candidate: ClipCandidate) -> tuple[VideoVariant, ...]:
    """The MP4s worth fetching, best first. Those above 1080 lines are used only if all are above; likewise HEVC, which
    many browsers do not play.
    """
    mp4s = [infer_variant_size(variant) for variant in candidate.variants if _is_mp4(variant.url)]
    if not mp4s:
        return (VideoVariant(candidate.url),) if _is_mp4(candidate.url) else ()
    playable = [variant for variant in mp4s if not _is_hevc(variant)] or mp4s
    fitting = [variant for variant in playable if _line_count(variant) <= MAX_LINES]
    smallest = min(playable, key=lambda v: (_line_count(v), v.bitrate, v.url))
    return tuple(sorted(fitting, key=lambda v: (v.bitrate, _line_count(v), v.url), reverse=True)) or (smallest,)


def filter_by_size(variants: Sequence[VideoVariant], seconds: float | None, max_bytes: int) -> tuple[VideoVariant, ...]:
    """The variants that are not too large by their bitrate; the smallest in any case, since the actual file decides."""
    small = [v for v in variants if v.bitrate * (seconds or 0.0) / _BITS_PER_BYTE <= max_bytes]
    return tuple(small) or tuple(variants[-1:])


def estimate_bytes(candidate: ClipCandidate, max_bytes: int) -> int:
    """The estimated size of the first variant, by bitrate and duration; a default size if either is unknown."""
    best = next(iter(filter_by_size(rank_variants(candidate), candidate.duration_seconds, max_bytes)), None)
    estimate = int(best.bitrate * (candidate.duration_seconds or 0.0) / _BITS_PER_BYTE) if best else 0
    return min(estimate or _DEFAULT_BYTES, max_bytes)


def _is_mp4(url: str) -> bool:
    """By its suffix, or because it is a blob of Bluesky's network, which has no name but is the file as it was
    posted.
    """
    try:
        return urlsplit(url).path.lower().endswith((".mp4", "/com.atproto.sync.getblob"))
    except ValueError:
        return False  # not a URL


def _is_hevc(variant: VideoVariant) -> bool:
    """By the host's path, `…/vid/hevc/…` instead of `…/vid/avc1/…`; nothing else in a post says so."""
    return not _HEVC.isdisjoint(urlsplit(variant.url).path.lower().split("/"))


def _line_count(variant: VideoVariant) -> int:
    return min(variant.width, variant.height)
