"""How the ball gets into the goal: waypoints (time, x, y), the goal at time 0 and to the right."""

from collections.abc import Callable

import numpy as np

from found_footy.sim.media.camera import LENGTH, WIDTH, Floats

Point = tuple[float, float, float]

_MIDDLE = WIDTH / 2
_TOUCH = 0.55


def ball_path(rng: np.random.Generator, begin: float) -> Floats:
    """From before `begin` until long after the goal. The last six points are: the scorer takes the ball, strikes it, it
    crosses the line, hits the net, falls, lies.
    """
    side = float(rng.choice([-1.0, 1.0]))
    way: Callable[[np.random.Generator, float], list[Point]] = _WAYS[rng.integers(len(_WAYS))]
    points = way(rng, side)
    corner = _MIDDLE - side * rng.uniform(1.6, 3.1)
    points += [
        (0.0, LENGTH + 0.3, corner),
        (0.22, LENGTH + 1.7, corner - side * 0.2),
        (0.9, LENGTH + 1.5, corner),
        (600.0, LENGTH + 1.4, corner),
    ]
    return np.array(_built_up(rng, points, begin))


def _shot(rng: np.random.Generator, x: float, y: float, run: float) -> list[Point]:
    """The scorer takes the ball, runs a little with it and strikes."""
    flight = (LENGTH - x) / rng.uniform(21.0, 29.0)
    return [(-flight - _TOUCH, x - run, y + rng.uniform(-1, 1)), (-flight, x, y)]


def _from_the_box(rng: np.random.Generator, side: float) -> list[Point]:
    return _shot(rng, rng.uniform(86.0, 97.0), _MIDDLE + side * rng.uniform(1.0, 10.0), 2.0)


def _from_far(rng: np.random.Generator, side: float) -> list[Point]:
    return _shot(rng, rng.uniform(70.0, 80.0), _MIDDLE + side * rng.uniform(0.0, 14.0), 3.0)


def _cross(rng: np.random.Generator, side: float) -> list[Point]:
    """Down the wing and into the middle."""
    shot = _shot(rng, rng.uniform(95.0, 100.0), _MIDDLE + side * rng.uniform(0.5, 5.0), 0.6)
    wing = _MIDDLE - side * rng.uniform(21.0, 30.0)
    sent = shot[0][0] - rng.uniform(0.9, 1.4)
    carried = rng.uniform(8.0, 24.0)
    deep = rng.uniform(86.0, 101.0)
    return [(sent - carried / 7.0, deep - carried, wing), (sent, deep, wing), *shot]


def _corner(rng: np.random.Generator, side: float) -> list[Point]:
    """The ball lies at the flag, then comes in high."""
    shot = _shot(rng, rng.uniform(95.0, 100.0), _MIDDLE + side * rng.uniform(0.5, 6.0), 0.6)
    flag = LENGTH - 0.6, _MIDDLE - side * (_MIDDLE - 0.6)
    return [(-300.0, *flag), (shot[0][0] - rng.uniform(1.1, 1.6), *flag), *shot]


def _free_kick(rng: np.random.Generator, side: float) -> list[Point]:
    spot = rng.uniform(76.0, 86.0), _MIDDLE + side * rng.uniform(2.0, 15.0)
    shot = _shot(rng, *spot, 0.0)
    return [(-300.0, *spot), (shot[0][0], *spot), shot[1]]


def _counter(rng: np.random.Generator, side: float) -> list[Point]:
    """Half the pitch in a few seconds."""
    shot = _shot(rng, rng.uniform(92.0, 98.0), _MIDDLE + side * rng.uniform(0.0, 7.0), 3.5)
    x, y, at = shot[0][1], shot[0][2], shot[0][0]
    points: list[Point] = []
    for _ in range(int(rng.integers(2, 5))):
        at -= rng.uniform(0.9, 1.5)
        x = max(16.0, x - rng.uniform(11.0, 22.0))
        y = float(np.clip(y + rng.uniform(-18, 18), 6, WIDTH - 6))
        points.insert(0, (at, x, y))
    return [*points, *shot]


_WAYS = (_from_the_box, _from_the_box, _from_far, _cross, _cross, _corner, _free_kick, _counter)


def _built_up(rng: np.random.Generator, points: list[Point], begin: float) -> list[Point]:
    """Passes before it, back to where the clip begins; some teams go forward, some move it from side to side."""
    at, x, y = points[0]
    hurry, forward, across = rng.uniform(0.8, 1.9), rng.uniform(1.0, 13.0), rng.uniform(8.0, 28.0)
    while at > begin - 2:
        at -= hurry * rng.uniform(0.7, 1.3)
        x = float(np.clip(x - rng.normal(forward, 5.0), 24.0, 92.0))
        y = float(np.clip(_MIDDLE + (y - _MIDDLE) * 0.3 + rng.uniform(-across, across), 5, WIDTH - 5))
        points = [(at, x, y), *points]
    return points
