"""Which of the found videos an attempt takes, and how far back it looks."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from found_footy.discovery.candidates.retries import KnownCandidates
from found_footy.domain.messages import ClipCandidate
from found_footy.domain.screening import ScreeningRejection, ScreeningRules, has_declared_measures, screen_candidate

# Most links that are recorded with a goal.
MAX_STORED_CANDIDATES = 300
# What a video may carry from step to step; posts have six files at most, and their addresses are short.
_MAX_VARIANTS = 8
MAX_URL_LENGTH = 500
_MAX_AUTHOR_LENGTH = 100


@dataclass(frozen=True)
class CandidateSelection:
    """`taken` go to the download, `retried` with them; `deferred` are recorded for later, `rejected` with the rule that
    what was told of them breaks.
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
    """Take the `limit` best of what was found now or left by an earlier search: those that are known to suit the rules
    first, the longest among them. At most as many again are taken that an earlier attempt came to no verdict on.
    """
    known = set(known_candidates.known_urls)
    fresh = {video.url: video for video in videos if video.url not in known}
    objections = {url: screen_candidate(video, rules) for url, video in fresh.items()}
    suiting = [video for url, video in fresh.items() if objections[url] is None]
    ranked = sorted((*suiting, *known_candidates.deferred), key=_ranking_key)
    taken, rest = tuple(ranked[:limit]), [video for video in ranked[limit:] if video.url not in known]
    refused = [(fresh[url], why) for url, why in objections.items() if why is not None]
    room = max(MAX_STORED_CANDIDATES - len(known) - limit, 0)
    return CandidateSelection(
        taken, known_candidates.retried[:limit], tuple(rest[:room]), tuple(refused[: max(room - len(rest), 0)])
    )


def _ranking_key(video: ClipCandidate) -> tuple[bool, float, str]:
    """A length that nobody told counts as none."""
    return (not has_declared_measures(video), -(video.duration_seconds or 0), video.url)


def drop_posted_before(videos: Iterable[ClipCandidate], earliest: datetime) -> tuple[ClipCandidate, ...]:
    """Without those that were posted before: a source may look back farther than it was asked to. A post that does not
    tell its time stays.
    """
    return tuple(video for video in videos if video.posted_at is None or video.posted_at >= earliest)


def trim_candidate(video: ClipCandidate) -> ClipCandidate:
    """What of a video goes from step to step: bounded, and without the text, which only the search needs."""
    files = tuple(one for one in video.variants if len(one.url) <= MAX_URL_LENGTH)[:_MAX_VARIANTS]
    return replace(video, author=video.author[:_MAX_AUTHOR_LENGTH], text="", variants=files)
