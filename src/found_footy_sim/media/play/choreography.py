"""The choreography of a goal: the position of every player in every frame. Attacks go to the right; the caller may
mirror.
"""

from dataclasses import dataclass

import numpy as np

from found_footy_sim.media.play.attacks import generate_ball_path
from found_footy_sim.media.stadium.camera import PITCH_LENGTH, PITCH_WIDTH, FloatArray

OUTFIELD_PLAYERS = 10
# Forward and sideways positions in a 4-3-3, as shares of the block that the team moves in.
_FORMATION = np.array(
    [
        (0.05, 0.15),
        (0.0, 0.38),
        (0.0, 0.62),
        (0.05, 0.85),
        (0.4, 0.25),
        (0.33, 0.5),
        (0.4, 0.75),
        (0.85, 0.2),
        (0.9, 0.8),
        (1.0, 0.5),
    ]
)
SCORER_INDEX = 9
_MIDDLE_Y = PITCH_WIDTH / 2
_MAX_RUNNING_SPEED = 9.0
# Both flags, the bench, the stand behind the goal, back into midfield, and near the goal.
_CELEBRATION_SPOTS = np.array([(100, 7), (100, 61), (64, 3), (101, 20), (72, 38), (92, 34)], float)


@dataclass(frozen=True)
class PlayPositions:
    """Metres per frame: `attack` and `defence` have ten outfield players and then the goalkeeper."""

    ball: FloatArray
    attack: FloatArray
    defence: FloatArray
    referee: FloatArray


def choreograph_goal(seed: int, duration: float, goal_at: float, fps: int) -> PlayPositions:
    """Generate a play whose ball crosses the line `goal_at` seconds into the clip."""
    rng = np.random.default_rng(seed)
    times = np.arange(round(duration * fps)) / fps - goal_at
    path = generate_ball_path(rng, times[0] if len(times) else 0.0)
    ball = _interpolate_ball(path, times)
    attack = _position_attackers(rng, times, ball, path)
    defence = _position_defenders(rng, times, ball)
    referee = _moving_average(ball[:, :2] + [-13.0, 7.0 * rng.choice([-1, 1])], fps * 1.4)
    return PlayPositions(ball, attack, defence, referee)


def _interpolate_ball(path: FloatArray, times: FloatArray) -> FloatArray:
    """Position in space at each time: straight between waypoints, slowing on the ground, lifted on long passes."""
    index = np.clip(np.searchsorted(path[:, 0], times, side="right") - 1, 0, len(path) - 2)
    start, end = path[index], path[index + 1]
    share = (times - start[:, 0]) / (end[:, 0] - start[:, 0])
    shooting = index >= len(path) - 5
    eased = np.where(shooting, share, 1 - (1 - share) ** 1.6)
    ground = start[:, 1:] + (end - start)[:, 1:] * eased[:, None]
    reach = np.hypot(*(end - start)[:, 1:].T)
    lift = np.where(reach > 12, 0.14 * reach, 0.0) * 4 * eased * (1 - eased)
    lift = np.where(index == len(path) - 5, 1.5 * share, lift)
    lift = np.where(index == len(path) - 4, 1.5 - 0.3 * share, lift)
    lift = np.where(index == len(path) - 3, 1.2 * np.abs(np.cos(share * 5)) * (1 - share), lift)
    return np.column_stack([ground, lift + 0.11])


def _wander_offsets(rng: np.random.Generator, times: FloatArray, players: int, metres: float) -> FloatArray:
    """Slow, smooth offsets, different for every player."""
    speed = rng.uniform(0.5, 1.1, (players, 2, 1))
    start = rng.uniform(0, 2 * np.pi, (players, 2, 1))
    moves = np.sin(speed * times + start) + 0.5 * np.sin(2.3 * speed * times + 2 * start)
    return np.transpose(moves, (2, 0, 1)) * metres


def _formation_positions(
    ball: FloatArray, front: FloatArray, depth: float, breadth: float, facing: float
) -> FloatArray:
    """A team's formation, its front at `front`, shifted towards the ball's side."""
    x = front[:, None] - facing * (1 - _FORMATION[:, 0]) * depth
    centre = _MIDDLE_Y + (ball[:, 1] - _MIDDLE_Y) * 0.35
    y = centre[:, None] + (_FORMATION[:, 1] - 0.5) * breadth
    return np.stack([x, y], axis=2)


def _position_attackers(rng: np.random.Generator, times: FloatArray, ball: FloatArray, path: FloatArray) -> FloatArray:
    fps = _frame_rate(times)
    follow = _moving_average(ball[:, :2], fps * 1.5)
    team = _formation_positions(follow, np.minimum(follow[:, 0] + 9, 97.0), 50.0, 48.0, 1.0) + _wander_offsets(
        rng, times, OUTFIELD_PLAYERS, 1.4
    )
    scored = _ease_in(times, 0.0, 1.0)
    _move_to_passes(team, times, path)
    _move_celebration(rng, team, times, path[-5, 1:] + [1.2, 0.0])
    keeper = np.column_stack([np.full(len(times), 14.0) + 3 * scored, np.full(len(times), _MIDDLE_Y)])
    return _limit_speed(_moving_average(np.concatenate([team, keeper[:, None]], axis=1), fps * 0.35), fps)


