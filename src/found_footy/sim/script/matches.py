"""Statements about matches: who plays, when, what really happens, and what stands in the end."""

from collections.abc import Callable

from found_footy.sim.script.draft import Draft, MatchDraft
from found_footy.sim.script.forms import Form, form
from found_footy.sim.script.model import (
    Ending,
    GoalTruth,
    Incident,
    Kind,
    League,
    Limits,
    Reach,
    Side,
    Stop,
    Team,
)
from found_footy.sim.script.values import ScriptError, Words, named, person, position, score, unquoted, word

Statement = tuple[Form, Callable[[Draft, Words], None]]

_KITS = {Side.HOME: ("#c8102e", "#ffffff"), Side.AWAY: ("#1d4fa1", "#ffffff")}


def about(draft: Draft, words: Words) -> None:
    draft.about = word(words, "about")


def speed(draft: Draft, words: Words) -> None:
    draft.speed = float(word(words, "speed"))


def each_poll(draft: Draft, words: Words) -> None:
    draft.step = float(word(words, "minutes"))


def limits(draft: Draft, words: Words) -> None:
    draft.limits = Limits(int(word(words, "per_minute")), int(word(words, "per_day")))


def fixture(draft: Draft, words: Words) -> None:
    number = int(word(words, "id"))
    if any(known.id == number for known in draft.matches):
        raise ScriptError(f"fixture {number} is already told above")
    draft.matches.append(MatchDraft(number, _league(words)))


def _league(words: Words) -> League:
    usual = League()
    name, number = named(word(words, "league")) if words["league"] else (usual.name, usual.id)
    return League(
        name,
        number,
        unquoted(words["country"]) or usual.country,
        int(words["season"] or usual.season),
        unquoted(words["round"]) or usual.round,
    )


def home(draft: Draft, words: Words) -> None:
    draft.match.home = _team(words, Side.HOME)


def away(draft: Draft, words: Words) -> None:
    draft.match.away = _team(words, Side.AWAY)


def _team(words: Words, side: Side) -> Team:
    name, number = named(word(words, "team"))
    shirt, _, shorts = (words["colours"] or "/".join(_KITS[side])).partition("/")
    return Team(name, number, words["short"] or name[:3].upper(), (shirt, shorts))


def kickoff(draft: Draft, words: Words) -> None:
    draft.match.kickoff = float(word(words, "minutes"))


def added(draft: Draft, words: Words) -> None:
    given = [int(number) for number in word(words, "four").split()]
    first, second, third, fourth = given + list(draft.match.added[len(given) :])
    draft.match.added = first, second, third, fourth


def pause(draft: Draft, words: Words) -> None:
    draft.match.pause = float(word(words, "minutes"))


def extra_time(draft: Draft, _: Words) -> None:
    draft.match.extra_time = True


def shoot_out(draft: Draft, _: Words) -> None:
    draft.match.extra_time = draft.match.shoot_out = True


def stops(draft: Draft, words: Words) -> None:
    stop = Stop(position(word(words, "position")), float(word(words, "minutes")), word(words, "status"))
    draft.match.stops.append(stop)


def ends(draft: Draft, words: Words) -> None:
    draft.match.ending = Ending(position(word(words, "position")), word(words, "status"))


def reaches(draft: Draft, words: Words) -> None:
    draft.match.reaches.append(Reach(int(word(words, "poll")), position(word(words, "position"))))


def incident(draft: Draft, words: Words) -> None:
    _add(draft, Kind(word(words, "incident")), words)


def var_row(draft: Draft, words: Words) -> None:
    _add(draft, Kind.VAR, words, unquoted(words["text"]))


def _add(draft: Draft, kind: Kind, words: Words, text: str = "") -> None:
    taken = [known.name for match in draft.matches for known in match.incidents]
    name = words.get("name") or f"unnamed{len(taken) + 1}"
    if name in taken:
        raise ScriptError(f"{name} is already the name of something above")
    side = Side(word(words, "side"))
    players = person(words["player"]), person(words.get("assist"))
    draft.match.incidents.append(Incident(name, position(word(words, "minute")), kind, side, *players, text=text))


def true_goal(draft: Draft, words: Words) -> None:
    draft.match.true_goals.append(_goal_truth(words))


def true_removed(draft: Draft, words: Words) -> None:
    draft.match.true_removed.append(_goal_truth(words))


def _goal_truth(words: Words) -> GoalTruth:
    who, at = word(words, "who"), position(word(words, "minute"))
    return GoalTruth(Side(word(words, "side")), None if who == "unknown" else int(who), at.minute, at.extra)


def true_score(draft: Draft, words: Words) -> None:
    draft.match.true_score = score(word(words, "score"))


def true_status(draft: Draft, words: Words) -> None:
    draft.match.true_status = word(words, "code")


STATEMENTS: tuple[Statement, ...] = (
    (form("about <about>"), about),
    (form("speed <speed>"), speed),
    (form("each poll <minutes> minutes"), each_poll),
    (form("limits <per_minute> a minute <per_day> a day"), limits),
    (form("fixture <id> [in <league>] [of <country>] [season <season>] [round <round>]"), fixture),
    (form("home <team> [short <short>] [kit <colours>]"), home),
    (form("away <team> [short <short>] [kit <colours>]"), away),
    (form("kickoff <minutes>"), kickoff),
    (form("added <four>"), added),
    (form("break <minutes>"), pause),
    (form("extra time"), extra_time),
    (form("shoot-out"), shoot_out),
    (form("stops at <position> for <minutes> as <status>"), stops),
    (form("ends at <position> as <status>"), ends),
    (form("poll <poll> reaches <position>"), reaches),
    (form("at <minute> <incident> <side> <player> [assist <assist>] [as <name>]"), incident),
    (form("at <minute> var <side> <text> [by <player>] [as <name>]"), var_row),
    (form("truth goal <side> <who> at <minute>"), true_goal),
    (form("truth removed <side> <who> at <minute>"), true_removed),
    (form("truth score <score>"), true_score),
    (form("truth status <code>"), true_status),
)
