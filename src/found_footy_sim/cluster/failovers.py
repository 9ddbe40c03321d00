"""Kills members of the cluster one after another, and waits until the others have taken over."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from found_footy.cli import console
from found_footy.embedded.programs import ProgramState
from found_footy.embedded.supervisor import Supervisor
from found_footy_sim.cluster.availability import Watch
from found_footy_sim.cluster.members import ClusterMembers
from found_footy_sim.demo.day_progress import DayProgress
from found_footy_sim.demo.polling import wait_until, wait_until_answered
from found_footy_sim.demo.program_kills import RECOVERY_TIMEOUT_SECONDS, find_status
from found_footy_sim.scorecard.costs import InjectedFault

# As many good answers in a row count as working.
_GOOD_REQUESTS = 5
_REST_SECONDS = 5.0
# A machine that is gone does not come back at once: the rest of the cluster works without it for so long.
_ABSENCE_SECONDS = 10.0


@dataclass(frozen=True)
class Failover:
    """One kill. `taken_over_after` are the seconds until every operation worked again without the killed programs,
    `back_after` those until they were members again; None if that did not happen.
    """

    name: str
    killed: tuple[str, ...]
    at: float
    taken_over_after: float | None
    back_after: float | None

    @property
    def has_recovered(self) -> bool:
        return self.taken_over_after is not None and self.back_after is not None


@dataclass
class FailoverInjector:
    """Runs beside the day. `before_queue` is called before the NATS leader is killed: it starts what uses the queue."""

    supervisor: Supervisor
    members: ClusterMembers
    watches: Sequence[Watch]
    progress: DayProgress
    before_queue: Callable[[], Awaitable[None]]
    started_at: float = field(default_factory=time.monotonic)
    failovers: list[Failover] = field(default_factory=list)
    is_breaking: bool = True

    @property
    def faults(self) -> tuple[InjectedFault, ...]:
        return tuple(
            InjectedFault(
                f"kill {one.name}",
                round(one.at - self.started_at, 1),
                ", ".join(one.killed),
                recovered_after=one.back_after if one.has_recovered else None,
            )
            for one in self.failovers
        )

    def list_unfired_faults(self) -> tuple[InjectedFault, ...]:
        fired = {one.name for one in self.failovers}
        missing = [name for name in self._list_kills() if name not in fired]
        now = time.monotonic() - self.started_at
        return tuple(InjectedFault(f"kill {name}", round(now, 1), "did not fire") for name in missing)

    async def run(self) -> None:
        await self.progress.search_started.wait()
        for name, kill in self._list_kills().items():
            await asyncio.sleep(_REST_SECONDS)
            await wait_until(lambda: self._have_all_worked(0.0), RECOVERY_TIMEOUT_SECONDS)
            console.out.print(f"failover: {name}", style="magenta", highlight=False)
            self.failovers.append(await kill(name))
            console.out.print(_describe(self.failovers[-1]), style="magenta", highlight=False)
        self.is_breaking = False

    def _list_kills(self) -> dict[str, Callable[[str], Awaitable[Failover]]]:
        return {
            "MongoDB primary": self._kill_primary,
            "SeaweedFS volume server": self._kill_volume_server,
            "NATS leader": self._kill_queue_leader,
            "web process": self._kill_web_process,
            "half of the workers": self._kill_workers,
        }

    async def _kill_primary(self, name: str) -> Failover:
        members = self.members
        return await self._take_away(name, await members.replica_set.find_primary(), members.is_replica_set_whole)

    async def _kill_volume_server(self, name: str) -> Failover:
        volume = self.members.seaweedfs.volumes[0]
        return await self._take_away(name, volume, lambda: self._is_ready(volume))

    async def _kill_queue_leader(self, name: str) -> Failover:
        await self.before_queue()
        return await self._take_away(name, await self.members.unite_stream_leaders(), self.members.are_streams_whole)

    async def _take_away(self, name: str, program: str, is_back: Callable[[], Awaitable[bool]]) -> Failover:
        """`kill -9` of a server, as when its machine fails; it is started again after the others work without it."""
        at = time.monotonic()
        await self.supervisor.stop_program(program)
        taken_over = await self._wait_until_all_work(at)
        await asyncio.sleep(max(0.0, at + _ABSENCE_SECONDS - time.monotonic()))
        still = taken_over is not None and await self._wait_until_all_work(time.monotonic()) is not None
        await self.supervisor.start_program(program)
        back = await wait_until_answered(is_back, RECOVERY_TIMEOUT_SECONDS)
        return Failover(name, (program,), at, taken_over if still else None, _since(at) if back else None)

    async def _kill_web_process(self, name: str) -> Failover:
        return await self._kill_restarted(name, self.members.web_programs[:1])

    async def _kill_workers(self, name: str) -> Failover:
        return await self._kill_restarted(name, self.members.list_half_of_workers())

    async def _kill_restarted(self, name: str, programs: Sequence[str]) -> Failover:
        """`kill -9` of processes that their supervisor restarts at once."""
        pids = {program: find_status(self.supervisor, program).pid for program in programs}
        at = time.monotonic()
        for pid in pids.values():
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
        taken_over = await self._wait_until_all_work(at)

        async def are_back() -> bool:
            return all([await self._serves_as_another(program, pid) for program, pid in pids.items()])

        back = await wait_until_answered(are_back, RECOVERY_TIMEOUT_SECONDS)
        return Failover(name, tuple(programs), at, taken_over, _since(at) if back else None)

    async def _serves_as_another(self, program: str, killed: int | None) -> bool:
        status = find_status(self.supervisor, program)
        if status.state is not ProgramState.READY or status.pid in (None, killed):
            return False
        return program in self.members.web_programs or status.pid in await self.members.list_polling_pids()

    async def _is_ready(self, program: str) -> bool:
        return find_status(self.supervisor, program).state is ProgramState.READY

    async def _wait_until_all_work(self, since: float) -> float | None:
        """Return the seconds until every operation has worked several times in a row, without these times."""
        if not await wait_until(lambda: self._have_all_worked(since), RECOVERY_TIMEOUT_SECONDS):
            return None
        return round(max(watch.requests[-_GOOD_REQUESTS].ended for watch in self.watches) - since, 1)

    def _have_all_worked(self, since: float) -> bool:
        return all(watch.has_worked_since(since, _GOOD_REQUESTS) for watch in self.watches)


def _since(moment: float) -> float:
    return round(time.monotonic() - moment, 1)


def _describe(one: Failover) -> str:
    taken = "not taken over" if one.taken_over_after is None else f"taken over after {one.taken_over_after} s"
    back = "not back" if one.back_after is None else f"back after {one.back_after} s"
    return f"failover: {one.name} ({', '.join(one.killed)}): {taken}, {back}"
