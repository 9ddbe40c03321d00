"""The account that searches: its budget, its cookies, and what is known of its log-in."""

import logging
from collections.abc import Callable
from datetime import datetime

from found_footy.platform.errors import BadInput
from found_footy.xsearch.errors import SearchFailed, XRateLimited, XSessionExpired
from found_footy.xsearch.results.responses import EmptyShell
from found_footy.xsearch.session.budget_ledger import BudgetLedger
from found_footy.xsearch.session.cookie_file import CookieFile
from found_footy.xsearch.session.cookies import CookieJar, has_session
from found_footy.xsearch.session.empty_answers import EmptyAnswerHistory
from found_footy.xsearch.session.state import (
    AccountSession,
    PauseDurations,
    SessionState,
    session_after_empty_shell,
    session_after_failure,
    session_after_login,
    session_after_success,
)

logger = logging.getLogger(__name__)


class SearchAccount:
    """Holds the present `session`; decisions about it are made by the session module."""

    def __init__(
        self,
        budget_ledger: BudgetLedger,
        cookie_file: CookieFile,
        pause_durations: PauseDurations,
        clock: Callable[[], datetime],
    ) -> None:
        self.budget_ledger = budget_ledger
        self.session = AccountSession()
        self.empty_answers = EmptyAnswerHistory()
        self.login_at: datetime | None = None
        self.now = clock
        self._cookie_file = cookie_file
        self._pause_durations = pause_durations

    @property
    def state(self) -> SessionState:
        return self.session.reported_state(self.now())

    def raise_if_unavailable(self) -> None:
        """Raises what is known to stand in the way, so that it is not tried."""
        if standing := self.session.active_failure(self.now()):
            raise standing
        if self.budget_ledger.left() < 1:
            raise XRateLimited("the request budget is used up", self.budget_ledger.opens_at())

    def record_success(self) -> None:
        self.session = session_after_success(self.session, self.now())

    def record_answer(self, *, posts: bool, contradicted: bool) -> None:
        """What a search that was answered says about this account's empty answers."""
        self.empty_answers = self.empty_answers.with_answer(self.now(), posts=posts, contradicted=contradicted)

    def record_failure(self, failure: SearchFailed) -> SearchFailed:
        """Remember what failed; returns the failure with the time at which it may be over."""
        if isinstance(failure, XRateLimited) and self.budget_ledger.left() > 0:
            self.budget_ledger.close(failure.until)
        if isinstance(failure, EmptyShell):
            self.session = session_after_empty_shell(self.session)
        now = self.now()
        self.session = session_after_failure(
            self.session, failure, now, self._pause_durations, self.budget_ledger.opens_at()
        )
        return self.session.active_failure(now) or failure

    def record_login(self, jar: CookieJar) -> None:
        """Somebody brought a session; whether it works is not known yet."""
        self._cookie_file.save(jar)
        self.session = session_after_login(self.now())
        self.empty_answers = EmptyAnswerHistory()
        self.login_at = self.now()

    def mark_logged_out(self) -> None:
        """There is no session to begin with, so nothing is tried before somebody brings one."""
        if self.session.state is SessionState.UNKNOWN:
            self.session = AccountSession(SessionState.EXPIRED, self.now(), XSessionExpired("nobody has logged in yet"))

    def store_cookies(self, jar: CookieJar) -> bool:
        """Store what the browser has now; false if that holds no session, and then nothing is stored."""
        return has_session(jar) and self._cookie_file.save(jar)

    def load_cookies(self) -> CookieJar:
        try:
            return self._cookie_file.load()
        except BadInput as error:
            logger.error("stored cookies are of no use", extra={"action": "load_session", "error": str(error)})  # noqa: TRY400
            return ()
