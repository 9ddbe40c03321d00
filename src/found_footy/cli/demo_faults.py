"""Long outages that a demo is asked for by name, one after the other, and how each is seen to be over."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from found_footy.cli import console, demo_blinding, demo_disk
from found_footy.cli.demo_waiting import until, until_answered
from found_footy.cli.demo_watch import Course
from found_footy.embedded.programs import State, Status
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.errors import ConfigError, OutsideError
from found_footy.scorecard.costs import Fault
from found_footy.web.documents import at, rows
from found_footy.web.views import Stored

_WORKER = "worker"
_TEMPORAL = "temporal"
_STOPPED = "T"
# A goal's attempts, and what is taken up again after them, are a matter of minutes; a crowded machine doubles that.
_PATIENCE_SECONDS = 600.0


class Outage(StrEnum):
    FREEZE_WORKER = "freeze-worker"
    STOP_WORKERS = "stop-workers"
    EMPTY_TEMPORAL = "empty-temporal"
    BLIND_GOAL = "blind-goal"
    FULL_DISK = "full-disk"


# With Temporal's database the downloads under way are lost. Their clips are taken up again, but the goal waits for what
# those would have told until its deadline, for which no demo has the time.
_DEADLINE = {"FOOTY_FIXTURES__EVENT_DEADLINE": "4m"}


def environment(outages: Collection[Outage]) -> Mapping[str, str]:
    """Settings without which a day with these outages would not end."""
    return _DEADLINE if Outage.EMPTY_TEMPORAL in outages else {}


def parse_outages(text: str) -> tuple[Outage, ...]:
    """The names of `--fault`, separated by commas, each once; ConfigError for one that there is not."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := [name for name in names if name not in set(Outage)]:
        raise ConfigError(f"there is no fault {', '.join(unknown)}; there are {', '.join(Outage)}")
    return tuple(dict.fromkeys(Outage(name) for name in names))


@dataclass(frozen=True)
class Product:
    """The product as outages see it: its processes, what it has stored, the moment of its last answered poll, how many
    workflows Temporal knows, and how many attempts a goal is given.
    """

    supervisor: Supervisor
    data_dir: Path
    documents: Callable[[], Awaitable[list[Stored]]]
    last_poll: Callable[[], Awaitable[datetime | None]]
    count_workflows: Callable[[], Awaitable[int]]
    attempts: int

    def status(self, name: str) -> Status:
        return next(status for status in self.supervisor.status() if status.name == name)

    async def running_pid(self, name: str) -> int:
        """The process of a program, once it is ready."""
        await until(lambda: self.status(name).state is State.READY, _PATIENCE_SECONDS)
        pid = self.status(name).pid
        if pid is None:
            raise ConfigError(f"{name} is not running")
        return pid

    async def has_polled_since(self, moment: datetime) -> bool:
        last = await self.last_poll()
        return last is not None and last > moment


@dataclass
class Outages:
    """Runs beside the demo, once its first goal is searched for. `faults` holds what has fired."""

    product: Product
    wanted: Sequence[Outage]
    seconds: float
    course: Course
    began: float
    faults: list[Fault] = field(default_factory=list)
    is_breaking: bool = False

    async def run(self) -> None:
        await self.course.under_way.wait()
        self.is_breaking = True
        for outage in self.wanted:
            console.out.print(f"fault: {outage}", style="magenta", highlight=False)
            self.faults.append(await cause(outage, self.product, self.began, self.seconds))
        self.is_breaking = False

    def not_fired(self) -> tuple[Fault, ...]:
        """What was asked for and did not come to its end; it counts as not recovered from."""
        fired = {fault.name for fault in self.faults}
        seconds = round(time.monotonic() - self.began, 1)
        return tuple(Fault(name, seconds, "did not fire or did not end") for name in self.wanted if name not in fired)


