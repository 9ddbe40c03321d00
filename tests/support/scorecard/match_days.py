"""Small match days: the truth of the world, and what the product has stored."""

from datetime import UTC, datetime, timedelta
from typing import Any

from found_footy.domain.collections import FixtureCollection
from found_footy.views.fixture_views import StoredFixture
from found_footy_sim.scorecard.card import DayChecks, RunConditions, Scorecard, build_scorecard
from found_footy_sim.scorecard.costs import InjectedFault, RunCosts
from found_footy_sim.scorecard.ground_truth import GroundTruth, parse_ground_truth
from found_footy_sim.scorecard.observed_goals import observe_goals
from found_footy_sim.scorecard.watched_clips import WatchedClip

KICKOFF = datetime(2026, 11, 14, 15, tzinfo=UTC)
SPEED = 10.0
Json = dict[str, Any]


def at(seconds: float) -> datetime:
    return KICKOFF + timedelta(seconds=seconds)


def true_goal(goal: str = "g1", **changes: Any) -> Json:
    usual = {
        "goal": goal,
        "fixture": 5000,
        "team": 40,
        "player": "D. Szoboszlai",
        "player_id": 234,
        "minute": "7",
        "type": "Normal Goal",
        "stands": True,
        "reattributed_from": None,
        "at": at(0).isoformat(),
        "match_second": 420,
        "right_clip_posted": True,
    }
    return usual | changes


def post(number: int, **changes: Any) -> Json:
    usual = {
        "tweet_id": str(number),
        "url": link(number),
        "source": "x",
        "goal": "g1",
        "names": "usual",
        "recording": f"r{number}",
        "kind": "broadcast",
        "expected": "publish",
        "posted_at": at(3).isoformat(),
    }
    return usual | changes


def link(number: int) -> str:
    return f"https://x.com/fan/status/{number}"


def make_truth(goals: list[Json], posts: list[Json] | None = None, files: list[Json] | None = None) -> GroundTruth:
    body = {"seed": 7, "size": "small", "speed": SPEED, "simulated": True}
    return parse_ground_truth(body | {"goals": goals, "posts": posts or [], "files": files or []})


def clip(number: int, **changes: Any) -> Json:
    """A published clip of the bytes of that post."""
    usual = {
        "clip_id": f"c{number}",
        "_s3_key": f"k{number}.mp4",
        "md5": f"m{number}",
        "rank": number,
        "timestamp_verified": True,
        "source_url": link(number),
        "_sources": [link(number)],
        "added_at": at(12),
    }
    return usual | changes


def event(clips: list[Json] | None = None, outcomes: dict[int, str] | None = None, **changes: Any) -> Json:
    """A goal as the product stores it; `outcomes` says what became of which post."""
    verdicts = {str(n): {"url": link(n), "outcome": outcome} for n, outcome in (outcomes or {}).items()}
    usual = {
        "_event_id": "5000_40_234_Goal_1",
        "team": {"id": 40},
        "player": {"id": 234, "name": "D. Szoboszlai"},
        "time": {"elapsed": 7, "extra": None},
        "_due_at": at(9),
        "_first_seen": at(2),
        "_download_complete": True,
        "_download_workflows": ["download1-a", "download2-a"],
        "_s3_videos": clips or [],
        "_telemetry": {"attempts": {"download1-a": {"attempt": 1, "clips": verdicts}}},
    }
    return usual | changes


def fixture(
    *events: Json,
    removed: tuple[Json, ...] = (),
    collection: FixtureCollection = FixtureCollection.COMPLETED,
    fixture_id: int = 5000,
) -> StoredFixture:
    return StoredFixture(collection, {"_id": fixture_id, "events": list(events), "removed_events": list(removed)})


def card(
    truth: GroundTruth,
    *stored: StoredFixture,
    costs: RunCosts | None = None,
    faults: tuple[InjectedFault, ...] = (),
    tolerance: int = 3,
    checks: DayChecks | None = None,
) -> Scorecard:
    """The scorecard of a day whose clips can all be watched, unless `checks` says otherwise."""
    how = RunConditions(7, "small", SPEED, 90, "browser", "local", chaos=bool(faults), tolerance=tolerance)
    observed = observe_goals(stored)
    watched = {clip.clip_id: WatchedClip(clip.clip_id, clip.md5, 150) for goal in observed for clip in goal.clips}
    return build_scorecard(truth, observed, how, costs or RunCosts(), faults, checks or DayChecks(watched, ()))
