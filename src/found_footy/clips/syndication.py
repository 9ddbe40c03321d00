"""The endpoint behind embedded posts: the videos of a post on X, without an account and without cookies."""

import asyncio
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from found_footy.clips.fetch_refusal import Refusal
from found_footy.clips.syndication_post import EMPTY, Post, read_post, the_one, valid_id
from found_footy.clips.syndication_token import token
from found_footy.model.handoff import FoundVideo, VideoVariant
from found_footy.model.outcome import ClipOutcome
from found_footy.platform.errors import BadInput, Malformed, OutsideError, Refused, Unavailable
from found_footy.platform.http import HttpAnswer, SafeHttp

SYSTEM = "X embeds"
MAX_ANSWER = 1024 * 1024
_OK, _SERVER_ERROR = 200, 500
_GONE = (404, 410)
_THROTTLED = (403, 429)
_JSON = re.compile(r"application/([a-z.+-]+\+)?json\b", re.IGNORECASE)
_REST = 60.0
_LONGEST_REST = 900.0
_EPOCH = datetime(2010, 11, 4, 1, 42, 54, 657_000, tzinfo=UTC)
_CLOCK_BITS = 22
# A post is told by caches that may not have it yet.
_FRESH = timedelta(minutes=2)


class Syndication:
    """Told to slow down, it asks nothing for a while and says so. `pause` is how long an empty answer about a post
    that was only just written is waited on before the one repetition.
    """

    def __init__(
        self,
        http: SafeHttp,
        base: str,
        *,
        pause: timedelta = timedelta(seconds=7),
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._http = http
        self._url = f"{base.rstrip('/')}/tweet-result"
        self._pause = pause.total_seconds()
        self._clock = clock
        self._now = now
        self._rests_until = float("-inf")

    async def videos(self, tweet_id: str) -> Post:
        """Every video of the post, at least one, or why there is none."""
        if not valid_id(tweet_id):
            return Refusal(ClipOutcome.BAD_URL, f"{tweet_id[:40]!r} is not the number of a post")
        answer = await self._asked(tweet_id)
        if answer == EMPTY and self._is_fresh(tweet_id):
            await asyncio.sleep(self._pause)
            answer = await self._asked(tweet_id)
        return answer

    async def variants(self, video: FoundVideo) -> tuple[VideoVariant, ...] | Refusal:
        """The files of one video, as they are now."""
        found = await self.videos(video.tweet_id)
        return found if isinstance(found, Refusal) else the_one(found, video.url).variants

    async def posted(self, tweet_id: str) -> tuple[FoundVideo, ...]:
        """For people who name a post: BadInput if it has no video to give, Unavailable if that cannot be told now."""
        found = await self.videos(tweet_id)
        if not isinstance(found, Refusal):
            return found
        if found.passing:
            raise Unavailable(SYSTEM, found.reason)
        raise BadInput(f"post {tweet_id}: {found.reason}")

    async def _asked(self, tweet_id: str) -> Post:
        if self._clock() < self._rests_until:
            return _throttled("asked us to slow down a moment ago")
        params = {"id": tweet_id, "token": token(tweet_id), "lang": "en"}
        try:
            return self._read(await self._http.request("GET", self._url, params=params), tweet_id)
        except Refused as error:
            return Refusal(ClipOutcome.DOWNLOAD_FAILED, str(error))
        except OutsideError as error:
            late = isinstance(error.__cause__, TimeoutError)
            outcome = ClipOutcome.DOWNLOAD_TIMEOUT if late else ClipOutcome.DOWNLOAD_FAILED
            return Refusal(outcome, str(error), passing=True)

    def _read(self, answer: HttpAnswer, tweet_id: str) -> Post:
        if answer.status in _THROTTLED:
            self._rests_until = self._clock() + _told_rest(answer)
            return _throttled(f"status {answer.status}")
        if answer.status in _GONE:
            return Refusal(ClipOutcome.DOWNLOAD_DELETED, f"there is no such post (status {answer.status})")
        if answer.status != _OK:
            passing = answer.status >= _SERVER_ERROR
            return Refusal(ClipOutcome.DOWNLOAD_FAILED, f"{SYSTEM}: status {answer.status}", passing)
        if not answer.body.strip():
            return EMPTY
        if not _JSON.match(answer.headers.get("content-type", "")):
            raise Malformed(SYSTEM, "the answer does not say that it is JSON")
        return read_post(answer.json(), tweet_id)

    def _is_fresh(self, tweet_id: str) -> bool:
        """By the time inside the id; one far ahead of us is no time."""
        age = self._now() - _EPOCH - timedelta(milliseconds=int(tweet_id) >> _CLOCK_BITS)
        return abs(age) < _FRESH


def _throttled(why: str) -> Refusal:
    return Refusal(ClipOutcome.DOWNLOAD_RATE_LIMITED, f"{SYSTEM}: {why}", passing=True)


def _told_rest(answer: HttpAnswer) -> float:
    told = answer.headers.get("retry-after", "")
    return min(float(told), _LONGEST_REST) if told.isdecimal() and len(told) < 7 else _REST
