"""The simulated world of the demo: where it runs, and the settings that make the product live at its speed."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_PAGE_PORT = 8000
_KEY = "simulated-key"

# The same code at another speed: what takes minutes on a Saturday takes seconds here.
_FAST = {
    "FOOTY_SIMULATED": "true",
    "FOOTY_FIXTURES__MONITOR_INTERVAL": "1s",
    "FOOTY_FIXTURES__STAGING_INTERVAL": "1s",
    "FOOTY_FIXTURES__LEAGUES": "all",
    "FOOTY_DISCOVERY__SOURCES": "x",
    "FOOTY_DISCOVERY__WIKIDATA": "false",
    "FOOTY_PACE__SPACING": "3s",
    "FOOTY_PACE__MIN_WAIT": "1s",
    "FOOTY_PACE__UPLOAD_IDLE": "10s",
}
# What a person's own settings must not change: the demo needs no key and touches no server but its own.
_UNSET = (
    "MONGODB_URI", "TEMPORAL_ADDRESS", "S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY", "NATS_URL", "LLAMA_URL",
)  # fmt: skip


@dataclass(frozen=True)
class World:
    """One simulated outside, and the page that shows what the product makes of it."""

    scenario: str
    speed: float
    data_dir: Path
    port: int
    page_port: int

    @property
    def arguments(self) -> tuple[str, ...]:
        return ("--scenario", self.scenario, "--speed", str(self.speed), "--key", _KEY, "--wait")

    def environment(self, ours: Mapping[str, str]) -> dict[str, str]:
        """The environment of the product's processes in this world."""
        place = f"127.0.0.1:{self.port}"
        kept = {k: v for k, v in ours.items() if k not in _UNSET and not k.startswith("FOOTY_")}
        return {
            **kept,
            **_FAST,
            "FOOTY_DATA_DIR": str(self.data_dir),
            "FOOTY_WEB__PORT": str(self.page_port),
            "FOOTY_TRUSTED_HOSTS": place,
            "FOOTY_CLIPS__VIDEO_HOSTS": place,
            "API_FOOTBALL_URL": f"http://{place}",
            "API_FOOTBALL_KEY": _KEY,
            "TWITTER_SERVICE_URL": f"http://{place}/x",
        }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def page_port() -> int:
    """The usual port if nobody has it, so that the address is easy to remember; else a free one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", _PAGE_PORT))
        except OSError:
            return free_port()
    return _PAGE_PORT
