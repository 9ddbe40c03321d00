"""Injects faults into the demo at times that a seed decides, and checks that each part recovers."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from found_footy.cli import console
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.errors import ExternalSystemError
from found_footy.views.fixture_views import StoredFixture
from found_footy_sim.demo import browser_search, vision_outage
from found_footy_sim.demo.day_progress import DayProgress
from found_footy_sim.demo.polling import wait_until, wait_until_answered
from found_footy_sim.demo.program_kills import RECOVERY_TIMEOUT_SECONDS, find_status, kill_program
from found_footy_sim.demo.world import DemoWorld
from found_footy_sim.scorecard.costs import InjectedFault
from found_footy_sim.scorecard.process_usage import ProcessStat, find_working_grandchildren, list_processes

WORKER = "worker"
KILLED_PROGRAMS = (WORKER, "temporal", "mongodb", "seaweedfs")
VIDEO_READER = "reader"
VISION_OUTAGE = "vision"
SESSION_EXPIRY = "session"
_FIRST_FAULTS = (SESSION_EXPIRY, VIDEO_READER, WORKER)
_CHAOS_MATCH_SECONDS = 480.0
_MIN_GAP_SECONDS = 4.0
_MIN_REST_SECONDS = 2.0

FixtureReader = Callable[[], Awaitable[list[StoredFixture]]]


@dataclass(frozen=True)
class ScheduledFault:
    """A fault and when it is due, in seconds after the search for the first goal starts."""

    fault: str
    seconds: float


def schedule_faults(seed: int, faults: Sequence[str], speed: float) -> tuple[ScheduledFault, ...]:
    """Schedule every fault once, in an order and with pauses that the seed decides. Three come first, because their
    recovery can be observed only while there is work left: the session expires while searches remain that can notice
    it, a decoder is killed while another video remains to be decoded, and then the worker while clips remain that its
    successor cannot check.
    """
    random = Random(seed)
    order = random.sample(list(faults), len(faults))
    order.sort(key=lambda fault: _FIRST_FAULTS.index(fault) if fault in _FIRST_FAULTS else len(_FIRST_FAULTS))
    gap = max(_MIN_GAP_SECONDS, _CHAOS_MATCH_SECONDS / speed / len(order))
    return tuple(
        ScheduledFault(name, round((place + random.random() * 0.6) * gap, 2)) for place, name in enumerate(order)
    )


@dataclass
class ChaosInjector:
    """Runs beside the demo. `faults` holds the injected faults and their recovery; `read_fixtures` reads what the
    product has stored.
    """

    world: DemoWorld
    supervisor: Supervisor
    progress: DayProgress
    uses_browser: bool
    read_fixtures: FixtureReader
    started_at: float = field(default_factory=time.monotonic)
    faults: list[InjectedFault] = field(default_factory=list)
    is_breaking: bool = False

    @property
    def fault_names(self) -> tuple[str, ...]:
        """The scheduled faults; a vision outage is injected together with the worker's kill."""
        return (*KILLED_PROGRAMS, VIDEO_READER, *((SESSION_EXPIRY,) if self.uses_browser else ()))

    async def run(self) -> None:
        await self.progress.search_started.wait()
        began = time.monotonic()
        # The day continues until every fault has been injected: on a crowded machine it may be over sooner.
        self.is_breaking = True
        for moment in schedule_faults(self.world.seed or 0, self.fault_names, self.world.speed):
            # A slow recovery delays the next fault: overlapping faults say little about each of them.
            await asyncio.sleep(max(_MIN_REST_SECONDS, began + moment.seconds - time.monotonic()))
            console.out.print(f"chaos: {moment.fault}", style="magenta", highlight=False)
            await self._inject_fault(moment.fault)
        self.is_breaking = False

    def list_unfired_faults(self) -> tuple[InjectedFault, ...]:
        """Faults that were scheduled but not injected; they count as not recovered."""
        fired = {fault.name for fault in self.faults}
        missing = [
            _fault_label(fault) for fault in (*self.fault_names, VISION_OUTAGE) if _fault_label(fault) not in fired
        ]
        return tuple(InjectedFault(name, time.monotonic() - self.started_at, "did not fire") for name in missing)

    async def _inject_fault(self, fault: str) -> None:
        if fault == WORKER:
            await self._kill_worker_and_damage_model()
        elif fault == SESSION_EXPIRY:
            self.faults.append(await self._expire_session())
        elif fault == VIDEO_READER:
            self.faults.append(await self._kill_video_reader())
        else:
            self.faults.append(await self._kill_program(fault))

    async def _wait_until(self, condition: Callable[[], bool]) -> bool:
        return await wait_until(condition, RECOVERY_TIMEOUT_SECONDS)

    async def _wait_until_answered(self, condition: Callable[[], Awaitable[bool]]) -> bool:
        return await wait_until_answered(condition, RECOVERY_TIMEOUT_SECONDS)

    async def _kill_program(self, name: str) -> InjectedFault:
        return await kill_program(self.supervisor, name, self.started_at)

    async def _kill_video_reader(self) -> InjectedFault:
        """`kill -9` of a process that decodes a video; recovered means that another one does."""
        killed: list[ProcessStat] = []

        def has_killed() -> bool:
            killed.extend(decoder for decoder in self._decoders()[:1] if _kill_process(decoder.pid))
            return bool(killed)

        if not await self._wait_until(has_killed):
            return InjectedFault(
                _fault_label(VIDEO_READER), time.monotonic() - self.started_at, "no video was being decoded"
            )
        victim, at = killed[0], time.monotonic()
        others = {decoder.pid for decoder in self._decoders()} | {victim.pid}
        later: list[int] = []

        def is_decoding_again() -> bool:
            later.extend(decoder.pid for decoder in self._decoders() if decoder.pid not in others)
            return bool(later)

        back = await self._wait_until(is_decoding_again)
        return InjectedFault(
            _fault_label(VIDEO_READER),
            round(at - self.started_at, 1),
            f"a decoder that had used {victim.own_cpu_seconds:.2f} s of the processor",
            victim.pid,
            later[0] if back else None,
            round(time.monotonic() - at, 1) if back else None,
        )

    async def _kill_worker_and_damage_model(self) -> None:
        """The next worker loads a damaged image classifier, and no clip can be checked until one clip has been recorded
        as unchecked. Recovered means that clips are checked again, among them one that met the outage unless all their
        goals are removed.
        """
        known, at = vision_outage.find_unchecked_clips(await self._read_fixtures_if_possible()), time.monotonic()
        met: set[tuple[str, str]] = set()

        async def some_are_met() -> bool:
            met.update(vision_outage.find_unchecked_clips(await self.read_fixtures()) - known)
            return bool(met)

        vision_outage.damage_model(self.world.data_dir)
        try:
            self.faults.append(await self._kill_program(WORKER))
            await self._wait_until_answered(some_are_met)
        finally:
            vision_outage.restore_model(self.world.data_dir)
        before = vision_outage.find_checked_clips(await self._read_fixtures_if_possible())
        back = bool(met) and await self._wait_until_answered(lambda: self._is_checking_again(met, before))
        self.faults.append(
            InjectedFault(
                _fault_label(VISION_OUTAGE),
                round(at - self.started_at, 1),
                _describe_outage(met, await self._read_fixtures_if_possible()),
                recovered_after=round(time.monotonic() - at, 1) if back else None,
            )
        )

    async def _is_checking_again(self, met: set[tuple[str, str]], before: set[tuple[str, str]]) -> bool:
        stored = await self.read_fixtures()
        looked_at = vision_outage.find_checked_clips(stored)
        again = bool(met & looked_at) or not vision_outage.select_standing_goals(met, stored)
        return again and bool(looked_at - before)

    async def _read_fixtures_if_possible(self) -> list[StoredFixture]:
        """Return nothing while the database cannot be read."""
        try:
            return await self.read_fixtures()
        except ExternalSystemError:
            return []

    def _decoders(self) -> list[ProcessStat]:
        """The worker's child is a fork server without a video; its children decode one each."""
        worker = find_status(self.supervisor, WORKER).pid
        return [] if worker is None else find_working_grandchildren(worker, list_processes())

    async def _expire_session(self) -> InjectedFault:
        """The site requires a log-in until the service has noticed; then a new log-in follows."""
        at = time.monotonic()
        await browser_search.set_site_mode(self.world, "login_wall")
        noticed = await self._wait_until_answered(self._session_state_check("expired"))
        await browser_search.set_site_mode(self.world, "normal")
        recovered = noticed and await self._wait_until_answered(self._log_in_again)
        return InjectedFault(
            _fault_label(SESSION_EXPIRY),
            round(at - self.started_at, 1),
            "noticed, new cookies imported" if noticed else "not noticed",
            recovered_after=round(time.monotonic() - at, 1) if recovered else None,
        )

    async def _log_in_again(self) -> bool:
        await browser_search.log_in(self.world)
        return True

    def _session_state_check(self, state: str) -> Callable[[], Awaitable[bool]]:
        async def check() -> bool:
            return await browser_search.fetch_session_state(self.world) == state

        return check


def _kill_process(pid: int) -> bool:
    """`kill -9`; False if it has ended by itself."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def _fault_label(fault: str) -> str:
    names = {VIDEO_READER: "kill a reader", SESSION_EXPIRY: "session expires", VISION_OUTAGE: "vision outage"}
    return names.get(fault, f"kill {fault}")


def _describe_outage(met: set[tuple[str, str]], stored: list[StoredFixture]) -> str:
    if not met:
        return "no clip was affected"
    later, standing = vision_outage.find_checked_clips(stored) & met, vision_outage.select_standing_goals(met, stored)
    gone = len(met - later - standing)
    words = f"{len(met)} clips could not be checked, {len(later)} of them were checked later"
    return f"{words}, the goals of {gone} were removed" if gone else words
