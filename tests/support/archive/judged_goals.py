"""Goals with clips whose readings are stored, as the check and the archive leave them."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from found_footy.domain.ids import link_field_name
from found_footy.domain.messages import Goal
from found_footy.vision.verdict import FrameReading
from tests.support.pipeline.goals import event_document

DOWNLOAD_ID = "download1-test"


def readings_of(*scores: str | None, clock: int = 116 * 60 + 20) -> list[FrameReading]:
    """Direct football with a running clock, three seconds between the frames."""
    return [
        FrameReading(
            3.0 * number,
            soccer=True,
            screen=False,
            clock=f"{(clock + 3 * number) // 60}:{(clock + 3 * number) % 60:02d}",
            is_confirmed=True,
            teams="LIV–ARS",
            score=score,
        )
        for number, score in enumerate(scores)
    ]


def stored_clip(md5: str, *, verified: bool = True, sources: Sequence[str] = (), **fields: Any) -> dict[str, Any]:
    urls = list(sources) or [f"https://x.com/{md5}"]
    member = {
        "md5": md5,
        "duration": 10.0,
        "file_size": 1000,
        "verified": verified,
        "sources": urls,
        "fingerprint_key": None,
        "hash_version": "",
        "matches": [],
        "home": "",
    }
    return {
        "clip_id": f"clip-{md5}",
        "md5": md5,
        "_s3_key": f"{md5}.mp4",
        "file_size": 1000,
        "popularity": len(urls),
        "rank": 1,
        "timestamp_verified": verified,
        "timestamp_status": "verified" if verified else "unverified",
        "extracted_minute": 116 if verified else None,
        "proof": None,
        "post_doubts": 0,
        "_sources": urls,
        "_md5s": [md5],
        "_members": [member],
        **fields,
    }


def judged_event(
    goal: Goal, clips: Sequence[dict[str, Any]], readings: dict[str, list[FrameReading]], **fields: Any
) -> dict[str, Any]:
    """A goal with these clips, and a note with the readings of each file."""
    notes = {
        link_field_name(f"https://x.com/{md5}"): {
            "url": f"https://x.com/{md5}",
            "md5": md5,
            "outcome": "uploaded",
            "retry": "never",
            "evidence": {"reader": "local", "frames": [asdict(reading) for reading in read]},
        }
        for md5, read in readings.items()
    }
    scores = {
        "_score_before": None if goal.score_before is None else asdict(goal.score_before),
        "_score_after": None if goal.score_after is None else asdict(goal.score_after),
    }
    telemetry = {"attempts": {DOWNLOAD_ID: {"clips": notes}}}
    return event_document(goal, _s3_videos=list(clips), _telemetry=telemetry, **scores, **fields)


def match_of(*events: dict[str, Any]) -> dict[str, Any]:
    teams = {"home": {"id": 40, "name": "Liverpool"}, "away": {"id": 42, "name": "Arsenal"}}
    fixture_id = int(str(events[0]["_event_id"]).partition("_")[0])
    return {"_id": fixture_id, "teams": teams, "events": list(events), "removed_events": []}
