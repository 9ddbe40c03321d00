"""Which links of a goal are settled, and which are worth another try. Pure.

A link that was given to a download is known from that moment. It is taken up again only if the newest download that
had it could not come to a verdict for a reason that passes, and if it was not tried too often. A verdict on the minute
does not stand when the feed has moved the goal's minute since, and a download that has been silent for long has died.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from found_footy.model.handoff import FoundVideo, VideoVariant
from found_footy.model.ids import source_key
from found_footy.model.outcome import ClipOutcome

MOST_TRIES = 3
MOST_AGAIN = 10
# Longer than an attempt takes. If one was only slow, the archive knows the same bytes when they come twice.
DIED_AFTER = timedelta(minutes=15)
# In place of a verdict that does not stand, and of one that will never come.
OPEN = "open"
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)

# Whether trying the same link again can come to another end.
PASSES: Mapping[ClipOutcome, bool] = {
    ClipOutcome.UPLOADED: False,
    ClipOutcome.REPLACED: False,
    ClipOutcome.DUPLICATE: False,
    ClipOutcome.FILTERED_DURATION: False,
    ClipOutcome.FILTERED_ASPECT: False,
    ClipOutcome.FILTERED_SIZE: False,
    ClipOutcome.NOT_SOCCER: False,
    ClipOutcome.PHONE_SCREEN: False,
    ClipOutcome.WRONG_MINUTE: False,
    ClipOutcome.VISION_UNAVAILABLE: True,
    ClipOutcome.DOWNLOAD_DELETED: False,
    ClipOutcome.DOWNLOAD_GEO: False,
    ClipOutcome.DOWNLOAD_RATE_LIMITED: True,
    ClipOutcome.DOWNLOAD_TIMEOUT: True,
    # Broken files and failing hosts alike; the host has had several tries within one download.
    ClipOutcome.DOWNLOAD_FAILED: False,
    ClipOutcome.BAD_URL: False,
    ClipOutcome.EVENT_REMOVED: False,
    ClipOutcome.BLOCKED: False,
}


def is_retried(verdicts: Sequence[str | None]) -> bool:
    """Whether a link is tried again after these verdicts, oldest first. None: a download that has not told yet."""
    if not verdicts or len(verdicts) >= MOST_TRIES:
        return False
    newest = verdicts[-1]
    return newest == OPEN or any(newest == outcome.value for outcome, passes in PASSES.items() if passes)


@dataclass(frozen=True)
class Links:
    """`known` are not asked for and not taken; `again` are taken up besides what a search finds."""

    known: tuple[str, ...] = ()
    again: tuple[FoundVideo, ...] = ()


def links_of(event: Mapping[str, Any], now: datetime) -> Links:
    """The links of a goal as it is stored. Those that were tried least come first among those to try again."""
    attempts = _in_order(((event.get("_telemetry") or {}).get("attempts") or {}).items())
    listed = event.get("_discovered_videos") or ()
    tried = {link["url"]: _verdicts(event, attempts, link["url"], now) for link in listed}
    known = tuple(url for url, verdicts in tried.items() if not is_retried(verdicts))
    open_links = {link["url"]: link for link in listed if is_retried(tried[link["url"]])}
    first = sorted(open_links.values(), key=lambda link: (len(tried[link["url"]]), -(link.get("duration") or 0)))
    return Links(known, tuple(video_of(link) for link in first[:MOST_AGAIN]))


def minute_of(event: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """When a stored goal fell: the minute, and what was added to it."""
    time = event.get("time") or {}
    return time.get("elapsed"), time.get("extra")


def link_of(video: FoundVideo, attempt: int) -> dict[str, Any]:
    """What is kept of a found video: all that another try needs."""
    return {
        "url": video.url, "tweet_id": video.tweet_id, "author": video.author, "posted_at": video.posted_at,
        "duration": video.duration_seconds, "attempt": attempt, "source": video.source,
        "variants": [
            {"url": one.url, "bitrate": one.bitrate, "width": one.width, "height": one.height}
            for one in video.variants
        ],
    }  # fmt: skip


def video_of(link: Mapping[str, Any]) -> FoundVideo:
    return FoundVideo(
        url=link["url"],
        tweet_id=link.get("tweet_id") or "",
        author=link.get("author") or "",
        posted_at=link.get("posted_at"),
        duration_seconds=link.get("duration"),
        variants=tuple(VideoVariant(**one) for one in link.get("variants") or ()),
        source=link.get("source") or "x",
    )


def _in_order(attempts: Any) -> list[tuple[str, Mapping[str, Any]]]:
    return sorted(attempts, key=lambda named: _began(named[1]))


def _began(attempt: Mapping[str, Any]) -> datetime:
    return attempt.get("searched_at") or _LONG_AGO


def _verdicts(
    event: Mapping[str, Any], attempts: Sequence[tuple[str, Mapping[str, Any]]], url: str, now: datetime
) -> list[str | None]:
    """What each download that had this link said of it; one that had it and has not told yet says None."""
    key = source_key(url)
    delivered = event.get("_delivered_workflows") or ()
    return [
        _verdict(event, attempt, key, silent=name not in delivered and _began(attempt) < now - DIED_AFTER)
        for name, attempt in attempts
        if url in (attempt.get("links") or ()) or key in (attempt.get("clips") or {})
    ]


def _verdict(event: Mapping[str, Any], attempt: Mapping[str, Any], key: str, *, silent: bool) -> str | None:
    outcome: str | None = ((attempt.get("clips") or {}).get(key) or {}).get("outcome")
    if outcome is None:
        return OPEN if silent else None
    moved = "time" in attempt and minute_of(attempt) != minute_of(event)
    return OPEN if moved and outcome == ClipOutcome.WRONG_MINUTE.value else outcome
