"""Where clips are looked for: several sources behind one port, asked together, none hiding another's results."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from found_footy.discovery.fair_line import Turn
from found_footy.model.handoff import FoundVideo
from found_footy.platform.errors import OutsideError


@dataclass(frozen=True)
class Wanted:
    """One search. `query` is written for X; `names` and `teams` are its two sides, for sources with another syntax.

    Posts are wanted from `since` on, and those of the last `max_age_minutes` in any case.
    """

    query: str
    names: tuple[str, ...]
    teams: tuple[str, ...]
    max_age_minutes: int
    limit: int
    known: tuple[str, ...] = ()
    turn: Turn = field(default_factory=Turn)
    since: datetime | None = None

    def cutoff(self, now: datetime) -> datetime:
        """The oldest post that is wanted when the search is made at `now`, however long it waited before."""
        recent = now - timedelta(minutes=self.max_age_minutes)
        return min(recent, self.since) if self.since else recent


@dataclass(frozen=True)
class Found:
    """What a working search found. `refused_ids` counts results dropped because their post id cannot be one;
    `cut_short` if it ended before it had looked back as far as asked.
    """

    videos: tuple[FoundVideo, ...]
    refused_ids: int = 0
    cut_short: bool = False


class Source(Protocol):
    """An empty result means that a working search found nothing; everything else raises OutsideError."""

    name: str

    async def find(self, wanted: Wanted) -> Found: ...


@dataclass(frozen=True)
class Harvest:
    """What all sources together said, by the name of each."""

    found: dict[str, Found]
    failed: dict[str, OutsideError]

    @property
    def videos(self) -> tuple[FoundVideo, ...]:
        return tuple(video for found in self.found.values() for video in found.videos)

    @property
    def refused_ids(self) -> int:
        return sum(found.refused_ids for found in self.found.values())

    @property
    def cut_short(self) -> tuple[str, ...]:
        return tuple(name for name, found in self.found.items() if found.cut_short)


async def gathered(searches: Sequence[tuple[Source, Wanted]]) -> Harvest:
    """Every source asked at once. What fails is kept by name, and costs the others nothing."""
    answers = await asyncio.gather(*(_asked(source, wanted) for source, wanted in searches))
    named = [(source.name, answer) for (source, _), answer in zip(searches, answers, strict=True)]
    return Harvest(
        found={name: answer for name, answer in named if isinstance(answer, Found)},
        failed={name: answer for name, answer in named if isinstance(answer, OutsideError)},
    )


async def _asked(source: Source, wanted: Wanted) -> Found | OutsideError:
    try:
        return await source.find(wanted)
    except OutsideError as error:
        return error
