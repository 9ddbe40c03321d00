"""A whole `found-footy up` with keys of every kind in its environment, and what the kernel knows of its processes."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from found_footy.embedded.endpoints import PlatformEndpoints, find_running_endpoints
from found_footy.embedded.process_registry import list_running_programs
from found_footy.embedded.programs import ProgramState, ProgramStatus
from found_footy.platform.free_port import find_free_port
from tests.support.command_line import clean_environment, started, wait_for
from tests.support.embedded.proc import children_of, command_line, listening_ports

CHROMIUM = os.environ.get("CHROMIUM_PATH") or shutil.which("chromium")
NOBODY = "http://127.0.0.1:9"
SECRETS = {
    "API_FOOTBALL_KEY": "feed-key-0123456789",
    "LLAMA_API_KEY": "vision-key-0123456789",
    "FOOTY_WEB__ADMIN_TOKEN": "admin-token-0123456789",
    "X_SEARCH_TOKEN": "search-token-0123456789",
    "BLUESKY_APP_PASSWORD": "bluesky-password-0123456789",
    "FOOTY_UPLOADS__NOTIFICATION_SECRET": "notification-secret-0123456789",
    "FOOTY_UPLOADS__WORKERS_AI_TOKEN": "classifier-token-0123456789",
    "AWS_SECRET_ACCESS_KEY": "another-programs-key-0123456789",
}
_SETTINGS = {
    "API_FOOTBALL_URL": NOBODY,
    "LLAMA_URL": NOBODY,
    "BLUESKY_HANDLE": "nobody.example",
    "X_SITE_URL": NOBODY,
    "FOOTY_DISCOVERY__SOURCES": "x",
    "FOOTY_WEB__PORT": "0",
    "FOOTY_XSEARCH__PORT": "0",
    "FOOTY_XSEARCH__HOSTS": "[]",
    "FOOTY_XSEARCH__CANARY_EVERY": "0s",
}


@dataclass(frozen=True)
class RunningUp:
    """`programs` are those of the supervisor by name, `ports` all that they and their children listen on."""

    data_dir: Path
    programs: dict[str, ProgramStatus]

    @property
    def endpoints(self) -> PlatformEndpoints:
        return find_running_endpoints(self.data_dir)

    def pids(self, program: str) -> list[int]:
        pid = self.programs[program].pid or 0
        return [pid, *children_of(pid)]

    def ports(self) -> dict[int, str]:
        """Every port, found by who listens and not by what we believe, with the name that it has among us."""
        named = {port: name for name, port in json.loads((self.data_dir / "ports.json").read_text()).items()}
        for name in ("web", "search", "worker"):
            named[int(self.programs[name].address.split(":")[2].partition("/")[0])] = name
        listening = {
            port: program for program in self.programs for pid in self.pids(program) for port in listening_ports(pid)
        }
        return {port: named.get(port, f"{program}, chosen by itself") for port, program in sorted(listening.items())}


@contextmanager
def running_up(folder: Path) -> Iterator[RunningUp]:
    sandbox = {"FOOTY_XSEARCH__SANDBOX": "false"} if os.geteuid() == 0 else {}
    env = clean_environment(
        **_SETTINGS,
        **SECRETS,
        **sandbox,
        FOOTY_DATA_DIR=str(folder / "data"),
        CHROMIUM_PATH=str(CHROMIUM),
        FOOTY_METRICS__PORT=str(find_free_port()),
    )
    log = folder / "up.log"
    with started("up", env=env, log=log):
        everybody = {"mongodb", "temporal", "seaweedfs", "nats", "worker", "web", "search"}

        def all_ready() -> dict[str, ProgramStatus]:
            found = {one.name: one for one in list_running_programs(folder / "data") if one.state is ProgramState.READY}
            return found if found.keys() == everybody else {}

        up = RunningUp(folder / "data", wait_for("all programs", all_ready, log))
        # The search service answers before its browser does.
        wait_for("the browser", lambda: any("--type=renderer" in command_line(pid) for pid in up.pids("search")), log)
        yield up
