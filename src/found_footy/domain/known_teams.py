"""The built-in table of well-known clubs and national teams."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class KnownTeam:
    """`id` is the feed's team id, where it is known for sure; `other_names` are other spellings; `codes` are the usual
    abbreviations in score bugs.
    """

    name: str
    country: str
    aliases: tuple[str, ...]
    national: bool = False
    id: int | None = None
    other_names: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.other_names)


@cache
def known_teams() -> tuple[KnownTeam, ...]:
    rows = json.loads((files("found_footy.domain.data") / "teams.json").read_text(encoding="utf-8"))
    return tuple(_parse_team(row) for row in rows)


def _parse_team(row: Mapping[str, Any]) -> KnownTeam:
    return KnownTeam(
        name=row["name"],
        country=row["country"],
        aliases=tuple(row["aliases"]),
        national=bool(row.get("national", False)),
        id=row.get("id"),
        other_names=tuple(row.get("also", ())),
        codes=tuple(row.get("codes", ())),
    )


# Workflows read the table too, where no file can be opened, so it is loaded on import.
known_teams()
