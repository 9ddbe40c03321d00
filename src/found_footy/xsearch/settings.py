"""Settings of the search service."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import AfterValidator, Field, ValidationInfo

from found_footy.platform.http.access_tokens import AccessToken
from found_footy.platform.settings.groups import Bytes, Duration, EnvVariable, HttpUrl, SettingsGroup

_SITE_WINDOW = timedelta(minutes=15)


def _default_data_dir() -> Path:
    return user_data_path("found-footy") / "xsearch"


def _validate_window(window: timedelta, info: ValidationInfo) -> timedelta:
    """The site's own window is 15 minutes; a simulated site on this machine may use a shorter one."""
    if window < _SITE_WINDOW and urlsplit(info.data.get("site", "")).hostname != "127.0.0.1":
        raise ValueError("must be at least 15 minutes, unless the site is a simulated one at 127.0.0.1")
    return window


class XSearchSettings(SettingsGroup):
    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """Address that the service listens on; loopback unless something guards it."""

    port: Annotated[int, Field(ge=0, le=65_535)] = 8888
    """Port that the service listens on; 0 takes a free one."""

    token: Annotated[AccessToken | None, EnvVariable("X_SEARCH_TOKEN")] = None
    """Secret of 16 characters or more that whoever searches, or looks at or changes the session, must send; workers
    send it. `found-footy up` makes one of its own. Without it, this machine alone may."""

    site: Annotated[HttpUrl, EnvVariable("X_SITE_URL")] = "https://x.com"
    """Address of the site that is searched."""

    data_dir: Annotated[Path, EnvVariable("X_SEARCH_DATA_DIR")] = Field(default_factory=_default_data_dir)
    """Folder of the browser profile, the cookies and the budget; one service each."""

    browser: Annotated[Path | None, EnvVariable("CHROMIUM_PATH")] = None
    """Chromium to run; without it the one that Playwright installed."""

    headless: bool = True
    """Run the browser without a screen. Logging in by hand needs a screen, and accounts last longer with one."""

    sandbox: bool = True
    """Keep Chromium's own sandbox; only a container that is one itself may do without, and root has to."""

    hosts: tuple[str, ...] = (
        "*.x.com",
        "*.twimg.com",
        "*.twitter.com",
        "challenges.cloudflare.com",
        "*.arkoselabs.com",
    )
    """Further hosts that the browser may reach, besides the site itself; no other is ever contacted."""

    filter: str = "filter:videos"
    """Added to every query."""

    requests_per_window: Annotated[int, Field(ge=1, le=40)] = 40
    """Most search calls of the account in any window; the site's own limit was last seen at 50."""

    window: Annotated[Duration, AfterValidator(_validate_window)] = _SITE_WINDOW
    """The window that search calls are counted in; shorter only for a simulated site on this machine."""

    spacing: Duration = timedelta(seconds=25)
    """Least time from the start of one search to the start of the next."""

    jitter: Annotated[float, Field(ge=0, le=2)] = 0.3
    """How much longer than the least time waits may be at random, as a fraction of it."""

    patience: Duration = timedelta(seconds=65)
    """Longest wait for a turn; who would wait longer is told to come back. Longer than the longest distance between two
    searches and the longest search together, or who comes just after another search is always refused."""

    browser_check: Annotated[Duration, Field(gt=timedelta(0))] = timedelta(seconds=15)
    """How often an idle browser is asked whether it still answers; after a failed search it is asked at once."""

    time_limit: Duration = timedelta(seconds=28)
    """Longest time of one search once it has its turn."""

    page_timeout: Duration = timedelta(seconds=15)
    """Longest time for the page to open."""

    answer_timeout: Duration = timedelta(seconds=12)
    """Longest wait for the first answer of an opened page."""

    scroll_timeout: Duration = timedelta(seconds=6)
    """Longest wait for the page to ask for more when it is scrolled."""

    scroll_linger: Duration = timedelta(milliseconds=600)
    """Least time between two scrolls."""

    most_pages: Annotated[int, Field(ge=1, le=20)] = 4
    """Most pages of results that one search reads; each is one call of the budget."""

    answer_limit: Bytes = 8 * 2**20
    """Largest answer of the site that is read."""

    canary_every: Duration = timedelta(hours=1)
    """How often a search that must find something shows that the site is still understood; 0s for never."""

    canary_query: Annotated[str, Field(min_length=1)] = "football"
    """What the canary searches for."""

    empty_believed: Duration = timedelta(minutes=15)
    """How long after the account was last shown posts its empty answers are believed. After that an empty answer spends
    nobody's attempt: the canary is sent first. Has no effect without a canary."""

    near: Duration = timedelta(minutes=10)
    """A search that reaches farther back, and finds more than it may read, reads the newest posts and this much from
    the beginning of what is asked for."""

    pause_expired: Duration = timedelta(minutes=5)
    """How long the site is left alone after it asked for a log-in."""

    pause_locked: Duration = timedelta(hours=6)
    """How long the site is left alone after it locked the account."""

    pause_blocked: Duration = timedelta(minutes=10)
    """How long the site is left alone after it kept the browser out."""

    pause_drift: Duration = timedelta(minutes=2)
    """How long the site is left alone after an answer that is not understood."""

    login_time: Duration = timedelta(minutes=15)
    """How long the log-in page stays open for a person."""

    drain: Duration = timedelta(seconds=40)
    """How long a search under way may take to finish when the process is told to stop."""
