"""Cooldown: active for its duration, and repeats its error."""

import traceback

import pytest

from found_footy.platform.errors import RateLimited
from found_footy.platform.http.cooldown import Cooldown


class Clock:
    seconds = 5.0

    def __call__(self) -> float:
        return self.seconds


def test_a_cooldown_ends_after_its_duration_and_a_later_start_replaces_it() -> None:
    clock = Clock()
    cooldown = Cooldown(clock)
    active = [cooldown.is_active]
    cooldown.start(10.0)
    clock.seconds = 14.9
    active.append(cooldown.is_active)
    cooldown.start(1.0)
    clock.seconds = 15.9
    active.append(cooldown.is_active)
    assert active == [False, True, False]


def test_an_active_cooldown_raises_its_error_without_growing_the_traceback() -> None:
    clock = Clock()
    cooldown = Cooldown(clock)
    cooldown.raise_if_active()
    error = RateLimited("somewhere", "slow down", 10.0)
    cooldown.start(10.0, error)
    depths = []
    for _ in range(3):
        with pytest.raises(RateLimited) as raised:
            cooldown.raise_if_active()
        assert raised.value is error
        depths.append(len(traceback.extract_tb(error.__traceback__)))
    assert depths == [depths[0]] * 3
    clock.seconds = 15.0
    cooldown.raise_if_active()


def test_a_cooldown_without_an_error_raises_nothing() -> None:
    cooldown = Cooldown(Clock())
    cooldown.start(10.0)
    cooldown.raise_if_active()
    assert cooldown.is_active
