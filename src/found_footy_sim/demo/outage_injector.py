"""Long outages that a demo injects by name, one after the other, and how the recovery of each is checked."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from found_footy.cli import console
from found_footy.embedded.programs import ProgramState, ProgramStatus
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import ConfigError, ExternalSystemError
from found_footy.views.field_readers import get_nested, read_documents
from found_footy.views.fixture_views import StoredFixture
from found_footy_sim.demo import disk_outage, vision_outage, x_outage
from found_footy_sim.demo.day_progress import DayProgress
from found_footy_sim.demo.local_http import request_json
from found_footy_sim.demo.polling import wait_until, wait_until_answered
from found_footy_sim.scorecard.costs import InjectedFault

_WORKER = "worker"
_TEMPORAL = "temporal"
_STOPPED_STATE = "T"
# A goal's attempts, and the retries after them, take minutes; a crowded machine doubles that.
_RECOVERY_TIMEOUT_SECONDS = 600.0
_HALF_DAY_TIMEOUT_SECONDS = 3600.0
_SEARCH_PROGRAM = "xsearch"


class OutageKind(StrEnum):
    FREEZE_WORKER = "freeze-worker"
    STOP_WORKERS = "stop-workers"
    EMPTY_TEMPORAL = "empty-temporal"
    BLIND_GOAL = "blind-goal"
    FULL_DISK = "full-disk"
    X_OFF = "x-off"


# With Temporal's database the running downloads are lost. Their clips are retried, but the goal waits for the results
# of those downloads until its deadline, which is too long for a demo. Without X a goal's search is paused until then.
_DEADLINE_ENVIRONMENT = {"FOOTY_FIXTURES__EVENT_DEADLINE": "4m"}


def outage_environment(outages: Collection[OutageKind]) -> Mapping[str, str]:
    """Return settings without which a day with these outages would not end."""
    needs_deadline = {OutageKind.EMPTY_TEMPORAL, OutageKind.X_OFF} & set(outages)
    return _DEADLINE_ENVIRONMENT if needs_deadline else {}


def parse_outages(text: str) -> tuple[OutageKind, ...]:
    """Parse the names of `--fault`, separated by commas, each once. Raises ConfigError for an unknown name."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := [name for name in names if name not in set(OutageKind)]:
        raise ConfigError(f"unknown outage {', '.join(unknown)}; there are {', '.join(OutageKind)}")
    return tuple(dict.fromkeys(OutageKind(name) for name in names))


@dataclass(frozen=True)
class ProductHandle:
    """The product as outages see it: its processes, what it has stored, the time of its last successful poll, the
    number of workflows in Temporal, and the number of attempts per goal. `simulator_url` is that of its outside world.
    """

    supervisor: Supervisor
    data_dir: Path
    read_fixtures: Callable[[], Awaitable[list[StoredFixture]]]
    read_last_poll: Callable[[], Awaitable[datetime | None]]
    count_workflows: Callable[[], Awaitable[int]]
    attempts: int
    simulator_url: str = ""

    def program_status(self, name: str) -> ProgramStatus:
        return next(status for status in self.supervisor.list_statuses() if status.name == name)

    async def wait_for_pid(self, name: str) -> int:
        """Return the process id of a program, once it is ready."""
        await wait_until(lambda: self.program_status(name).state is ProgramState.READY, _RECOVERY_TIMEOUT_SECONDS)
        pid = self.program_status(name).pid
        if pid is None:
            raise ConfigError(f"{name} is not running")
        return pid

    async def has_polled_since(self, moment: datetime) -> bool:
        last = await self.read_last_poll()
        return last is not None and last > moment


