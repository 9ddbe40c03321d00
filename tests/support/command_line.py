"""Running the command line as a person does, and looking at what it leaves behind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests.support.patience import patient, wait_until

T = TypeVar("T")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "found_footy.cli", *arguments]


def clean_environment(**extra: str) -> dict[str, str]:
    """Ours without any setting of the product."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FOOTY_", "MONGODB", "S3_", "TEMPORAL", "NATS"))}
    return kept | extra


def run(*arguments: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), env=dict(env), capture_output=True, text=True, timeout=patient(300), check=False
    )


@contextmanager
def started(*arguments: str, env: Mapping[str, str], log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    with log.open("wb") as sink:
        process = subprocess.Popen(command(*arguments), env=dict(env), stdout=sink, stderr=sink)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(patient(60))


def wait_for(what: str, condition: Callable[[], T], log: Path, seconds: float = 0.0) -> T:
    """The first true answer of `condition`; fails with the end of the log."""
    return wait_until(condition, lambda: f"{what}:\n{log.read_text()[-4000:]}", seconds)


def wait_for_the_end_of_all(data_dir: Path) -> None:
    wait_until(lambda: not processes_using(data_dir), lambda: "the end of " + "; ".join(processes_using(data_dir)))


def programs(data_dir: Path) -> dict[str, dict[str, Any]]:
    """What the supervisor of `data_dir` last wrote about its programs."""
    try:
        content: dict[str, dict[str, Any]] = json.loads((data_dir / "processes.json").read_text())
    except (OSError, ValueError):
        return {}
    return content


def processes_using(data_dir: Path) -> list[str]:
    """The processes that have to do with `data_dir`, by argument or environment: number, parent, state, command."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            line = (entry / "cmdline").read_bytes()
            place = (entry / "environ").read_bytes()
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if str(data_dir).encode() in line or f"FOOTY_DATA_DIR={data_dir}".encode() in place:
            command_line = line.replace(b"\0", b" ").decode(errors="replace")
            found.append(f"{entry.name} (of {parent}, {state}) {command_line}")
    return found
