"""Controls of the simulator: advance the clock, and read its state."""

from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from found_footy_sim.clock import SimulatedClock
from found_footy_sim.feed.fixture import build_fixture, get_timeline
from found_footy_sim.post_schedule import PostSchedule, PublishedPost, post_url
from found_footy_sim.rendered_clips import RenderedClips
from found_footy_sim.script.model import Scenario, SimulatedClip, SimulatedMatch
from found_footy_sim.world.expected_outcomes import WorldTruth

Json = dict[str, Any]

_PAGE_TEMPLATE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Simulated: {name}</title>
<style>body{{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}}td,th{{text-align:left;
padding:.2rem .8rem .2rem 0}}.tag{{background:#b00;color:#fff;padding:.1rem .5rem;border-radius:.3rem}}</style>
<h1>{name} <span class="tag">SIMULATED</span></h1><p>{about}</p><p>Nothing here is real: no match, no post, no player.
Clock: {mode}.</p><h2>Matches</h2><table>{matches}</table><h2>Posts so far</h2><table>{posts}</table></html>"""


class AdvanceRequest(BaseModel):
    minutes: float = Field(default=0.0, ge=0)
    polls: int = Field(default=0, ge=0)


@dataclass
class SimulationControl:
    scenario: Scenario
    clock: SimulatedClock
    schedule: PostSchedule
    rendered_clips: RenderedClips
    truth: WorldTruth | None = None

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.get_page),
            Route("/sim/state", self.get_state),
            Route("/sim/advance", self.advance, methods=["POST"]),
        ]

    async def advance(self, request: Request) -> Response:
        try:
            asked = AdvanceRequest.model_validate_json(await request.body())
        except ValidationError as error:
            return JSONResponse({"error": "bad_request", "detail": str(error)}, 422)
        self.clock.advance(asked.minutes, asked.polls)
        return JSONResponse(self.build_state())

    async def get_state(self, _: Request) -> Response:
        return JSONResponse(self.build_state())

    async def get_page(self, _: Request) -> Response:
        state = self.build_state()
        matches = "".join(
            _render_row(m["title"], m["status"] or "", m["minute"], m["polls"]) for m in state["fixtures"]
        )
        posts = "".join(_render_row(p["posted_at"], p["author"], p["text"], p["clip"]) for p in state["posts"])
        text = {"name": self.scenario.name, "about": self.scenario.about, "mode": state["clock"]}
        escaped = {name: escape(str(value)) for name, value in text.items()}
        return HTMLResponse(_PAGE_TEMPLATE.format(**escaped, matches=matches, posts=posts))

    def build_state(self) -> Json:
        """The state of clock, matches and posts, and the expected final state. Finished when every match is over and
        every post published.
        """
        fixtures = [self._describe_match(match) for match in self.scenario.matches]
        return {
            "simulated": True,
            "scenario": self.scenario.name,
            "about": self.scenario.about,
            "clock": self.clock.mode,
            "pace": self.clock.pace,
            "started_at": self.clock.started_at.isoformat(),
            "begun": self.clock.has_begun,
            "second": round(self._world_second(), 1),
            "over": self.schedule.pending_count == 0 and all(match["over"] for match in fixtures),
            "world": {"seed": self.truth.seed, "size": self.truth.size} if self.truth else None,
            "posts_to_come": self.schedule.pending_count,
            "clips_to_render": self.rendered_clips.renderer.pending_count,
            "drawn_until": self.rendered_clips.rendered_until(),
            "fixtures": fixtures,
            "posts": [self._describe_post(item) for item in self.schedule.list_published()],
        }

    def _world_second(self) -> float:
        """Seconds of the world's own clock since it started."""
        first = self.scenario.matches[0]
        return (self.clock.get_moment(first).minute + first.kickoff) * 60

    def _describe_match(self, match: SimulatedMatch) -> Json:
        moment = self.clock.get_moment(match)
        item = build_fixture(match, moment, self.clock.kickoff_time(match), self.clock.pace)
        return {
            "id": match.id,
            "title": f"{match.home.name} – {match.away.name}",
            "minute": round(moment.minute, 2),
            "polls": moment.poll,
            "status": item["fixture"]["status"]["short"] if item else None,
            "over": moment.minute >= get_timeline(match).end,
            "truth": asdict(match.truth),
        }

    def _describe_post(self, item: PublishedPost) -> Json:
        clip = self.scenario.get_clip(item.post.clip)
        return {
            "tweet_id": item.tweet_id,
            "url": post_url(item),
            "source": item.post.source,
            "author": item.author,
            "posted_at": item.posted_at.isoformat(),
            "text": item.post.text,
            "clip": clip.name,
            "content": find_original_clip(self.scenario, clip).name,
            "goal": clip.goal,
            "host": clip.host,
        }


def find_original_clip(scenario: Scenario, clip: SimulatedClip) -> SimulatedClip:
    """Return the clip whose pictures this one shows: itself, or the one it was originally derived from."""
    return find_original_clip(scenario, scenario.get_clip(clip.parent)) if clip.parent else clip


def _render_row(*cells: object) -> str:
    return "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"
