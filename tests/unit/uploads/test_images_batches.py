"""Concurrent calls become one run; one caller's fate is not another's."""

import threading
from collections.abc import Sequence
from concurrent.futures import CancelledError
from datetime import timedelta

import pytest

from found_footy.uploads.classifiers.micro_batches import MicroBatcher
from tests.support.patience import PATIENCE, PATIENCE_SECONDS

NO_WAIT = timedelta(0)


class Recorder:
    """Doubles numbers, and remembers which came together."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()

    def run(self, items: Sequence[int]) -> list[int]:
        self.batches.append(list(items))
        self.entered.set()
        assert self.gate.wait(PATIENCE_SECONDS)
        if -1 in items:
            raise ValueError("minus one")
        return [2 * item for item in items]


def test_calls_that_come_together_are_one_run() -> None:
    recorder = Recorder()
    batcher = MicroBatcher(recorder.run, max_items=4, max_wait=PATIENCE)
    futures = [batcher.submit(number) for number in range(4)]
    assert [future.result(PATIENCE_SECONDS) for future in futures] == [0, 2, 4, 6]
    assert recorder.batches == [[0, 1, 2, 3]], "a full batch does not wait"
    batcher.close()


def test_what_comes_during_a_run_is_the_next_run_and_no_run_is_larger_than_allowed() -> None:
    recorder = Recorder()
    recorder.gate.clear()
    batcher = MicroBatcher(recorder.run, max_items=3, max_wait=NO_WAIT)
    first = batcher.submit(0)
    assert recorder.entered.wait(PATIENCE_SECONDS)
    others = [batcher.submit(number) for number in range(1, 6)]
    recorder.gate.set()
    assert [future.result(PATIENCE_SECONDS) for future in (first, *others)] == [0, 2, 4, 6, 8, 10]
    assert recorder.batches == [[0], [1, 2, 3], [4, 5]]
    batcher.close()


def test_a_single_call_waits_no_longer_than_allowed_for_others() -> None:
    batcher = MicroBatcher(Recorder().run, max_items=100, max_wait=timedelta(milliseconds=1))
    assert batcher.submit(21).result(PATIENCE_SECONDS) == 42
    assert batcher.submit(4).result(PATIENCE_SECONDS) == 8
    batcher.close()


def test_a_failed_run_is_told_to_its_callers_only() -> None:
    recorder = Recorder()
    recorder.gate.clear()
    batcher = MicroBatcher(recorder.run, max_items=2, max_wait=NO_WAIT)
    first = batcher.submit(0)
    assert recorder.entered.wait(PATIENCE_SECONDS)
    wrong, beside, later = (batcher.submit(number) for number in (-1, 1, 2))
    recorder.gate.set()
    assert first.result(PATIENCE_SECONDS) == 0
    for future in (wrong, beside):
        with pytest.raises(ValueError, match="minus one"):
            future.result(PATIENCE_SECONDS)
    assert later.result(PATIENCE_SECONDS) == 4
    batcher.close()


def test_a_run_with_too_few_results_is_told_to_its_callers_and_ends_no_later_run() -> None:
    answers = [[1], [2, 3]]
    batcher: MicroBatcher[int, int] = MicroBatcher(lambda _: answers.pop(0), max_items=2, max_wait=PATIENCE)
    for future in [batcher.submit(number) for number in range(2)]:
        with pytest.raises(ValueError, match="shorter"):
            future.result(PATIENCE_SECONDS)
    assert [future.result(PATIENCE_SECONDS) for future in [batcher.submit(number) for number in range(2)]] == [2, 3]
    batcher.close()


def test_a_caller_that_has_gone_costs_no_run() -> None:
    recorder = Recorder()
    recorder.gate.clear()
    batcher = MicroBatcher(recorder.run, max_items=2, max_wait=NO_WAIT)
    first = batcher.submit(0)
    assert recorder.entered.wait(PATIENCE_SECONDS)
    gone, stays = batcher.submit(5), batcher.submit(6)
    assert gone.cancel()
    recorder.gate.set()
    assert (first.result(PATIENCE_SECONDS), stays.result(PATIENCE_SECONDS)) == (0, 12)
    with pytest.raises(CancelledError):
        gone.result(PATIENCE_SECONDS)
    batcher.close()
    assert recorder.batches == [[0], [6]]
