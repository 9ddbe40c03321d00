"""`GET /sim/truth`: what is true of a simulated match day, for whoever measures what the product made of it."""

from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from found_footy.sim.clock import Clock
from found_footy.sim.feed.fixture import course_of
from found_footy.sim.films import Films
from found_footy.sim.posts import Board, Published, address
from found_footy.sim.script.model import Kind, Match, Scenario
from found_footy.sim.world.footage import Footage
from found_footy.sim.world.plan import Goal
from found_footy.sim.world.truth import WorldTruth

Json = dict[str, Any]

_DETAIL = {Kind.GOAL: "Normal Goal", Kind.PENALTY: "Penalty", Kind.OWN_GOAL: "Own Goal"}


@dataclass
class TruthTeller:
    """Knows nothing of a scenario that was written by hand: it has no truth about posts."""

    scenario: Scenario
    clock: Clock
    board: Board
    films: Films
    truth: WorldTruth | None
    _files: dict[str, Footage] = field(default_factory=dict)

    def routes(self) -> list[BaseRoute]:
        return [Route("/sim/truth", self.show)]

    async def show(self, _: Request) -> Response:
        if self.truth is None:
            return JSONResponse({"error": "no_truth", "detail": "only a seeded match day has one"}, 404)
        return JSONResponse(self.tell(self.truth))

    def tell(self, truth: WorldTruth) -> Json:
        return {
            "simulated": True,
            "seed": truth.seed,
            "size": truth.size,
            "speed": self.clock.pace,
            "started_at": self.clock.started_at.isoformat() if self.clock.has_begun else None,
            "goals": [self._goal(goal, truth) for goal in truth.goals],
            "posts": [self._post(item, truth) for item in reversed(self.board.out())],
            "posts_to_come": self.board.to_come,
            "files": self._made(truth),
        }

    def _goal(self, goal: Goal, truth: WorldTruth) -> Json:
        match = self.scenario.match(goal.match.id)
        assert match is not None
        minute = course_of(match).at(goal.at)
        return {
            "goal": goal.id,
            "fixture": match.id,
            "title": f"{match.home.name} – {match.away.name}",
            "team": goal.club.team.id,
            "team_name": goal.club.team.name,
            "player": goal.player.name,
            "player_id": goal.player.id,
            "players": [{"id": player.id, "name": player.name} for player in goal.credits],
            "minute": goal.written_minute,
            "elapsed": goal.at.minute,
            "extra": goal.at.extra,
            "type": "Goal",
            "detail": _DETAIL[goal.kind],
            "score_after": list(goal.score_after),
            "quirk": goal.quirk,
            "stands": goal.stands,
            "struck_out_at": self._at(match, minute + goal.struck_after) if goal.struck_after else None,
            "reattributed_from": goal.first_given_to.name if goal.first_given_to else None,
            "at": self._at(match, minute),
            "match_second": round(minute * 60, 1),
            "world_second": round(goal.minute * 60, 1),
            "right_clip_posted": goal.id in truth.right,
            "right_clip_sources": sorted(truth.right.get(goal.id, ())),
        }

    def _at(self, match: Match, minute: float) -> str | None:
        """The wall-clock time of a minute of the match, once it has come."""
        reached = self.clock.has_begun and self.clock.moment(match).minute >= minute
        return self.clock.time_of(match, minute).isoformat() if reached else None

    def _post(self, item: Published, truth: WorldTruth) -> Json:
        known = truth.posts[item.index]
        return {
            "tweet_id": item.tweet_id,
            "url": address(item),
            "source": item.post.source,
            "posted_at": item.posted_at.isoformat(),
            "text": item.post.text,
            "about": known.about,
            "goal": known.goal,
            "found_for": list(known.found_for),
            "recording": known.recording,
            "kind": known.kind,
            "expected": known.expected.get(known.about) or next(iter(known.expected.values()), None),
            "expected_for": dict(known.expected),
            "in_window": known.in_window,
            "host": item.post.host,
            "reply": item.post.reply,
        }

    def _made(self, truth: WorldTruth) -> list[Json]:
        if not self._files:
            self._files = dict(self._footage(truth))
        made = ((self._files.get(key), md5) for key, md5 in self.films.renderer.made().items())
        return [
            {"md5": md5, "recording": file.recording, "kind": file.kind, "goal": file.goal, "clip": file.clip}
            for file, md5 in made
            if file is not None
        ]

    def _footage(self, truth: WorldTruth) -> list[tuple[str, Footage]]:
        return [
            (self.films.recipe(clip, (width, height)).key, truth.footage[clip.name])
            for clip in self.scenario.clips
            for width, height, _ in self.films.variants(clip)
        ]
