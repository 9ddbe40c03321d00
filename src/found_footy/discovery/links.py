"""Which of the found videos an attempt takes, and how far back it looks."""

import math
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from found_footy.model.handoff import FoundVideo

_MINUTE = timedelta(minutes=1)


def choose(videos: Iterable[FoundVideo], known: Collection[str], most: int) -> tuple[FoundVideo, ...]:
    """The `most` longest videos whose link is not known yet. A length that nobody told counts as none."""
    fresh = {video.url: video for video in videos if video.url not in known}
    return tuple(sorted(fresh.values(), key=lambda video: (-(video.duration_seconds or 0), video.url))[:most])


def posted_since(videos: Iterable[FoundVideo], earliest: datetime) -> tuple[FoundVideo, ...]:
    """Without those that were posted before: a source may look back farther than it was asked to. A post that does not
    tell its time stays.
    """
    return tuple(video for video in videos if video.posted_at is None or video.posted_at >= earliest)


def read_out(
    answered: Iterable[str], videos: Iterable[FoundVideo], known: Collection[str], taken: Iterable[FoundVideo]
) -> tuple[str, ...]:
    """The sources that need not be asked again for as far back: what they found is known, or taken now."""
    settled = {*known, *(video.url for video in taken)}
    left_over = {video.source for video in videos if video.url not in settled}
    return tuple(source for source in answered if source not in left_over)


def with_retries(fresh: tuple[FoundVideo, ...], again: Iterable[FoundVideo], most: int) -> tuple[FoundVideo, ...]:
    """The attempt's finds, and at most as many again that an earlier attempt came to no verdict on."""
    found = {video.url for video in fresh}
    return fresh + tuple(video for video in again if video.url not in found)[:most]


def max_age_minutes(now: datetime, since: datetime, window: timedelta) -> int:
    """How old a post may be, in whole minutes: back to `since`, and at least the usual window."""
    return max(1, math.ceil(max(now - since, window) / _MINUTE))
