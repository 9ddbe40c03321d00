"""Clips that a person points to: a post, or a video file, for a goal that the search has missed."""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import SplitResult, urlsplit

from temporalio.client import Client
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError

from found_footy.discovery.extras import extra_workflow_id
from found_footy.discovery.links import Selection
from found_footy.discovery.messages import SaveDiscovered
from found_footy.discovery.store import DiscoveryStore
from found_footy.model.handoff import DOWNLOAD_WORKFLOW, DownloadClips, FoundVideo, Goal, Pace
from found_footy.model.ids import Slug
from found_footy.platform.errors import BadInput, NotFound, OutsideError, Unavailable

NAME = "manual"
_X_HOSTS = frozenset({"x.com", "www.x.com", "mobile.x.com", "twitter.com", "www.twitter.com", "mobile.twitter.com"})
_BLUESKY_HOSTS = frozenset({"bsky.app", "www.bsky.app"})
_STATUS = re.compile(r"/([A-Za-z0-9_]{1,20}|i/web)/status(?:es)?/([0-9]{15,20})(?:/.*)?")
_PLACE = re.compile(r"/video/[1-9]/?$")
_LONGEST_URL = 2_000

logger = logging.getLogger(__name__)


class Posts(Protocol):
    """Looks a post up by the address of its page."""

    async def post(self, page: str) -> FoundVideo: ...


class NumberedPosts(Protocol):
    """Looks a post on X up by its number: all its videos, at least one. BadInput if it has none to give."""

    async def posted(self, tweet_id: str) -> tuple[FoundVideo, ...]: ...


@dataclass(frozen=True)
class Added:
    """`download_id` fetches the clips. `running`: it had been started before, and still runs."""

    download_id: str
    videos: tuple[FoundVideo, ...]
    running: bool = False


class ManualClips:
    """`bluesky` is None where that source is switched off. Without `x`, a post there is taken to have one video."""

    def __init__(
        self,
        store: DiscoveryStore,
        temporal: Client,
        pace: Pace,
        bluesky: Posts | None = None,
        x: NumberedPosts | None = None,
    ) -> None:
        self._store = store
        self._temporal = temporal
        self._pace = pace
        self._bluesky = bluesky
        self._x = x

    async def add(self, event_id: str, url: str, now: datetime) -> Added:
        """Record the link with the goal and fetch it like any other find; a post with several videos is several.

        The download registers itself with the goal and delivers its batch as all downloads do, so a goal is not
        complete before its clips are settled; it is not one of the search's attempts. Adding the same link again
        starts nothing twice. NotFound if no match that is kept has the goal, BadInput for a link that cannot be a clip.
        """
        fixture = await self._store.fixture_of(event_id)
        if fixture is None:
            raise NotFound(f"no match has the goal {event_id}")
        goal = goal_of(fixture)
        videos = await self._videos(url.strip())
        download_id = extra_workflow_id(goal.slug, goal.event_id, [video.url for video in videos])
        event = fixture["events"][0]
        record = SaveDiscovered(
            goal, 0, download_id, str(event.get("_twitter_search") or ""), tuple(event.get("_twitter_aliases") or ()),
            now, now + self._pace.retry_first, videos, {NAME: "answered"},
        )  # fmt: skip
        # A person's word counts more than what a source tells of a video: all are taken.
        saved = await self._store.save_discovered(record, Selection(videos))
        if not saved:
            raise NotFound(f"the goal {event_id} has just gone")
        return Added(download_id, videos, await self._started(goal, download_id, videos))

    async def _videos(self, url: str) -> tuple[FoundVideo, ...]:
        if _split(url).hostname in _BLUESKY_HOSTS:
            return (await self._on_bluesky(url),)
        video = video_at(url)
        return await self._on_x(video, url, self._x) if video.tweet_id and self._x else (video,)

    async def _on_bluesky(self, url: str) -> FoundVideo:
        if self._bluesky is None:
            raise BadInput("Bluesky is switched off; FOOTY_DISCOVERY__SOURCES names the sources")
        try:
            return await self._bluesky.post(url)
        except NotFound as error:
            raise BadInput(str(error)) from error

    async def _on_x(self, video: FoundVideo, url: str, x: NumberedPosts) -> tuple[FoundVideo, ...]:
        """The post's videos, or the one that the address names. What cannot be told now is found out when the post
        is fetched, which has more patience.
        """
        try:
            found = await x.posted(video.tweet_id)
        except OutsideError as error:
            logger.warning("%s is added unseen: %s", video.url, error, extra={"action": "post_not_looked_up"})
            return (video,)
        videos = tuple(replace(one, source=NAME) for one in found)
        place = _PLACE.search(urlsplit(url).path)
        named = [one for one in videos if place and one.url.endswith(place[0].rstrip("/"))]
        return tuple(named) or (videos[:1] if place else videos)

    async def _started(self, goal: Goal, download_id: str, videos: tuple[FoundVideo, ...]) -> bool:
        """True if it runs already. A person who asks again after it ended gets another try."""
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


def video_at(url: str) -> FoundVideo:
    """A post on X, or a video file, as a find without further facts; whoever fetches it learns the rest."""
    parts = _split(url)
    if len(url) > _LONGEST_URL or parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"{url[:100]} is not a web address")
    if parts.hostname in _X_HOSTS:
        found = _STATUS.fullmatch(parts.path)
        if found is None:
            raise BadInput(f"{url} is not the address of a post")
        author = "" if found[1].startswith("i/") else found[1]
        return FoundVideo(f"https://x.com/{author or 'i'}/status/{found[2]}", found[2], author, None, None, source=NAME)
    if not parts.path.lower().endswith(".mp4"):
        raise BadInput(f"{url} is neither a post on X or Bluesky nor an MP4 file")
    return FoundVideo(url, "", "", None, None, source=NAME)


def goal_of(fixture: Mapping[str, Any]) -> Goal:
    """The goal of a fixture read with that goal alone."""
    event, teams = fixture["events"][0], fixture.get("teams") or {}
    time, player = event.get("time") or {}, event.get("player") or {}
    return Goal(
        fixture_id=fixture["_id"],
        event_id=event["_event_id"],
        slug=Slug.parse(event["_slug"]),
        team_id=event["team"]["id"],
        team_name=event["team"]["name"],
        player_name=player.get("name") or "",
        elapsed=time.get("elapsed") or 0,
        extra=time.get("extra"),
        first_seen=event["_first_seen"],
        home_name=(teams.get("home") or {}).get("name") or "",
        away_name=(teams.get("away") or {}).get("name") or "",
    )


def _split(url: str) -> SplitResult:
    try:
        if not url.isprintable():
            raise BadInput("an address has no control characters and no halves of characters")
        return urlsplit(url)
    except ValueError as error:
        raise BadInput(f"{url[:100]} is not a web address: {error}") from error
