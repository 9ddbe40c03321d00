"""A number of equal programs of which the first run, the others wait: for scaling on one machine."""

import asyncio
from collections.abc import Callable

from found_footy.embedded.programs import ProgramSpec, ProgramState
from found_footy.embedded.supervisor import Supervisor

_NOT_RUNNING_STATES = frozenset({ProgramState.STOPPED, ProgramState.FAILED})


class ProgramPool:
    """`build_program` builds the program with a number from 1 on; its name must tell the numbers apart. At most
    `capacity` of them run. A program that the supervisor runs already under such a name belongs to the pool.
    """

    def __init__(self, supervisor: Supervisor, build_program: Callable[[int], ProgramSpec], capacity: int) -> None:
        self._supervisor = supervisor
        self._build_program = build_program
        self._capacity = capacity
        self._names: dict[int, str] = {}

    async def count_running(self) -> int:
        return len(self._list_running())

    async def count_places(self) -> int:
        return self._capacity

    async def resize(self, count: int) -> None:
        """Stop the programs with the highest numbers, all at once; start those with the lowest."""
        running = self._list_running()
        await asyncio.gather(
            *(self._supervisor.stop_program(self._name_of(number)) for number in running[count:][::-1])
        )
        missing = [number for number in range(1, self._capacity + 1) if number not in running]
        for number in missing[: max(0, count - len(running))]:
            await self._start(number)

    def _list_running(self) -> list[int]:
        states = {status.name: status.state for status in self._supervisor.list_statuses()}
        return [
            number
            for number in range(1, self._capacity + 1)
            if states.get(self._name_of(number), ProgramState.STOPPED) not in _NOT_RUNNING_STATES
        ]

    async def _start(self, number: int) -> None:
        if self._name_of(number) in {status.name for status in self._supervisor.list_statuses()}:
            await self._supervisor.start_program(self._name_of(number))
        else:
            await self._supervisor.run_program(self._build_program(number))

    def _name_of(self, number: int) -> str:
        """Built once: building a program looks for a free port."""
        if number not in self._names:
            self._names[number] = self._build_program(number).name
        return self._names[number]
