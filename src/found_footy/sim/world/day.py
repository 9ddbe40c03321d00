"""One simulated match day: the same seed and size always give the same one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from found_footy.sim.script.model import (
    Effect,
    FeedFault,
    GoalTruth,
    Limits,
    Match,
    Scenario,
    Side,
    Truth,
)
from found_footy.sim.world import misreports, scoring
from found_footy.sim.world.fans import Crowd, Said
from found_footy.sim.world.footage import Reel
from found_footy.sim.world.matches import matches
from found_footy.sim.world.plan import Goal
from found_footy.sim.world.sizes import SHAPES, Fate, Shape, Size
from found_footy.sim.world.truth import WorldTruth, posted_at, tell

# At 120 times the usual pace a client asks far more often than any plan allows.
_LIMITS = Limits(per_minute=6_000, per_day=500_000)


@dataclass(frozen=True)
class World:
    scenario: Scenario
    truth: WorldTruth


def make_world(seed: int, size: Size | str) -> World:
    """The match day of this seed: what happens, what is reported and posted, and what is true."""
    size = Size(size)
    shape = SHAPES[size]
    random = Random(f"match day {size} {seed}")
    played = matches(shape, random, seed)
    goals = scoring.goals(shape, played, random)
    reel = Reel(random)
    crowd = Crowd(reel, goals, shape.haste, shape.without_right)
    said = sorted((one for goal in goals for one in crowd.posts(goal, random)), key=posted_at)
    told = _told(played, goals, shape, random)
    return World(_scenario(seed, size, shape, told, reel, said), tell(seed, size, goals, said, reel.footage))


def _scenario(seed: int, size: Size, shape: Shape, told: Sequence[Match], reel: Reel, said: Sequence[Said]) -> Scenario:
    posted = {one.post.clip for one in said}
    clips = tuple(clip for clip in reel.clips.values() if clip.name in posted or _is_parent(clip.name, reel, posted))
    about = f"A simulated match day ({size}, seed {seed}): {len(told)} matches and what people post about them."
    return Scenario(
        f"{size}-{seed}", about, shape.speed, 0.5, _LIMITS, tuple(told), clips,
        tuple(one.post for one in said), (), (),
    )  # fmt: skip


def _is_parent(name: str, reel: Reel, posted: set[str]) -> bool:
    return any(reel.clips[child].parent == name for child in posted)


def _told(played: Sequence[tuple[Match, Fate]], goals: Sequence[Goal], shape: Shape, random: Random) -> list[Match]:
    """The matches with all that happens in them, and all that the feed says of it."""
    bad = misreports.bad_answers(goals, shape.bad_answers, random)
    return [
        _with_goals(match, fate, [goal for goal in goals if goal.match is match], bad.get(match.id, []), random)
        for match, fate in played
    ]


def _with_goals(
    match: Match, fate: Fate, goals: Sequence[Goal], bad: Sequence[Effect | FeedFault], random: Random
) -> Match:
    kicks = tuple(scoring.kicks(match, random)) if match.shoot_out else ()
    quirks = [effect for goal in goals for effect in misreports.effects(goal, random)]
    return replace(
        match,
        incidents=(*(scoring.incident(goal) for goal in goals), *kicks),
        effects=(*match.effects, *quirks, *(one for one in bad if isinstance(one, Effect))),
        faults=tuple(one for one in bad if isinstance(one, FeedFault)),
        truth=_truth(fate, goals),
    )


_FINAL = {Fate.EXTRA_TIME: "AET", Fate.SHOOT_OUT: "PEN", Fate.POSTPONED: "PST", Fate.ABANDONED: "ABD"}


def _truth(fate: Fate, goals: Sequence[Goal]) -> Truth:
    standing = [goal for goal in goals if goal.stands]
    home = sum(goal.side is Side.HOME for goal in standing)
    score = (None, None) if fate is Fate.POSTPONED else (home, len(standing) - home)
    return Truth(
        tuple(_goal(goal) for goal in standing), tuple(_goal(goal) for goal in goals if not goal.stands), score,
        _FINAL.get(fate, "FT"),
    )  # fmt: skip


def _goal(goal: Goal) -> GoalTruth:
    return GoalTruth(goal.side, goal.player.id, goal.at.minute, goal.at.extra)
