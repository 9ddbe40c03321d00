"""Which links of a goal are settled, and which are worth another try. Pure.

A link is recorded when it is first found, and open until it has a verdict that no other try can change. It is taken up
again if the newest download that had it could not come to such a verdict. A verdict on the minute does not stand when
the feed has moved the goal's minute since, a download that has been silent for long has died, and one that found the
goal struck out has not looked: the goal has come back.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from found_footy.discovery.extras import is_retry
from found_footy.model.handoff import FoundVideo, Pace, VideoVariant
from found_footy.model.ids import source_key
from found_footy.model.outcome import PASSING, ClipOutcome, Retry

# How often one search takes a link up, and how often a file is tried that may itself be at fault.
MOST_TRIES = 3
# Such a file has a second try soon. After that its tries lie this far apart, and it is given up only when they are
# spread over this long, as multiples of the first pause (an hour and two hours): a machine that is short of memory or
# crowded is so for minutes, and then with every clip.
SOON = 2
FAR_APART = 12
SPREAD = 24
MOST_AGAIN = 10
# Longer than an attempt takes. If one was only slow, the archive knows the same bytes when they come twice.
DIED_AFTER = timedelta(minutes=30)
# A download that was recorded is started within a moment.
STARTS_WITHIN = timedelta(minutes=2)
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Verdict:
    """What one download said of a link. `retry` is None while it has said nothing."""

    download_id: str
    began: datetime
    retry: Retry | None


def is_retried(verdicts: Sequence[Verdict]) -> bool:
    """Whether a search takes a link up again after these verdicts, oldest first."""
    if not verdicts or len(verdicts) >= MOST_TRIES:
        return False
    last = verdicts[-1].retry
    return last is Retry.ALWAYS or (last is Retry.FEW and len(_few(verdicts)) < SOON)


@dataclass(frozen=True)
class Links:
    """`known` are not asked for; `again` are taken up besides what a search finds; `left` were found by an earlier
    search and not taken.
    """

    known: tuple[str, ...] = ()
    again: tuple[FoundVideo, ...] = ()
    left: tuple[FoundVideo, ...] = ()


def links_of(event: Mapping[str, Any], now: datetime) -> Links:
    """The links of a goal as it is stored. Those that were tried least come first among those to try again."""
    listed = event.get("_discovered_videos") or ()
    tried = {link["url"]: verdicts_of(event, link["url"], now - DIED_AFTER) for link in listed}
    again = sorted(
        (link for link in listed if is_retried(tried[link["url"]])),
        key=lambda link: (len(tried[link["url"]]), -(link.get("duration") or 0)),
    )
    left = (link for link in listed if not tried[link["url"]] and not link.get("refused"))
    return Links(tuple(tried), tuple(map(video_of, again[:MOST_AGAIN])), tuple(map(video_of, left)))


@dataclass(frozen=True)
class RetryPlan:
    """What to do about a goal's open links: `settled` are open no longer, `videos` are tried now as round `number`.
    Without a `next_at` nothing is open.
    """

    settled: tuple[str, ...] = ()
    videos: tuple[FoundVideo, ...] = ()
    number: int = 1
    next_at: datetime | None = None


def plan_retry(event: Mapping[str, Any], running: Collection[str], now: datetime, pace: Pace) -> RetryPlan:
    """`running` names the downloads of this goal that may still tell."""
    listed = {link["url"]: link for link in event.get("_discovered_videos") or ()}
    tried = {url: verdicts_of(event, url, _LONG_AGO) for url in event.get("_open_links") or ()}
    waiting = {
        url for url, said in tried.items() if said and said[-1].retry is None and said[-1].download_id in running
    }
    settled = {
        url for url, said in tried.items() if url not in listed or (url not in waiting and _is_settled(said, pace))
    }
    later = {url: at for url, said in tried.items() if (at := _not_before(said, pace)) is not None and at > now}
    rounds = {url: sum(is_retry(one.download_id) for one in said) for url, said in tried.items()}
    ready = sorted(
        tried.keys() - waiting - settled - later.keys(),
        key=lambda url: (rounds[url], -(listed[url].get("duration") or 0), url),
    )[:MOST_AGAIN]
    number = 1 + sum(map(is_retry, _attempts(event)))
    if not ready:
        times = [now + pace.retry_first] if waiting else []
        next_at = min([*times, *(at for url, at in later.items() if url not in waiting | settled)], default=None)
        return RetryPlan(tuple(sorted(settled)), (), number, next_at)
    pause = min(pace.retry_first * 2 ** min(rounds[ready[0]], 20), pace.retry_longest)
    videos = tuple(video_of(listed[url]) for url in ready)
    return RetryPlan(tuple(sorted(settled)), videos, number, now + pause)


def silent_downloads(event: Mapping[str, Any], now: datetime) -> tuple[set[str], set[str]]:
    """The downloads that had an open link last and have not told: those that were recorded just now, which count as
    running, and the others, of which only Temporal knows.
    """
    last = [verdicts_of(event, url, _LONG_AGO)[-1:] for url in event.get("_open_links") or ()]
    silent = {one.download_id: one.began for said in last for one in said if one.retry is None}
    new = {name for name, began in silent.items() if began > now - STARTS_WITHIN}
    return new, silent.keys() - new


def _is_settled(verdicts: Sequence[Verdict], pace: Pace) -> bool:
    few = _few(verdicts)
    at_fault = len(few) >= MOST_TRIES and few[-1].began - few[0].began >= SPREAD * pace.retry_first
    return bool(verdicts) and (verdicts[-1].retry is Retry.NEVER or at_fault)


def _not_before(verdicts: Sequence[Verdict], pace: Pace) -> datetime | None:
    """When a file that may itself be at fault is tried again; None if at any time."""
    few = _few(verdicts)
    return few[-1].began + FAR_APART * pace.retry_first if len(few) >= SOON and verdicts[-1] is few[-1] else None


def _few(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [one for one in verdicts if one.retry is Retry.FEW]


def minute_of(event: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """When a stored goal fell: the minute, and what was added to it."""
    time = event.get("time") or {}
    return time.get("elapsed"), time.get("extra")


def link_of(video: FoundVideo, attempt: int, *, taken: bool = True, refused: str = "") -> dict[str, Any]:
    """What is kept of a found video: all that another try needs. `refused` is the outcome of one that what its source
    told of it rules out.
    """
    return {
        "url": video.url, "tweet_id": video.tweet_id, "author": video.author, "posted_at": video.posted_at,
        "duration": video.duration_seconds, "attempt": attempt, "source": video.source, "taken": taken,
        "variants": [
            {"url": one.url, "bitrate": one.bitrate, "width": one.width, "height": one.height}
            for one in video.variants
        ],
        **({"refused": refused} if refused else {}),
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


def taken_by(event: Mapping[str, Any], download_id: str) -> tuple[FoundVideo, ...] | None:
    """The videos that a download was recorded with; None if it was not recorded."""
    attempt = _attempts(event).get(download_id)
    if attempt is None or "links" not in attempt:
        return None
    listed = {link["url"]: link for link in event.get("_discovered_videos") or ()}
    return tuple(video_of(listed[url]) for url in attempt["links"] if url in listed)


def verdicts_of(event: Mapping[str, Any], url: str, died_before: datetime) -> list[Verdict]:
    """What each download that had this link said of it, oldest first. One that began before `died_before`, was not
    delivered and has not told is taken to have died.
    """
    key, delivered = source_key(url), event.get("_delivered_workflows") or ()
    return [
        _verdict(event, name, attempt, key, died=name not in delivered and _began(attempt) < died_before)
        for name, attempt in _in_order(_attempts(event).items())
        if url in (attempt.get("links") or ()) or key in (attempt.get("clips") or {})
    ]


def _attempts(event: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    return (event.get("_telemetry") or {}).get("attempts") or {}


def _in_order(attempts: Iterable[tuple[str, Mapping[str, Any]]]) -> list[tuple[str, Mapping[str, Any]]]:
    return sorted(attempts, key=lambda named: _began(named[1]))


def _began(attempt: Mapping[str, Any]) -> datetime:
    return attempt.get("searched_at") or _LONG_AGO


def _verdict(event: Mapping[str, Any], name: str, attempt: Mapping[str, Any], key: str, *, died: bool) -> Verdict:
    clip = (attempt.get("clips") or {}).get(key) or {}
    return Verdict(name, _began(attempt), _retry(event, attempt, clip, died=died))


def _retry(
    event: Mapping[str, Any], attempt: Mapping[str, Any], clip: Mapping[str, Any], *, died: bool
) -> Retry | None:
    outcome: str | None = clip.get("outcome")
    if outcome is None:
        return Retry.ALWAYS if died else None
    moved = "time" in attempt and minute_of(attempt) != minute_of(event)
    if outcome == ClipOutcome.EVENT_REMOVED.value or (moved and outcome == ClipOutcome.WRONG_MINUTE.value):
        return Retry.ALWAYS
    told = clip.get("retry")
    return Retry(told) if told in list(Retry) else Retry.ALWAYS if outcome in PASSING else Retry.NEVER
