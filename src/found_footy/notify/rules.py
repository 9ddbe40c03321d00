"""Which channels are told about a moment of a goal. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from found_footy.domain.ids import fold_to_ascii
from found_footy.notify.facts import NotifiedGoal
from found_footy.notify.moments import Moment
from found_footy.notify.templates import MAX_TEMPLATE_LENGTH, find_template_fault

Selector = Annotated[int, Field(strict=True)] | Annotated[str, Field(min_length=1, strict=True)]
"""The feed's id, or a name; case and accents of a name do not count."""


class NotifyRule(BaseModel):
    """A moment of a goal is told to `channels` if it fits every list; an empty list fits all. `teams` are teams of the
    match, whoever scores; a player's last name is enough. `text` takes the place of the usual text, `role` is the id
    of a Discord role that is mentioned.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    channels: Annotated[tuple[str, ...], Field(min_length=1)]
    leagues: tuple[Selector, ...] = ()
    teams: tuple[Selector, ...] = ()
    players: tuple[Selector, ...] = ()
    moments: tuple[Moment, ...] = ()
    text: Annotated[str, Field(max_length=MAX_TEMPLATE_LENGTH)] = ""
    role: Annotated[str, Field(pattern=r"^([0-9]{5,20})?$")] = ""

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        for name in (*self.leagues, *self.teams, *self.players):
            if isinstance(name, str) and not _fold(name):
                raise ValueError(f"{name!r} is neither an id nor a name")
        if fault := find_template_fault(self.text):
            raise ValueError(fault)
        return self

    def fits(self, moment: Moment, facts: NotifiedGoal) -> bool:
        return (
            (not self.moments or moment in self.moments)
            and _fits_any(self.leagues, [(facts.league_id, facts.league)])
            and _fits_any(self.teams, [(facts.home_id, facts.home), (facts.away_id, facts.away)])
            and _fits_any(self.players, [(facts.player_id, name) for name in _player_names(facts.player)])
        )


def select_channels(rules: Iterable[NotifyRule], moment: Moment, facts: NotifiedGoal) -> list[str]:
    """Return the channels that are told, each once."""
    found = (channel for rule in rules if rule.fits(moment, facts) for channel in rule.channels)
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Wording:
    """How a message is written: `template` is empty for the usual text, `role` for nobody in particular."""

    template: str = ""
    role: str = ""


def select_wording(
    rules: Iterable[NotifyRule], channel: str, moments: Collection[Moment], facts: NotifiedGoal
) -> Wording:
    """Of the rules that tell the channel one of the moments, the first that has a text, and the first with a role."""
    fitting = [
        rule for rule in rules if channel in rule.channels and any(rule.fits(moment, facts) for moment in moments)
    ]
    return Wording(
        next((rule.text for rule in fitting if rule.text), ""), next((rule.role for rule in fitting if rule.role), "")
    )


def _fits_any(selectors: tuple[int | str, ...], subjects: list[tuple[int | None, str]]) -> bool:
    return not selectors or any(_fits(selector, *subject) for selector in selectors for subject in subjects)


def _player_names(name: str) -> list[str]:
    """The feed writes "B. Saka": the name without its first words is a name too."""
    words = name.split()
    return [" ".join(words[place:]) for place in range(len(words))] or [name]


def _fits(selector: int | str, identifier: int | None, name: str) -> bool:
    if isinstance(selector, int):
        return selector == identifier
    return _fold(selector) == _fold(name)


def _fold(name: str) -> str:
    return " ".join(fold_to_ascii(name).lower().split())
