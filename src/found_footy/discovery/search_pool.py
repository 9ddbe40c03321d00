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

import asyncio
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from found_footy.discovery.fair_line import FairLine, TooLong, Turn
from found_footy.discovery.metrics import SEARCH_WAIT, publish
from found_footy.discovery.search_errors import AccountLocked, Blocked, ProtocolDrift, SessionExpired
from found_footy.discovery.sources import Found, Wanted
from found_footy.discovery.standing import REFUSED, UNREACHABLE, InstanceReport, PoolReport, Standing, read_standing
from found_footy.model.handoff import FoundVideo, VideoVariant
from found_footy.platform.errors import Malformed, OutsideError, RateLimited, Unavailable
from found_footy.platform.http import HttpAnswer, SafeHttp

SYSTEM = "X search"
_TWEET_ID = re.compile(r"[0-9]{15,20}")
_LONGEST_TEXT = 500
_LONGEST_URL = 2_000
_MOST_VARIANTS = 20
_OK = 200
# What a service answers to those without its token, or who call it by a name that it does not know.
_REFUSING = frozenset({401, 403, 421})
# What a service says of itself is believed for this long; a health check costs it nothing.
_STANDING_KEPT = 15.0
HEALTH_SECONDS = 3.0
_LONGEST_EXCLUDED = 500
_ANY_TURN = Turn()

__all__ = [
    "AccountLocked", "Blocked", "Found", "ProtocolDrift", "SearchPool", "SessionExpired", "parse_found",
]  # fmt: skip


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


@dataclass
class _Instance:
    base: str
    rests_until: float = 0.0
    last_used: float = 0.0
    in_use: int = 0
    searches: int = 0
    standing: Standing = field(default_factory=Standing)
    looked_at: float = float("-inf")


