"""Statements about matches: teams, kickoff, incidents, and the expected final state."""

from collections.abc import Callable

from found_footy_sim.script.draft import MatchDraft, ScenarioDraft
from found_footy_sim.script.forms import StatementForm, compile_form
from found_footy_sim.script.model import (
    EarlyEnding,
    GoalTruth,
    IncidentKind,
    MatchIncident,
    MatchSide,
    PlayStoppage,
    PollPosition,
    RequestLimits,
    SimulatedLeague,
    SimulatedTeam,
)
from found_footy_sim.script.values import (
    FormWords,
    ScriptError,
    parse_named_id,
    parse_person,
    parse_position,
    parse_score,
    require_word,
    strip_quotes,
)

StatementRule = tuple[StatementForm, Callable[[ScenarioDraft, FormWords], None]]

_DEFAULT_KITS = {MatchSide.HOME: ("#c8102e", "#ffffff"), MatchSide.AWAY: ("#1d4fa1", "#ffffff")}


def set_about(draft: ScenarioDraft, words: FormWords) -> None:
    draft.about = require_word(words, "about")


def set_speed(draft: ScenarioDraft, words: FormWords) -> None:
    draft.speed = float(require_word(words, "speed"))


def set_poll_step(draft: ScenarioDraft, words: FormWords) -> None:
    draft.step = float(require_word(words, "minutes"))


def set_limits(draft: ScenarioDraft, words: FormWords) -> None:
    draft.limits = RequestLimits(int(require_word(words, "per_minute")), int(require_word(words, "per_day")))


def begin_fixture(draft: ScenarioDraft, words: FormWords) -> None:
    number = int(require_word(words, "id"))
    if any(known.id == number for known in draft.matches):
        raise ScriptError(f"fixture {number} is already defined above")
    draft.matches.append(MatchDraft(number, _parse_league(words)))


def _parse_league(words: FormWords) -> SimulatedLeague:
    usual = SimulatedLeague()
    name, number = parse_named_id(require_word(words, "league")) if words["league"] else (usual.name, usual.id)
    return SimulatedLeague(
        name,
        number,
        strip_quotes(words["country"]) or usual.country,
        int(words["season"] or usual.season),
        strip_quotes(words["round"]) or usual.round,
    )


def set_home(draft: ScenarioDraft, words: FormWords) -> None:
    draft.current_match.home = _parse_team(words, MatchSide.HOME)


def set_away(draft: ScenarioDraft, words: FormWords) -> None:
    draft.current_match.away = _parse_team(words, MatchSide.AWAY)


def _parse_team(words: FormWords, side: MatchSide) -> SimulatedTeam:
    name, number = parse_named_id(require_word(words, "team"))
    shirt, _, shorts = (words["colours"] or "/".join(_DEFAULT_KITS[side])).partition("/")
    return SimulatedTeam(name, number, words["short"] or name[:3].upper(), (shirt, shorts))


def set_kickoff(draft: ScenarioDraft, words: FormWords) -> None:
    draft.current_match.kickoff = float(require_word(words, "minutes"))


def set_added_time(draft: ScenarioDraft, words: FormWords) -> None:
    given = [int(number) for number in require_word(words, "four").split()]
    first, second, third, fourth = given + list(draft.current_match.added[len(given) :])
    draft.current_match.added = first, second, third, fourth


def set_break(draft: ScenarioDraft, words: FormWords) -> None:
    draft.current_match.pause = float(require_word(words, "minutes"))


def set_extra_time(draft: ScenarioDraft, _: FormWords) -> None:
    draft.current_match.extra_time = True


def set_shoot_out(draft: ScenarioDraft, _: FormWords) -> None:
    draft.current_match.extra_time = draft.current_match.shoot_out = True


def add_stoppage(draft: ScenarioDraft, words: FormWords) -> None:
    stop = PlayStoppage(
        parse_position(require_word(words, "position")),
        float(require_word(words, "minutes")),
        require_word(words, "status"),
    )
    draft.current_match.stops.append(stop)


