"""Any service that Apprise knows, by its address. Apprise tells neither a message's id nor why one failed, other than
in its log, so every moment is a message of its own.
"""

import json
import os
import sys
from datetime import timedelta
from importlib.util import find_spec
from typing import ClassVar, Literal

from found_footy.notify.channels.base import CallLimits, ChannelMessage, NotifyChannel
from found_footy.notify.errors import MessageRejected, UnknownOutcome
from found_footy.notify.outbox import ChannelTraits
from found_footy.platform.errors import ConfigError, Refused, Unavailable
from found_footy.platform.process.runner import ProcessLimits, ProcessOutcome, run_process
from found_footy.platform.wire import LenientText, WireModel, parse_or_none

SYSTEM = "Apprise"
_CHILD_MODULE = "found_footy.notify.channels.apprise_child"
_CHILD_LIMITS = ProcessLimits(memory=2**31, cpu_seconds=30, file_size=0, open_files=256)
# Starting Python and loading Apprise's plug-ins, beside the call itself.
_START_TIME = timedelta(seconds=10)
_MIN_SECRET_LENGTH = 4


class _ChildAnswer(WireModel):
    outcome: Literal["sent", "failed", "refused", "unusable"]
    text: LenientText = ""


class AppriseSender(NotifyChannel):
    traits: ClassVar[ChannelTraits] = ChannelTraits(edits=False, repeatable=False)

    def __init__(self, url: str, limits: CallLimits) -> None:
        if find_spec("apprise") is None:
            raise ConfigError("a channel of kind apprise needs the extra notify: pip install 'found-footy[notify]'")
        self._url = url
        self._limits = limits

    async def send(self, message: ChannelMessage) -> str | None:
        body = "\n".join(part for part in (message.text.body, message.text.link) if part)
        order = {
            "url": self._url,
            "title": message.text.title,
            "body": body,
            "trusted": list(self._limits.trusted_hosts),
        }
        child = await run_process(
            [sys.executable, "-P", "-m", _CHILD_MODULE],
            timeout=self._limits.timeout + _START_TIME,
            limits=_CHILD_LIMITS,
            stdin=json.dumps(order).encode(),
            max_output=self._limits.max_bytes,
            environment=_child_environment(),
        )
        if child.outcome is ProcessOutcome.TIMED_OUT:
            raise UnknownOutcome(SYSTEM, f"not done within {self._limits.timeout.total_seconds():g} s")
        answer = parse_or_none(_ChildAnswer, _read_json(child.stdout)) if child.is_success else None
        if answer is None:
            raise UnknownOutcome(SYSTEM, f"its process ended with {child.exit_code}: {self._redact(child.stderr)}")
        # A refused address is that of the machine, which a person needs to know.
        text = answer.text if answer.outcome == "refused" else self._redact(answer.text.encode())
        _raise_failure(answer.outcome, text)
        return None

    async def edit(self, message_id: str, message: ChannelMessage) -> None:
        raise NotImplementedError("messages of Apprise are not edited")

    async def aclose(self) -> None:
        pass

    def _redact(self, log: bytes) -> str:
        """The last line of a log, without any part of the address that could be a secret."""
        text = (log.decode("utf-8", "replace").strip().splitlines() or [""])[-1][-300:]
        parts = self._url.partition("://")[2].replace("@", "/").replace(":", "/").replace("?", "/").split("/")
        for part in sorted(filter(lambda part: len(part) >= _MIN_SECRET_LENGTH, parts), key=len, reverse=True):
            text = text.replace(part, "***")
        return text


def _raise_failure(outcome: str, text: str) -> None:
    if outcome == "refused":
        raise Refused(SYSTEM, text)
    if outcome == "unusable":
        raise MessageRejected(SYSTEM, f"the address is not usable: {text}")
    if outcome == "failed":
        raise Unavailable(SYSTEM, text or "the message was not sent")


def _read_json(output: bytes) -> object:
    try:
        return json.loads(output)
    except ValueError:
        return None


def _child_environment() -> dict[str, str]:
    """No credentials, no proxies; only what Python needs to import this package."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": "/nonexistent"}
