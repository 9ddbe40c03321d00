"""The account that searches: its budget, its cookies, and what is known of its log-in."""

import logging
from collections.abc import Callable
from datetime import datetime

from found_footy.platform.errors import BadInput
from found_footy.xsearch.cookies import Jar, logged_in
from found_footy.xsearch.emptiness import Emptiness
from found_footy.xsearch.errors import RateLimited, SearchFailed, SessionExpired
from found_footy.xsearch.jar import CookieFile
from found_footy.xsearch.ledger import Ledger
from found_footy.xsearch.session import (
    Pauses,
    Session,
    SessionState,
    after_failure,
    after_login,
    after_shell,
    after_success,
)
from found_footy.xsearch.signals import EmptyShell

logger = logging.getLogger(__name__)


class Account:
    """Holds the present `session`; decisions about it are made by the session module."""

    def __init__(self, ledger: Ledger, cookie_file: CookieFile, pauses: Pauses, clock: Callable[[], datetime]) -> None:
        self.ledger = ledger
        self.session = Session()
        self.emptiness = Emptiness()
        self.login_at: datetime | None = None
        self.now = clock
        self._cookie_file = cookie_file
        self._pauses = pauses

    @property
    def state(self) -> SessionState:
        return self.session.shown(self.now())

    def refuse(self) -> None:
        """Raises what is known to stand in the way, so that it is not tried."""
        if standing := self.session.refusal(self.now()):
            raise standing
        if self.ledger.left() < 1:
            raise RateLimited("the request budget is used up", self.ledger.opens_at())

    def succeeded(self) -> None:
        self.session = after_success(self.session, self.now())

    def heard(self, *, posts: bool, contradicted: bool) -> None:
        """What a search that was answered says about this account's empty answers."""
        self.emptiness = self.emptiness.after(self.now(), posts=posts, contradicted=contradicted)

    def failed(self, failure: SearchFailed) -> SearchFailed:
        """Remember what failed; returns the failure with the time at which it may be over."""
        if isinstance(failure, RateLimited) and self.ledger.left() > 0:
            self.ledger.close(failure.until)
        if isinstance(failure, EmptyShell):
            self.session = after_shell(self.session)
        now = self.now()
        self.session = after_failure(self.session, failure, now, self._pauses, self.ledger.opens_at())
        return self.session.refusal(now) or failure

    def new_login(self, jar: Jar) -> None:
        """Somebody brought a session; whether it works is not known yet."""
        self._cookie_file.keep(jar)
        self.session = after_login(self.now())
        self.emptiness = Emptiness()
        self.login_at = self.now()

    def nobody(self) -> None:
        """There is no session to begin with, so nothing is tried before somebody brings one."""
        if self.session.state is SessionState.UNKNOWN:
            self.session = Session(SessionState.EXPIRED, self.now(), SessionExpired("nobody has logged in yet"))

    def keep_cookies(self, jar: Jar) -> bool:
        """Store what the browser has now; false if that holds no session, and then nothing is stored."""
        return logged_in(jar) and self._cookie_file.keep(jar)

    def stored_cookies(self) -> Jar:
        try:
            return self._cookie_file.load()
        except BadInput as error:
            logger.error("stored cookies are of no use", extra={"action": "load_session", "error": str(error)})  # noqa: TRY400
            return ()
