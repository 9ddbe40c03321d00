"""All decoders of a worker share one budget; who does not fit waits, in turn."""

import asyncio
import contextlib
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from found_footy.platform.media import probe
from found_footy.platform.media.decoder_semaphore import (
    DecoderCapacity,
    DecoderSemaphore,
    compute_capacity,
    detect_memory_limit,
)
from found_footy.platform.media.probe import MediaFault, MediaLimits, UnusableMedia, run_in_sandbox
from found_footy.platform.process.runner import ProcessOutcome, ProcessResult
from tests.support.patience import PATIENCE_SECONDS

GB = 2**30


@pytest.mark.parametrize(
    ("running", "wanted", "admitted"),
    [
        ([], 3, True),
        ([3], 3, True),
        ([3, 3], 3, True),
        ([3, 3, 3], 1, False),
        ([5, 4], 1, True),
        ([5, 5], 1, False),
        ([], 99, True),
        ([1], 99, False),
        ([99], 1, False),
    ],
)
def test_the_limits_of_those_that_run_stay_within_the_budget(running: list[int], wanted: int, admitted: bool) -> None:
    assert DecoderCapacity(memory=10, jobs=3).can_admit(running, wanted) is admitted


def test_the_budget_is_half_of_the_memory_and_two_jobs_per_core() -> None:
    assert compute_capacity(4 * GB, 2) == DecoderCapacity(2 * GB, 4)
    assert compute_capacity(4 * GB, 1) == DecoderCapacity(2 * GB, 2)
    assert compute_capacity(64 * GB, 16) == DecoderCapacity(32 * GB, 32)
    assert compute_capacity(64 * GB, 2, 3 * GB) == DecoderCapacity(3 * GB, 4), "a setting wins"


def a_machine(folder: Path, groups: str, **limits: str) -> int:
    (folder / "meminfo").write_text("MemTotal:  8388608 kB\nMemFree: 1 kB\n")
    (folder / "cgroup").write_text(groups)
    for place, limit in limits.items():
        path = folder / "groups" / place.replace("__", "/")
        path.mkdir(parents=True, exist_ok=True)
        (path / ("memory.limit_in_bytes" if place.startswith("memory") else "memory.max")).write_text(limit)
    return detect_memory_limit(folder / "meminfo", folder / "cgroup", folder / "groups")


def test_memory_is_that_of_the_machine_or_of_the_container(tmp_path: Path) -> None:
    for name in "12345":
        (tmp_path / name).mkdir()
    assert a_machine(tmp_path / "1", "0::/\n") == 8 * GB
    assert a_machine(tmp_path / "2", "0::/a/b\n", a=f"{2 * GB}\n", a__b="max\n") == 2 * GB
    assert a_machine(tmp_path / "3", "0::/a/b\n", a=f"{2 * GB}\n", a__b=f"{GB}\n") == GB
    assert a_machine(tmp_path / "4", "4:memory:/x\n0::/\n", memory__x=f"{3 * GB}\n") == 3 * GB
    assert a_machine(tmp_path / "5", "4:memory:/x\n", memory__x="9223372036854771712\n") == 8 * GB
    assert detect_memory_limit(tmp_path / "none", tmp_path / "none", tmp_path, fallback=7) == 7


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_jobs_wait_in_order_and_free_their_share_when_they_end_or_are_cancelled() -> None:
    shared, began = DecoderSemaphore(DecoderCapacity(memory=10, jobs=9)), list[str]()
    ends = {name: asyncio.Event() for name in "abcde"}

    async def job(name: str, memory: int) -> None:
        async with shared.acquire(memory):
            began.append(name)
            await ends[name].wait()

    jobs = {name: asyncio.create_task(job(name, memory)) for name, memory in zip("abcde", (6, 4, 8, 1, 1), strict=True)}
    await settle()
    assert began == ["a", "b"]
    ends["b"].set()
    await settle()
    assert began == ["a", "b"], "the small ones do not overtake the large one for ever"
    jobs["c"].cancel()
    await settle()
    assert began == ["a", "b", "d", "e"]
    jobs["a"].cancel()
    for event in ends.values():
        event.set()
    await asyncio.gather(*jobs.values(), return_exceptions=True)
    async with asyncio.timeout(PATIENCE_SECONDS), shared.acquire(10):
        pass


async def test_a_job_that_is_cancelled_just_when_it_is_admitted_keeps_no_budget() -> None:
    shared = DecoderSemaphore(DecoderCapacity(memory=1, jobs=1))
    first = shared.acquire(1)
    await first.__aenter__()

    async def wait() -> None:
        async with shared.acquire(1):
            pytest.fail("it was given up")

    waiting = asyncio.create_task(wait())
    await settle()
    await first.__aexit__(None, None, None)
    waiting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await waiting
    async with asyncio.timeout(PATIENCE_SECONDS), shared.acquire(1):
        pass


async def test_decoders_of_every_kind_share_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    running = most = 0
    clip = tmp_path / "clip"
    clip.touch()

    async def child(program: str, reported: list[str], limits: MediaLimits, folders: Sequence[Path]) -> ProcessResult:
        nonlocal running, most
        running += limits.memory
        most = max(most, running)
        await settle()
        running -= limits.memory
        return ProcessResult(1, ProcessOutcome.EXITED, b"", b"")

    monkeypatch.setattr(probe, "_run_confined", child)
    monkeypatch.setattr(probe, "_decoder_semaphore", DecoderSemaphore(DecoderCapacity(memory=5 * GB, jobs=100)))
    limits = [MediaLimits(timeout=timedelta(seconds=1), memory=memory * GB) for memory in (1, 2, 3) * 4]
    found = await asyncio.gather(*(run_in_sandbox("any", [clip], one) for one in limits))
    assert all(isinstance(one, UnusableMedia) and one.fault is MediaFault.CRASHED for one in found)
    assert 3 * GB <= most <= 5 * GB