async def cause(outage: Outage, product: Product, began: float, seconds: float) -> Fault:
    """Break it for `seconds` where it is a matter of time; returns when it is over, or has not been for too long."""
    at_seconds = round(time.monotonic() - began, 1)
    match outage:
        case Outage.FREEZE_WORKER:
            return await _freeze_worker(product, at_seconds, seconds)
        case Outage.STOP_WORKERS:
            return await _stop_workers(product, at_seconds, seconds)
        case Outage.EMPTY_TEMPORAL:
            return await _empty_temporal(product, at_seconds)
        case Outage.BLIND_GOAL:
            return await _blind_goal(product, at_seconds)
        case Outage.FULL_DISK:
            return await _full_disk(product, at_seconds, seconds)


async def _freeze_worker(product: Product, at_seconds: float, seconds: float) -> Fault:
    """SIGSTOP and, later, SIGCONT; back means that the feed was polled again, by the same process or by the one that
    the supervisor has put in its place.
    """
    pid = await product.running_pid(_WORKER)
    os.kill(pid, signal.SIGSTOP)
    try:
        frozen = await until(lambda: _state_of(pid) == _STOPPED, _PATIENCE_SECONDS)
        await asyncio.sleep(seconds)
        # A supervisor that takes it for hanging has ended it meanwhile; running on by itself it has never been stopped.
        frozen = frozen and _state_of(pid) in ("", "Z", _STOPPED)
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    woken, moment = time.monotonic(), datetime.now(UTC)
    back = frozen and await until_answered(lambda: product.has_polled_since(moment), _PATIENCE_SECONDS)
    detail = f"process {pid} was stopped for {seconds:.0f} s" if frozen else f"process {pid} was not stopped"
    after = _since(woken) if back else None
    new = product.status(_WORKER).pid
    if new == pid:
        return Fault(Outage.FREEZE_WORKER, at_seconds, detail, recovered_after=after)
    return Fault(Outage.FREEZE_WORKER, at_seconds, f"{detail} and replaced", pid, new, after)


async def _stop_workers(product: Product, at_seconds: float, seconds: float) -> Fault:
    """No worker runs for a while; back means that a new one has polled the feed."""
    old = await product.running_pid(_WORKER)
    await product.supervisor.stop_program(_WORKER)
    await asyncio.sleep(seconds)
    away = product.status(_WORKER).pid is None and not _state_of(old)
    started, moment = time.monotonic(), datetime.now(UTC)
    await product.supervisor.start_program(_WORKER)
    back = away and await until_answered(lambda: product.has_polled_since(moment), _PATIENCE_SECONDS)
    detail = f"no worker for {seconds:.0f} s" if away else "a worker was still there"
    new = product.status(_WORKER).pid
    return Fault(Outage.STOP_WORKERS, at_seconds, detail, old, new, _since(started) if back else None)


async def _empty_temporal(product: Product, at_seconds: float) -> Fault:
    """The server ends and finds an empty database when it starts again; workers go on meanwhile. Back means that the
    feed was polled again, which takes a schedule that is made anew.
    """
    old, worker = await product.running_pid(_TEMPORAL), await product.running_pid(_WORKER)
    known = await _counted(product)
    os.kill(old, signal.SIGKILL)
    # Before anything else runs here: the supervisor starts the server again after a moment.
    for file in (product.data_dir / _TEMPORAL).glob("temporal.db*"):
        file.unlink()
    killed = time.monotonic()
    await until(lambda: product.status(_TEMPORAL).pid not in (None, old), _PATIENCE_SECONDS)
    new, moment = await product.running_pid(_TEMPORAL), datetime.now(UTC)
    left = await _counted(product)
    back = left < known and await until_answered(lambda: product.has_polled_since(moment), _PATIENCE_SECONDS)
    kept = "the worker went on" if product.status(_WORKER).pid == worker else "the worker did not go on"
    detail = f"{known} workflows before, {left} after the restart; {kept}"
    return Fault(Outage.EMPTY_TEMPORAL, at_seconds, detail, old, new, _since(killed) if back else None)


async def _counted(product: Product) -> int:
    counts: list[int] = []

    async def answered() -> bool:
        counts.append(await product.count_workflows())
        return True

    await until_answered(answered, _PATIENCE_SECONDS)
    return counts[-1] if counts else 0


