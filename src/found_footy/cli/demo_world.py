"""The simulated world of the demo: where it runs, and the settings that make the product live at its speed."""

import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from found_footy.platform.errors import ConfigError
from found_footy.platform.settings import PREFIX, variables
from found_footy.platform.units import format_duration
from found_footy.settings import Settings

_PAGE_PORT = 8000
# Above those of the embedded servers, below those of outgoing connections.
_FREE_PORTS = range(23_000, 32_000)
_PORTS_TRIED = 100
_KEY = "simulated-key"

_FIXED = {
    "FOOTY_SIMULATED": "true",
    "FOOTY_FIXTURES__LEAGUES": "all",
    "FOOTY_DISCOVERY__WIKIDATA": "false",
    # A day takes a few hundred megabytes, which a large disk that is nearly full may still have.
    "FOOTY_DISK__FLOOR": "300MB",
    "FOOTY_DISK__FLOOR_SHARE": "0",
}
# The demo needs no key and touches no server but its own, so nothing that a person has set for real reaches it: by
# whatever name, read from a file or not. Which browser there is and how logs are written belong to the machine.
_THE_MACHINES = frozenset({"CHROMIUM_PATH", "LOG_LEVEL", "LOG_FORMAT"})
_UNSET = frozenset(name for names in variables(Settings) for name in names) - _THE_MACHINES


@dataclass(frozen=True)
class Scaled:
    """A duration of the product in match time, and the least real time that makes sense on any machine."""

    usual: timedelta
    least: timedelta
    grain: timedelta = timedelta(milliseconds=1)

    def at(self, speed: float) -> str:
        wanted = max(self.usual / speed, self.least)
        return format_duration(-(-wanted // self.grain) * self.grain)


_SECOND = timedelta(seconds=1)
# Above this speed two cores are short of time, so that what can be left out or done before kick-off is.
HURRIED = 15.0
# The same code at another speed: what takes minutes on a Saturday takes seconds here.
_SCALED = {
    # Temporal's schedules count in whole seconds.
    "FOOTY_FIXTURES__MONITOR_INTERVAL": Scaled(timedelta(seconds=30), _SECOND, _SECOND),
    "FOOTY_FIXTURES__STAGING_INTERVAL": Scaled(timedelta(minutes=15), _SECOND, _SECOND),
    "FOOTY_FIXTURES__UNIDENTIFIED_AFTER": Scaled(timedelta(minutes=30), 20 * _SECOND),
    # A crowded machine must not be mistaken for a goal that never ends: looking at clips takes as long at any speed.
    "FOOTY_FIXTURES__EVENT_DEADLINE": Scaled(timedelta(minutes=60), timedelta(minutes=30)),
    "FOOTY_FIXTURES__FEED_MINUTE": Scaled(timedelta(minutes=1), _SECOND),
    "FOOTY_FIXTURES__MATCH_MINUTE": Scaled(timedelta(minutes=1), timedelta(milliseconds=1)),
    "FOOTY_PACE__SPACING": Scaled(timedelta(seconds=60), _SECOND),
    "FOOTY_PACE__MIN_WAIT": Scaled(timedelta(seconds=10), 0.5 * _SECOND),
    "FOOTY_PACE__SEARCH_WINDOW": Scaled(timedelta(minutes=3), _SECOND),
    "FOOTY_PACE__UPLOAD_IDLE": Scaled(timedelta(minutes=5), 10 * _SECOND),
    "FOOTY_PACE__RETRY_FIRST": Scaled(timedelta(minutes=5), 10 * _SECOND),
    "FOOTY_PACE__RETRY_LONGEST": Scaled(timedelta(hours=4), timedelta(minutes=1)),
    "FOOTY_PACE__RETRY_CHECK": Scaled(timedelta(minutes=2), 2 * _SECOND, _SECOND),
}


@dataclass(frozen=True)
class World:
    """One simulated outside, and the page that shows what the product makes of it.

    `name` is a scenario, or with a seed the size of a world that is made from it. `site_port` is that of the simulated
    X, which counts the calls of an account over `site_window` seconds. `search_url` is where goals are searched for;
    without one, the simulator itself answers searches.
    """

    name: str
    speed: float
    data_dir: Path
    port: int
    page_port: int
    seed: int | None = None
    site_port: int = 0
    site_window: int = 900
    search_url: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def site_place(self) -> str:
        """Where the simulated X is, with its pages and its embeds."""
        return f"127.0.0.1:{self.site_port or self.port}"

    @property
    def arguments(self) -> tuple[str, ...]:
        played = ("--scenario", self.name) if self.seed is None else ("--world", self.name, "--seed", str(self.seed))
        site = ("--x-port", str(self.site_port), "--x-window", str(self.site_window)) if self.site_port else ()
        return (*played, "--speed", str(self.speed), "--key", _KEY, "--wait", *site)

    def environment(self, ours: Mapping[str, str]) -> dict[str, str]:
        """The environment of the product's processes in this world."""
        kept = {k: v for k, v in ours.items() if k not in _UNSET and not k.startswith(PREFIX)}
        return {
            **kept,
            **_FIXED,
            **{name: scaled.at(self.speed) for name, scaled in _SCALED.items()},
            # People of a seeded world post on Bluesky too; those of a script know only X.
            "FOOTY_DISCOVERY__SOURCES": "x" if self.seed is None else "x,bluesky",
            "FOOTY_DISCOVERY__BLUESKY_URL": f"http://{self.place}/bluesky",
            "FOOTY_DISCOVERY__BLUESKY_BLOB_URL": f"http://{self.place}/bluesky",
            "FOOTY_DATA_DIR": str(self.data_dir),
            "FOOTY_WEB__PORT": str(self.page_port),
            "FOOTY_TRUSTED_HOSTS": f"{self.place},{self.site_place}",
            "FOOTY_CLIPS__SYNDICATION_URL": f"http://{self.site_place}",
            "FOOTY_CLIPS__VIDEO_HOSTS": self.place,
            "API_FOOTBALL_URL": f"http://{self.place}",
            "API_FOOTBALL_KEY": _KEY,
            "TWITTER_SERVICE_URL": self.search_url or f"http://{self.place}/x",
            **self.extra,
        }


def debounce(settings: Settings, speed: float) -> float:
    """Match seconds that a goal is watched before it is believed."""
    return settings.fixtures.confirmations * settings.fixtures.monitor_interval.total_seconds() * speed


def free_port() -> int:
    """One that nobody has. Not one of those that outgoing connections are given: it is used only later."""
    for _ in range(_PORTS_TRIED):
        port = secrets.choice(_FREE_PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise ConfigError(f"no free port between {_FREE_PORTS[0]} and {_FREE_PORTS[-1]}")


def page_port() -> int:
    """The usual port if nobody has it, so that the address is easy to remember; else a free one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", _PAGE_PORT))
        except OSError:
            return free_port()
    return _PAGE_PORT
