"""Asks Reddit for the new posts of a subreddit: through its API with a key, else by its Atom feed.

There is no third way: pages for people and closed interfaces are not tried, and a refusal is reported as one.
"""

import base64
import time
from dataclasses import dataclass

from found_footy.discovery.sources.errors import Blocked
from found_footy.discovery.sources.reddit.posts import PostPage
from found_footy.discovery.sources.reddit.wire import (
    SYSTEM,
    is_key_refused,
    parse_feed,
    parse_listing,
    parse_mirrors,
    parse_token,
    require_posts,
)
from found_footy.platform.clock import MonotonicClock
from found_footy.platform.errors import Refused, TooLarge
from found_footy.platform.http.client import HttpResponse, SafeHttpClient

PAGE_SIZE = 100
# A token is renewed this long before it ends.
_TOKEN_MARGIN_SECONDS = 60.0


@dataclass(frozen=True)
class RedditKey:
    """The id and secret of an application that Reddit has approved. An installed application has an empty secret."""

    client_id: str
    secret: str = ""


@dataclass(frozen=True)
class RedditAddresses:
    site: str = "https://www.reddit.com"
    api: str = "https://oauth.reddit.com"
    subreddit: str = "soccer"


class RedditClient:
    """For one event loop. Raises Blocked, AuthFailed, RateLimited, Unavailable or Malformed."""

    def __init__(
        self,
        http: SafeHttpClient,
        addresses: RedditAddresses,
        key: RedditKey | None = None,
        clock: MonotonicClock = time.monotonic,
    ) -> None:
        self._http = http
        self._addresses = addresses
        self._key = key
        self._clock = clock
        self._token = ""
        self._token_until = float("-inf")

    @property
    def has_key(self) -> bool:
        return self._key is not None

    async def fetch_new_posts(self, after: str | None = None) -> PostPage:
        """One page of new posts, newest first; older ones `after` a post."""
        if after is None:
            return require_posts(await self._fetch_page({}))
        return await self._fetch_page({"after": after})

    async def fetch_mirrors(self, post_id: str) -> tuple[str, ...]:
        """Links to other copies of a post's clip in its comments. Needs a key: the feed's budget has no room for it."""
        if self._key is None:
            return ()
        params: dict[str, str | int] = {"depth": 2, "limit": 20, "sort": "top", "raw_json": 1}
        answer = await self._get_with_key(self._key, f"comments/{post_id}", params)
        return parse_mirrors(answer)

    async def _fetch_page(self, older: dict[str, str]) -> PostPage:
        if self._key is None:
            url = f"{self._addresses.site}/r/{self._addresses.subreddit}/new/.rss"
            return parse_feed(await self._send("GET", url, params={"limit": PAGE_SIZE, **older}))
        path = f"r/{self._addresses.subreddit}/new"
        return parse_listing(await self._get_with_key(self._key, path, {"limit": PAGE_SIZE, "raw_json": 1, **older}))

    async def _get_with_key(self, key: RedditKey, path: str, params: dict[str, str | int]) -> HttpResponse:
        """A refused token is renewed once."""
        url = f"{self._addresses.api}/{path}"
        answer = await self._send("GET", url, params=params, headers=await self._authorize(key))
        if is_key_refused(answer):
            self._token_until = float("-inf")
            answer = await self._send("GET", url, params=params, headers=await self._authorize(key))
        return answer

    async def _authorize(self, key: RedditKey) -> dict[str, str]:
        if self._clock() >= self._token_until:
            credentials = base64.b64encode(f"{key.client_id}:{key.secret}".encode()).decode()
            answer = await self._send(
                "POST",
                f"{self._addresses.site}/api/v1/access_token",
                headers={"authorization": f"Basic {credentials}"},
                form={"grant_type": "client_credentials"},
            )
            token = parse_token(answer)
            self._token = token.access_token
            self._token_until = self._clock() + token.expires_in - _TOKEN_MARGIN_SECONDS
        return {"authorization": f"bearer {self._token}"}

    async def _send(
        self,
        method: str,
        url: str,
        *,
        params: dict[str, str | int] | None = None,
        headers: dict[str, str] | None = None,
        form: dict[str, str] | None = None,
    ) -> HttpResponse:
        try:
            return await self._http.request(method, url, params=params, headers=headers, form=form)
        except TooLarge:
            raise
        except Refused as error:
            raise Blocked(SYSTEM, f"redirected to a place that is not asked: {error.message}") from error
