"""Statements about the feed: when it departs from the truth, and when a whole response fails."""

from collections.abc import Callable
from dataclasses import replace

from found_footy_sim.script.draft import ScenarioDraft
from found_footy_sim.script.forms import StatementForm, compile_form
from found_footy_sim.script.match_statements import StatementRule
from found_footy_sim.script.model import (
    AnswerFault,
    AnswerFaultKind,
    EventListing,
    FeedEffect,
    FeedEffectKind,
    FeedFault,
    FeedWindow,
    IncidentKind,
    ListingFault,
    WindowEdge,
)
from found_footy_sim.script.values import (
    FormWords,
    ScriptError,
    parse_edge,
    parse_person,
    parse_poll_window,
    parse_position,
    parse_score,
    parse_seconds,
    parse_span,
    require_word,
    strip_quotes,
)

ALWAYS_WINDOW = FeedWindow(WindowEdge(poll=0))


def _goal_effect_builder(does: FeedEffectKind) -> Callable[[FormWords], FeedEffect]:
    return lambda words: FeedEffect(ALWAYS_WINDOW, does, goal=require_word(words, "name"))


def _plain_effect_builder(does: FeedEffectKind) -> Callable[[FormWords], FeedEffect]:
    return lambda _: FeedEffect(ALWAYS_WINDOW, does)


def _disallow_builder(keep_row: bool) -> Callable[[FormWords], FeedEffect]:
    def build(words: FormWords) -> FeedEffect:
        return FeedEffect(
            ALWAYS_WINDOW,
            FeedEffectKind.DISALLOW,
            require_word(words, "name"),
            keep_row=keep_row,
            text=strip_quotes(words["text"]),
        )

    return build


def _scorer_builder(does: FeedEffectKind) -> Callable[[FormWords], FeedEffect]:
    def build(words: FormWords) -> FeedEffect:
        kind = IncidentKind(words["category"]) if words["category"] else None
        return FeedEffect(ALWAYS_WINDOW, does, require_word(words, "name"), parse_person(words["player"]), kind)

    return build


def _build_move(words: FormWords) -> FeedEffect:
    return FeedEffect(
        ALWAYS_WINDOW,
        FeedEffectKind.MOVE,
        require_word(words, "name"),
        position=parse_position(require_word(words, "minute")),
    )


def _build_assist(words: FormWords) -> FeedEffect:
    return FeedEffect(ALWAYS_WINDOW, FeedEffectKind.ASSIST, require_word(words, "name"), parse_person(words["assist"]))


def _build_events(words: FormWords) -> FeedEffect:
    return FeedEffect(ALWAYS_WINDOW, FeedEffectKind.EVENTS, listing=EventListing(require_word(words, "order")))


def _build_score(words: FormWords) -> FeedEffect:
    return FeedEffect(ALWAYS_WINDOW, FeedEffectKind.SCORE, score=parse_score(require_word(words, "score")))


def _build_status(words: FormWords) -> FeedEffect:
    return FeedEffect(
        ALWAYS_WINDOW, FeedEffectKind.STATUS, code=require_word(words, "code"), text=strip_quotes(words["text"])
    )


def _build_date(words: FormWords) -> FeedEffect:
    return FeedEffect(ALWAYS_WINDOW, FeedEffectKind.DATE, minutes=float(require_word(words, "minutes")))


EFFECT_FORMS: tuple[tuple[StatementForm, Callable[[FormWords], FeedEffect]], ...] = (
    (compile_form("missing <name>"), _goal_effect_builder(FeedEffectKind.MISSING)),
    (compile_form("uncounted <name>"), _goal_effect_builder(FeedEffectKind.UNCOUNTED)),
    (compile_form("duplicate <name>"), _goal_effect_builder(FeedEffectKind.DUPLICATE)),
    (compile_form("disallow <name> keeping the row [with <text>]"), _disallow_builder(keep_row=True)),
    (compile_form("disallow <name> [with <text>]"), _disallow_builder(keep_row=False)),
    (compile_form("credit <name> to <player> [as <category>]"), _scorer_builder(FeedEffectKind.CREDIT)),
    (compile_form("copy <name> to <player> [as <category>]"), _scorer_builder(FeedEffectKind.COPY)),
    (compile_form("move <name> to <minute>"), _build_move),
    (compile_form("assist <name> by <assist>"), _build_assist),
    (compile_form("events <order>"), _build_events),
    (compile_form("score <score>"), _build_score),
    (compile_form("status <code> [<text>]"), _build_status),
    (compile_form("frozen"), _plain_effect_builder(FeedEffectKind.FROZEN)),
    (compile_form("date <minutes>"), _build_date),
    (compile_form("unreported"), _plain_effect_builder(FeedEffectKind.UNREPORTED)),
    (compile_form("omitted"), _plain_effect_builder(FeedEffectKind.OMITTED)),
)


