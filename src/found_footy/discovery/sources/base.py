"""Clip sources behind one protocol, searched concurrently; a failing source does not hide the others' results."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from found_footy.discovery.sources.goal_facts import GoalFacts
from found_footy.discovery.sources.priority import SearchPriority
from found_footy.domain.messages import ClipCandidate
from found_footy.platform.errors import ExternalSystemError


@dataclass(frozen=True)
class SourceRequest:
    """One search. `query` is written for X; `names` and `teams` are its two sides, for sources with another syntax.

    Posts from `since` on are searched, and those of the last `max_age_minutes` in any case. `facts` is what the feed
    says about the goal, for sources whose posts name the match.
    """

    query: str
    names: tuple[str, ...]
    teams: tuple[str, ...]
    max_age_minutes: int
    limit: int
    known_urls: tuple[str, ...] = ()
    priority: SearchPriority = field(default_factory=SearchPriority)
    since: datetime | None = None
    facts: GoalFacts | None = None

    def cutoff(self, now: datetime) -> datetime:
        """The oldest post that is wanted when the search is made at `now`, however long it waited before."""
        recent = now - timedelta(minutes=self.max_age_minutes)
        return min(recent, self.since) if self.since else recent


@dataclass(frozen=True)
class SourceResult:
    """Result of a working search. `rejected_ids` counts results dropped for an invalid post id; `incomplete` if it
    ended before it had looked back as far as requested. `suspicions` are titles that say that the goal did not count.
    """

    videos: tuple[ClipCandidate, ...]
    rejected_ids: int = 0
    incomplete: bool = False
    suspicions: tuple[str, ...] = ()


# Sources that compare the titles of posts with what the feed says about the goal.
SOURCES_BY_TITLE = frozenset({"reddit"})


class ClipSource(Protocol):
    """An empty result means that a working search found nothing; failures raise ExternalSystemError."""

    name: str

    async def find_candidates(self, request: SourceRequest) -> SourceResult: ...


@dataclass(frozen=True)
class CombinedResults:
    """The results and failures of all sources, by name."""

    results: dict[str, SourceResult]
    failures: dict[str, ExternalSystemError]

    @property
    def videos(self) -> tuple[ClipCandidate, ...]:
        return tuple(video for found in self.results.values() for video in found.videos)

    @property
    def rejected_ids(self) -> int:
        return sum(found.rejected_ids for found in self.results.values())

    @property
    def suspicions(self) -> tuple[str, ...]:
        return tuple(title for found in self.results.values() for title in found.suspicions)

    @property
    def incomplete_sources(self) -> tuple[str, ...]:
        return tuple(name for name, found in self.results.items() if found.incomplete)


async def search_all_sources(searches: Sequence[tuple[ClipSource, SourceRequest]]) -> CombinedResults:
    """Search all sources concurrently. Failures are collected by name and do not affect the others."""
    answers = await asyncio.gather(*(_search_source(source, wanted) for source, wanted in searches))
    named = [(source.name, answer) for (source, _), answer in zip(searches, answers, strict=True)]
    return CombinedResults(
        results={name: answer for name, answer in named if isinstance(answer, SourceResult)},
        failures={name: answer for name, answer in named if isinstance(answer, ExternalSystemError)},
    )


async def _search_source(source: ClipSource, request: SourceRequest) -> SourceResult | ExternalSystemError:
    try:
        return await source.find_candidates(request)
    except ExternalSystemError as error:
        return error
