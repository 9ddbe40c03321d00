"""From the clips of a script to what their files show: the goal's minute and score end up in the picture."""

from typing import Any

from found_footy.sim.media.spec import Change, Club, Scene, Show
from found_footy.sim.script.draft import ClipDraft, Draft, MatchDraft
from found_footy.sim.script.model import SCORING, Anchor, Clip, Does, Host, Incident, Position, Side, Team
from found_footy.sim.script.values import ScriptError

_CHANGE = (
    "start",
    "end",
    "width",
    "height",
    "crf",
    "fps",
    "speed",
    "mirror",
    "letterbox",
    "portrait",
    "filmed",
    "stamp",
)
_SCENE = ("duration", "width", "height", "fps", "seed", "design", "angle")
_ONLY_CHANGE = frozenset(_CHANGE) - frozenset(_SCENE)
_ONLY_SCENE = (frozenset(_SCENE) - frozenset(_CHANGE)) | {"minute"}


def make(draft: Draft, clip: ClipDraft) -> Clip:
    """The finished clip. Everything that the script tells about its goal must be known by now."""
    host, wait = clip.options.get("host", Host.OK), clip.options.get("wait", 0.0)
    told = {name: value for name, value in clip.options.items() if name not in ("host", "wait")}
    if clip.parent:
        _refuse(told, _ONLY_SCENE, f"{clip.name} is made from {clip.parent}")
        parent = next(made for made in draft.made if made.name == clip.parent)
        return Clip(clip.name, None, parent.goal, clip.parent, Change(**told), host, wait)
    _refuse(told, _ONLY_CHANGE, f"{clip.name} is not made from another clip")
    return Clip(clip.name, _scene(draft, clip, told), clip.goal, None, None, host, wait)


def _refuse(told: dict[str, Any], unfit: frozenset[str], because: str) -> None:
    if wrong := sorted(unfit & told.keys()):
        raise ScriptError(f"{because}, so it cannot have {', '.join(wrong)}")


def _scene(draft: Draft, clip: ClipDraft, told: dict[str, Any]) -> Scene:
    match = draft.home_of(clip.goal) if clip.goal else draft.match
    minute = told.pop("minute", None)
    told.setdefault("seed", sum(map(ord, clip.goal or clip.name)))
    if match.home is None or match.away is None:
        raise ScriptError(f"fixture {match.id} needs a home and an away team")
    clubs = _club(match.home), _club(match.away)
    if clip.goal is None:
        return Scene(Show(clip.kind), *clubs, **told)
    goal = next(known for known in match.incidents if known.name == clip.goal)
    at = minute or goal.at
    if at.anchor is not Anchor.MINUTE:
        raise ScriptError(f"{clip.name} needs a minute on its clock: say `minute 67`")
    told |= {"clock": _clock(at, told["seed"]), "regular": _regular(at)}
    return Scene(Show.GOAL, *clubs, _score_before(match, goal), goal.side is Side.HOME, **told)


def _club(team: Team) -> Club:
    return Club(team.short, *team.kit)


def _clock(at: Position, seed: int) -> int:
    """Minute 23 of the feed is 22:xx on the screen: the 23rd minute is being played."""
    return (at.minute + (at.extra or 0) - 1) * 60 + 14 + seed * 7 % 40


def _regular(at: Position) -> int:
    return next((last for last in (45, 90, 105) if at.minute <= last), 120)


def _score_before(match: MatchDraft, goal: Incident) -> tuple[int, int]:
    struck = {effect.goal for effect in match.effects if effect.does is Does.DISALLOW and effect.window.end is None}
    told = [known for known in match.incidents if known.kind in SCORING and known.at.anchor is Anchor.MINUTE]
    earlier = [
        known for known in told if known is not goal and known.name not in struck and _order(known) < _order(goal)
    ]
    home = sum(known.side is Side.HOME for known in earlier)
    return home, len(earlier) - home


def _order(incident: Incident) -> tuple[int, int, str]:
    return incident.at.minute, incident.at.extra or 0, incident.name
