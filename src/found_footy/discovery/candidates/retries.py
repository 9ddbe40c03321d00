"""Which candidates of a goal are settled, and which are retried. Pure.

A candidate is recorded when it is first found, and open until it has a final verdict. It is retried if the newest
download that had it came to no final verdict. A verdict on the minute is void when the feed has moved the goal's
minute since, a download that has recorded nothing for long has died, and one that found the goal removed made no
check: the goal was given again.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from found_footy.discovery.candidates.download_ids import is_retry_download
from found_footy.domain.documents import CandidateDocument
from found_footy.domain.ids import link_field_name
from found_footy.domain.messages import ClipCandidate, PipelinePace, VideoVariant
from found_footy.domain.outcomes import TRANSIENT_OUTCOMES, ClipOutcome, RetryAdvice

# How often one search retries a candidate, and how often a file is tried that may itself be at fault.
MAX_TRIES = 3
# Such a file gets its second try soon. After that its tries are this far apart, and it is given up only when they span
# this long, as multiples of the first pause (an hour and two hours): a machine that is short of memory or overloaded is
# so for minutes, and then with every clip.
QUICK_TRIES = 2
SLOW_RETRY_SPACING = 12
MIN_RETRY_SPREAD = 24
MAX_RETRIED_CANDIDATES = 10
# Longer than an attempt takes. If one was only slow, the archive recognizes the same bytes.
DOWNLOAD_DEAD_AFTER = timedelta(minutes=30)
# A recorded download is started within this time.
DOWNLOAD_START_GRACE = timedelta(minutes=2)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class CandidateVerdict:
    """The verdict of one download on a candidate. `retry` is None while there is none."""

    download_id: str
    started_at: datetime
    retry: RetryAdvice | None


def is_retryable(verdicts: Sequence[CandidateVerdict]) -> bool:
    """Whether a search retries a candidate after these verdicts, oldest first."""
    if not verdicts or len(verdicts) >= MAX_TRIES:
        return False
    last = verdicts[-1].retry
    return last is RetryAdvice.ALWAYS or (
        last is RetryAdvice.FEW and len(_limited_retry_verdicts(verdicts)) < QUICK_TRIES
    )


@dataclass(frozen=True)
class KnownCandidates:
    """`known_urls` are excluded from the search; `retried` are added to what a search finds; `deferred` were found by
    an earlier search and not taken.
    """

    known_urls: tuple[str, ...] = ()
    retried: tuple[ClipCandidate, ...] = ()
    deferred: tuple[ClipCandidate, ...] = ()


def classify_candidates(event: Mapping[str, Any], now: datetime) -> KnownCandidates:
    """Classify a goal's stored candidates. Of those to retry, the least tried come first."""
    listed = event.get("_discovered_videos") or ()
    tried = {link["url"]: collect_verdicts(event, link["url"], now - DOWNLOAD_DEAD_AFTER) for link in listed}
    again = sorted(
        (link for link in listed if is_retryable(tried[link["url"]])),
        key=lambda link: (len(tried[link["url"]]), -(link.get("duration") or 0)),
    )
    left = (link for link in listed if not tried[link["url"]] and not link.get("refused"))
    return KnownCandidates(
        tuple(tried),
        tuple(map(candidate_from_document, again[:MAX_RETRIED_CANDIDATES])),
        tuple(map(candidate_from_document, left)),
    )


@dataclass(frozen=True)
class RetryPlan:
    """What to do about a goal's open candidates: `settled` are closed, `videos` are retried now as round `number`.
    Without `next_at` nothing is open.
    """

    settled: tuple[str, ...] = ()
    videos: tuple[ClipCandidate, ...] = ()
    number: int = 1
    next_at: datetime | None = None