def _move_celebration(rng: np.random.Generator, team: FloatArray, times: FloatArray, shot: FloatArray) -> None:
    """The scorer runs off, to the flag or the bench or not far, and the others follow him."""
    goal = _CELEBRATION_SPOTS[rng.integers(len(_CELEBRATION_SPOTS))] + rng.uniform(-3, 3, 2)
    run = np.clip((times - rng.uniform(0.3, 1.2)) / rng.uniform(3.5, 6.5), 0, 1)[:, None]
    bow = np.sin(run * np.pi) * rng.uniform(-5, 5, 2)
    team[:, SCORER_INDEX] = np.where(times[:, None] > 0, shot + (goal - shot) * run + bow, team[:, SCORER_INDEX])
    for player in range(3, OUTFIELD_PLAYERS - 1):
        spot = team[:, SCORER_INDEX] + rng.uniform(-2.6, 2.6, 2)
        late = _ease_in(times, 0.9 + rng.uniform(0, 1.8), rng.uniform(2.6, 4.0))[:, None]
        team[:, player] += (spot - team[:, player]) * late


def _move_to_passes(team: FloatArray, times: FloatArray, path: FloatArray) -> None:
    """The nearest player receives each pass: he is where the ball arrives. The last one goes to the scorer,
    who shoots.
    """
    _move_scorer(team, times, path)
    last = SCORER_INDEX
    for at, x, y in path[:-6][::-1]:
        behind = np.array([x - 0.7, y])
        around = team[min(np.searchsorted(times, at), len(times) - 1)] - behind
        gaps = np.hypot(around[:, 0], around[:, 1])
        gaps[[SCORER_INDEX, last]] = np.inf
        last = int(gaps.argmin())
        near = np.exp(-(((times - at) / 1.1) ** 2))[:, None]
        team[:, last] += (behind - team[:, last]) * near


def _move_scorer(team: FloatArray, times: FloatArray, path: FloatArray) -> None:
    """The scorer comes to the ball, runs with it, and follows his shot for a step."""
    taken, struck = path[-6], path[-5]
    at = [taken[0], struck[0], struck[0] + 0.5]
    x = np.interp(times, at, [taken[1] - 0.6, struck[1] - 0.5, struck[1] + 1.2])
    y = np.interp(times, at, [taken[2], struck[2], struck[2]])
    coming = _ease_in(times, taken[0] - 1.8, 1.6)[:, None]
    team[:, SCORER_INDEX] += (np.stack([x, y], axis=1) - team[:, SCORER_INDEX]) * coming


def _position_defenders(rng: np.random.Generator, times: FloatArray, ball: FloatArray) -> FloatArray:
    fps = _frame_rate(times)
    live = np.minimum(np.searchsorted(times, 0.35), len(times) - 1)
    chased = np.where((np.arange(len(times)) > live)[:, None], ball[live], ball)
    follow = _moving_average(chased[:, :2], fps * 1.2)
    front = np.minimum(follow[:, 0] - 9, 84.0)
    team = _formation_positions(follow, front, -1.0, 40.0, -1.0)
    depth = np.minimum(PITCH_LENGTH - 6 - front, 34.0)
    team[:, :, 0] = front[:, None] + (1 - _FORMATION[:, 0]) * depth[:, None]
    team += _wander_offsets(rng, times, OUTFIELD_PLAYERS, 1.1)
    line = np.minimum(PITCH_LENGTH - 1.2, 99.5 + follow[:, 0] * 0.04)
    saving = _moving_average(np.clip(ball[:, 1:2], _MIDDLE_Y - 3.2, _MIDDLE_Y + 3.2), fps * 0.5)
    keeper = np.column_stack([line, saving[:, 0]])
    return _limit_speed(_moving_average(np.concatenate([team, keeper[:, None]], axis=1), fps * 0.4), fps)


def _limit_speed(team: FloatArray, fps: float) -> FloatArray:
    """The same paths at a speed that people can run: a player who falls behind catches up later."""
    run = team.copy()
    for number in range(1, len(run)):
        step = team[number] - run[number - 1]
        length = np.hypot(step[:, 0], step[:, 1])[:, None]
        run[number] = run[number - 1] + step * np.minimum(1.0, _MAX_RUNNING_SPEED / fps / np.maximum(length, 1e-9))
    return run


def _ease_in(times: FloatArray, start: float, rise: float) -> FloatArray:
    share = np.clip((times - start) / rise, 0, 1)
    return share * share * (3 - 2 * share)


def _frame_rate(times: FloatArray) -> float:
    return 1 / (times[1] - times[0]) if len(times) > 1 else 25.0


def _moving_average(values: FloatArray, frames: float) -> FloatArray:
    """A moving average over time that keeps the ends in place."""
    reach = max(1, round(frames))
    if len(values) < 3:
        return values
    padded = np.concatenate([np.repeat(values[:1], reach, 0), values, np.repeat(values[-1:], reach, 0)])
    total = np.cumsum(np.concatenate([np.zeros_like(padded[:1]), padded]), axis=0)
    averaged: FloatArray = (total[2 * reach :] - total[: -2 * reach])[: len(values)] / (2 * reach)
    return averaged
