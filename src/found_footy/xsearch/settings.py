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
    """Address that the service listens on; loopback unless a proxy protects it."""

    port: Annotated[int, Field(ge=0, le=65_535)] = 8888
    """Port that the service listens on; 0 takes a free one."""

    token: Annotated[AccessToken | None, EnvVariable("X_SEARCH_TOKEN")] = None
    """Secret of 16 characters or more that whoever searches, or looks at or changes the session, must send; workers
    send it. `found-footy up` makes one of its own. Without it, this machine alone may."""

    site: Annotated[HttpUrl, EnvVariable("X_SITE_URL")] = "https://x.com"
    """Address of the site that is searched."""

    data_dir: Annotated[Path, EnvVariable("X_SEARCH_DATA_DIR")] = Field(default_factory=_default_data_dir)
    """Directory of the browser profile, the cookies and the budget; one per service."""

    browser: Annotated[Path | None, EnvVariable("CHROMIUM_PATH")] = None
    """Chromium to run; by default the one that Playwright installed."""

    headless: bool = True
    """Run the browser without a screen. Logging in by hand needs a screen, and X locks accounts less often with one."""

    sandbox: bool = True
    """Use Chromium's own sandbox; it does not work as root, and may be off only in a container."""

    hosts: tuple[str, ...] = (
        "*.x.com",
        "*.twimg.com",
        "*.twitter.com",
        "challenges.cloudflare.com",
        "*.arkoselabs.com",
    )
    """Further hosts that the browser may reach, besides the site itself; no other is contacted."""

    filter: str = "filter:videos"
    """Added to every query."""

    requests_per_window: Annotated[int, Field(ge=1, le=40)] = 40
    """Budget: maximum number of search calls per window; the site's own quota was last seen at 50."""

    window: Annotated[Duration, AfterValidator(_validate_window)] = _SITE_WINDOW
    """The window that search calls are counted in; shorter only for a simulated site on this machine."""

    spacing: Duration = timedelta(seconds=25)
    """Minimum time from the start of one search to the start of the next."""

    jitter: Annotated[float, Field(ge=0, le=2)] = 0.3
    """Random addition to the minimum time, as a fraction of it."""

    patience: Duration = timedelta(seconds=65)
    """Longest wait for the throttle; a search that would wait longer is refused with Retry-After. Longer than the
    longest time between two searches and the longest search together; else a search that comes just after another is
    always refused."""

    browser_check: Annotated[Duration, Field(gt=timedelta(0))] = timedelta(seconds=15)
    """How often an idle browser is checked; after a failed search it is checked at once."""

    time_limit: Duration = timedelta(seconds=28)
    """Time limit of one search, without waiting for the throttle."""

    page_timeout: Duration = timedelta(seconds=15)
    """Timeout of opening the page."""

    answer_timeout: Duration = timedelta(seconds=12)
    """Timeout of the first answer of an opened page."""

    scroll_timeout: Duration = timedelta(seconds=6)
    """Timeout of the page's next search call after it is scrolled."""

    scroll_linger: Duration = timedelta(milliseconds=600)
    """Minimum time between two scrolls."""

    most_pages: Annotated[int, Field(ge=1, le=20)] = 4
    """Maximum number of result pages of one search; each is one call of the budget."""

    answer_limit: Bytes = 8 * 2**20
    """Maximum size of an answer of the site."""

    canary_every: Duration = timedelta(hours=1)
    """Interval of the canary, a search that must find posts; 0s: never."""

    canary_query: Annotated[str, Field(min_length=1)] = "football"
    """What the canary searches for."""

    empty_believed: Duration = timedelta(minutes=15)
    """How long after X last showed the account posts an empty answer is accepted. After that an empty answer costs no
    attempt of a goal: the canary runs first. Has no effect without a canary."""

    near: Duration = timedelta(minutes=10)
    """A search that reaches farther back, and finds more than it may read, reads the newest posts and those of this
    time from the beginning of the requested range."""

    pause_expired: Duration = timedelta(minutes=5)
    """Cooldown after the site asked for a log-in."""

    pause_locked: Duration = timedelta(hours=6)
    """Cooldown after the site locked the account."""

    pause_blocked: Duration = timedelta(minutes=10)
    """Cooldown after the site blocked the browser."""

    pause_drift: Duration = timedelta(minutes=2)
    """Cooldown after an answer in an unknown format."""

    login_time: Duration = timedelta(minutes=15)
    """How long the log-in page stays open for a person."""

    drain: Duration = timedelta(seconds=40)
    """How long a running search may take to finish when the process is stopped."""