def plan_retry(event: Mapping[str, Any], running: Collection[str], now: datetime, pace: PipelinePace) -> RetryPlan:
    """`running` are the downloads of this goal that may still record a verdict."""
    listed = {link["url"]: link for link in event.get("_discovered_videos") or ()}
    tried = {url: collect_verdicts(event, url, _EPOCH) for url in event.get("_open_links") or ()}
    waiting = {
        url for url, said in tried.items() if said and said[-1].retry is None and said[-1].download_id in running
    }
    settled = {
        url for url, said in tried.items() if url not in listed or (url not in waiting and _is_settled(said, pace))
    }
    later = {url: at for url, said in tried.items() if (at := _earliest_retry(said, pace)) is not None and at > now}
    rounds = {url: sum(is_retry_download(one.download_id) for one in said) for url, said in tried.items()}
    ready = sorted(
        tried.keys() - waiting - settled - later.keys(),
        key=lambda url: (rounds[url], -(listed[url].get("duration") or 0), url),
    )[:MAX_RETRIED_CANDIDATES]
    number = 1 + sum(map(is_retry_download, _attempt_records(event)))
    if not ready:
        times = [now + pace.retry_first] if waiting else []
        next_at = min([*times, *(at for url, at in later.items() if url not in waiting | settled)], default=None)
        return RetryPlan(tuple(sorted(settled)), (), number, next_at)
    pause = min(pace.retry_first * 2 ** min(rounds[ready[0]], 20), pace.retry_longest)
    videos = tuple(candidate_from_document(listed[url]) for url in ready)
    return RetryPlan(tuple(sorted(settled)), videos, number, now + pause)


def find_silent_downloads(event: Mapping[str, Any], now: datetime) -> tuple[set[str], set[str]]:
    """The downloads that had an open candidate last and recorded no verdict: those recorded just now, which count as
    running, and the others, whose state only Temporal knows.
    """
    last = [collect_verdicts(event, url, _EPOCH)[-1:] for url in event.get("_open_links") or ()]
    silent = {one.download_id: one.started_at for said in last for one in said if one.retry is None}
    new = {name for name, began in silent.items() if began > now - DOWNLOAD_START_GRACE}
    return new, silent.keys() - new


def _is_settled(verdicts: Sequence[CandidateVerdict], pace: PipelinePace) -> bool:
    few = _limited_retry_verdicts(verdicts)
    at_fault = len(few) >= MAX_TRIES and few[-1].started_at - few[0].started_at >= MIN_RETRY_SPREAD * pace.retry_first
    return bool(verdicts) and (verdicts[-1].retry is RetryAdvice.NEVER or at_fault)


def _earliest_retry(verdicts: Sequence[CandidateVerdict], pace: PipelinePace) -> datetime | None:
    """When a file that may itself be at fault is tried again; None: at any time."""
    few = _limited_retry_verdicts(verdicts)
    return (
        few[-1].started_at + SLOW_RETRY_SPACING * pace.retry_first
        if len(few) >= QUICK_TRIES and verdicts[-1] is few[-1]
        else None
    )


def _limited_retry_verdicts(verdicts: Sequence[CandidateVerdict]) -> list[CandidateVerdict]:
    return [one for one in verdicts if one.retry is RetryAdvice.FEW]


