"""Not asking a server that does not answer."""

from datetime import timedelta

from found_footy.vision.llm.breaker import Breaker


class Wall:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def breaker(wall: Wall) -> Breaker:
    return Breaker(2, timedelta(seconds=30), wall)


def test_it_asks_until_the_limit_and_then_waits() -> None:
    made = breaker(Wall())
    made.failed()
    assert made.admits()
    made.failed()
    assert not made.admits()


def test_one_try_at_a_time_after_the_pause() -> None:
    wall = Wall()
    made = breaker(wall)
    made.failed()
    made.failed()
    wall.now += 31
    assert made.admits()
    assert not made.admits()


def test_a_success_opens_the_way_again() -> None:
    wall = Wall()
    made = breaker(wall)
    made.failed()
    made.failed()
    wall.now += 31
    assert made.admits()
    made.succeeded()
    assert made.admits()
    assert made.admits()


def test_it_knows_for_how_long_nothing_worked() -> None:
    wall = Wall()
    made = breaker(wall)
    assert made.down_for == timedelta(0)
    made.failed()
    wall.now += 60
    made.failed()
    assert made.down_for == timedelta(seconds=60)
    made.succeeded()
    assert made.down_for == timedelta(0)