@dataclass
class OutageInjector:
    """Runs beside the demo, once the search for the first goal starts. `faults` holds the injected outages."""

    product: ProductHandle
    requested: Sequence[OutageKind]
    seconds: float
    progress: DayProgress
    started_at: float
    faults: list[InjectedFault] = field(default_factory=list)
    is_breaking: bool = False

    async def run(self) -> None:
        await self.progress.search_started.wait()
        self.is_breaking = True
        for outage in self.requested:
            console.out.print(f"fault: {outage}", style="magenta", highlight=False)
            self.faults.append(await inject_outage(outage, self.product, self.started_at, self.seconds))
        self.is_breaking = False

    def list_unfired_faults(self) -> tuple[InjectedFault, ...]:
        """Outages that were requested but did not finish; they count as not recovered."""
        fired = {fault.name for fault in self.faults}
        seconds = round(time.monotonic() - self.started_at, 1)
        return tuple(
            InjectedFault(name, seconds, "did not fire or did not end") for name in self.requested if name not in fired
        )


async def inject_outage(outage: OutageKind, product: ProductHandle, started_at: float, seconds: float) -> InjectedFault:
    """Inject the outage, for `seconds` where its length can be chosen; return after the recovery or its timeout."""
    at_seconds = round(time.monotonic() - started_at, 1)
    match outage:
        case OutageKind.FREEZE_WORKER:
            return await _freeze_worker(product, at_seconds, seconds)
        case OutageKind.STOP_WORKERS:
            return await _stop_workers(product, at_seconds, seconds)
        case OutageKind.EMPTY_TEMPORAL:
            return await _empty_temporal(product, at_seconds)
        case OutageKind.BLIND_GOAL:
            return await _damage_model_for_goal(product, at_seconds)
        case OutageKind.FULL_DISK:
            return await _fill_disk(product, at_seconds, seconds)
        case OutageKind.X_OFF:
            return await _switch_x_off(product, started_at)


async def _freeze_worker(product: ProductHandle, at_seconds: float, seconds: float) -> InjectedFault:
    """SIGSTOP and, later, SIGCONT; recovered means that the feed was polled again, by the same process or by the one
    that the supervisor started instead.
    """
    pid = await product.wait_for_pid(_WORKER)
    os.kill(pid, signal.SIGSTOP)
    try:
        frozen = await wait_until(lambda: _process_state(pid) == _STOPPED_STATE, _RECOVERY_TIMEOUT_SECONDS)
        await asyncio.sleep(seconds)
        # The supervisor may have killed it as hanging; a process that runs was not stopped.
        frozen = frozen and _process_state(pid) in ("", "Z", _STOPPED_STATE)
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    woken, moment = time.monotonic(), utc_now()
    back = frozen and await wait_until_answered(lambda: product.has_polled_since(moment), _RECOVERY_TIMEOUT_SECONDS)
    detail = f"process {pid} was stopped for {seconds:.0f} s" if frozen else f"process {pid} was not stopped"
    after = _seconds_since(woken) if back else None
    new = product.program_status(_WORKER).pid
    if new == pid:
        return InjectedFault(OutageKind.FREEZE_WORKER, at_seconds, detail, recovered_after=after)
    return InjectedFault(OutageKind.FREEZE_WORKER, at_seconds, f"{detail} and replaced", pid, new, after)


async def _stop_workers(product: ProductHandle, at_seconds: float, seconds: float) -> InjectedFault:
    """Run no worker for a while; recovered means that a new one has polled the feed."""
    old = await product.wait_for_pid(_WORKER)
    await product.supervisor.stop_program(_WORKER)
    await asyncio.sleep(seconds)
    away = product.program_status(_WORKER).pid is None and not _process_state(old)
    started, moment = time.monotonic(), utc_now()
    await product.supervisor.start_program(_WORKER)
    back = away and await wait_until_answered(lambda: product.has_polled_since(moment), _RECOVERY_TIMEOUT_SECONDS)
    detail = f"no worker for {seconds:.0f} s" if away else "a worker was still running"
    new = product.program_status(_WORKER).pid
    return InjectedFault(
        OutageKind.STOP_WORKERS, at_seconds, detail, old, new, _seconds_since(started) if back else None
    )


