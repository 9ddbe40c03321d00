"""Costs of the day: CPU, memory, database and Temporal."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ProgramCost:
    """`own` are CPU seconds of the program's own processes, `children` of its short-lived children. Programs that only
    simulate the outside or observe are not `ours`.
    """

    name: str
    own: float
    children: float
    peak_memory: int
    ours: bool = True

    @property
    def cpu_seconds(self) -> float:
        return self.own + self.children


@dataclass(frozen=True)
class RunCosts:
    """`database` counts operations by kind, `history` Temporal's history events by workflow, both for the whole day."""

    programs: tuple[ProgramCost, ...] = ()
    peak_memory: int = 0
    database: Mapping[str, int] = field(default_factory=dict)
    history: Mapping[str, int] = field(default_factory=dict)
    wall_seconds: float = 0.0

    @property
    def is_measured(self) -> bool:
        """Whether CPU and memory could be measured: without /proc they cannot."""
        return bool(self.programs)

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of the product, its servers included; meaningless unless `is_measured`."""
        return sum(program.cpu_seconds for program in self.programs if program.ours)


@dataclass(frozen=True)
class InjectedFault:
    """One injected fault. `recovered_after` is None if it was not recovered from."""

    name: str
    at_seconds: float
    detail: str = ""
    old_pid: int | None = None
    new_pid: int | None = None
    recovered_after: float | None = None

    @property
    def has_recovered(self) -> bool:
        """Recovered, and if a process was killed, as another process."""
        return self.recovered_after is not None and (self.old_pid is None or self.new_pid not in (None, self.old_pid))