def goal_minute(event: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """The minute of a stored goal, and its added time."""
    time = event.get("time") or {}
    return time.get("elapsed"), time.get("extra")


def candidate_document(
    video: ClipCandidate, attempt: int, *, taken: bool = True, rejection: str = ""
) -> CandidateDocument:
    """The stored form of a candidate: all that a retry needs. `rejection` is the outcome of a candidate that its
    source's data rule out.
    """
    document: CandidateDocument = {
        "url": video.url,
        "tweet_id": video.tweet_id,
        "author": video.author,
        "posted_at": video.posted_at,
        "duration": video.duration_seconds,
        "attempt": attempt,
        "source": video.source,
        "taken": taken,
        "post_doubts": video.post_doubts,
        "variants": [
            {"url": one.url, "bitrate": one.bitrate, "width": one.width, "height": one.height} for one in video.variants
        ],
    }
    if video.witness:
        document["witness"] = video.witness
    return {**document, "refused": rejection} if rejection else document


def candidate_from_document(stored: Mapping[str, Any]) -> ClipCandidate:
    link = cast(CandidateDocument, stored)
    return ClipCandidate(
        url=link["url"],
        tweet_id=link.get("tweet_id") or "",
        author=link.get("author") or "",
        posted_at=link.get("posted_at"),
        duration_seconds=link.get("duration"),
        variants=tuple(VideoVariant(**one) for one in link.get("variants") or ()),
        source=link.get("source") or "x",
        post_doubts=link.get("post_doubts") or 0,
        witness=link.get("witness") or "",
    )


def find_recorded_candidates(event: Mapping[str, Any], download_id: str) -> tuple[ClipCandidate, ...] | None:
    """The candidates that a download was recorded with; None if it was not recorded."""
    attempt = _attempt_records(event).get(download_id)
    if attempt is None or "links" not in attempt:
        return None
    listed = {link["url"]: link for link in event.get("_discovered_videos") or ()}
    return tuple(candidate_from_document(listed[url]) for url in attempt["links"] if url in listed)


def collect_verdicts(event: Mapping[str, Any], url: str, died_before: datetime) -> list[CandidateVerdict]:
    """The verdict of each download that had this URL, oldest first. One that began before `died_before`, was not
    delivered and recorded nothing is taken to have died.
    """
    key, delivered = link_field_name(url), event.get("_delivered_workflows") or ()
    return [
        _build_verdict(event, name, attempt, key, died=name not in delivered and _start_time(attempt) < died_before)
        for name, attempt in _sort_by_start(_attempt_records(event).items())
        if url in (attempt.get("links") or ()) or key in (attempt.get("clips") or {})
    ]


def _attempt_records(event: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    return (event.get("_telemetry") or {}).get("attempts") or {}


def _sort_by_start(attempts: Iterable[tuple[str, Mapping[str, Any]]]) -> list[tuple[str, Mapping[str, Any]]]:
    return sorted(attempts, key=lambda named: _start_time(named[1]))


def _start_time(attempt: Mapping[str, Any]) -> datetime:
    return attempt.get("searched_at") or _EPOCH


def _build_verdict(
    event: Mapping[str, Any], name: str, attempt: Mapping[str, Any], key: str, *, died: bool
) -> CandidateVerdict:
    clip = (attempt.get("clips") or {}).get(key) or {}
    return CandidateVerdict(name, _start_time(attempt), _decide_retry(event, attempt, clip, died=died))


def _decide_retry(
    event: Mapping[str, Any], attempt: Mapping[str, Any], clip: Mapping[str, Any], *, died: bool
) -> RetryAdvice | None:
    outcome: str | None = clip.get("outcome")
    if outcome is None:
        return RetryAdvice.ALWAYS if died else None
    if outcome == ClipOutcome.EVENT_REMOVED.value or _has_feed_changed(event, attempt, outcome):
        return RetryAdvice.ALWAYS
    advice = clip.get("retry")
    return (
        RetryAdvice(advice)
        if advice in list(RetryAdvice)
        else RetryAdvice.ALWAYS
        if outcome in TRANSIENT_OUTCOMES
        else RetryAdvice.NEVER
    )


def _has_feed_changed(event: Mapping[str, Any], attempt: Mapping[str, Any], outcome: str) -> bool:
    """Whether the feed has corrected what the clip was rejected by: the goal's minute, or the score."""
    if outcome == ClipOutcome.WRONG_MINUTE.value:
        return "time" in attempt and goal_minute(attempt) != goal_minute(event)
    return outcome == ClipOutcome.WRONG_GOAL.value and attempt.get("score_after") not in (
        None,
        event.get("_score_after"),
    )