async def _empty_temporal(product: ProductHandle, at_seconds: float) -> InjectedFault:
    """The server exits and restarts with an empty database while workers continue. Recovered means that the feed was
    polled again, which requires that the schedule was created again.
    """
    old, worker = await product.wait_for_pid(_TEMPORAL), await product.wait_for_pid(_WORKER)
    known = await _count_workflows(product)
    os.kill(old, signal.SIGKILL)
    # Before any other task runs: the supervisor restarts the server after a short delay.
    for file in (product.data_dir / _TEMPORAL).glob("temporal.db*"):
        file.unlink()
    killed = time.monotonic()
    await wait_until(lambda: product.program_status(_TEMPORAL).pid not in (None, old), _RECOVERY_TIMEOUT_SECONDS)
    new, moment = await product.wait_for_pid(_TEMPORAL), utc_now()
    left = await _count_workflows(product)
    back = left < known and await wait_until_answered(
        lambda: product.has_polled_since(moment), _RECOVERY_TIMEOUT_SECONDS
    )
    kept = "the worker continued" if product.program_status(_WORKER).pid == worker else "the worker did not continue"
    detail = f"{known} workflows before, {left} after the restart; {kept}"
    return InjectedFault(
        OutageKind.EMPTY_TEMPORAL, at_seconds, detail, old, new, _seconds_since(killed) if back else None
    )


async def _count_workflows(product: ProductHandle) -> int:
    counts: list[int] = []

    async def answered() -> bool:
        counts.append(await product.count_workflows())
        return True

    await wait_until_answered(answered, _RECOVERY_TIMEOUT_SECONDS)
    return counts[-1] if counts else 0


async def _damage_model_for_goal(product: ProductHandle, at_seconds: float) -> InjectedFault:
    """Run a worker that cannot check clips until a goal has made all its attempts and has unchecked clips. Recovered
    means that such a goal is watchable in the end.
    """
    before = await _read_fixtures_if_possible(product)
    spent = {event for event, _ in _find_unchecked_goals(before, product.attempts)}
    vision_outage.damage_model(product.data_dir)
    try:
        old = await product.wait_for_pid(_WORKER)
        os.kill(old, signal.SIGKILL)
        await wait_until(lambda: product.program_status(_WORKER).pid not in (None, old), _RECOVERY_TIMEOUT_SECONDS)
        found = await _wait_for_unchecked_goals(product, spent)
    finally:
        vision_outage.restore_model(product.data_dir)
    opened = time.monotonic()
    names = set(found)
    back = bool(names) and await wait_until_answered(
        lambda: _has_clips_for_all(product, names), _RECOVERY_TIMEOUT_SECONDS
    )
    goal_details = "; ".join(
        f"{goal}: {clips} clips not checked in {product.attempts} attempts" for goal, clips in found.items()
    )
    new = product.program_status(_WORKER).pid
    detail = goal_details or "no goal used up its attempts without a check"
    return InjectedFault(OutageKind.BLIND_GOAL, at_seconds, detail, old, new, _seconds_since(opened) if back else None)


async def _fill_disk(product: ProductHandle, at_seconds: float, seconds: float) -> InjectedFault:
    """Too little space for downloads, then none at all. Recovered means that every program is ready, the feed was
    polled again, and no clip was rejected because of it.
    """
    async with disk_outage.keep_low(product.data_dir):
        await asyncio.sleep(seconds / 3)
        paused = disk_outage.count_logged_pauses(product.data_dir)
    free = await disk_outage.keep_full(product.data_dir, seconds * 2 / 3)
    emptied, moment = time.monotonic(), utc_now()
    ready = await wait_until(
        lambda: all(one.state is ProgramState.READY for one in product.supervisor.list_statuses()),
        _RECOVERY_TIMEOUT_SECONDS,
    )
    back = ready and await wait_until_answered(lambda: product.has_polled_since(moment), _RECOVERY_TIMEOUT_SECONDS)
    blamed = disk_outage.find_disk_rejections(await _read_fixtures_if_possible(product))
    restarts = ", ".join(f"{one.name} {one.restarts}" for one in product.supervisor.list_statuses() if one.restarts)
    detail = (
        f"{free} bytes free for {seconds * 2 / 3:.0f} s; downloads paused before {paused} times; "
        f"restarts: {restarts or 'none'}; clips rejected because of it: {len(blamed)}"
    )
    return InjectedFault(
        OutageKind.FULL_DISK,
        at_seconds,
        detail,
        recovered_after=_seconds_since(emptied) if back and not blamed else None,
    )


