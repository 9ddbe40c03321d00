"""The simulated world of the demo: its addresses, and the settings that adapt the product to its speed."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from found_footy.platform.free_port import find_free_port
from found_footy.platform.settings.groups import ENV_PREFIX, list_variables
from found_footy.platform.settings.units import format_duration
from found_footy.settings import Settings

_DEFAULT_PAGE_PORT = 8000
_SIMULATED_API_KEY = "simulated-key"

_FIXED_SETTINGS = {
    "FOOTY_SIMULATED": "true",
    "FOOTY_FIXTURES__LEAGUES": "all",
    "FOOTY_DISCOVERY__WIKIDATA": "false",
    # A day uses a few hundred megabytes, which a large disk that is nearly full may still have.
    "FOOTY_DISK__FLOOR": "300MB",
    "FOOTY_DISK__FLOOR_SHARE": "0",
}
# The demo needs no key and uses only its own servers, so no setting of the user's reaches it, from the environment or a
# file, whatever its name. Only the browser's path and the log format are taken over: they belong to the machine.
_MACHINE_VARIABLES = frozenset({"CHROMIUM_PATH", "LOG_LEVEL", "LOG_FORMAT"})
_CLEARED_VARIABLES = frozenset(name for names in list_variables(Settings) for name in names) - _MACHINE_VARIABLES


@dataclass(frozen=True)
class ScaledDuration:
    """A duration of the product in match time, and the least real time that works on any machine."""

    match_duration: timedelta
    minimum: timedelta
    granularity: timedelta = timedelta(milliseconds=1)

    def format_at_speed(self, speed: float) -> str:
        wanted = max(self.match_duration / speed, self.minimum)
        return format_duration(-(-wanted // self.granularity) * self.granularity)


_SECOND = timedelta(seconds=1)
# Above this speed two cores are short of CPU time, so optional work is left out or done before kickoff.
FAST_SPEED = 15.0
# The same code at another speed: what takes minutes on a real match day takes seconds here.
_SCALED_SETTINGS = {
    # Temporal's schedules count in whole seconds.
    "FOOTY_FIXTURES__MONITOR_INTERVAL": ScaledDuration(timedelta(seconds=30), _SECOND, _SECOND),
    "FOOTY_FIXTURES__STAGING_INTERVAL": ScaledDuration(timedelta(minutes=15), _SECOND, _SECOND),
    "FOOTY_FIXTURES__UNIDENTIFIED_AFTER": ScaledDuration(timedelta(minutes=30), 20 * _SECOND),
    # A crowded machine must not be mistaken for a goal that never completes: the clip check takes as long at any speed.
    "FOOTY_FIXTURES__EVENT_DEADLINE": ScaledDuration(timedelta(minutes=60), timedelta(minutes=30)),
    "FOOTY_FIXTURES__FEED_MINUTE": ScaledDuration(timedelta(minutes=1), _SECOND),
    "FOOTY_FIXTURES__MATCH_MINUTE": ScaledDuration(timedelta(minutes=1), timedelta(milliseconds=1)),
    "FOOTY_PACE__SPACING": ScaledDuration(timedelta(seconds=60), _SECOND),
    "FOOTY_PACE__MIN_WAIT": ScaledDuration(timedelta(seconds=10), 0.5 * _SECOND),
    "FOOTY_PACE__SEARCH_WINDOW": ScaledDuration(timedelta(minutes=3), _SECOND),
    "FOOTY_DISCOVERY__REDDIT_FEED_INTERVAL": ScaledDuration(timedelta(minutes=1), _SECOND),
    "FOOTY_PACE__UPLOAD_IDLE": ScaledDuration(timedelta(minutes=5), 10 * _SECOND),
    "FOOTY_PACE__RETRY_FIRST": ScaledDuration(timedelta(minutes=5), 10 * _SECOND),
    "FOOTY_PACE__RETRY_LONGEST": ScaledDuration(timedelta(hours=4), timedelta(minutes=1)),
    "FOOTY_PACE__RETRY_CHECK": ScaledDuration(timedelta(minutes=2), 2 * _SECOND, _SECOND),
}


@dataclass(frozen=True)
class DemoWorld:
    """One simulated outside, and the page that shows the product's results.

    `name` is a scenario, or with a seed the size of a world generated from it. `site_port` is that of the simulated X,
    which counts the calls of an account over `site_window` seconds. `shares` are settings of the generated day, such as
    `doubles=0.5`. `search_url` is the search service; without one,
    the simulator itself answers searches. `with_reddit` makes r/soccer a source.
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
    shares: tuple[str, ...] = ()
    with_reddit: bool = False
    extra_settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def site_address(self) -> str:
        """The address of the simulated X, with its pages and its embeds."""
        return f"127.0.0.1:{self.site_port or self.port}"

    @property
    def simulator_arguments(self) -> tuple[str, ...]:
        played = ("--scenario", self.name) if self.seed is None else ("--world", self.name, "--seed", str(self.seed))
        shares = tuple(word for share in self.shares for word in ("--share", share))
        site = ("--x-port", str(self.site_port), "--x-window", str(self.site_window)) if self.site_port else ()
        return (*played, *shares, "--speed", str(self.speed), "--key", _SIMULATED_API_KEY, "--wait", *site)

    def build_environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Build the environment of the product's processes in this world."""
        kept = {k: v for k, v in environ.items() if k not in _CLEARED_VARIABLES and not k.startswith(ENV_PREFIX)}
        return {
            **kept,
            **_FIXED_SETTINGS,
            **{name: scaled.format_at_speed(self.speed) for name, scaled in _SCALED_SETTINGS.items()},
            # People of a seeded world post on Bluesky too; a scenario has only X.
            "FOOTY_DISCOVERY__SOURCES": ("x" if self.seed is None else "x,bluesky") + (",reddit" * self.with_reddit),
            "FOOTY_DISCOVERY__REDDIT_URL": f"http://{self.address}/reddit",
            "FOOTY_DISCOVERY__REDDIT_API_URL": f"http://{self.address}/reddit/oauth",
            "FOOTY_CLIPS__CLIP_HOSTS": self.address,
            "FOOTY_DISCOVERY__BLUESKY_URL": f"http://{self.address}/bluesky",
            "FOOTY_DISCOVERY__BLUESKY_BLOB_URL": f"http://{self.address}/bluesky",
            "FOOTY_DATA_DIR": str(self.data_dir),
            "FOOTY_WEB__PORT": str(self.page_port),
            "FOOTY_TRUSTED_HOSTS": f"{self.address},{self.site_address}",
            "FOOTY_CLIPS__SYNDICATION_URL": f"http://{self.site_address}",
            "FOOTY_CLIPS__VIDEO_HOSTS": self.address,
            "API_FOOTBALL_URL": f"http://{self.address}",
            "API_FOOTBALL_KEY": _SIMULATED_API_KEY,
            "TWITTER_SERVICE_URL": self.search_url or f"http://{self.address}/x",
            **self.extra_settings,
        }


def debounce_seconds(settings: Settings, speed: float) -> float:
    """Match seconds until a goal is confirmed."""
    return settings.fixtures.confirmations * settings.fixtures.monitor_interval.total_seconds() * speed


def choose_page_port() -> int:
    """The usual port if it is free, so that the address is easy to remember; else any free one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", _DEFAULT_PAGE_PORT))
        except OSError:
            return find_free_port()
    return _DEFAULT_PAGE_PORT
