"""Stadiums: every home side has its own grass, light and stands."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from zlib import crc32

import numpy as np


class MowingPattern(StrEnum):
    ACROSS = "across"
    ALONG = "along"
    CHECKER = "checker"
    PLAIN = "plain"


@dataclass(frozen=True)
class StadiumVenue:
    """`light` is the kind of daylight, `shadow_metres` the depth of a stand's shadow on the grass, 0 at night and under
    clouds; `roof_metres` is the height of the stands, `first_slogan` the first slogan on the boards.
    """

    mowing: MowingPattern = MowingPattern.ACROSS
    stripe_metres: float = 5.25
    grass_colour: tuple[int, int, int] = (90, 146, 66)
    contrast: float = 0.16
    light: float = 1.0
    shadow_metres: float = 0.0
    roof_metres: float = 13.0
    first_slogan: int = 0


@lru_cache(maxsize=64)
def generate_venue(home: str) -> StadiumVenue:
    dice = np.random.default_rng([crc32(home.encode()), 3])
    red, green = dice.integers(76, 104), dice.integers(126, 152)
    return StadiumVenue(
        MowingPattern(dice.choice(list(MowingPattern))),
        float(dice.uniform(4.0, 8.0)),
        (int(red), int(green), int(dice.integers(44, 66))),
        float(dice.uniform(0.1, 0.2)),
        float(dice.uniform(0.8, 1.1)),
        float(dice.choice([0.0, 0.0, dice.uniform(10, 40)])),
        float(dice.uniform(9.0, 17.0)),
        int(dice.integers(4)),
    )
