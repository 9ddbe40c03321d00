"""The simulator: a scenario, a clock, and an ASGI app that answers for all outside systems."""

import logging
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from found_footy_sim.bluesky import BlueskySite
from found_footy_sim.bluesky_posts import ScenarioBlueskyPosts
from found_footy_sim.clip_renderer import ClipRenderer
from found_footy_sim.clock import ClockMode, SimulatedClock
from found_footy_sim.media.clip_library import ClipLibrary, default_media_dir
from found_footy_sim.post_schedule import PostSchedule, PublishedPost
from found_footy_sim.reddit import RedditSite
from found_footy_sim.reddit_posts import ScenarioRedditPosts
from found_footy_sim.rendered_clips import RenderedClips
from found_footy_sim.script.model import Scenario
from found_footy_sim.wall_clock import WallClock, utc_now
from found_footy_sim.wikidata import WikidataSite
from found_footy_sim.wikidata_items import build_items
from found_footy_sim.wire.api_plans import API_PLANS
from found_footy_sim.wire.control import SimulationControl
from found_footy_sim.wire.football_api import SimulatedFootballApi
from found_footy_sim.wire.search_service import SimulatedSearchService
from found_footy_sim.wire.truth_endpoint import TruthEndpoint
from found_footy_sim.wire.video_host import SimulatedVideoHost
from found_footy_sim.world.expected_outcomes import WorldTruth
from found_footy_sim.x_posts import ScenarioXPosts

# One of so many calls of r/soccer is answered with 429.
_LIMITED_EVERY = 8

logger = logging.getLogger(__name__)

SIMULATED_API_KEY = "simulated-key"


class Simulator:
    """Football API at `/`, search service below `/x`, video host below `/video`, Bluesky below `/bluesky`, Reddit
    below `/reddit` with its clips below `/clips`, Wikidata below `/wikidata`, controls below `/sim`. The X site needs
    its own port: `run_servers` gives it one.

    `key` is the API key that the football API accepts. `public_url` is how clients reach the video host; by default,
    the address of their request. With `wait`, the clock starts with the first request to the football API. `truth` is
    the ground truth of a seeded match day; `render_workers` the number of processes that render its videos; `plan` the
    football API plan of the key.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        clock: ClockMode | str = ClockMode.POLLED,
        speed: float | None = None,
        media_dir: Path | None = None,
        key: str = SIMULATED_API_KEY,
        public_url: str | None = None,
        wait: bool = False,
        truth: WorldTruth | None = None,
        render_workers: int = 0,
        now: WallClock = utc_now,
        plan: str = "pro",
    ) -> None:
        self.scenario = scenario
        self.clock = SimulatedClock(scenario, ClockMode(clock), speed or scenario.speed, now, waiting=wait)
        self.schedule = PostSchedule(scenario, self.clock, now)
        folder = media_dir or default_media_dir()
        self.clip_library = ClipLibrary(scenario, folder)
        self.rendered_clips = RenderedClips(scenario, self.clip_library, ClipRenderer(folder, render_workers))
        self.football = SimulatedFootballApi(scenario, self.clock, key, now, API_PLANS[plan])
        self.search = SimulatedSearchService(scenario, self.schedule, self.rendered_clips, now, public_url)
        self.bluesky = BlueskySite(
            source=ScenarioBlueskyPosts(scenario, self.schedule, self.rendered_clips, self._answer_video)
        )
        self._reddit_posts = ScenarioRedditPosts(scenario, self.schedule, self.clock, self.rendered_clips, truth)
        self.reddit = RedditSite(source=self._reddit_posts, now=now)
        self.reddit.limited_every, self.reddit.reset_seconds = _LIMITED_EVERY, max(1, round(60 / self.clock.pace))
        self.wikidata = WikidataSite(build_items(scenario))
        self._video_host = SimulatedVideoHost(scenario, self.schedule, self.rendered_clips)
        self._truth_endpoint = TruthEndpoint(scenario, self.clock, self.schedule, self.rendered_clips, truth)
        self._control = SimulationControl(scenario, self.clock, self.schedule, self.rendered_clips, truth)
        self.app = self._build_app()
        logger.info("SIMULATED outside world: scenario %s, clock %s", scenario.name, self.clock.mode)

    def advance(self, *, minutes: float = 0.0, polls: int = 0) -> None:
        """Advance the clock, as `POST /sim/advance` does."""
        self.clock.advance(minutes, polls)

    def state(self) -> dict[str, Any]:
        """The response of `GET /sim/state`."""
        return self._control.build_state()

    def x_posts(self, video_base: str) -> ScenarioXPosts:
        """The posts of this world for the X site."""
        return ScenarioXPosts(self.scenario, self.schedule, self.rendered_clips, video_base)

    def close(self) -> None:
        """Stop rendering."""
        self.rendered_clips.renderer.close()

    async def _answer_video(self, item: PublishedPost) -> Response:
        return await self._video_host.answer_for_post(item)

    def _build_app(self) -> ASGIApp:
        routes = [
            *self._control.routes(),
            *self._truth_endpoint.routes(),
            Mount("/x", routes=self.search.routes()),
            Mount("/bluesky", self.bluesky.app),
            Mount("/reddit", self.reddit.app),
            *self._reddit_posts.routes(),
            Mount("/wikidata", self.wikidata.app),
            *self._video_host.routes(),
            *self.football.routes(),
        ]
        return _mark_simulated(Starlette(routes=routes))


def _mark_simulated(app: ASGIApp) -> ASGIApp:
    """Mark every response as simulated."""

    async def marked(scope: Scope, receive: Receive, send: Send) -> None:
        async def mark(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), (b"x-simulated", b"true")]
            await send(message)

        await app(scope, receive, mark)

    return marked
