"""Breaking the demo on purpose, at moments that a seed decides, and seeing that each thing comes back."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from found_footy.cli import console, demo_blinding, demo_search
from found_footy.cli.demo_waiting import until, until_answered
from found_footy.cli.demo_watch import Course
from found_footy.cli.demo_world import World
from found_footy.embedded.programs import State, Status
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.errors import OutsideError
from found_footy.scorecard.costs import Fault
from found_footy.scorecard.processes import running
from found_footy.web.views import Stored

WORKER = "worker"
KILLED = (WORKER, "temporal", "mongodb", "seaweedfs")
READER = "reader"
VISION = "vision"
SESSION = "session"
_SPAN_MATCH_SECONDS = 480.0
_LEAST_GAP_SECONDS = 4.0
_LEAST_REST_SECONDS = 2.0
# Much longer than anything takes that comes back at all: a crowded machine is no fault of the product's.
_PATIENCE_SECONDS = 300.0

Documents = Callable[[], Awaitable[list[Stored]]]


@dataclass(frozen=True)
class Moment:
    """A fault and when it is due, in seconds after the first goal is searched for."""

    fault: str
    seconds: float


def schedule(seed: int, faults: Sequence[str], speed: float) -> tuple[Moment, ...]:
    """Every fault once, in an order and with pauses that the seed decides. The worker is killed first or second: the
    one that follows it cannot look at clips, and who has none to look at any more cannot tell.
    """
    random = Random(seed)
    order = random.sample(list(faults), len(faults))
    if WORKER in order:
        order.remove(WORKER)
        order.insert(random.randrange(2), WORKER)
    gap = max(_LEAST_GAP_SECONDS, _SPAN_MATCH_SECONDS / speed / len(order))
    return tuple(Moment(name, round((place + random.random() * 0.6) * gap, 2)) for place, name in enumerate(order))


@dataclass
class Chaos:
    """Runs beside the demo. `faults` holds what has fired, with how it was recovered from; `documents` reads what the
    product has stored.
    """

    world: World
    supervisor: Supervisor
    course: Course
    with_browser: bool
    documents: Documents
    began: float = field(default_factory=time.monotonic)
    faults: list[Fault] = field(default_factory=list)
    is_breaking: bool = False

    @property
    def caused(self) -> tuple[str, ...]:
        """What is broken by itself; a vision outage comes with the worker's end."""
        return (*KILLED, READER, *((SESSION,) if self.with_browser else ()))

    async def run(self) -> None:
        await self.course.under_way.wait()
        began = time.monotonic()
        # The day goes on until every fault has fired: on a crowded machine it may be over sooner.
        self.is_breaking = True
        for moment in schedule(self.world.seed or 0, self.caused, self.world.speed):
            # What took long to come back moves the rest on: faults that pile up say little about each of them.
            await asyncio.sleep(max(_LEAST_REST_SECONDS, began + moment.seconds - time.monotonic()))
            console.out.print(f"chaos: {moment.fault}", style="magenta", highlight=False)
            await self._cause(moment.fault)
        self.is_breaking = False

    def not_fired(self) -> tuple[Fault, ...]:
        """What should have been broken and was not; it counts as not recovered from."""
        fired = {fault.name for fault in self.faults}
        missing = [_name(fault) for fault in (*self.caused, VISION) if _name(fault) not in fired]
        return tuple(Fault(name, time.monotonic() - self.began, "did not fire") for name in missing)

    async def _cause(self, fault: str) -> None:
        if fault == WORKER:
            await self._kill_and_blind_worker()
        elif fault == SESSION:
            self.faults.append(await self._end_session())
        elif fault == READER:
            self.faults.append(await self._kill_reader())
        else:
            self.faults.append(await self._kill_program(fault))

    async def _until(self, condition: Callable[[], bool]) -> bool:
        return await until(condition, _PATIENCE_SECONDS)

    async def _until_asked(self, condition: Callable[[], Awaitable[bool]]) -> bool:
        return await until_answered(condition, _PATIENCE_SECONDS)

    def _status(self, name: str) -> Status:
        return next(status for status in self.supervisor.status() if status.name == name)

    async def _kill_program(self, name: str) -> Fault:
        """`kill -9`; back means ready as another process."""
        await self._until(lambda: self._is_ready(name))
        before, at = self._status(name), time.monotonic()
        if before.pid is None:
            return Fault(_name(name), at - self.began, "was not running")
        os.kill(before.pid, signal.SIGKILL)
        back = await self._until(lambda: self._is_ready(name) and self._status(name).pid != before.pid)
        return Fault(
            _name(name), round(at - self.began, 1), "", before.pid, self._status(name).pid,
            round(time.monotonic() - at, 1) if back else None,
        )  # fmt: skip

    def _is_ready(self, name: str) -> bool:
        return self._status(name).state is State.READY

    async def _kill_reader(self) -> Fault:
        """`kill -9` of a process that looks at a video; back means that another one does."""
        if not await self._until(lambda: bool(self._children())):
            return Fault(_name(READER), time.monotonic() - self.began, "nobody was looking at a video")
        victim, at = self._children()[0], time.monotonic()
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return await self._kill_reader()
        before = self._children()
        back = await self._until(lambda: any(pid not in (victim, *before) for pid in self._children()))
        others = [pid for pid in self._children() if pid != victim]
        return Fault(
            _name(READER), round(at - self.began, 1), "a child of the worker", victim, next(iter(others), None),
            round(time.monotonic() - at, 1) if back else None,
        )  # fmt: skip

    async def _kill_and_blind_worker(self) -> None:
        """The worker that follows finds a damaged picture model, and no clip can be looked at until one has told so.
        Back means that clips are looked at again, one that met the outage among them if its goal still stands.
        """
        known, at = demo_blinding.unseen(await self._stored()), time.monotonic()
        met: set[tuple[str, str]] = set()

        async def some_are_met() -> bool:
            met.update(demo_blinding.unseen(await self.documents()) - known)
            return bool(met)

        demo_blinding.blind(self.world.data_dir)
        try:
            self.faults.append(await self._kill_program(WORKER))
            await self._until_asked(some_are_met)
        finally:
            demo_blinding.open_eyes(self.world.data_dir)
        before = demo_blinding.looked_at(await self._stored())
        back = bool(met) and await self._until_asked(lambda: self._looks_again(met, before))
        self.faults.append(Fault(
            _name(VISION), round(at - self.began, 1), _outage(met, await self._stored()),
            recovered_after=round(time.monotonic() - at, 1) if back else None,
        ))  # fmt: skip

    async def _looks_again(self, met: set[tuple[str, str]], before: set[tuple[str, str]]) -> bool:
        stored = await self.documents()
        looked_at = demo_blinding.looked_at(stored)
        again = bool(met & looked_at) or not demo_blinding.of_standing_goals(met, stored)
        return again and bool(looked_at - before)

    async def _stored(self) -> list[Stored]:
        """Nothing where the database cannot be read just now."""
        try:
            return await self.documents()
        except OutsideError:
            return []

    def _children(self) -> list[int]:
        worker = self._status("worker").pid
        return [process.pid for process in running() if process.parent == worker]

    async def _end_session(self) -> Fault:
        """The site asks for a log-in until the service has noticed; then somebody logs in again."""
        at = time.monotonic()
        await demo_search.set_mode(self.world, "login_wall")
        noticed = await self._until_asked(self._session_is("expired"))
        await demo_search.set_mode(self.world, "normal")
        recovered = noticed and await self._until_asked(self._logged_in)
        return Fault(
            _name(SESSION), round(at - self.began, 1),
            "noticed, new cookies brought" if noticed else "not noticed",
            recovered_after=round(time.monotonic() - at, 1) if recovered else None,
        )  # fmt: skip

    async def _logged_in(self) -> bool:
        await demo_search.log_in(self.world)
        return True

    def _session_is(self, state: str) -> Callable[[], Awaitable[bool]]:
        async def check() -> bool:
            return await demo_search.session_state(self.world) == state

        return check


def _name(fault: str) -> str:
    names = {READER: "kill a reader", SESSION: "session expires", VISION: "vision outage"}
    return names.get(fault, f"kill {fault}")


def _outage(met: set[tuple[str, str]], stored: list[Stored]) -> str:
    if not met:
        return "no clip met it"
    later, standing = demo_blinding.looked_at(stored) & met, demo_blinding.of_standing_goals(met, stored)
    gone = len(met - later - standing)
    words = f"{len(met)} clips could not be looked at, {len(later)} of them were later"
    return f"{words}, the goals of {gone} are gone" if gone else words
