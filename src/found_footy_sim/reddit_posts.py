"""Posts of a generated match day for the simulated r/soccer, and the pages of their clips."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from found_footy_sim.clock import SimulatedClock
from found_footy_sim.post_schedule import PostSchedule, PublishedPost
from found_footy_sim.reddit.posts import RedditSimPost
from found_footy_sim.rendered_clips import RenderedClips
from found_footy_sim.script.model import IncidentKind, MatchSide, Scenario
from found_footy_sim.world.expected_outcomes import WorldTruth
from found_footy_sim.world.goals import SimulatedGoal

_POSTS_PER_GOAL = 2
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_TICK = "'"
# In match time: how long the lists of some sources lag, and how long moderators take.
_LISTED_AFTER, _REMOVED_AFTER = timedelta(minutes=3), timedelta(minutes=8)
_LATE_EVERY, _REMOVED_EVERY = 3, 5
_MATCH_CLIP_FLAIR = ":n_media: Match Clip"
_NOTES = {IncidentKind.PENALTY: " (penalty)", IncidentKind.OWN_GOAL: " (OG)"}


class ScenarioRedditPosts:
    """A post source for `RedditSite`: the first people who post a clip of a goal elsewhere post it here too, under
    titles of the usual forms. Of some goals the lists show the second post late, of others the first is removed after
    a while. A goal that the feed removes has a post that says so. A match thread per match is always listed. `truth`
    tells which clips show which goal.
    """

    def __init__(
        self,
        scenario: Scenario,
        schedule: PostSchedule,
        clock: SimulatedClock,
        rendered_clips: RenderedClips,
        truth: WorldTruth | None,
    ) -> None:
        self._scenario = scenario
        self._schedule = schedule
        self._clock = clock
        self._rendered_clips = rendered_clips
        self._truth = truth
        self._goals = {goal.id: goal for goal in truth.goals} if truth else {}

    def posts(self) -> list[RedditSimPost]:
        return [*self._list_threads(), *self._list_goal_posts()]

    def routes(self) -> list[Route]:
        return [Route("/clips/{media}", self._show_clip)]

    def _list_threads(self) -> Iterator[RedditSimPost]:
        opened = self._clock.started_at - timedelta(minutes=5)
        for number, match in enumerate(self._scenario.matches):
            title = f"Match Thread: {match.home.name} vs {match.away.name} | {match.league.name}"
            page = f"https://www.reddit.com/r/soccer/comments/thread{number}/slug/"
            posted_at = opened - timedelta(seconds=number)
            yield RedditSimPost(f"thread{number}", title, "MatchThreadder", posted_at, page, ":n_ball: Match Thread")

    def _list_goal_posts(self) -> Iterator[RedditSimPost]:
        posted: defaultdict[str, int] = defaultdict(int)
        for item in reversed(self._schedule.list_published()):
            goal = self._find_goal(item)
            if goal is not None and posted[goal.id] < _POSTS_PER_GOAL:
                posted[goal.id] += 1
                yield self._make_goal_post(goal, item, posted[goal.id])
                if posted[goal.id] == 1 and goal.removed_after is not None:
                    yield self._make_disallowed_post(goal, item)

    def _make_goal_post(self, goal: SimulatedGoal, item: PublishedPost, number: int) -> RedditSimPost:
        title = make_title(goal) if number == 1 else make_short_title(goal)
        post = RedditSimPost(_make_post_id(item.media), title, item.author, item.posted_at, f"/clips/{item.media}")
        if number > 1 and goal.seed % _LATE_EVERY == 0:
            return replace(post, visible_at=item.posted_at + _LISTED_AFTER / self._clock.pace)
        if number == 1 and goal.seed % _REMOVED_EVERY == 0:
            return replace(post, removed_at=item.posted_at + _REMOVED_AFTER / self._clock.pace)
        return post

    def _make_disallowed_post(self, goal: SimulatedGoal, item: PublishedPost) -> RedditSimPost:
        told_at = item.posted_at + timedelta(minutes=goal.removed_after or 0) / self._clock.pace
        opponent = goal.match.away if goal.side is MatchSide.HOME else goal.match.home
        title = f"{goal.player.name} disallowed goal against {opponent.name} {_write_minute(goal)}"
        post_id = _make_post_id(f"{item.media}1")
        return RedditSimPost(post_id, title, item.author, told_at, f"/clips/{item.media}", _MATCH_CLIP_FLAIR)

    def _find_goal(self, item: PublishedPost) -> SimulatedGoal | None:
        """The goal that the post's clip shows, if it is the one that the post is about."""
        if self._truth is None or item.post.host is not None:
            return None
        known = self._truth.posts[item.index]
        return self._goals.get(known.goal or "") if known.goal == known.about else None

    async def _show_clip(self, request: Request) -> Response:
        item = self._schedule.find_by_media(request.path_params["media"])
        if item is None or self._schedule.is_deleted(item):
            return PlainTextResponse("Not Found", 404)
        clip = self._scenario.get_clip(item.post.clip)
        width, height, _ = self._rendered_clips.variants(clip)[0]
        file = f"/video/{item.media}/{width}x{height}/{clip.name}.mp4"
        return HTMLResponse(f'<html><meta property="og:video" content="{file}"><video src="{file}"></video></html>')


def make_title(goal: SimulatedGoal) -> str:
    """`Home [1] - 0 Away - Scorer (penalty) 34'`."""
    return f"{_write_result(goal, ' - ')} - {goal.player.name}{_NOTES.get(goal.kind, '')} {_write_minute(goal)}"


def make_short_title(goal: SimulatedGoal) -> str:
    """`Home [1]-0 Away - Scorer 34' (penalty)`, with the invisible mark that some programs write after the minute."""
    return f"{_write_result(goal, '-')} - {goal.player.name} {_write_minute(goal)}\u200e{_NOTES.get(goal.kind, '')}"


def _write_result(goal: SimulatedGoal, dash: str) -> str:
    home, away = goal.score_after
    score = f"[{home}]{dash}{away}" if goal.side is MatchSide.HOME else f"{home}{dash}[{away}]"
    return f"{goal.match.home.name} {score} {goal.match.away.name}"


def _write_minute(goal: SimulatedGoal) -> str:
    return f"{goal.minute_text.rstrip(_TICK)}'"


def _make_post_id(media: str) -> str:
    number, digits = int(media) % 36**7, ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return f"1{digits:0>7}"
