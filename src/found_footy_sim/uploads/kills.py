"""Kills servers while an afternoon is played, in an order that the seed decides."""

import time
from dataclasses import dataclass, field
from random import Random

from found_footy.cli import console
from found_footy.embedded.supervisor import Supervisor
from found_footy_sim.demo.polling import wait_until
from found_footy_sim.demo.program_kills import kill_program
from found_footy_sim.scorecard.costs import InjectedFault
from found_footy_sim.uploads.player import AfternoonPlayer

_MAX_WAIT_SECONDS = 600.0


@dataclass
class UploadKills:
    """Each program is killed once, spread over the stories that are finished by then."""

    supervisor: Supervisor
    player: AfternoonPlayer
    programs: tuple[str, ...]
    faults: list[InjectedFault] = field(default_factory=list)

    async def run(self) -> None:
        started_at, total = time.monotonic(), len(self.player.plan.stories)
        order = Random(self.player.plan.seed).sample(self.programs, len(self.programs))
        for place, name in enumerate(order):
            due = total * (place + 1) // (len(order) + 2)
            await wait_until(lambda due=due: self.player.finished >= due, _MAX_WAIT_SECONDS)  # type: ignore[misc]
            console.out.print(f"chaos: {name}", style="magenta", highlight=False)
            self.faults.append(await kill_program(self.supervisor, name, started_at))
