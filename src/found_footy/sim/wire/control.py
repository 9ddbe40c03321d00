"""The controls of the simulation: move the clock, and look behind the curtain."""

from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from found_footy.sim.clock import Clock
from found_footy.sim.feed.fixture import course_of, feed_at
from found_footy.sim.films import Films
from found_footy.sim.posts import Board, Published, address
from found_footy.sim.script.model import Clip, Match, Scenario
from found_footy.sim.world.truth import WorldTruth

Json = dict[str, Any]

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Simulated: {name}</title>
<style>body{{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}}td,th{{text-align:left;
padding:.2rem .8rem .2rem 0}}.tag{{background:#b00;color:#fff;padding:.1rem .5rem;border-radius:.3rem}}</style>
<h1>{name} <span class="tag">SIMULATED</span></h1><p>{about}</p><p>Nothing here is real: no match, no post, no player's
deed. Clock: {mode}.</p><h2>Matches</h2><table>{matches}</table><h2>Posts so far</h2><table>{posts}</table></html>"""


class Advance(BaseModel):
    minutes: float = Field(default=0.0, ge=0)
    polls: int = Field(default=0, ge=0)


@dataclass
class Control:
    scenario: Scenario
    clock: Clock
    board: Board
    films: Films
    truth: WorldTruth | None = None

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.page),
            Route("/sim/state", self.show),
            Route("/sim/advance", self.advance, methods=["POST"]),
        ]

    async def advance(self, request: Request) -> Response:
        try:
            asked = Advance.model_validate_json(await request.body())
        except ValidationError as error:
            return JSONResponse({"error": "bad_request", "detail": str(error)}, 422)
        self.clock.advance(asked.minutes, asked.polls)
        return JSONResponse(self.state())

    async def show(self, _: Request) -> Response:
        return JSONResponse(self.state())

    async def page(self, _: Request) -> Response:
        state = self.state()
        matches = "".join(_row(m["title"], m["status"] or "", m["minute"], m["polls"]) for m in state["fixtures"])
        posts = "".join(_row(p["posted_at"], p["author"], p["text"], p["clip"]) for p in state["posts"])
        text = {"name": self.scenario.name, "about": self.scenario.about, "mode": state["clock"]}
        told = {name: escape(str(value)) for name, value in text.items()}
        return HTMLResponse(_PAGE.format(**told, matches=matches, posts=posts))

    def state(self) -> Json:
        """Where everything is, and what is true at the end. All is over when every match is and every post is out."""
        fixtures = [self._match(match) for match in self.scenario.matches]
        return {
            "simulated": True,
            "scenario": self.scenario.name,
            "about": self.scenario.about,
            "clock": self.clock.mode,
            "pace": self.clock.pace,
            "started_at": self.clock.started_at.isoformat(),
            "begun": self.clock.has_begun,
            "second": round(self._second(), 1),
            "over": self.board.to_come == 0 and all(match["over"] for match in fixtures),
            "world": {"seed": self.truth.seed, "size": self.truth.size} if self.truth else None,
            "posts_to_come": self.board.to_come,
            "clips_to_render": self.films.renderer.to_make,
            "drawn_until": self.films.drawn_until(),
            "fixtures": fixtures,
            "posts": [self._post(item) for item in self.board.out()],
        }

    def _second(self) -> float:
        """Seconds of the world's own clock since it began."""
        first = self.scenario.matches[0]
        return (self.clock.moment(first).minute + first.kickoff) * 60

    def _match(self, match: Match) -> Json:
        moment = self.clock.moment(match)
        item = feed_at(match, moment, self.clock.kickoff(match), self.clock.pace)
        return {
            "id": match.id,
            "title": f"{match.home.name} – {match.away.name}",
            "minute": round(moment.minute, 2),
            "polls": moment.poll,
            "status": item["fixture"]["status"]["short"] if item else None,
            "over": moment.minute >= course_of(match).end,
            "truth": asdict(match.truth),
        }

    def _post(self, item: Published) -> Json:
        clip = self.scenario.clip(item.post.clip)
        return {
            "tweet_id": item.tweet_id,
            "url": address(item),
            "source": item.post.source,
            "author": item.author,
            "posted_at": item.posted_at.isoformat(),
            "text": item.post.text,
            "clip": clip.name,
            "content": origin(self.scenario, clip).name,
            "goal": clip.goal,
            "host": clip.host,
        }


def origin(scenario: Scenario, clip: Clip) -> Clip:
    """The clip whose pictures this one shows: itself, or what it was made from in the first place."""
    return origin(scenario, scenario.clip(clip.parent)) if clip.parent else clip


def _row(*cells: object) -> str:
    return "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"
