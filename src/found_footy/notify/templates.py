"""Texts of messages that a rule writes itself: names of facts in braces, nothing else. Pure."""

from collections.abc import Callable, Mapping
from string import Formatter

from found_footy.notify.facts import MessageText, NotifiedGoal

MAX_TEMPLATE_LENGTH = 500
_FORMATTER = Formatter()
# What a template may name, from the goal and its usual text. `news` is what that says of the goal's clips.
_VALUES: Mapping[str, Callable[[NotifiedGoal, MessageText], str]] = {
    "title": lambda _, text: text.title,
    "text": lambda _, text: text.body,
    "news": lambda _, text: text.body.rpartition("\n")[2],
    "home": lambda facts, _: facts.home,
    "away": lambda facts, _: facts.away,
    "score": lambda facts, _: "" if facts.home_goals is None else f"{facts.home_goals}–{facts.away_goals}",
    "league": lambda facts, _: facts.league,
    "team": lambda facts, _: facts.team,
    "player": lambda facts, _: facts.player,
    "assist": lambda facts, _: facts.assist,
    "minute": lambda facts, _: facts.minute,
    "detail": lambda facts, _: facts.detail,
    "clips": lambda facts, _: str(facts.clips),
}


def find_template_fault(template: str) -> str | None:
    """Return what is wrong with a template; None if nothing is. Attributes, indexes and formats are not taken."""
    try:
        parts = list(_FORMATTER.parse(template))
    except ValueError as error:
        return f"the text cannot be read: {error}"
    for _, name, format_spec, conversion in parts:
        if name is not None and (name not in _VALUES or format_spec or conversion):
            return f"the text may name {', '.join(_VALUES)} in braces, not {{{name}}}"
    return None


def apply_template(template: str, facts: NotifiedGoal, text: MessageText) -> MessageText:
    """The first line is the title, the others are the text; the link stays. Values are not read for braces again."""
    written = template.format_map({name: build(facts, text) for name, build in _VALUES.items()}).strip()
    title, _, body = written.partition("\n")
    return MessageText(title, body, text.link) if title else text
