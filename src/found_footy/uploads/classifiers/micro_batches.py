"""Collects what concurrent callers ask for into one run, because a run of several costs less than several runs."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import Generic, TypeVar

I = TypeVar("I")  # noqa: E741
O = TypeVar("O")  # noqa: E741


class MicroBatcher(Generic[I, O]):
    """Runs one batch at a time in a thread of its own. An item waits at most `max_wait` for others while nothing runs;
    what arrives during a run is the next batch. Safe from several threads and event loops.
    """

    def __init__(self, run_batch: Callable[[Sequence[I]], Sequence[O]], *, max_items: int, max_wait: timedelta) -> None:
        self._run_batch = run_batch
        self._max_items = max_items
        self._max_wait = max_wait.total_seconds()
        self._changed = threading.Condition()
        self._waiting: deque[tuple[I, Future[O]]] = deque()
        self._is_running = False
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="classifier")

    def submit(self, item: I) -> "Future[O]":
        """The result of this item. If its batch fails, each of its items gets the error."""
        future: Future[O] = Future()
        with self._changed:
            self._waiting.append((item, future))
            self._changed.notify()
            if not self._is_running:
                self._is_running = True
                self._executor.submit(self._run_waiting)
        return future

    def close(self) -> None:
        """Wait for what was submitted; nothing can be submitted any more."""
        self._executor.shutdown(wait=True)

    def _run_waiting(self) -> None:
        self._wait_for_others()
        while batch := self._take_batch():
            _run(self._run_batch, batch)

    def _wait_for_others(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: len(self._waiting) >= self._max_items, self._max_wait)

    def _take_batch(self) -> list[tuple[I, "Future[O]"]]:
        """The next items whose callers still wait; empty, and the thread is free, if there are none."""
        with self._changed:
            batch: list[tuple[I, Future[O]]] = []
            while self._waiting and len(batch) < self._max_items:
                item, future = self._waiting.popleft()
                if future.set_running_or_notify_cancel():
                    batch.append((item, future))
            if not batch:
                self._is_running = False
            return batch


def _run(run_batch: Callable[[Sequence[I]], Sequence[O]], batch: Sequence[tuple[I, "Future[O]"]]) -> None:
    try:
        results = list(zip(batch, run_batch([item for item, _ in batch]), strict=True))
    except Exception as error:  # noqa: BLE001  handed to every caller
        for _, future in batch:
            future.set_exception(error)
        return
    for (_, future), result in results:
        future.set_result(result)