async def _switch_x_off(product: ProductHandle, started_at: float) -> InjectedFault:
    """Switch X off for good when half of the day's posts are published. Recovered means that a goal that was scored
    afterwards has a clip, from another source.
    """

    async def is_half_over() -> bool:
        return x_outage.is_half_over(await request_json("GET", f"{product.simulator_url}/sim/state"))

    half_over = await wait_until_answered(is_half_over, _HALF_DAY_TIMEOUT_SECONDS)
    at_seconds, switched, moment = round(time.monotonic() - started_at, 1), time.monotonic(), utc_now()
    if not half_over:
        return InjectedFault(OutageKind.X_OFF, at_seconds, "the day was not half over in time")
    if any(status.name == _SEARCH_PROGRAM for status in product.supervisor.list_statuses()):
        await product.supervisor.stop_program(_SEARCH_PROGRAM)
    else:
        await request_json("POST", f"{product.simulator_url}/x/off")

    async def has_later_clips() -> bool:
        return x_outage.count_goals_with_clips_since(await product.read_fixtures(), moment) > 0

    back = await wait_until_answered(has_later_clips, _RECOVERY_TIMEOUT_SECONDS)
    found = x_outage.count_goals_with_clips_since(await _read_fixtures_if_possible(product), moment)
    detail = f"goals seen since with a clip: {found}"
    return InjectedFault(
        OutageKind.X_OFF, at_seconds, detail, recovered_after=_seconds_since(switched) if back else None
    )


async def _wait_for_unchecked_goals(product: ProductHandle, spent: set[str]) -> dict[str, int]:
    """Return the goals, by event id, that have made their last attempt since, with the number of unchecked clips of
    each.
    """
    found: dict[str, int] = {}

    async def some() -> bool:
        goals = _find_unchecked_goals(await product.read_fixtures(), product.attempts)
        found.update({goal: clips for goal, clips in goals if goal not in spent})
        return bool(found)

    await wait_until_answered(some, _RECOVERY_TIMEOUT_SECONDS)
    return found


def _find_unchecked_goals(stored: Sequence[StoredFixture], attempts: int) -> list[tuple[str, int]]:
    """Return goals without a clip that have made all their attempts, with the number of their unchecked clips."""
    unseen = [goal for goal, _ in vision_outage.find_unchecked_clips(stored)]
    return [
        (goal, unseen.count(goal))
        for goal, event in _iter_goals(stored)
        if goal in unseen and not read_documents(event.get("_s3_videos")) and _last_attempt_number(event) >= attempts
    ]


def _last_attempt_number(event: Mapping[str, object]) -> int:
    made = get_nested(event, "_telemetry", "attempts")
    numbers = (
        [int(get_nested(attempt, "attempt") or 0) for attempt in made.values()] if isinstance(made, Mapping) else []
    )
    return max(numbers, default=0)


async def _has_clips_for_all(product: ProductHandle, goals: set[str]) -> bool:
    events = dict(_iter_goals(await product.read_fixtures()))
    return all(read_documents(events.get(goal, {}).get("_s3_videos")) for goal in goals)


def _iter_goals(stored: Iterable[StoredFixture]) -> Iterable[tuple[str, Mapping[str, object]]]:
    for one in stored:
        yield from ((str(event.get("_event_id")), event) for event in read_documents(one.document.get("events")))


async def _read_fixtures_if_possible(product: ProductHandle) -> list[StoredFixture]:
    try:
        return await product.read_fixtures()
    except ExternalSystemError:
        return []


def _process_state(pid: int) -> str:
    """The kernel's one-letter process state; empty for a process that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _seconds_since(moment: float) -> float:
    return round(time.monotonic() - moment, 1)
