"""Fixtures with goals as the stages before store them, as far as notifications read them."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

from found_footy.domain.documents import FixtureDocument

AT = datetime(2026, 11, 14, 15, 0, tzinfo=UTC)
FIXTURE_ID = 1001
EVENT_ID = "1001_42_7_Goal_1"
OTHER_EVENT_ID = "1001_42_9_Goal_1"


def clip(name: str, rank: int = 1, height: int = 720, verified: bool = False) -> dict[str, Any]:
    return {
        "clip_id": name,
        "md5": f"md5-{name}",
        "rank": rank,
        "width": height * 16 // 9,
        "height": height,
        "timestamp_verified": verified,
    }


def goal(event_id: str = EVENT_ID, **fields: Any) -> dict[str, Any]:
    return {
        "_event_id": event_id,
        "_first_seen": AT,
        "_due_at": AT + timedelta(minutes=1),
        "_score_before": {"home": 0, "away": 0},
        "_score_after": {"home": 1, "away": 0},
        "team": {"id": 42, "name": "Arsenal"},
        "player": {"id": 7, "name": "B. Saka"},
        "assist": {"id": 8, "name": "M. Ødegaard"},
        "time": {"elapsed": 45, "extra": 3},
        "detail": "Normal Goal",
        "_s3_videos": [],
        **fields,
    }


def fixture(*events: dict[str, Any], removed: tuple[dict[str, Any], ...] = (), **fields: Any) -> FixtureDocument:
    document = {
        "_id": FIXTURE_ID,
        "kickoff": AT - timedelta(minutes=50),
        "league": {"id": 39, "name": "Premier League", "country": "England"},
        "teams": {"home": {"id": 42, "name": "Arsenal"}, "away": {"id": 47, "name": "Tottenham"}},
        "events": list(events),
        "removed_events": list(removed),
        **fields,
    }
    return cast(FixtureDocument, document)
