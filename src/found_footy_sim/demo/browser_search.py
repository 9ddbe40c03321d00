"""How the demo searches: through the real browser service on a simulated site, or without Chromium directly."""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from importlib.util import find_spec

from found_footy.cli.program_environment import SEARCH_SCOPE, filter_environment
from found_footy.cli.programs import build_http_probe
from found_footy.embedded.programs import ProgramSpec
from found_footy.platform.errors import Unavailable
from found_footy.platform.free_port import find_free_port
from found_footy_sim.demo.local_http import request_json
from found_footy_sim.demo.world import FAST_SPEED, DemoWorld, ScaledDuration

# A dozen goals within ten minutes need more searches than one account may make, so the one browser uses several.
SIMULATED_ACCOUNTS = 4
_RATE_LIMIT_WINDOW = timedelta(minutes=15)
_SECOND = timedelta(seconds=1)
_SCALED_SETTINGS = {
    "FOOTY_XSEARCH__SPACING": ScaledDuration(timedelta(seconds=25) / SIMULATED_ACCOUNTS, 0.1 * _SECOND),
    "FOOTY_XSEARCH__WINDOW": ScaledDuration(_RATE_LIMIT_WINDOW / SIMULATED_ACCOUNTS, _SECOND),
    "FOOTY_XSEARCH__PAUSE_EXPIRED": ScaledDuration(timedelta(minutes=5), _SECOND),
    "FOOTY_XSEARCH__SCROLL_LINGER": ScaledDuration(timedelta(milliseconds=600), 0.1 * _SECOND),
}


@dataclass(frozen=True)
class SearchPlan:
    """`browser` is the path of Chromium, empty for searching without one; `explanation` is the text for people."""

    browser: str
    explanation: str


def plan_search(environ: Mapping[str, str], speed: float, *, wanted: bool | None) -> SearchPlan:
    """The speed decides whether a browser is used, unless `wanted` says."""
    browser = environ.get("CHROMIUM_PATH") or shutil.which("chromium") or shutil.which("google-chrome") or ""
    if wanted is None and speed > FAST_SPEED:
        return SearchPlan(
            "", f"Searches go to the simulator directly: one browser cannot keep up at {speed:g} times (try --browser)."
        )
    if wanted is False:
        return SearchPlan("", "Searches go to the simulator directly, as asked.")
    if find_spec("playwright") is None:
        return SearchPlan("", "Searches go to the simulator directly: found-footy[xsearch] is not installed.")
    if not browser:
        return SearchPlan("", "Searches go to the simulator directly: there is no Chromium (apt install chromium).")
    return SearchPlan(
        browser,
        f"Searches go through a real Chromium on a simulated X. It has the budget of {SIMULATED_ACCOUNTS} accounts, "
        "each of 40 calls per quarter hour of match time.",
    )


def build_search_program(world: DemoWorld, browser: str, env: Mapping[str, str]) -> ProgramSpec:
    """`found-footy xsearch`, pointed at the simulated site."""
    port = world.search_url.rpartition(":")[2]
    own = {
        **{name: scaled.format_at_speed(world.speed) for name, scaled in _SCALED_SETTINGS.items()},
        "FOOTY_XSEARCH__PORT": port,
        "FOOTY_XSEARCH__CANARY_EVERY": "0s",
        "X_SITE_URL": site_url(world),
        "X_SEARCH_DATA_DIR": str(world.data_dir / "xsearch"),
        "CHROMIUM_PATH": browser,
    }
    # The browser loads only the simulated site, and as root its sandbox cannot work.
    own |= {"FOOTY_XSEARCH__SANDBOX": "false"} if os.geteuid() == 0 else {}
    return ProgramSpec(
        "search",
        (sys.executable, "-m", "found_footy.cli", "xsearch"),
        ready_probe=build_http_probe(f"{world.search_url}/health"),
        env={**filter_environment(env, SEARCH_SCOPE), **own},
        address=world.search_url,
    )


def with_browser_search(world: DemoWorld) -> DemoWorld:
    """Return the same world with its searches going through a browser."""
    window = max(1, round(_RATE_LIMIT_WINDOW.total_seconds() / SIMULATED_ACCOUNTS / world.speed))
    return replace(world, site_window=window, search_url=f"http://127.0.0.1:{find_free_port()}")


def site_url(world: DemoWorld) -> str:
    return f"http://{world.site_address}"


async def log_in(world: DemoWorld) -> None:
    """Submit the cookies of a new session on the simulated site, as a person would."""
    given = await request_json("POST", f"{site_url(world)}/_sim/session", {})
    text = "; ".join(f"{name}={value}" for name, value in given["cookies"].items())
    answer = await request_json("POST", f"{world.search_url}/session", {"text": text})
    if answer.get("state") != "authenticated":
        raise Unavailable("search", f"the simulated session is {answer.get('state')}")


async def fetch_session_state(world: DemoWorld) -> str:
    health = await request_json("GET", f"{world.search_url}/health")
    return str(health["session"]["state"])


async def set_site_mode(world: DemoWorld, mode: str) -> None:
    await request_json("POST", f"{site_url(world)}/_sim/mode", {"mode": mode})