class SearchPool:
    """Spreads searches over the given base addresses, one at a time on each: fit and rested ones first, then those
    with the most budget left, then the least recently used. One that failed rests for a while.

    When more goals want to search than there are services, the one with the fewest attempts goes first, then the
    newest; who waits longer than `patience` is told RateLimited. All services together get `limit` to answer.
    """

    name = "x"

    def __init__(
        self,
        http: SafeHttp,
        bases: Sequence[str],
        *,
        rest: timedelta,
        patience: timedelta = timedelta(seconds=75),
        limit: timedelta = timedelta(seconds=125),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._http = http
        self._rest = rest.total_seconds()
        self._patience = patience
        self._limit = limit.total_seconds()
        self._clock = clock
        self._instances = [_Instance(base.rstrip("/")) for base in bases]
        self._line = FairLine(len(self._instances))

    async def find(self, wanted: Wanted) -> Found:
        """The port of sources, for X."""
        known = [url for url in wanted.known if len(url) <= _LONGEST_EXCLUDED]
        return await self.search(
            wanted.query, max_age_minutes=wanted.max_age_minutes, limit=wanted.limit, exclude=known, turn=wanted.turn,
            since=wanted.since,
        )  # fmt: skip

    async def search(
        self, query: str, *, max_age_minutes: int, limit: int, exclude: Sequence[str], turn: Turn = _ANY_TURN,
        since: datetime | None = None,
    ) -> Found:  # fmt: skip
        """Newest videos for `query`, back to `since` or for `max_age_minutes`, whichever is longer.

        Raises as drawn above when no instance gives an answer.
        """
        if not self._instances:
            raise Unavailable(SYSTEM, "no search service is set up")
        body: dict[str, Any] = {
            "query": query,
            "max_age_minutes": max_age_minutes,
            "limit": limit,
            "exclude": list(exclude),
        }
        if since is not None:
            body["since"] = since.isoformat()
        began = self._clock()
        try:
            async with self._line.served(turn, self._patience):
                SEARCH_WAIT.observe(max(0.0, self._clock() - began))
                return await self._first_answer(body)
        except TooLong as crowd:
            detail = f"{crowd.waiting} searches wait for {len(self._instances)} search services"
            raise RateLimited(SYSTEM, detail) from crowd
        finally:
            publish(self.report())

    async def survey(self) -> PoolReport:
        """How every instance stands, asked now."""
        await self._look(max_age=0.0)
        return self.report()

    def report(self) -> PoolReport:
        now = self._clock()
        return PoolReport(
            tuple(InstanceReport(i.base, i.standing, i.rests_until > now, i.searches) for i in self._instances),
            self._line.waiting,
        )

    async def _first_answer(self, body: dict[str, Any]) -> Found:
        await self._look(max_age=_STANDING_KEPT)
        failures: list[OutsideError] = []
        tried: list[_Instance] = []
        deadline = asyncio.get_running_loop().time() + self._limit
        while left := [instance for instance in self._instances if instance not in tried]:
            instance = min(left, key=self._preference)
            tried.append(instance)
            try:
                async with asyncio.timeout_at(deadline):
                    return await self._ask(instance, body)
            except OutsideError as error:
                failures.append(error)
                instance.rests_until = self._clock() + self._rest_after(error)
            except TimeoutError:
                failures.append(Unavailable(SYSTEM, f"no answer within {self._limit:.0f} s"))
                instance.rests_until = self._clock() + self._rest
                break
        raise _worst_to_wait_for(failures)

    def _preference(self, instance: _Instance) -> tuple[bool, int, bool, bool, int, float]:
        """Less is better. If all rest, they are asked all the same: the caller's retries are the limit."""
        standing = instance.standing
        unfit = standing.fit is False
        return (
            instance.rests_until > self._clock(), instance.in_use, standing.spent_out, unfit, -(standing.left or 0),
            instance.last_used,
        )  # fmt: skip

    def _rest_after(self, error: OutsideError) -> float:
        wait = error.retry_after if isinstance(error, RateLimited) else None
        return max(wait or 0.0, self._rest)

    async def _ask(self, instance: _Instance, body: dict[str, Any]) -> Found:
        instance.last_used = self._clock()
        instance.in_use += 1
        try:
            answer = await self._http.request("POST", f"{instance.base}/search", json=body)
        finally:
            instance.in_use -= 1
        if answer.status != _OK:
            raise _failure(answer)
        instance.searches += 1
        if instance.standing.left:
            instance.standing = replace(instance.standing, left=instance.standing.left - 1)
        return parse_found(answer.json())

    async def _look(self, max_age: float) -> None:
        """Ask those how they stand whose last word is older than `max_age` seconds."""
        old = [i for i in self._instances if self._clock() - i.looked_at >= max_age]
        await asyncio.gather(*(self._look_at(instance) for instance in old))

    async def _look_at(self, instance: _Instance) -> None:
        instance.looked_at = self._clock()
        try:
            async with asyncio.timeout(HEALTH_SECONDS):
                answer = await self._http.request("GET", f"{instance.base}/health")
            instance.standing = _standing_of(answer)
        except (OutsideError, TimeoutError) as error:
            instance.standing = UNREACHABLE if isinstance(error, Unavailable | TimeoutError) else Standing()


def _standing_of(answer: HttpAnswer) -> Standing:
    if answer.status in _REFUSING:
        return REFUSED
    return read_standing(answer.json()) if answer.status == _OK else Standing()


def _worst_to_wait_for(failures: Sequence[OutsideError]) -> OutsideError:
    for kind in _SOONEST:
        of_kind = [failure for failure in failures if type(failure) is kind]
        if of_kind:
            return min(of_kind, key=lambda failure: getattr(failure, "retry_after", None) or 0.0)
    return failures[0]


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
    return Found(tuple(_video(result) for result in good), len(results) - len(good), cut_short=_is_cut_short(body))


def _is_cut_short(body: Mapping[str, Any]) -> bool:
    """Whether asking for as far back again can find more. After as many pages as are allowed it can while they held
    something new; without, it would read the same ones again, and each of them costs budget.
    """
    return body.get("incomplete") is True and (body.get("stop") != "pages" or bool(body.get("videos")))


def _is_post(result: Any) -> bool:
    return (
        isinstance(result, dict)
        and isinstance(result.get("tweet_id"), str)
        and _TWEET_ID.fullmatch(result["tweet_id"]) is not None
        and _is_url(result.get("url"))
    )


def _is_url(value: Any) -> bool:
    """Short and in characters that every store and wire can carry; where it may lead is for the fetcher to say."""
    return (
        isinstance(value, str)
        and value.startswith(("https://", "http://"))
        and len(value) <= _LONGEST_URL
        and value.isprintable()
    )


def _text(value: Any) -> str:
    """Text that every store and wire can carry: JSON may hold halves of characters."""
    return str(value or "").encode("utf-8", "replace").decode("utf-8")[:_LONGEST_TEXT]


def _video(result: Mapping[str, Any]) -> FoundVideo:
    variants = result.get("variants")
    return FoundVideo(
        url=result["url"],
        tweet_id=result["tweet_id"],
        author=_text(result.get("author")),
        posted_at=_time(result.get("posted_at")),
        duration_seconds=_seconds(result.get("duration_seconds")),
        text=_text(result.get("text")),
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
