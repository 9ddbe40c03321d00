"""Statements about the feed: when it departs from the truth, and when a whole answer of it breaks."""

from collections.abc import Callable
from dataclasses import replace

from found_footy.sim.script.draft import Draft
from found_footy.sim.script.forms import Form, form
from found_footy.sim.script.matches import Statement
from found_footy.sim.script.model import (
    Breaks,
    Does,
    Edge,
    Effect,
    Fault,
    FeedFault,
    Kind,
    Listing,
    ListingFault,
    Window,
)
from found_footy.sim.script.values import (
    ScriptError,
    Words,
    edge,
    person,
    polls,
    position,
    score,
    seconds,
    span,
    unquoted,
    word,
)

ALWAYS = Window(Edge(poll=0))


def _about_goal(does: Does) -> Callable[[Words], Effect]:
    return lambda words: Effect(ALWAYS, does, goal=word(words, "name"))


def _alone(does: Does) -> Callable[[Words], Effect]:
    return lambda _: Effect(ALWAYS, does)


def _disallow(keep_row: bool) -> Callable[[Words], Effect]:
    def build(words: Words) -> Effect:
        return Effect(ALWAYS, Does.DISALLOW, word(words, "name"), keep_row=keep_row, text=unquoted(words["text"]))

    return build


def _scorer(does: Does) -> Callable[[Words], Effect]:
    def build(words: Words) -> Effect:
        kind = Kind(words["category"]) if words["category"] else None
        return Effect(ALWAYS, does, word(words, "name"), person(words["player"]), kind)

    return build


def _move(words: Words) -> Effect:
    return Effect(ALWAYS, Does.MOVE, word(words, "name"), position=position(word(words, "minute")))


def _assist(words: Words) -> Effect:
    return Effect(ALWAYS, Does.ASSIST, word(words, "name"), person(words["assist"]))


def _events(words: Words) -> Effect:
    return Effect(ALWAYS, Does.EVENTS, listing=Listing(word(words, "order")))


def _score(words: Words) -> Effect:
    return Effect(ALWAYS, Does.SCORE, score=score(word(words, "score")))


def _status(words: Words) -> Effect:
    return Effect(ALWAYS, Does.STATUS, code=word(words, "code"), text=unquoted(words["text"]))


def _date(words: Words) -> Effect:
    return Effect(ALWAYS, Does.DATE, minutes=float(word(words, "minutes")))


EFFECTS: tuple[tuple[Form, Callable[[Words], Effect]], ...] = (
    (form("missing <name>"), _about_goal(Does.MISSING)),
    (form("uncounted <name>"), _about_goal(Does.UNCOUNTED)),
    (form("duplicate <name>"), _about_goal(Does.DUPLICATE)),
    (form("disallow <name> keeping the row [with <text>]"), _disallow(keep_row=True)),
    (form("disallow <name> [with <text>]"), _disallow(keep_row=False)),
    (form("credit <name> to <player> [as <category>]"), _scorer(Does.CREDIT)),
    (form("copy <name> to <player> [as <category>]"), _scorer(Does.COPY)),
    (form("move <name> to <minute>"), _move),
    (form("assist <name> by <assist>"), _assist),
    (form("events <order>"), _events),
    (form("score <score>"), _score),
    (form("status <code> [<text>]"), _status),
    (form("frozen"), _alone(Does.FROZEN)),
    (form("date <minutes>"), _date),
    (form("unreported"), _alone(Does.UNREPORTED)),
    (form("omitted"), _alone(Does.OMITTED)),
)


def _http(words: Words) -> Fault:
    retry = int(seconds(word(words, "seconds"))) if words["seconds"] else None
    return Fault(Breaks.HTTP, status=int(word(words, "id")), retry_after=retry)


def _errors(words: Words) -> Fault:
    return Fault(Breaks.ERRORS, key=word(words, "code"), text=unquoted(words["text"]))


def _text_errors(breaks: Breaks) -> Callable[[Words], Fault]:
    return lambda words: Fault(breaks, text=unquoted(words["text"]))


def _plain(breaks: Breaks) -> Callable[[Words], Fault]:
    return lambda _: Fault(breaks)


FAULTS: tuple[tuple[Form, Callable[[Words], Fault]], ...] = (
    (form("http <id> html"), lambda words: Fault(Breaks.HTTP, status=int(word(words, "id")), html=True)),
    (form("http <id> [retry after <seconds>]"), _http),
    (form("html"), _plain(Breaks.HTML)),
    (form("errors <code> [<text>]"), _errors),
    (form("errors-list <text>"), _text_errors(Breaks.ERRORS_LIST)),
    (form("errors-string <text>"), _text_errors(Breaks.ERRORS_STRING)),
    (form("hold <seconds>"), lambda words: Fault(Breaks.HOLD, seconds=seconds(word(words, "seconds")))),
    (form("half-json"), _plain(Breaks.HALF_JSON)),
    (form("wrong-types"), _plain(Breaks.WRONG_TYPES)),
    (form("empty-body"), _plain(Breaks.EMPTY_BODY)),
    (form("disconnect"), _plain(Breaks.DISCONNECT)),
)


def fault(text: str) -> Fault | None:
    for shape, build in FAULTS:
        if found := shape.match(text):
            return build(found.groupdict())
    return None


def effect(text: str) -> Effect | None:
    for shape, build in EFFECTS:
        if found := shape.match(text):
            return build(found.groupdict())
    return None


def _during(draft: Draft, window: Window, text: str) -> None:
    if said := effect(text):
        if said.goal:
            draft.check_incident(said.goal)
        if said.does is Does.FROZEN and window.start.position is None:
            raise ScriptError("a frozen clock needs the place in the match where it freezes, not a poll")
        draft.match.effects.append(replace(said, window=window))
    elif broken := fault(text):
        draft.match.faults.append(FeedFault(window, broken))
    else:
        forms = [shape.text for shape, _ in (*EFFECTS, *FAULTS)]
        raise ScriptError(f"the feed cannot do `{text}`; it can:\n  " + "\n  ".join(forms))


def between(draft: Draft, words: Words) -> None:
    _during(draft, Window(edge(word(words, "edge")), edge(word(words, "end"))), word(words, "more"))


def onwards(draft: Draft, words: Words) -> None:
    _during(draft, Window(edge(word(words, "edge"))), word(words, "more"))


def at_polls(draft: Draft, words: Words) -> None:
    _during(draft, polls(word(words, "polls")), word(words, "more"))


def listing(draft: Draft, words: Words) -> None:
    first, last = span(word(words, "polls"))
    broken = fault(word(words, "fault"))
    if broken is None:
        raise ScriptError("a listing can only break:\n  " + "\n  ".join(shape.text for shape, _ in FAULTS))
    draft.listing_faults.append(ListingFault(first, last, broken))


STATEMENTS: tuple[Statement, ...] = (
    (form("from <edge> to <end> <more>"), between),
    (form("from <edge> <more>"), onwards),
    (form("at <edge> <more>"), onwards),
    (form("poll <polls> <more>"), at_polls),
    (form("listing <polls> <fault>"), listing),
)
