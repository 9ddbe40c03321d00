"""The search services, as one: asks a healthy one, goes on to the next, and names what is wrong when none answers.

An empty list from here means that a working search found nothing. Everything else raises:

OutsideError
├── Unavailable          no instance could be reached, or they failed in passing
├── RateLimited          every instance has used up its allowance; `retry_after` if one said how long
├── Malformed            an instance answered with something that is not its contract
├── Denied
│   ├── SessionExpired   somebody must log in again
│   ├── Blocked          the site refuses this browser
│   └── AccountLocked    the account must be unlocked by its owner
└── ProtocolDrift        the site has changed its shape; the service needs an update
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from found_footy.model.handoff import FoundVideo, VideoVariant
from found_footy.platform.errors import Denied, Malformed, OutsideError, RateLimited, Unavailable
from found_footy.platform.http import HttpAnswer, SafeHttp

SYSTEM = "X search"
_TWEET_ID = re.compile(r"[0-9]{15,20}")
_LONGEST_TEXT = 500
_LONGEST_URL = 2_000
_MOST_VARIANTS = 20
_OK = 200


class SessionExpired(Denied):
    pass


class Blocked(Denied):
    pass


class AccountLocked(Denied):
    pass


class ProtocolDrift(OutsideError):
    pass


_BY_CODE: Mapping[str, type[OutsideError]] = {
    "session_expired": SessionExpired,
    "blocked": Blocked,
    "account_locked": AccountLocked,
    "protocol_drift": ProtocolDrift,
}
# When every instance fails, the one that will recover soonest decides what the caller is told.
_SOONEST: Sequence[type[OutsideError]] = (
    Unavailable, RateLimited, Malformed, SessionExpired, AccountLocked, Blocked, ProtocolDrift,
)  # fmt: skip


@dataclass(frozen=True)
class Found:
    """What a working search found. `refused_ids` counts results dropped because their post id cannot be one."""

    videos: tuple[FoundVideo, ...]
    refused_ids: int = 0


@dataclass
class _Instance:
    base: str
    rests_until: float = 0.0
    last_used: float = field(default=0.0)


class SearchPool:
    """Spreads searches over the given base addresses, least recently used first; one that failed rests for a while."""

    def __init__(
        self, http: SafeHttp, bases: Sequence[str], *, rest: timedelta, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._http = http
        self._rest = rest.total_seconds()
        self._clock = clock
        self._instances = [_Instance(base.rstrip("/")) for base in bases]

    async def search(self, query: str, *, max_age_minutes: int, limit: int, exclude: Sequence[str]) -> Found:
        """Newest videos for `query`. Raises as drawn above when no instance gives an answer."""
        body = {"query": query, "max_age_minutes": max_age_minutes, "limit": limit, "exclude": list(exclude)}
        failures: list[OutsideError] = []
        for instance in self._in_order():
            try:
                return await self._ask(instance, body)
            except OutsideError as error:
                failures.append(error)
                instance.rests_until = self._clock() + self._rest_after(error)
        raise _worst_to_wait_for(failures)

    def _in_order(self) -> Iterator[_Instance]:
        """Rested instances first; if all rest, they are asked all the same: the caller's retries are the limit."""
        now = self._clock()
        yield from sorted(self._instances, key=lambda i: (i.rests_until > now, i.last_used))

    def _rest_after(self, error: OutsideError) -> float:
        wait = error.retry_after if isinstance(error, RateLimited) else None
        return max(wait or 0.0, self._rest)

    async def _ask(self, instance: _Instance, body: dict[str, Any]) -> Found:
        instance.last_used = self._clock()
        answer = await self._http.request("POST", f"{instance.base}/search", json=body)
        if answer.status != _OK:
            raise _failure(answer)
        return parse_found(answer.json())


def _worst_to_wait_for(failures: Sequence[OutsideError]) -> OutsideError:
    for kind in _SOONEST:
        of_kind = [failure for failure in failures if type(failure) is kind]
        if of_kind:
            return min(of_kind, key=lambda failure: getattr(failure, "retry_after", None) or 0.0)
    return failures[0] if failures else Unavailable(SYSTEM, "no search service is set up")


def _failure(answer: HttpAnswer) -> OutsideError:
    """The typed error of a failed answer; the service names it, the status alone says too little."""
    try:
        body = answer.json()
    except Malformed:
        body = None
    if not isinstance(body, dict):
        return Unavailable(SYSTEM, f"status {answer.status}")
    code, detail = str(body.get("error", "")), str(body.get("detail", ""))[:_LONGEST_TEXT]
    if code == "rate_limited":
        return RateLimited(SYSTEM, detail or code, _seconds(body.get("retry_after")))
    return _BY_CODE.get(code, Unavailable)(SYSTEM, f"{code} {detail}".strip() or f"status {answer.status}")


def parse_found(body: Any) -> Found:
    """The answer of a search as values. Malformed if it is not one; results that cannot be posts are counted away."""
    results = body.get("videos") if isinstance(body, dict) else None
    if not isinstance(results, list):
        raise Malformed(SYSTEM, "the answer has no list of videos")
    good = [result for result in results if _is_post(result)]
    return Found(tuple(_video(result) for result in good), len(results) - len(good))


def _is_post(result: Any) -> bool:
    return (
        isinstance(result, dict)
        and isinstance(result.get("tweet_id"), str)
        and _TWEET_ID.fullmatch(result["tweet_id"]) is not None
        and _is_url(result.get("url"))
    )


def _is_url(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("https://", "http://")) and len(value) <= _LONGEST_URL


def _video(result: Mapping[str, Any]) -> FoundVideo:
    variants = result.get("variants")
    return FoundVideo(
        url=result["url"],
        tweet_id=result["tweet_id"],
        author=str(result.get("author") or "")[:_LONGEST_TEXT],
        posted_at=_time(result.get("posted_at")),
        duration_seconds=_seconds(result.get("duration_seconds")),
        text=str(result.get("text") or "")[:_LONGEST_TEXT],
        variants=tuple(_variants(variants if isinstance(variants, list) else [])),
    )


def _variants(values: Sequence[Any]) -> Iterator[VideoVariant]:
    for value in values[:_MOST_VARIANTS]:
        if isinstance(value, dict) and _is_url(value.get("url")):
            size = (_whole(value.get(name)) for name in ("bitrate", "width", "height"))
            yield VideoVariant(value["url"], *size)


def _whole(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and 0 <= value < 1e12 else 0


def _seconds(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 < value < 1e9 else None


def _time(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None
