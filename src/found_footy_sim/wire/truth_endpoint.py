"""`GET /sim/truth`: the ground truth of a simulated match day, for the scorecard."""

from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from found_footy_sim.clock import SimulatedClock
from found_footy_sim.feed.fixture import get_timeline
from found_footy_sim.post_schedule import PostSchedule, PublishedPost, post_url
from found_footy_sim.rendered_clips import RenderedClips
from found_footy_sim.script.model import IncidentKind, Scenario, SimulatedMatch
from found_footy_sim.world.expected_outcomes import WorldTruth
from found_footy_sim.world.footage import FootageFile
from found_footy_sim.world.goals import SimulatedGoal

Json = dict[str, Any]

_GOAL_DETAILS = {IncidentKind.GOAL: "Normal Goal", IncidentKind.PENALTY: "Penalty", IncidentKind.OWN_GOAL: "Own Goal"}


@dataclass
class TruthEndpoint:
    """Empty for a hand-written scenario: it has no ground truth about posts."""

    scenario: Scenario
    clock: SimulatedClock
    schedule: PostSchedule
    rendered_clips: RenderedClips
    truth: WorldTruth | None
    _footage_by_key: dict[str, FootageFile] = field(default_factory=dict)

    def routes(self) -> list[BaseRoute]:
        return [Route("/sim/truth", self.get_truth)]

    async def get_truth(self, _: Request) -> Response:
        if self.truth is None:
            return JSONResponse({"error": "no_truth", "detail": "only a seeded match day has one"}, 404)
        return JSONResponse(self.build_truth(self.truth))

    def build_truth(self, truth: WorldTruth) -> Json:
        return {
            "simulated": True,
            "seed": truth.seed,
            "size": truth.size,
            "speed": self.clock.pace,
            "started_at": self.clock.started_at.isoformat() if self.clock.has_begun else None,
            "goals": [self._describe_goal(goal, truth) for goal in truth.goals],
            "posts": [self._describe_post(item, truth) for item in reversed(self.schedule.list_published())],
            "posts_to_come": self.schedule.pending_count,
            "files": self._describe_files(truth),
        }

    def _describe_goal(self, goal: SimulatedGoal, truth: WorldTruth) -> Json:
        match = self.scenario.find_match(goal.match.id)
        assert match is not None
        minute = get_timeline(match).minute_at(goal.at)
        return {
            "goal": goal.id,
            "fixture": match.id,
            "title": f"{match.home.name} – {match.away.name}",
            "team": goal.club.team.id,
            "team_name": goal.club.team.name,
            "player": goal.player.name,
            "player_id": goal.player.id,
            "players": [{"id": player.id, "name": player.name} for player in goal.credited_players],
            "minute": goal.minute_text,
            "elapsed": goal.at.minute,
            "extra": goal.at.extra,
            "type": "Goal",
            "detail": _GOAL_DETAILS[goal.kind],
            "score_after": list(goal.score_after),
            "quirk": goal.quirk,
            "stands": goal.is_standing,
            "struck_out_at": self._wall_time(match, minute + goal.removed_after) if goal.removed_after else None,
            "reattributed_from": goal.first_credited_to.name if goal.first_credited_to else None,
            "at": self._wall_time(match, minute),
            "match_second": round(minute * 60, 1),
            "world_second": round(goal.minute * 60, 1),
            "right_clip_posted": goal.id in truth.right_sources,
            "right_clip_findable": goal.id in truth.findable_goals,
            "right_clip_sources": sorted(truth.right_sources.get(goal.id, ())),
        }

    def _wall_time(self, match: SimulatedMatch, minute: float) -> str | None:
        """The wall-clock time of a minute of the match, once it has passed."""
        reached = self.clock.has_begun and self.clock.get_moment(match).minute >= minute
        return self.clock.time_of(match, minute).isoformat() if reached else None

    def _describe_post(self, item: PublishedPost, truth: WorldTruth) -> Json:
        known = truth.posts[item.index]
        return {
            "tweet_id": item.tweet_id,
            "url": post_url(item),
            "source": item.post.source,
            "posted_at": item.posted_at.isoformat(),
            "text": item.post.text,
            "about": known.about,
            "goal": known.goal,
            "shows": list(known.shows),
            "names": known.names,
            "recording": known.recording,
            "kind": known.kind,
            "expected": known.expected.get(known.about) or next(iter(known.expected.values()), None),
            "expected_for": dict(known.expected),
            "in_window": known.in_window,
            "host": item.post.host,
            "reply": item.post.reply,
        }

    def _describe_files(self, truth: WorldTruth) -> list[Json]:
        if not self._footage_by_key:
            self._footage_by_key = dict(self._list_footage(truth))
        made = (
            (self._footage_by_key.get(key), md5) for key, md5 in self.rendered_clips.renderer.rendered_md5s().items()
        )
        return [
            {
                "md5": md5,
                "recording": file.recording,
                "kind": file.kind,
                "goal": file.goal,
                "shows": list(file.compiled or ([file.goal] if file.goal else [])),
                "clip": file.clip,
            }
            for file, md5 in made
            if file is not None
        ]

    def _list_footage(self, truth: WorldTruth) -> list[tuple[str, FootageFile]]:
        return [
            (self.rendered_clips.get_recipe(clip, (width, height)).content_key, truth.footage[clip.name])
            for clip in self.scenario.clips
            for width, height, _ in self.rendered_clips.variants(clip)
        ]
