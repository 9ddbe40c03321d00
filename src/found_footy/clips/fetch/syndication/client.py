"""Client of X's embed endpoint: the videos of a post, without an account and without cookies."""

import asyncio
import re
import time
from datetime import timedelta

from found_footy.clips.fetch.failures import GONE_STATUSES, THROTTLED_STATUSES, FetchFailure
from found_footy.clips.fetch.syndication.post import EMPTY_ANSWER, PostVideos, parse_post, select_video
from found_footy.clips.fetch.syndication.request_token import compute_token
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.outcomes import ClipOutcome
from found_footy.domain.tweets import is_tweet_id, tweet_id_time
from found_footy.platform.clock import Clock, MonotonicClock, utc_now
from found_footy.platform.errors import BadInput, ExternalSystemError, Malformed, Refused, Unavailable
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.http.cooldown import Cooldown
from found_footy.platform.http.retry_after import parse_retry_after

SYSTEM = "X embeds"
MAX_ANSWER_BYTES = 1024 * 1024
_OK, _SERVER_ERROR = 200, 500
_JSON_CONTENT_TYPE = re.compile(r"application/([a-z.+-]+\+)?json\b", re.IGNORECASE)
_COOLDOWN_SECONDS = 60.0
_MAX_COOLDOWN_SECONDS = 900.0
# Caches in front of the endpoint may not have a younger post yet.
_FRESH_POST_AGE = timedelta(minutes=2)


class SyndicationClient:
    """After a rate limit it makes no requests during a cooldown and returns a failure. `retry_delay` is the wait before
    the single retry when the answer about a fresh post is empty.
    """

    def __init__(
        self,
        http: SafeHttpClient,
        base_url: str,
        *,
        retry_delay: timedelta = timedelta(seconds=7),
        clock: MonotonicClock = time.monotonic,
        now: Clock = utc_now,
    ) -> None:
        self._http = http
        self._url = f"{base_url.rstrip('/')}/tweet-result"
        self._retry_delay_seconds = retry_delay.total_seconds()
        self._now = now
        self._cooldown = Cooldown(clock)

    async def fetch_videos(self, tweet_id: str) -> PostVideos:
        """Every video of the post, at least one, or why there is none."""
        if not is_tweet_id(tweet_id):
            return FetchFailure(ClipOutcome.BAD_URL, f"{tweet_id[:40]!r} is not a post id")
        answer = await self._request_post(tweet_id)
        if answer == EMPTY_ANSWER and self._is_fresh(tweet_id):
            await asyncio.sleep(self._retry_delay_seconds)
            answer = await self._request_post(tweet_id)
        return answer

    async def fetch_variants(self, candidate: ClipCandidate) -> tuple[VideoVariant, ...] | FetchFailure:
        """The current files of one video."""
        found = await self.fetch_videos(candidate.tweet_id)
        return found if isinstance(found, FetchFailure) else select_video(found, candidate.url).variants

    async def fetch_post_videos(self, tweet_id: str) -> tuple[ClipCandidate, ...]:
        """The videos of a post that a person named: BadInput if it has none, Unavailable if that cannot be determined
        now.
        """
        found = await self.fetch_videos(tweet_id)
        if not isinstance(found, FetchFailure):
            return found
        if found.transient:
            raise Unavailable(SYSTEM, found.reason)
        raise BadInput(f"post {tweet_id}: {found.reason}")

    async def _request_post(self, tweet_id: str) -> PostVideos:
        if self._cooldown.is_active:
            return _rate_limited_failure("rate limited a moment ago")
        params = {"id": tweet_id, "token": compute_token(tweet_id), "lang": "en"}
        try:
            return self._parse_answer(await self._http.request("GET", self._url, params=params), tweet_id)
        except Refused as error:
            return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, str(error))
        except ExternalSystemError as error:
            late = isinstance(error.__cause__, TimeoutError)
            outcome = ClipOutcome.DOWNLOAD_TIMEOUT if late else ClipOutcome.DOWNLOAD_FAILED
            return FetchFailure(outcome, str(error), transient=True)

    def _parse_answer(self, answer: HttpResponse, tweet_id: str) -> PostVideos:
        if answer.status in THROTTLED_STATUSES:
            self._cooldown.start(
                parse_retry_after(
                    answer.headers, self._now(), default=_COOLDOWN_SECONDS, max_seconds=_MAX_COOLDOWN_SECONDS
                )
            )
            return _rate_limited_failure(f"status {answer.status}")
        if answer.status in GONE_STATUSES:
            return FetchFailure(ClipOutcome.DOWNLOAD_DELETED, f"there is no such post (status {answer.status})")
        if answer.status != _OK:
            passing = answer.status >= _SERVER_ERROR
            return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, f"{SYSTEM}: status {answer.status}", passing)
        if not answer.body.strip():
            return EMPTY_ANSWER
        if not _JSON_CONTENT_TYPE.match(answer.headers.get("content-type", "")):
            raise Malformed(SYSTEM, "the answer's content type is not JSON")
        return parse_post(answer.json(), tweet_id)

    def _is_fresh(self, tweet_id: str) -> bool:
        """By the timestamp in the id; one far in the future is not a valid time."""
        return abs(self._now() - tweet_id_time(tweet_id)) < _FRESH_POST_AGE


def _rate_limited_failure(reason: str) -> FetchFailure:
    return FetchFailure(ClipOutcome.DOWNLOAD_RATE_LIMITED, f"{SYSTEM}: {reason}", transient=True)
