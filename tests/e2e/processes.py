"""Running the command line as a person does, and looking at what it leaves behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "found_footy.cli", *arguments]


def clean_environment(**extra: str) -> dict[str, str]:
    """Ours without any setting of the product."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FOOTY_", "MONGODB", "S3_", "TEMPORAL", "NATS"))}
    return kept | extra


def run(*arguments: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), env=dict(env), capture_output=True, text=True, timeout=120, check=False)


@contextmanager
def started(*arguments: str, env: Mapping[str, str], log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    with log.open("wb") as sink:
        process = subprocess.Popen(command(*arguments), env=dict(env), stdout=sink, stderr=sink)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def wait_for(what: str, condition: Callable[[], Any], log: Path, seconds: float = 180) -> Any:
    """The first true answer of `condition`; fails with the end of the log."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if answer := condition():
            return answer
        time.sleep(0.1)
    raise AssertionError(f"{what} did not happen within {seconds} s:\n{log.read_text()[-4000:]}")


def programs(data_dir: Path) -> dict[str, dict[str, Any]]:
    """What the supervisor of `data_dir` last wrote about its programs."""
    try:
        content: dict[str, dict[str, Any]] = json.loads((data_dir / "processes.json").read_text())
    except (OSError, ValueError):
        return {}
    return content


def processes_using(data_dir: Path) -> list[str]:
    """Command lines of the processes that have to do with `data_dir`, by argument or environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            line = (entry / "cmdline").read_bytes()
            place = (entry / "environ").read_bytes()
        except OSError:
            continue
        if str(data_dir).encode() in line or f"FOOTY_DATA_DIR={data_dir}".encode() in place:
            found.append(line.replace(b"\0", b" ").decode())
    return found
