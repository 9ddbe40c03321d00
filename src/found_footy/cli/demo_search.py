"""How the demo searches: through the real browser service on a simulated site, or without Chromium directly."""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from importlib.util import find_spec

from found_footy.cli.demo_local import ask
from found_footy.cli.demo_world import HURRIED, Scaled, World, free_port
from found_footy.cli.program_environment import SEARCH, share
from found_footy.cli.programs import answers
from found_footy.embedded.programs import Program
from found_footy.platform.errors import Unavailable

# A dozen goals within ten minutes are more than one account may search for, so the one browser stands for several.
ACCOUNTS = 4
_SITE_WINDOW = timedelta(minutes=15)
_SECOND = timedelta(seconds=1)
_SCALED = {
    "FOOTY_XSEARCH__SPACING": Scaled(timedelta(seconds=25) / ACCOUNTS, 0.1 * _SECOND),
    "FOOTY_XSEARCH__WINDOW": Scaled(_SITE_WINDOW / ACCOUNTS, _SECOND),
    "FOOTY_XSEARCH__PAUSE_EXPIRED": Scaled(timedelta(minutes=5), _SECOND),
    "FOOTY_XSEARCH__SCROLL_LINGER": Scaled(timedelta(milliseconds=600), 0.1 * _SECOND),
}


@dataclass(frozen=True)
class SearchPlan:
    """`browser` is the Chromium to search with, empty for searching without one; `why` says so to people."""

    browser: str
    why: str


def plan(environ: Mapping[str, str], speed: float, *, wanted: bool | None) -> SearchPlan:
    """Whether a browser is used is decided by the speed, unless `wanted` says."""
    browser = environ.get("CHROMIUM_PATH") or shutil.which("chromium") or shutil.which("google-chrome") or ""
    if wanted is None and speed > HURRIED:
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
        f"Searches go through a real Chromium on a simulated X. It stands for {ACCOUNTS} accounts: "
        "the budget of 40 calls per quarter hour is that of match time, so many times.",
    )


def service(world: World, browser: str, env: Mapping[str, str]) -> Program:
    """`found-footy xsearch` as it is, looking at the simulated site."""
    port = world.search_url.rpartition(":")[2]
    own = {
        **{name: scaled.at(world.speed) for name, scaled in _SCALED.items()},
        "FOOTY_XSEARCH__PORT": port,
        "FOOTY_XSEARCH__CANARY_EVERY": "0s",
        "X_SITE_URL": site(world),
        "X_SEARCH_DATA_DIR": str(world.data_dir / "xsearch"),
        "CHROMIUM_PATH": browser,
    }
    # It sees nothing but the simulated site, and as root the sandbox cannot work.
    own |= {"FOOTY_XSEARCH__SANDBOX": "false"} if os.geteuid() == 0 else {}
    return Program(
        "search",
        (sys.executable, "-m", "found_footy.cli", "xsearch"),
        ready=answers(f"{world.search_url}/health"),
        env={**share(env, SEARCH), **own},
        address=world.search_url,
    )


def with_browser(world: World) -> World:
    """The same world with its searches going through a browser."""
    window = max(1, round(_SITE_WINDOW.total_seconds() / ACCOUNTS / world.speed))
    return replace(world, site_window=window, search_url=f"http://127.0.0.1:{free_port()}")


def site(world: World) -> str:
    return f"http://{world.site_place}"


async def log_in(world: World) -> None:
    """Bring the cookies of a new session on the simulated site, as a person would."""
    given = await ask("POST", f"{site(world)}/_sim/session", {})
    text = "; ".join(f"{name}={value}" for name, value in given["cookies"].items())
    answer = await ask("POST", f"{world.search_url}/session", {"text": text})
    if answer.get("state") != "authenticated":
        raise Unavailable("search", f"the simulated session is {answer.get('state')}")


async def session_state(world: World) -> str:
    health = await ask("GET", f"{world.search_url}/health")
    return str(health["session"]["state"])


async def set_mode(world: World, mode: str) -> None:
    await ask("POST", f"{site(world)}/_sim/mode", {"mode": mode})
