"""Clips that a person points to: a post, or a video file, for a goal that the search has missed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

from temporalio.client import Client
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError

from found_footy.discovery.extras import extra_workflow_id
from found_footy.discovery.messages import SaveDiscovered
from found_footy.discovery.store import DiscoveryStore
from found_footy.model.handoff import DOWNLOAD_WORKFLOW, DownloadClips, FoundVideo, Goal, Pace
from found_footy.model.ids import Slug
from found_footy.platform.errors import BadInput, NotFound, Unavailable

NAME = "manual"
_X_HOSTS = frozenset({"x.com", "www.x.com", "mobile.x.com", "twitter.com", "www.twitter.com", "mobile.twitter.com"})
_BLUESKY_HOSTS = frozenset({"bsky.app", "www.bsky.app"})
_STATUS = re.compile(r"/([A-Za-z0-9_]{1,20}|i/web)/status(?:es)?/([0-9]{15,20})(?:/.*)?")
_LONGEST_URL = 2_000


class Posts(Protocol):
    """Looks a post up by the address of its page."""

    async def post(self, page: str) -> FoundVideo: ...


@dataclass(frozen=True)
class Added:
    """`download_id` fetches the clip. `running`: it had been started before, and still runs."""

    download_id: str
    video: FoundVideo
    running: bool = False


class ManualClips:
    """`bluesky` is None where that source is switched off."""

    def __init__(self, store: DiscoveryStore, temporal: Client, pace: Pace, bluesky: Posts | None = None) -> None:
        self._store = store
        self._temporal = temporal
        self._pace = pace
        self._bluesky = bluesky

    async def add(self, event_id: str, url: str, now: datetime) -> Added:
        """Record the link with the goal and fetch it like any other find.

        The download registers itself with the goal and delivers its batch as all downloads do, so a goal is not
        complete before this clip is settled; it is not one of the search's attempts. Adding the same link again
        starts nothing twice. NotFound if no match in play has the goal, BadInput for a link that cannot be a clip.
        """
        fixture = await self._store.fixture_of(event_id)
        if fixture is None:
            raise NotFound(f"no match in play has the goal {event_id}")
        goal = goal_of(fixture)
        video = await self._video(url.strip())
        download_id = extra_workflow_id(goal.slug, goal.event_id, [video.url])
        event = fixture["events"][0]
        saved = await self._store.save_discovered(
            SaveDiscovered(
                goal, 0, download_id, str(event.get("_twitter_search") or ""),
                tuple(event.get("_twitter_aliases") or ()), 1, now, (video,), {NAME: "answered"},
            )
        )  # fmt: skip
        if not saved:
            raise NotFound(f"the goal {event_id} has just gone")
        return Added(download_id, video, await self._started(goal, download_id, video))

    async def _video(self, url: str) -> FoundVideo:
        if _host(url) not in _BLUESKY_HOSTS:
            return video_at(url)
        if self._bluesky is None:
            raise BadInput("Bluesky is switched off; FOOTY_DISCOVERY__SOURCES names the sources")
        return await self._bluesky.post(url)

    async def _started(self, goal: Goal, download_id: str, video: FoundVideo) -> bool:
        """True if it runs already. A person who asks again after it ended gets another try."""
        try:
            await self._temporal.start_workflow(
                DOWNLOAD_WORKFLOW,
                DownloadClips(goal, self._pace, 0, (video,)),
                id=download_id,
                task_queue=self._pace.queues.main,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            )
        except WorkflowAlreadyStartedError:
            return True
        except RPCError as error:
            raise Unavailable("Temporal", f"the clip was recorded but not fetched: {error}") from error
        return False


def video_at(url: str) -> FoundVideo:
    """A post on X, or a video file, as a find without further facts; whoever fetches it learns the rest."""
    parts = urlsplit(url)
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


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""
