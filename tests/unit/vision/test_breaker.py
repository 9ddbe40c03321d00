"""Not asking a server that does not answer."""

from datetime import timedelta

from found_footy.vision.llm.circuit_breaker import CircuitBreaker


class ManualClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def breaker(wall: ManualClock) -> CircuitBreaker:
    return CircuitBreaker(2, timedelta(seconds=30), wall)


def test_calls_are_made_until_the_failure_limit_and_then_paused() -> None:
    made = breaker(ManualClock())
    made.record_failure()
    assert made.allow_request()
    made.record_failure()
    assert not made.allow_request()


def test_one_try_at_a_time_after_the_pause() -> None:
    wall = ManualClock()
    made = breaker(wall)
    made.record_failure()
    made.record_failure()
    wall.now += 31
    assert made.allow_request()
    assert not made.allow_request()


def test_a_success_ends_the_cooldown() -> None:
    wall = ManualClock()
    made = breaker(wall)
    made.record_failure()
    made.record_failure()
    wall.now += 31
    assert made.allow_request()
    made.record_success()
    assert made.allow_request()
    assert made.allow_request()


def test_the_breaker_knows_how_long_all_calls_have_failed() -> None:
    wall = ManualClock()
    made = breaker(wall)
    assert made.downtime == timedelta(0)
    made.record_failure()
    wall.now += 60
    made.record_failure()
    assert made.downtime == timedelta(seconds=60)
    made.record_success()
    assert made.downtime == timedelta(0)
