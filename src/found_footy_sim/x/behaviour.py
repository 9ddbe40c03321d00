"""Behaviour of the site: normal, or one of its known failures."""

from collections import deque
from collections.abc import Iterable
from enum import StrEnum


class XSiteMode(StrEnum):
    """One of the site's known behaviours. `NORMAL` is a healthy, logged-in search."""

    NORMAL = "normal"
    # the session
    LOGIN_WALL = "login_wall"
    ONBOARDING = "onboarding"
    UNAUTHORIZED = "unauthorized"
    CODE_32 = "code_32"
    FORBIDDEN_EMPTY = "forbidden_empty"
    COOKIES_CLEARED = "cookies_cleared"
    CT0_ROTATION = "ct0_rotation"
    # the account
    LOCKED_PAGE = "locked_page"
    LOCKED_TEXT = "locked_text"
    LOCKED_CODE = "locked_code"
    RATE_LIMITED = "rate_limited"
    CODE_88 = "code_88"
    CODE_88_EARLY = "code_88_early"
    LAST_REQUEST = "last_request"
    # the protocol
    NOT_FOUND_EMPTY = "not_found_empty"
    FEATURES_NULL = "features_null"
    NO_INSTRUCTIONS = "no_instructions"
    UNREADABLE_POSTS = "unreadable_posts"
    NOT_JSON = "not_json"
    HOISTED = "hoisted"
    # the network and the servers
    DEGRADED = "degraded"
    DEGRADED_EMPTY = "degraded_empty"
    LOAD_SHED = "load_shed"
    TIMEOUT = "timeout"
    SERVER_ERROR = "server_error"
    PAGE_ERROR = "page_error"
    SECOND_PAGE_ERROR = "second_page_error"
    HELD = "held"  # answers when the test releases it
    # the Cloudflare challenge
    CLOUDFLARE_PAGE = "cloudflare_page"
    CLOUDFLARE_API = "cloudflare_api"
    EMPTY_SHELL = "empty_shell"
    NO_RESULTS = "no_results"
    # the account, silently limited
    SILENT_LIMIT = "silent_limit"  # every search is answered with a valid, empty page
    SILENT_AT_TIMES = "silent_at_times"  # three of ten searches are
    SUSPENDED = "suspended"  # pages open with a notice, search calls are not found


# Of every ten search pages; the first one is among them.
_SILENT_PAGE_NUMBERS = (1, 4, 8)


class XSiteBehaviour:
    """The current mode. A script of further modes advances by one with every search page that is opened."""

    def __init__(self) -> None:
        self.mode = XSiteMode.NORMAL
        self._page_count = 0
        self._next_modes: deque[XSiteMode] = deque()

    def set_modes(self, mode: XSiteMode, then: Iterable[XSiteMode] = ()) -> None:
        """`mode` for the next search page, then one of `then` for each after it; the last one stays."""
        self.mode = mode
        self._page_count = 0
        self._next_modes = deque([mode, *then])

    def open_page(self) -> XSiteMode:
        if self._next_modes:
            self.mode = self._next_modes.popleft()
        self._page_count += 1
        return self.mode

    @property
    def is_silent(self) -> bool:
        """Whether the current search page is answered with no results."""
        return self.mode is XSiteMode.SILENT_AT_TIMES and self._page_count % 10 in _SILENT_PAGE_NUMBERS
