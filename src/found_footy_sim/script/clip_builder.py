"""Builds the clips of a script: the goal's minute and score are shown in the picture."""

from typing import Any

from found_footy_sim.media.clip_spec import ClipChange, ClipScene, SceneKind, TeamKit
from found_footy_sim.script.draft import ClipDraft, MatchDraft, ScenarioDraft
from found_footy_sim.script.model import (
    SCORING_KINDS,
    FeedEffectKind,
    MatchIncident,
    MatchPosition,
    MatchSide,
    PositionAnchor,
    SimulatedClip,
    SimulatedTeam,
    VideoHostAnswer,
)
from found_footy_sim.script.values import ScriptError

_CHANGE_OPTIONS = (
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
_SCENE_OPTIONS = ("duration", "width", "height", "fps", "seed", "design", "angle")
_CHANGE_ONLY_OPTIONS = frozenset(_CHANGE_OPTIONS) - frozenset(_SCENE_OPTIONS)
_SCENE_ONLY_OPTIONS = (frozenset(_SCENE_OPTIONS) - frozenset(_CHANGE_OPTIONS)) | {"minute"}


def build_clip(draft: ScenarioDraft, clip: ClipDraft) -> SimulatedClip:
    """Build the finished clip. All statements about its goal must have been read."""
    host, wait = clip.options.get("host", VideoHostAnswer.OK), clip.options.get("wait", 0.0)
    options = {name: value for name, value in clip.options.items() if name not in ("host", "wait")}
    if clip.parent:
        _reject_options(options, _SCENE_ONLY_OPTIONS, f"{clip.name} is made from {clip.parent}")
        parent = next(made for made in draft.finished_clips if made.name == clip.parent)
        return SimulatedClip(clip.name, None, parent.goal, clip.parent, ClipChange(**options), host, wait)
    _reject_options(options, _CHANGE_ONLY_OPTIONS, f"{clip.name} is not made from another clip")
    return SimulatedClip(clip.name, _build_scene(draft, clip, options), clip.goal, None, None, host, wait)


def _reject_options(options: dict[str, Any], forbidden: frozenset[str], because: str) -> None:
    if wrong := sorted(forbidden & options.keys()):
        raise ScriptError(f"{because}, so it cannot have {', '.join(wrong)}")


def _build_scene(draft: ScenarioDraft, clip: ClipDraft, options: dict[str, Any]) -> ClipScene:
    match = draft.find_match(clip.goal) if clip.goal else draft.current_match
    minute = options.pop("minute", None)
    options.setdefault("seed", sum(map(ord, clip.goal or clip.name)))
    if match.home is None or match.away is None:
        raise ScriptError(f"fixture {match.id} needs a home and an away team")
    clubs = _build_kit(match.home), _build_kit(match.away)
    if clip.goal is None:
        return ClipScene(SceneKind(clip.kind), *clubs, **options)
    goal = next(known for known in match.incidents if known.name == clip.goal)
    at = minute or goal.at
    if at.anchor is not PositionAnchor.MINUTE:
        raise ScriptError(f"{clip.name} needs a minute on its clock: say `minute 67`")
    options |= {"clock": _clock_second(at, options["seed"]), "regular": _period_end_minute(at)}
    return ClipScene(SceneKind.GOAL, *clubs, _score_before(match, goal), goal.side is MatchSide.HOME, **options)


def _build_kit(team: SimulatedTeam) -> TeamKit:
    return TeamKit(team.short, *team.kit)


def _clock_second(at: MatchPosition, seed: int) -> int:
    """Minute 23 of the feed is 22:xx on the screen: the 23rd minute is being played."""
    return (at.minute + (at.extra or 0) - 1) * 60 + 14 + seed * 7 % 40


def _period_end_minute(at: MatchPosition) -> int:
    return next((last for last in (45, 90, 105) if at.minute <= last), 120)


def _score_before(match: MatchDraft, goal: MatchIncident) -> tuple[int, int]:
    disallowed = {
        effect.goal
        for effect in match.effects
        if effect.effect_kind is FeedEffectKind.DISALLOW and effect.window.end is None
    }
    scoring = [
        known for known in match.incidents if known.kind in SCORING_KINDS and known.at.anchor is PositionAnchor.MINUTE
    ]
    earlier = [
        known
        for known in scoring
        if known is not goal and known.name not in disallowed and _sort_key(known) < _sort_key(goal)
    ]
    home = sum(known.side is MatchSide.HOME for known in earlier)
    return home, len(earlier) - home


def _sort_key(incident: MatchIncident) -> tuple[int, int, str]:
    return incident.at.minute, incident.at.extra or 0, incident.name
