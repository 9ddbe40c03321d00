"""Clips that a person adds: a post or a video file, for a goal whose search missed it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol, cast
from urllib.parse import SplitResult, urlsplit

from temporalio.client import Client
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError

from found_footy.discovery.candidates.download_ids import extra_download_id
from found_footy.discovery.candidates.selection import CandidateSelection
from found_footy.discovery.messages import SaveCandidates
from found_footy.discovery.store import MATCH_GOALS, DiscoveryStore
from found_footy.domain.documents import FixtureDocument
from found_footy.domain.goals import goal_from_document
from found_footy.domain.messages import DOWNLOAD_WORKFLOW, ClipCandidate, DownloadClips, Goal, PipelinePace
from found_footy.domain.tweets import X_SITE, build_tweet_url, find_video_position
from found_footy.platform.errors import BadInput, ExternalSystemError, NotFound, Unavailable
from found_footy.platform.logs import ActionLogger

SOURCE_NAME = "manual"
_X_HOSTS = frozenset({"x.com", "www.x.com", "mobile.x.com", "twitter.com", "www.twitter.com", "mobile.twitter.com"})
_BLUESKY_HOSTS = frozenset({"bsky.app", "www.bsky.app"})
_STATUS_PATH = re.compile(r"/([A-Za-z0-9_]{1,20}|i/web)/status(?:es)?/([0-9]{15,20})(?:/.*)?")
_MAX_URL_LENGTH = 2_000

logger = ActionLogger(__name__)


class PostLookup(Protocol):
    """Looks a post up by the URL of its page."""

    async def fetch_post(self, page: str) -> ClipCandidate: ...


class TweetLookup(Protocol):
    """Looks a post on X up by its id: all its videos, at least one. BadInput if it has none."""

    async def fetch_post_videos(self, tweet_id: str) -> tuple[ClipCandidate, ...]: ...


@dataclass(frozen=True)
class ManualClipResult:
    """`download_id` fetches the clips. `already_running`: it was started before and still runs."""

    download_id: str
    videos: tuple[ClipCandidate, ...]
    already_running: bool = False


class ManualClipService:
    """`bluesky` is None if that source is disabled. Without `x`, a post there is assumed to have one video."""

    def __init__(
        self,
        store: DiscoveryStore,
        temporal: Client,
        pace: PipelinePace,
        bluesky: PostLookup | None = None,
        x: TweetLookup | None = None,
    ) -> None:
        self._store = store
        self._temporal = temporal
        self._pace = pace
        self._bluesky = bluesky
        self._x = x

    async def add_clip(self, event_id: str, url: str, now: datetime) -> ManualClipResult:
        """Store the candidate with the goal and fetch it like any other; a post with several videos gives several
        candidates.

        The download registers itself with the goal and delivers its batch as all downloads do, so the goal is not
        complete before its clips are settled; it is not an attempt of the search. Adding the same URL again starts
        nothing twice. NotFound if no stored fixture has the goal, BadInput for a URL that cannot be a clip.
        """
        fixture = await self._store.find_fixture(event_id)
        if fixture is None:
            raise NotFound(f"no match has the goal {event_id}")
        goal = goal_from_fixture(fixture)
        videos = await self._resolve_videos(url.strip())
        download_id = extra_download_id(goal.slug, goal.event_id, [video.url for video in videos])
        event = fixture["events"][0]
        record = SaveCandidates(
            goal,
            0,
            download_id,
            str(event.get("_twitter_search") or ""),
            tuple(event.get("_twitter_aliases") or ()),
            now,
            now + self._pace.retry_first,
            videos,
            {SOURCE_NAME: "answered"},
        )
        # A person's choice overrides the screening of a source's data: all are taken.
        saved = await self._store.save_candidates(record, CandidateSelection(videos))
        if not saved:
            raise NotFound(f"the goal {event_id} was removed a moment ago")
        return ManualClipResult(download_id, videos, await self._start_download(goal, download_id, videos))

    async def _resolve_videos(self, url: str) -> tuple[ClipCandidate, ...]:
        if _split_url(url).hostname in _BLUESKY_HOSTS:
            return (await self._fetch_from_bluesky(url),)
        video = parse_clip_url(url)
        return await self._fetch_from_x(video, url, self._x) if video.tweet_id and self._x else (video,)

    async def _fetch_from_bluesky(self, url: str) -> ClipCandidate:
        if self._bluesky is None:
            raise BadInput("Bluesky is switched off; FOOTY_DISCOVERY__SOURCES names the sources")
        try:
            return await self._bluesky.fetch_post(url)
        except NotFound as error:
            raise BadInput(str(error)) from error

    async def _fetch_from_x(self, video: ClipCandidate, url: str, x: TweetLookup) -> tuple[ClipCandidate, ...]:
        """The post's videos, or the one that the URL names. If the lookup fails now, the download repeats it with more
        retries.
        """
        try:
            found = await x.fetch_post_videos(video.tweet_id)
        except ExternalSystemError as error:
            logger.warning("%s is added without reading the post: %s", video.url, error, action="post_not_looked_up")
            return (video,)
        videos = tuple(replace(one, source=SOURCE_NAME) for one in found)
        position = find_video_position(urlsplit(url).path)
        named = [one for one in videos if position and find_video_position(one.url) == position]
        return tuple(named) or (videos[:1] if position else videos)

    async def _start_download(self, goal: Goal, download_id: str, videos: tuple[ClipCandidate, ...]) -> bool:
        """True if it runs already. After it has ended, adding the clip again starts another try."""
        try:
            await self._temporal.start_workflow(
                DOWNLOAD_WORKFLOW,
                DownloadClips(goal, self._pace, 0, videos),
                id=download_id,
                task_queue=self._pace.queues.main,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                execution_timeout=self._pace.longest_run,
            )
        except WorkflowAlreadyStartedError:
            return True
        except RPCError as error:
            raise Unavailable("Temporal", f"the clip was recorded but not fetched: {error}") from error
        return False


def parse_clip_url(url: str) -> ClipCandidate:
    """A post on X, or a video file, as a candidate without further data; the fetch supplies the rest."""
    parts = _split_url(url)
    if len(url) > _MAX_URL_LENGTH or parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"{url[:100]} is not a web address")
    if parts.hostname in _X_HOSTS:
        found = _STATUS_PATH.fullmatch(parts.path)
        if found is None:
            raise BadInput(f"{url} is not the address of a post")
        author = "" if found[1].startswith("i/") else found[1]
        return ClipCandidate(
            build_tweet_url(X_SITE, author, found[2]), found[2], author, None, None, source=SOURCE_NAME
        )
    if not parts.path.lower().endswith(".mp4"):
        raise BadInput(f"{url} is neither a post on X or Bluesky nor an MP4 file")
    return ClipCandidate(url, "", "", None, None, source=SOURCE_NAME)


def goal_from_fixture(fixture: Mapping[str, Any]) -> Goal:
    """The goal of a fixture that was read with that goal as its only event, and all goals in short beside it."""
    document = cast(FixtureDocument, fixture)
    return goal_from_document(document, document["events"][0], fixture.get(MATCH_GOALS) or ())


def _split_url(url: str) -> SplitResult:
    try:
        if not url.isprintable():
            raise BadInput("an address must not contain control characters or lone surrogates")
        return urlsplit(url)
    except ValueError as error:
        raise BadInput(f"{url[:100]} is not a web address: {error}") from error
