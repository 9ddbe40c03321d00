"""Documents of a match day as the stages store them, each changed by a test where it matters."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from found_footy.domain.clip_files import THUMBNAIL
from found_footy.domain.ids import clip_key, event_id

Document = dict[str, Any]

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
HOME, AWAY = 40, 42


def fixture(fixture_id: int = 5000, **changes: Any) -> Document:
    """A match in its first hour, 1–0; `changes` replace top-level fields, `status` and `minute` the state of play."""
    status = changes.pop("status", "2H")
    minute = changes.pop("minute", 61)
    kickoff = changes.pop("kickoff", NOW - timedelta(hours=1))
    return {
        "_id": fixture_id,
        "fixture": {
            "id": fixture_id,
            "timestamp": int(kickoff.timestamp()),
            "status": {"short": status, "long": status, "elapsed": minute, "extra": None},
            "venue": {"name": "Example Park"},
        },
        "league": {"id": 39, "name": "Premier League", "country": "England", "round": "Regular Season - 12"},
        "teams": {"home": {"id": HOME, "name": "Liverpool"}, "away": {"id": AWAY, "name": "Arsenal"}},
        "goals": {"home": 1, "away": 0},
        "score": {"penalty": {"home": None, "away": None}},
        "kickoff": kickoff,
        "events": [],
        "removed_events": [],
    } | changes


def goal(fixture_id: int = 5000, player: int = 234, **changes: Any) -> Document:
    """A goal of the home side that is being searched for."""
    team = changes.pop("team_id", HOME)
    minute = changes.pop("minute", 23)
    extra = changes.pop("extra", None)
    name = changes.pop("name", "Florian Wirtz")
    return {
        "_event_id": event_id(fixture_id, team, player, "Goal", 1),
        "_slug": f"Liverpool|Wirtz|{minute}min",
        "_first_seen": NOW - timedelta(minutes=30),
        "_score_before": {"home": 0, "away": 0},
        "_score_after": {"home": 1, "away": 0},
        "_monitor_workflows": ["monitor-1", "monitor-2", "monitor-3"],
        "_monitor_complete": True,
        "_download_workflows": ["download1", "download2"],
        "_download_complete": False,
        "_s3_videos": [],
        "player": {"id": player, "name": name},
        "team": {"id": team, "name": "Liverpool" if team == HOME else "Arsenal"},
        "assist": {"id": None, "name": None},
        "type": "Goal",
        "detail": "Normal Goal",
        "time": {"elapsed": minute, "extra": extra},
    } | changes


def clip(event: str, md5: str = "a" * 32, *, sources: Sequence[str] = (), **changes: Any) -> Document:
    """A verified clip whose file and thumbnail lie under the goal's own keys."""
    number = int(event.partition("_")[0])
    found = list(sources) or ["https://x.com/fan/status/1234567890123456789", md5]
    return {
        "clip_id": f"{event}-{md5[:8]}",
        "_s3_key": clip_key(number, event, md5),
        "thumbnail_key": THUMBNAIL.key(number, event, md5),
        "md5": md5,
        "width": 1280,
        "height": 720,
        "duration": 12.4,
        "file_size": 1_000_000,
        "popularity": len(found),
        "_sources": found,
        "rank": 1,
        "source_url": found[0],
        "timestamp_verified": True,
        "timestamp_status": "verified",
        "extracted_minute": 23,
        "proof": {
            "clock": "23:14",
            "half": "",
            "teams": "LIV–ARS",
            "score": "0–0",
            "minute_finding": "confirmed",
            "half_finding": "unknown",
            "teams_finding": "confirmed",
            "score_finding": "confirmed",
        },
        "added_at": NOW - timedelta(minutes=25),
    } | changes