def _build_http_fault(words: FormWords) -> AnswerFault:
    retry = int(parse_seconds(require_word(words, "seconds"))) if words["seconds"] else None
    return AnswerFault(AnswerFaultKind.HTTP, status=int(require_word(words, "id")), retry_after=retry)


def _build_errors_fault(words: FormWords) -> AnswerFault:
    return AnswerFault(AnswerFaultKind.ERRORS, key=require_word(words, "code"), text=strip_quotes(words["text"]))


def _text_fault_builder(breaks: AnswerFaultKind) -> Callable[[FormWords], AnswerFault]:
    return lambda words: AnswerFault(breaks, text=strip_quotes(words["text"]))


def _plain_fault_builder(breaks: AnswerFaultKind) -> Callable[[FormWords], AnswerFault]:
    return lambda _: AnswerFault(breaks)


FAULT_FORMS: tuple[tuple[StatementForm, Callable[[FormWords], AnswerFault]], ...] = (
    (
        compile_form("http <id> html"),
        lambda words: AnswerFault(AnswerFaultKind.HTTP, status=int(require_word(words, "id")), html=True),
    ),
    (compile_form("http <id> [retry after <seconds>]"), _build_http_fault),
    (compile_form("html"), _plain_fault_builder(AnswerFaultKind.HTML)),
    (compile_form("errors <code> [<text>]"), _build_errors_fault),
    (compile_form("errors-list <text>"), _text_fault_builder(AnswerFaultKind.ERRORS_LIST)),
    (compile_form("errors-string <text>"), _text_fault_builder(AnswerFaultKind.ERRORS_STRING)),
    (
        compile_form("hold <seconds>"),
        lambda words: AnswerFault(AnswerFaultKind.HOLD, seconds=parse_seconds(require_word(words, "seconds"))),
    ),
    (compile_form("half-json"), _plain_fault_builder(AnswerFaultKind.HALF_JSON)),
    (compile_form("wrong-types"), _plain_fault_builder(AnswerFaultKind.WRONG_TYPES)),
    (compile_form("empty-body"), _plain_fault_builder(AnswerFaultKind.EMPTY_BODY)),
    (compile_form("disconnect"), _plain_fault_builder(AnswerFaultKind.DISCONNECT)),
)


def parse_fault(text: str) -> AnswerFault | None:
    for shape, build in FAULT_FORMS:
        if found := shape.match_line(text):
            return build(found.groupdict())
    return None


def parse_effect(text: str) -> FeedEffect | None:
    for shape, build in EFFECT_FORMS:
        if found := shape.match_line(text):
            return build(found.groupdict())
    return None


def _add_during(draft: ScenarioDraft, window: FeedWindow, text: str) -> None:
    if effect := parse_effect(text):
        if effect.goal:
            draft.check_incident(effect.goal)
        if effect.effect_kind is FeedEffectKind.FROZEN and window.start.position is None:
            raise ScriptError("a frozen clock needs the place in the match where it freezes, not a poll")
        draft.current_match.effects.append(replace(effect, window=window))
    elif broken := parse_fault(text):
        draft.current_match.faults.append(FeedFault(window, broken))
    else:
        forms = [shape.text for shape, _ in (*EFFECT_FORMS, *FAULT_FORMS)]
        raise ScriptError(f"the feed cannot do `{text}`; it can:\n  " + "\n  ".join(forms))


def add_between(draft: ScenarioDraft, words: FormWords) -> None:
    _add_during(
        draft,
        FeedWindow(parse_edge(require_word(words, "edge")), parse_edge(require_word(words, "end"))),
        require_word(words, "more"),
    )


def add_onwards(draft: ScenarioDraft, words: FormWords) -> None:
    _add_during(draft, FeedWindow(parse_edge(require_word(words, "edge"))), require_word(words, "more"))


def add_at_polls(draft: ScenarioDraft, words: FormWords) -> None:
    _add_during(draft, parse_poll_window(require_word(words, "polls")), require_word(words, "more"))


def add_listing_fault(draft: ScenarioDraft, words: FormWords) -> None:
    first, last = parse_span(require_word(words, "polls"))
    broken = parse_fault(require_word(words, "fault"))
    if broken is None:
        raise ScriptError("a listing can only break:\n  " + "\n  ".join(shape.text for shape, _ in FAULT_FORMS))
    draft.listing_faults.append(ListingFault(first, last, broken))


FEED_STATEMENTS: tuple[StatementRule, ...] = (
    (compile_form("from <edge> to <end> <more>"), add_between),
    (compile_form("from <edge> <more>"), add_onwards),
    (compile_form("at <edge> <more>"), add_onwards),
    (compile_form("poll <polls> <more>"), add_at_polls),
    (compile_form("listing <polls> <fault>"), add_listing_fault),
)
