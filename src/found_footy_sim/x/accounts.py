"""Accounts, sessions and the rate limit of the simulated site."""

import secrets
import time
from dataclasses import dataclass, field

SESSION_COOKIE = "auth_token"
CSRF_COOKIE = "ct0"
WINDOW_SECONDS = 900


@dataclass
class XRateLimit:
    """Fixed windows of a quarter hour, or its equivalent in a faster world, as reported in the headers."""

    limit: int = 50
    used: int = 0
    resets_at: int = field(default_factory=lambda: int(time.time()) + WINDOW_SECONDS)
    window: int = WINDOW_SECONDS

    def count_request(self) -> bool:
        if time.time() >= self.resets_at:
            self.used, self.resets_at = 0, int(time.time()) + self.window
        self.used += 1
        return self.used <= self.limit

    def headers(self, remaining: int | None = None) -> dict[str, str]:
        left = max(0, self.limit - self.used) if remaining is None else remaining
        return {
            "x-rate-limit-limit": str(self.limit),
            "x-rate-limit-remaining": str(left),
            "x-rate-limit-reset": str(self.resets_at),
        }


@dataclass
class XSession:
    token: str
    handle: str
    csrf: str
    rate_limit: XRateLimit


class XAccounts:
    """The accounts, and their sessions."""

    def __init__(self, passwords: dict[str, str], limit: int, window: int = WINDOW_SECONDS) -> None:
        self._passwords = passwords
        self._limit = limit
        self._window = window
        self._sessions: dict[str, XSession] = {}

    def log_in(self, handle: str, password: str) -> XSession | None:
        known = self._passwords.get(handle)
        if known is None or not secrets.compare_digest(known.encode(), password.encode()):
            return None
        return self.open_session(handle)

    def open_session(self, handle: str) -> XSession:
        allowance = XRateLimit(self._limit, resets_at=int(time.time()) + self._window, window=self._window)
        session = XSession(secrets.token_hex(20), handle, secrets.token_hex(16), allowance)
        self._sessions[session.token] = session
        return session

    def find_session(self, token: str | None) -> XSession | None:
        return self._sessions.get(token or "")

    def end_sessions(self) -> None:
        self._sessions.clear()
