"""The r/soccer of a generated day: its titles are read back, its feed lists them, its clip pages name the file."""

from contextlib import closing

import httpx

from found_footy.clips.fetch.hosts.pages import find_page_video
from found_footy.discovery.sources.reddit.posts import PostPage
from found_footy.discovery.sources.reddit.title_words import NOT_COUNTED
from found_footy.discovery.sources.reddit.titles import ScoringSide, parse_post_title
from found_footy.discovery.sources.reddit.wire import parse_feed
from found_footy.platform.http.client import HttpResponse
from found_footy_sim.reddit_posts import make_short_title, make_title
from found_footy_sim.script.model import IncidentKind, MatchSide
from found_footy_sim.simulator import Simulator
from found_footy_sim.world import make_world
from found_footy_sim.world.goals import SimulatedGoal
from tests.support.loopback_services import served


def test_every_title_of_a_day_is_read_as_the_goal_that_it_is_about() -> None:
    goals = make_world(1, "demo").truth.goals
    assert goals
    for goal, text in [(goal, make(goal)) for goal in goals for make in (make_title, make_short_title)]:
        title = parse_post_title(text)
        assert title is not None, text
        assert (title.home, title.away) == (goal.match.home.name, goal.match.away.name)
        assert (title.home_score, title.away_score) == goal.score_after
        assert title.scoring_side is (ScoringSide.HOME if goal.side is MatchSide.HOME else ScoringSide.AWAY)
        assert (title.minute, title.added) == (goal.at.minute, goal.at.extra or None)
        assert title.scorer == goal.player.name
        assert title.own_goal == (goal.kind is IncidentKind.OWN_GOAL)
        assert title.penalty == (goal.kind is IncidentKind.PENALTY)


def test_the_feed_lists_threads_at_once_and_goals_when_they_are_posted() -> None:
    world = make_world(1, "demo")
    simulator = Simulator(world.scenario, clock="manual", truth=world.truth)
    with served(simulator.app) as base, closing(simulator):
        before = _read_feed(base)
        assert before.posts
        assert not any(parse_post_title(post.title) for post in before.posts)
        simulator.advance(minutes=300)
        goals = [post for post in _read_feed(base).posts if parse_post_title(post.title) is not None]
        assert goals
        page = httpx.get(goals[0].link, trust_env=False)
        assert (find_page_video(page.text, goals[0].link) or "").startswith(f"{base}/video/")


def test_some_posts_of_a_day_come_late_or_are_removed_and_a_removed_goal_is_told() -> None:
    world = make_world(1, "full")
    simulator = Simulator(world.scenario, clock="manual", truth=world.truth)
    with closing(simulator):
        simulator.advance(minutes=900)
        posts = simulator.reddit.list_posts()
    assert any(post.visible_at for post in posts)
    assert any(post.removed_at for post in posts)
    told = [post.title for post in posts if NOT_COUNTED.search(post.title)]
    removed = [goal for goal in world.truth.goals if not goal.is_standing]
    assert told
    assert all(any(is_told_by(goal, title) for goal in removed) for title in told)
    assert not any(parse_post_title(title) for title in told)


def test_one_call_in_eight_is_too_many() -> None:
    world = make_world(1, "demo")
    simulator = Simulator(world.scenario, clock="manual", truth=world.truth)
    with served(simulator.app) as base, closing(simulator):
        answers = [httpx.get(f"{base}/reddit/r/soccer/new/.rss", trust_env=False).status_code for _ in range(16)]
    assert [place for place, status in enumerate(answers, start=1) if status == 429] == [8, 16]


def is_told_by(goal: SimulatedGoal, title: str) -> bool:
    opponent = goal.match.away if goal.side is MatchSide.HOME else goal.match.home
    return goal.player.name in title and opponent.name in title


def _read_feed(base: str) -> PostPage:
    answer = httpx.get(f"{base}/reddit/r/soccer/new/.rss?limit=100", trust_env=False)
    return parse_feed(HttpResponse(answer.status_code, dict(answer.headers), answer.content))
