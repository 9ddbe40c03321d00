"""Ball paths of goals: waypoints (time, x, y), with the goal at time 0 and to the right."""

from collections.abc import Callable

import numpy as np

from found_footy_sim.media.stadium.camera import PITCH_LENGTH, PITCH_WIDTH, FloatArray

Waypoint = tuple[float, float, float]

_MIDDLE_Y = PITCH_WIDTH / 2
_TOUCH_SECONDS = 0.55


def generate_ball_path(rng: np.random.Generator, begin: float) -> FloatArray:
    """Generate a path from before `begin` until long after the goal. The last six points are: the scorer takes the
    ball, strikes it, it crosses the line, hits the net, falls, lies.
    """
    side = float(rng.choice([-1.0, 1.0]))
    way: Callable[[np.random.Generator, float], list[Waypoint]] = _ATTACK_GENERATORS[
        rng.integers(len(_ATTACK_GENERATORS))
    ]
    points = way(rng, side)
    corner = _MIDDLE_Y - side * rng.uniform(1.6, 3.1)
    points += [
        (0.0, PITCH_LENGTH + 0.3, corner),
        (0.22, PITCH_LENGTH + 1.7, corner - side * 0.2),
        (0.9, PITCH_LENGTH + 1.5, corner),
        (600.0, PITCH_LENGTH + 1.4, corner),
    ]
    return np.array(_prepend_passes(rng, points, begin))


def _generate_shot(rng: np.random.Generator, x: float, y: float, run: float) -> list[Waypoint]:
    """The scorer takes the ball, runs a little with it and strikes."""
    flight = (PITCH_LENGTH - x) / rng.uniform(21.0, 29.0)
    return [(-flight - _TOUCH_SECONDS, x - run, y + rng.uniform(-1, 1)), (-flight, x, y)]


def _generate_box_attack(rng: np.random.Generator, side: float) -> list[Waypoint]:
    return _generate_shot(rng, rng.uniform(86.0, 97.0), _MIDDLE_Y + side * rng.uniform(1.0, 10.0), 2.0)


def _generate_long_shot(rng: np.random.Generator, side: float) -> list[Waypoint]:
    return _generate_shot(rng, rng.uniform(70.0, 80.0), _MIDDLE_Y + side * rng.uniform(0.0, 14.0), 3.0)


def _generate_cross(rng: np.random.Generator, side: float) -> list[Waypoint]:
    """Down the wing and into the middle."""
    shot = _generate_shot(rng, rng.uniform(95.0, 100.0), _MIDDLE_Y + side * rng.uniform(0.5, 5.0), 0.6)
    wing = _MIDDLE_Y - side * rng.uniform(21.0, 30.0)
    sent = shot[0][0] - rng.uniform(0.9, 1.4)
    carried = rng.uniform(8.0, 24.0)
    deep = rng.uniform(86.0, 101.0)
    return [(sent - carried / 7.0, deep - carried, wing), (sent, deep, wing), *shot]


def _generate_corner(rng: np.random.Generator, side: float) -> list[Waypoint]:
    """The ball lies at the flag, then comes in high."""
    shot = _generate_shot(rng, rng.uniform(95.0, 100.0), _MIDDLE_Y + side * rng.uniform(0.5, 6.0), 0.6)
    flag = PITCH_LENGTH - 0.6, _MIDDLE_Y - side * (_MIDDLE_Y - 0.6)
    return [(-300.0, *flag), (shot[0][0] - rng.uniform(1.1, 1.6), *flag), *shot]


def _generate_free_kick(rng: np.random.Generator, side: float) -> list[Waypoint]:
    spot = rng.uniform(76.0, 86.0), _MIDDLE_Y + side * rng.uniform(2.0, 15.0)
    shot = _generate_shot(rng, *spot, 0.0)
    return [(-300.0, *spot), (shot[0][0], *spot), shot[1]]


def _generate_counter_attack(rng: np.random.Generator, side: float) -> list[Waypoint]:
    """Half the pitch in a few seconds."""
    shot = _generate_shot(rng, rng.uniform(92.0, 98.0), _MIDDLE_Y + side * rng.uniform(0.0, 7.0), 3.5)
    x, y, at = shot[0][1], shot[0][2], shot[0][0]
    points: list[Waypoint] = []
    for _ in range(int(rng.integers(2, 5))):
        at -= rng.uniform(0.9, 1.5)
        x = max(16.0, x - rng.uniform(11.0, 22.0))
        y = float(np.clip(y + rng.uniform(-18, 18), 6, PITCH_WIDTH - 6))
        points.insert(0, (at, x, y))
    return [*points, *shot]


_ATTACK_GENERATORS = (
    _generate_box_attack,
    _generate_box_attack,
    _generate_long_shot,
    _generate_cross,
    _generate_cross,
    _generate_corner,
    _generate_free_kick,
    _generate_counter_attack,
)


def _prepend_passes(rng: np.random.Generator, points: list[Waypoint], begin: float) -> list[Waypoint]:
    """Prepend passes back to the start of the clip; some teams go forward, some move the ball from side to side."""
    at, x, y = points[0]
    hurry, forward, across = rng.uniform(0.8, 1.9), rng.uniform(1.0, 13.0), rng.uniform(8.0, 28.0)
    while at > begin - 2:
        at -= hurry * rng.uniform(0.7, 1.3)
        x = float(np.clip(x - rng.normal(forward, 5.0), 24.0, 92.0))
        y = float(np.clip(_MIDDLE_Y + (y - _MIDDLE_Y) * 0.3 + rng.uniform(-across, across), 5, PITCH_WIDTH - 5))
        points = [(at, x, y), *points]
    return points