async def _blind_goal(product: Product, at_seconds: float) -> Fault:
    """A worker that cannot look at clips, until a goal has made all its attempts and found clips in vain. Back means
    that such a goal can be watched after all.
    """
    before = await _stored(product)
    spent = {event for event, _ in _blind_goals(before, product.attempts)}
    demo_blinding.blind(product.data_dir)
    try:
        old = await product.running_pid(_WORKER)
        os.kill(old, signal.SIGKILL)
        await until(lambda: product.status(_WORKER).pid not in (None, old), _PATIENCE_SECONDS)
        found = await _first_blind_goals(product, spent)
    finally:
        demo_blinding.open_eyes(product.data_dir)
    opened = time.monotonic()
    names = set(found)
    back = bool(names) and await until_answered(lambda: _are_watchable(product, names), _PATIENCE_SECONDS)
    told = "; ".join(
        f"{goal}: {clips} clips not looked at in {product.attempts} attempts" for goal, clips in found.items()
    )
    new = product.status(_WORKER).pid
    detail = told or "no goal made all its attempts in vain"
    return Fault(Outage.BLIND_GOAL, at_seconds, detail, old, new, _since(opened) if back else None)


async def _full_disk(product: Product, at_seconds: float, seconds: float) -> Fault:
    """Too little space for downloads, then none at all. Back means that every program is ready, the feed was polled
    again, and no clip was refused for it.
    """
    async with demo_disk.low(product.data_dir):
        await asyncio.sleep(seconds / 3)
        paused = demo_disk.pauses_logged(product.data_dir)
    free = await demo_disk.keep_full(product.data_dir, seconds * 2 / 3)
    emptied, moment = time.monotonic(), datetime.now(UTC)
    ready = await until(lambda: all(one.state is State.READY for one in product.supervisor.status()), _PATIENCE_SECONDS)
    back = ready and await until_answered(lambda: product.has_polled_since(moment), _PATIENCE_SECONDS)
    blamed = demo_disk.refused_for_the_disk(await _stored(product))
    restarts = ", ".join(f"{one.name} {one.restarts}" for one in product.supervisor.status() if one.restarts)
    detail = (
        f"{free} bytes free for {seconds * 2 / 3:.0f} s; downloads paused before {paused} times; "
        f"restarts: {restarts or 'none'}; clips refused for it: {len(blamed)}"
    )
    return Fault(Outage.FULL_DISK, at_seconds, detail, recovered_after=_since(emptied) if back and not blamed else None)


async def _first_blind_goals(product: Product, spent: set[str]) -> dict[str, int]:
    """The goals, by event id, that have made their last attempt since, with how many clips each met in vain."""
    found: dict[str, int] = {}

    async def some() -> bool:
        goals = _blind_goals(await product.documents(), product.attempts)
        found.update({goal: clips for goal, clips in goals if goal not in spent})
        return bool(found)

    await until_answered(some, _PATIENCE_SECONDS)
    return found


def _blind_goals(stored: Sequence[Stored], attempts: int) -> list[tuple[str, int]]:
    """Goals without a clip that have made all their attempts, with how many of their clips nobody could look at."""
    unseen = [goal for goal, _ in demo_blinding.unseen(stored)]
    return [
        (goal, unseen.count(goal))
        for goal, event in _events(stored)
        if goal in unseen and not rows(event.get("_s3_videos")) and _last_attempt(event) >= attempts
    ]


def _last_attempt(event: Mapping[str, object]) -> int:
    made = at(event, "_telemetry", "attempts")
    numbers = [int(at(attempt, "attempt") or 0) for attempt in made.values()] if isinstance(made, Mapping) else []
    return max(numbers, default=0)


async def _are_watchable(product: Product, goals: set[str]) -> bool:
    events = dict(_events(await product.documents()))
    return all(rows(events.get(goal, {}).get("_s3_videos")) for goal in goals)


def _events(stored: Iterable[Stored]) -> Iterable[tuple[str, Mapping[str, object]]]:
    for one in stored:
        yield from ((str(event.get("_event_id")), event) for event in rows(one.document.get("events")))


async def _stored(product: Product) -> list[Stored]:
    try:
        return await product.documents()
    except OutsideError:
        return []


def _state_of(pid: int) -> str:
    """The kernel's letter for what a process does; empty for one that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _since(moment: float) -> float:
    return round(time.monotonic() - moment, 1)
