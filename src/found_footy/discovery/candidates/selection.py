"""Which candidates an attempt takes, and how old their posts may be."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from found_footy.discovery.candidates.retries import KnownCandidates
from found_footy.domain.messages import ClipCandidate
from found_footy.domain.screening import ScreeningRejection, ScreeningRules, has_declared_measures, screen_candidate

# Maximum number of candidates stored with a goal.
MAX_STORED_CANDIDATES = 300
# Limits of a candidate in messages; posts have six files at most, and their URLs are short.
_MAX_VARIANTS = 8
MAX_URL_LENGTH = 500
_MAX_AUTHOR_LENGTH = 100


@dataclass(frozen=True)
class CandidateSelection:
    """`taken` go to the download, and `retried` with them; `deferred` are stored for later, `rejected` with the rule
    that their data break.
    """

    taken: tuple[ClipCandidate, ...] = ()
    retried: tuple[ClipCandidate, ...] = ()
    deferred: tuple[ClipCandidate, ...] = ()
    rejected: tuple[tuple[ClipCandidate, ScreeningRejection], ...] = ()

    @property
    def videos(self) -> tuple[ClipCandidate, ...]:
        return (*self.taken, *self.retried)


def select_candidates(
    videos: Iterable[ClipCandidate], known_candidates: KnownCandidates, limit: int, rules: ScreeningRules
) -> CandidateSelection:
    """Take the `limit` best of the new and the deferred candidates: those whose title confirms the goal first, then
    those whose data meet the rules, the longest among them. Up to `limit` more are taken that an earlier attempt came
    to no verdict on.
    """
    known = set(known_candidates.known_urls)
    fresh = {video.url: video for video in videos if video.url not in known}
    objections = {url: screen_candidate(video, rules) for url, video in fresh.items()}
    suiting = [video for url, video in fresh.items() if objections[url] is None]
    ranked = sorted((*suiting, *known_candidates.deferred), key=_ranking_key)
    taken, rest = tuple(ranked[:limit]), [video for video in ranked[limit:] if video.url not in known]
    refused = [(fresh[url], why) for url, why in objections.items() if why is not None]
    capacity = max(MAX_STORED_CANDIDATES - len(known) - limit, 0)
    return CandidateSelection(
        taken, known_candidates.retried[:limit], tuple(rest[:capacity]), tuple(refused[: max(capacity - len(rest), 0)])
    )


def _ranking_key(video: ClipCandidate) -> tuple[bool, bool, float, str]:
    """A post whose title confirms the goal goes first. An unknown duration counts as zero."""
    return (not video.is_confirmed, not has_declared_measures(video), -(video.duration_seconds or 0), video.url)


def drop_posted_before(videos: Iterable[ClipCandidate], earliest: datetime) -> tuple[ClipCandidate, ...]:
    """Drop posts older than `earliest`: a source may look back farther than requested. A post without a time stays."""
    return tuple(video for video in videos if video.posted_at is None or video.posted_at >= earliest)


def trim_candidate(video: ClipCandidate) -> ClipCandidate:
    """The candidate as passed between activities: bounded, and without the text, which only the search needs."""
    files = tuple(one for one in video.variants if len(one.url) <= MAX_URL_LENGTH)[:_MAX_VARIANTS]
    return replace(video, author=video.author[:_MAX_AUTHOR_LENGTH], text="", variants=files)