def set_ending(draft: ScenarioDraft, words: FormWords) -> None:
    draft.current_match.ending = EarlyEnding(
        parse_position(require_word(words, "position")), require_word(words, "status")
    )


def add_reach(draft: ScenarioDraft, words: FormWords) -> None:
    draft.current_match.reaches.append(
        PollPosition(int(require_word(words, "poll")), parse_position(require_word(words, "position")))
    )


def add_incident(draft: ScenarioDraft, words: FormWords) -> None:
    _append_incident(draft, IncidentKind(require_word(words, "incident")), words)


def add_var_row(draft: ScenarioDraft, words: FormWords) -> None:
    _append_incident(draft, IncidentKind.VAR, words, strip_quotes(words["text"]))


def _append_incident(draft: ScenarioDraft, kind: IncidentKind, words: FormWords, text: str = "") -> None:
    taken = [known.name for match in draft.matches for known in match.incidents]
    name = words.get("name") or f"unnamed{len(taken) + 1}"
    if name in taken:
        raise ScriptError(f"{name} is already the name of something above")
    side = MatchSide(require_word(words, "side"))
    players = parse_person(words["player"]), parse_person(words.get("assist"))
    draft.current_match.incidents.append(
        MatchIncident(name, parse_position(require_word(words, "minute")), kind, side, *players, text=text)
    )


def add_true_goal(draft: ScenarioDraft, words: FormWords) -> None:
    draft.current_match.true_goals.append(_parse_goal_truth(words))


def add_true_removed(draft: ScenarioDraft, words: FormWords) -> None:
    draft.current_match.true_removed.append(_parse_goal_truth(words))


def _parse_goal_truth(words: FormWords) -> GoalTruth:
    who, at = require_word(words, "who"), parse_position(require_word(words, "minute"))
    return GoalTruth(
        MatchSide(require_word(words, "side")), None if who == "unknown" else int(who), at.minute, at.extra
    )


def set_true_score(draft: ScenarioDraft, words: FormWords) -> None:
    draft.current_match.true_score = parse_score(require_word(words, "score"))


def set_true_status(draft: ScenarioDraft, words: FormWords) -> None:
    draft.current_match.true_status = require_word(words, "code")


MATCH_STATEMENTS: tuple[StatementRule, ...] = (
    (compile_form("about <about>"), set_about),
    (compile_form("speed <speed>"), set_speed),
    (compile_form("each poll <minutes> minutes"), set_poll_step),
    (compile_form("limits <per_minute> a minute <per_day> a day"), set_limits),
    (compile_form("fixture <id> [in <league>] [of <country>] [season <season>] [round <round>]"), begin_fixture),
    (compile_form("home <team> [short <short>] [kit <colours>]"), set_home),
    (compile_form("away <team> [short <short>] [kit <colours>]"), set_away),
    (compile_form("kickoff <minutes>"), set_kickoff),
    (compile_form("added <four>"), set_added_time),
    (compile_form("break <minutes>"), set_break),
    (compile_form("extra time"), set_extra_time),
    (compile_form("shoot-out"), set_shoot_out),
    (compile_form("stops at <position> for <minutes> as <status>"), add_stoppage),
    (compile_form("ends at <position> as <status>"), set_ending),
    (compile_form("poll <poll> reaches <position>"), add_reach),
    (compile_form("at <minute> <incident> <side> <player> [assist <assist>] [as <name>]"), add_incident),
    (compile_form("at <minute> var <side> <text> [by <player>] [as <name>]"), add_var_row),
    (compile_form("truth goal <side> <who> at <minute>"), add_true_goal),
    (compile_form("truth removed <side> <who> at <minute>"), add_true_removed),
    (compile_form("truth score <score>"), set_true_score),
    (compile_form("truth status <code>"), set_true_status),
)
