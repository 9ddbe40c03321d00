"""Which goals a page shows: the conditions that stand in its address."""

from dataclasses import dataclass
from datetime import datetime, tzinfo
from http import HTTPStatus
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from found_footy.domain.outcomes import GoalStatus
from found_footy.views.day import day_span
from found_footy.views.search import GoalFilter, GoalKind, GoalListCursor, parse_goal_cursor
from found_footy.web.pages.days import parse_day
from found_footy.web.problems import ProblemError

_MAX_ID = 10**12
Identifier = Annotated[int | None, Query(ge=1, le=_MAX_ID)]
# A form sends the fields that were left empty.
OptionalId = Annotated[Annotated[int, Field(ge=1, le=_MAX_ID)] | None, BeforeValidator(lambda text: text or None)]
DayField = Annotated[str, Field(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]


class GoalSelection(BaseModel):
    """The query of the search page. Fields that are left empty do not narrow it."""

    model_config = ConfigDict(extra="ignore")

    q: Annotated[str, Field(max_length=100)] = ""
    team: OptionalId = None
    player: OptionalId = None
    league: OptionalId = None
    status: Annotated[str, Field(pattern="^(validating|searching|watchable|empty|removed)?$")] = ""
    kind: Annotated[str, Field(pattern="^(open-play|penalty|own-goal)?$")] = ""
    verified: Annotated[str, Field(pattern="^1?$")] = ""
    resolution: Annotated[str, Field(pattern="^(480|720|1080)?$")] = ""
    since: DayField = ""
    until: DayField = ""
    after: Annotated[str, Field(max_length=120)] = ""

    @property
    def is_empty(self) -> bool:
        return not self.list_conditions()

    def list_conditions(self) -> dict[str, str]:
        """The conditions that narrow the selection, as they stand in an address."""
        fields = self.model_dump(exclude={"after"}) | {"q": self.q.strip()}
        return {name: str(value) for name, value in fields.items() if value}

    @property
    def filter_count(self) -> int:
        """How many conditions there are besides the text."""
        return len(self.list_conditions().keys() - {"q"})

    def to_filter(self, zone: tzinfo) -> GoalFilter:
        """Days are those of the viewer; the last one is included."""
        return GoalFilter(
            team_id=self.team,
            player_id=self.player,
            league_id=self.league,
            status=GoalStatus(self.status) if self.status else None,
            kind=GoalKind(self.kind) if self.kind else None,
            is_verified=bool(self.verified),
            min_resolution=int(self.resolution) if self.resolution else None,
            since=day_span(parse_day(self.since), zone).start if self.since else None,
            until=day_span(parse_day(self.until), zone).end if self.until else None,
        )

    def to_cursor(self) -> GoalListCursor | None:
        return parse_page_cursor(self.after)


def parse_page_cursor(text: str) -> GoalListCursor | None:
    """None without a cursor; raises ProblemError for a text that no page wrote."""
    cursor = parse_goal_cursor(text) if text else None
    if text and cursor is None:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "after: not a position that this page gave")
    return cursor


@dataclass(frozen=True)
class DayBounds:
    start: datetime
    end: datetime


def read_day_bounds(text: str, zone: tzinfo) -> DayBounds:
    span = day_span(parse_day(text), zone)
    return DayBounds(span.start, span.end)
