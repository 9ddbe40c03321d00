"""Kills programs of the demo, and checks that the supervisor brings them back."""

import os
import signal
import time

from found_footy.embedded.programs import ProgramState, ProgramStatus
from found_footy.embedded.supervisor import Supervisor
from found_footy_sim.demo.polling import wait_until
from found_footy_sim.scorecard.costs import InjectedFault

# Much longer than any recovery takes: a crowded machine must not count as a fault of the product.
RECOVERY_TIMEOUT_SECONDS = 300.0


async def kill_program(supervisor: Supervisor, name: str, started_at: float) -> InjectedFault:
    """`kill -9`; recovered means ready as another process. `started_at` is when the faults began, by the monotonic
    clock.
    """
    await wait_until(lambda: _is_ready(supervisor, name), RECOVERY_TIMEOUT_SECONDS)
    before, at, label = find_status(supervisor, name), time.monotonic(), f"kill {name}"
    if before.pid is None:
        return InjectedFault(label, at - started_at, "was not running")
    os.kill(before.pid, signal.SIGKILL)
    back = await wait_until(
        lambda: _is_ready(supervisor, name) and find_status(supervisor, name).pid != before.pid,
        RECOVERY_TIMEOUT_SECONDS,
    )
    return InjectedFault(
        label,
        round(at - started_at, 1),
        "",
        before.pid,
        find_status(supervisor, name).pid,
        round(time.monotonic() - at, 1) if back else None,
    )


def find_status(supervisor: Supervisor, name: str) -> ProgramStatus:
    return next(status for status in supervisor.list_statuses() if status.name == name)


def _is_ready(supervisor: Supervisor, name: str) -> bool:
    return find_status(supervisor, name).state is ProgramState.READY
