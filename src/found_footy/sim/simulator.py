"""The simulated outside in one object: a scenario, a clock, and an ASGI app that answers for all outside systems."""

import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from found_footy.sim.bluesky import BlueskySite
from found_footy.sim.bskyposts import ScenarioBluesky
from found_footy.sim.clock import Clock, ClockMode, WallClock
from found_footy.sim.films import Films
from found_footy.sim.knowledge import items
from found_footy.sim.media.files import Library, default_folder
from found_footy.sim.posts import Board, Published
from found_footy.sim.rendering import Renderer
from found_footy.sim.script.model import Scenario
from found_footy.sim.wikidata import WikidataSite
from found_footy.sim.wire.control import Control
from found_footy.sim.wire.football import FootballApi
from found_footy.sim.wire.plan import PLANS
from found_footy.sim.wire.search import SearchService
from found_footy.sim.wire.truth import TruthTeller
from found_footy.sim.wire.video import VideoHost
from found_footy.sim.world.truth import WorldTruth
from found_footy.sim.xposts import ScenarioPosts

log = logging.getLogger(__name__)

KEY = "simulated-key"


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Simulator:
    """Football API at `/`, search service below `/x`, video host below `/video`, Bluesky below `/bluesky`, Wikidata
    below `/wikidata`, controls below `/sim`. The X site needs a port of its own: `outside` gives it one.

    `key` is the API key that the football API accepts. `public_url` is how clients reach the video host; left out,
    it is the address under which they asked. With `wait`, time begins with the first question to the football API.
    `truth` is what is true of a seeded match day; `render_workers` how many processes draw its videos; `plan` what the
    key may ask the football API, and how often.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        clock: ClockMode | str = ClockMode.POLLED,
        speed: float | None = None,
        media_dir: Path | None = None,
        key: str = KEY,
        public_url: str | None = None,
        wait: bool = False,
        truth: WorldTruth | None = None,
        render_workers: int = 0,
        now: WallClock = _utc_now,
        plan: str = "pro",
    ) -> None:
        self.scenario = scenario
        self.clock = Clock(scenario, ClockMode(clock), speed or scenario.speed, now, waiting=wait)
        self.board = Board(scenario, self.clock, now)
        folder = media_dir or default_folder()
        self.library = Library(scenario, folder)
        self.films = Films(scenario, self.library, Renderer(folder, render_workers))
        self.football = FootballApi(scenario, self.clock, key, now, PLANS[plan])
        self.search = SearchService(scenario, self.board, self.films, now, public_url)
        self.bluesky = BlueskySite(source=ScenarioBluesky(scenario, self.board, self.films, self._video))
        self.wikidata = WikidataSite(items(scenario))
        self._host = VideoHost(scenario, self.board, self.films)
        self._truth = TruthTeller(scenario, self.clock, self.board, self.films, truth)
        self._control = Control(scenario, self.clock, self.board, self.films, truth)
        self.app = self._build()
        log.info("SIMULATED outside world: scenario %s, clock %s", scenario.name, self.clock.mode)

    def advance(self, *, minutes: float = 0.0, polls: int = 0) -> None:
        """Move the clock on, as `POST /sim/advance` does."""
        self.clock.advance(minutes, polls)

    def state(self) -> dict[str, Any]:
        """What `GET /sim/state` answers."""
        return self._control.state()

    def x_posts(self, video_base: str) -> ScenarioPosts:
        """The posts of this world for the X site."""
        return ScenarioPosts(self.scenario, self.board, self.films, video_base)

    def close(self) -> None:
        """Stop drawing."""
        self.films.renderer.close()

    async def _video(self, item: Published) -> Response:
        return await self._host.answer(item)

    def _build(self) -> ASGIApp:
        routes = [
            *self._control.routes(),
            *self._truth.routes(),
            Mount("/x", routes=self.search.routes()),
            Mount("/bluesky", self.bluesky.app),
            Mount("/wikidata", self.wikidata.app),
            *self._host.routes(),
            *self.football.routes(),
        ]
        return _marked(Starlette(routes=routes))


def _marked(app: ASGIApp) -> ASGIApp:
    """Every answer says that it is simulated."""

    async def marked(scope: Scope, receive: Receive, send: Send) -> None:
        async def mark(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), (b"x-simulated", b"true")]
            await send(message)

        await app(scope, receive, mark)

    return marked
