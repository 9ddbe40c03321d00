"""Limits on signing in: per address, per account, and apart from both per browser that the account knows."""

from dataclasses import dataclass, field

from found_footy.platform.http.access_tokens import AttemptWindow, caller_key

_PER_ADDRESS, _ADDRESS_SECONDS = 10, 60.0
_PER_ACCOUNT, _ACCOUNT_SECONDS = 20, 600.0
_PER_DEVICE = 10


@dataclass
class SignInLimits:
    """Wrong passwords within a sliding window. Somebody who keeps guessing an account's password from many addresses
    shuts out new browsers only: one that the account has signed in with counts on its own, so the owner comes in.
    """

    _addresses: AttemptWindow = field(default_factory=lambda: AttemptWindow(_PER_ADDRESS, _ADDRESS_SECONDS))
    _accounts: AttemptWindow = field(default_factory=lambda: AttemptWindow(_PER_ACCOUNT, _ACCOUNT_SECONDS))
    _devices: AttemptWindow = field(default_factory=lambda: AttemptWindow(_PER_DEVICE, _ADDRESS_SECONDS))

    def seconds_until_retry(self, host: str, name: str, device: str, now: float) -> float:
        """`device` is empty for a browser that the account does not know."""
        if device:
            return self._devices.seconds_until_retry(device, now)
        waits = (
            self._addresses.seconds_until_retry(caller_key(host), now),
            self._accounts.seconds_until_retry(name, now),
        )
        return max(waits)

    def forget_attempts(self, host: str, name: str, device: str) -> None:
        """After a right password: only wrong ones are to count."""
        if device:
            self._devices.forget_latest(device)
            return
        self._addresses.forget_latest(caller_key(host))
        self._accounts.forget_latest(name)

    def record_attempt(self, host: str, name: str, device: str, now: float) -> None:
        """Before the password is compared: attempts at the same time count as well."""
        if device:
            self._devices.record_attempt(device, now)
            return
        self._addresses.record_attempt(caller_key(host), now)
        self._accounts.record_attempt(name, now)
