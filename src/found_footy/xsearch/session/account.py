"""The account that searches: its budget, its cookies, and the state of its log-in."""

from datetime import datetime

from found_footy.platform.clock import Clock
from found_footy.platform.errors import BadInput
from found_footy.platform.logs import ActionLogger
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

logger = ActionLogger(__name__)


class SearchAccount:
    """Holds the current `session`; the `state` module decides about its changes."""

    def __init__(
        self,
        budget_ledger: BudgetLedger,
        cookie_file: CookieFile,
        pause_durations: PauseDurations,
        clock: Clock,
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
        """Raise the failure that is known to prevent a search, instead of trying."""
        if failure := self.session.active_failure(self.now()):
            raise failure
        if self.budget_ledger.left() < 1:
            raise XRateLimited("the request budget is used up", self.budget_ledger.opens_at())

    def record_success(self) -> None:
        self.session = session_after_success(self.session, self.now())

    def record_answer(self, *, posts: bool, contradicted: bool) -> None:
        """Record what an answered search says about this account's empty answers."""
        self.empty_answers = self.empty_answers.with_answer(self.now(), posts=posts, contradicted=contradicted)

    def record_failure(self, failure: SearchFailed) -> SearchFailed:
        """Record a failure; returns it with the time at which it may be over."""
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
        """Record a new session; whether it works is not known yet."""
        self._cookie_file.save(jar)
        self.session = session_after_login(self.now())
        self.empty_answers = EmptyAnswerHistory()
        self.login_at = self.now()

    def mark_logged_out(self) -> None:
        """Record that there is no session, so that nothing is tried before somebody logs in."""
        if self.session.state is SessionState.UNKNOWN:
            self.session = AccountSession(SessionState.EXPIRED, self.now(), XSessionExpired("nobody has logged in yet"))

    def store_cookies(self, jar: CookieJar) -> bool:
        """Store the browser's cookies; False, without storing them, if they hold no session."""
        return has_session(jar) and self._cookie_file.save(jar)

    def load_cookies(self) -> CookieJar:
        try:
            return self._cookie_file.load()
        except BadInput as error:
            logger.error("the stored cookies cannot be used", action="load_session", error=str(error))  # noqa: TRY400
            return ()
