"""Processes that run on a data directory: for status commands, and for cleaning up after a killed supervisor."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from found_footy.embedded.files import read_json, write_json
from found_footy.embedded.processes import is_same_process, kill_leftover_process, process_start_time, resident_bytes
from found_footy.embedded.programs import ProgramState, ProgramStatus
from found_footy.platform.logs import ActionLogger

_PROCESSES_FILE = "processes.json"

logger = ActionLogger(__name__)


def record_processes(data_dir: Path, statuses: Iterable[ProgramStatus]) -> None:
    lines = {}
    for status in statuses:
        line = {**asdict(status), "since": status.since.isoformat(), "birth": process_start_time(status.pid or 0)}
        lines[status.name] = {key: value for key, value in line.items() if key not in ("name", "memory")}
    write_json(data_dir / _PROCESSES_FILE, lines)


def list_running_programs(data_dir: Path) -> tuple[ProgramStatus, ...]:
    """List the running programs of the platform on `data_dir`, in start order."""
    return tuple(
        ProgramStatus(
            name,
            ProgramState(line["state"]),
            datetime.fromisoformat(line["since"]),
            line["pid"],
            line["restarts"],
            line["address"],
            resident_bytes(line["pid"]),
        )
        for name, line in read_json(data_dir / _PROCESSES_FILE).items()
        if line["pid"] and is_same_process(line["pid"], line["birth"])
    )


def kill_leftover_processes(data_dir: Path) -> None:
    """Kill programs of an earlier supervisor that outlived it. Only for the holder of the lock."""
    for name, line in read_json(data_dir / _PROCESSES_FILE).items():
        if line["pid"] and line["birth"] and kill_leftover_process(line["pid"], line["birth"]):
            logger.warning("%s of an earlier run was still running; stopped it", name, action="leftover_killed")
