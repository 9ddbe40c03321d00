"""A filled match day: every state of a match and of a goal, with clips, previews and evidence in the bucket."""

from datetime import datetime, timedelta
from typing import Any

from found_footy.domain.clip_files import PREVIEW
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import evidence_key, link_field_name
from found_footy.notify.moments import Moment
from found_footy.notify.rules import NotifyRule
from found_footy.platform.temporal.failures import FailedWorkflow
from found_footy.web.operator_deps import NotificationsPageDeps, OperatorDeps
from tests.support.web import matchday
from tests.support.web.matchday import NOW, Document
from tests.support.web.page import PageData
from tests.support.web.page_videos import thumbnail, video

MATCH, FINISHED_MATCH, UPCOMING_MATCH = 5000, 5100, 5200
GOAL = "5000_40_234_Goal_1"
REMOVED_GOAL = "5000_42_99_Goal_1"
_SIZE = {"width": 640, "height": 360}


def team(number: int, name: str) -> Document:
    return {"id": number, "name": name}


def teams(home: Document, away: Document) -> Document:
    return {"home": home, "away": away}


async def store_angle(page_data: PageData, event: str, md5: str, *, label: str, **changes: Any) -> Document:
    """A clip with its preview, and two frames as evidence."""
    fixture_id = int(event.partition("_")[0])
    record = matchday.clip(event, md5, preview_key=PREVIEW.key(fixture_id, event, md5), _md5s=[md5], **changes)
    await page_data.store_clip(record, video(3, label=label, **_SIZE))
    await page_data.objects.put_bytes(record["thumbnail_key"], thumbnail(label, **_SIZE), content_type="image/jpeg")
    await page_data.objects.put_bytes(record["preview_key"], video(1), content_type="video/mp4")
    for number in (1, 2):
        key = evidence_key(fixture_id, event, md5, number)
        await page_data.objects.put_bytes(key, thumbnail(label, 480, 270), content_type="image/jpeg")
    return record


def attempt(number: int, at: datetime, *notes: Document, found: int = 0) -> Document:
    """The record of one download; `notes` say what became of its candidates."""
    return {
        "attempt": number,
        "query": "Liverpool Wirtz",
        "found": found or len(notes),
        "taken": len(notes),
        "searched_at": at,
        "clips": {link_field_name(note["url"]): note for note in notes},
    }


def kept_note(record: Document, label: str) -> Document:
    """What the check read of a clip that was kept."""
    fixture_id, event = record["_s3_key"].split("/")[:2]
    frames = [
        {
            "at": at,
            "clock": label,
            "teams": "LIV–ARS",
            "score": "0–0",
            "picture": evidence_key(int(fixture_id), event, record["md5"], number),
        }
        for number, at in ((1, 1.5), (2, 4.5))
    ]
    return {
        "url": record["source_url"],
        "md5": record["md5"],
        "outcome": "uploaded",
        "evidence": {"reader": "local", "expected": "23", "rule": "two frames, the clock advances", "frames": frames},
    }


def rejected_note(number: int, outcome: str, reason: str) -> Document:
    return {"url": f"https://x.com/other/status/19{number:017d}", "md5": "", "outcome": outcome, "reason": reason}


async def _build_shown_goal(page_data: PageData) -> Document:
    """A goal with three angles, of which the best has three copies, and a history of two searches."""
    best = await store_angle(
        page_data,
        GOAL,
        "a" * 32,
        label="23:14",
        width=1920,
        height=1080,
        sources=["https://x.com/fan/status/1", "https://bsky.app/profile/kop/post/2", "https://x.com/lfc/status/3"],
    )
    best["_members"] = [
        _copy(best["md5"], best["_sources"][:2], 1_000_000),
        _copy("e" * 32, best["_sources"][2:], 400_000),
    ]
    second = await store_angle(
        page_data, GOAL, "b" * 32, label="23:31", rank=2, sources=["https://x.com/kopite/status/4"]
    )
    third = await store_angle(
        page_data,
        GOAL,
        "c" * 32,
        label="REPLAY",
        rank=3,
        sources=["https://streamin.one/v/abc"],
        timestamp_verified=False,
        timestamp_status="unverified",
        proof={"teams": "LIVERPOOL FC–ARSENAL FC", "score": "aggregate 3–2", "teams_finding": "confirmed"},
    )
    found = [
        {"url": link, "source": source, "taken": True}
        for record in (best, second, third)
        for link, source in ((one, "bluesky" if "bsky" in one else "x") for one in record["_sources"])
    ]
    searched = NOW - timedelta(minutes=28)
    return matchday.goal(
        assist={"id": 3, "name": "Mohamed Salah"},
        _fell_at=NOW - timedelta(minutes=31),
        _s3_videos=[best, second, third],
        _discovered_videos=found,
        _telemetry={
            "attempts": {
                "download1-Liverpool-Wirtz": attempt(
                    1,
                    searched,
                    kept_note(best, "23:14"),
                    rejected_note(1, "wrong_minute", "the clock shows 61:02 (goal in minute 23)"),
                    rejected_note(2, "phone_screen", "moiré and a frame around the picture"),
                    rejected_note(9, "vision_unavailable", "Unavailable: the reader does not answer within 20 s"),
                    found=14,
                ),
                "download2-Liverpool-Wirtz": attempt(
                    2, searched + timedelta(minutes=1), kept_note(second, "23:31"), kept_note(third, ""), found=6
                ),
            }
        },
    )


def _copy(md5: str, sources: list[str], size: int) -> Document:
    return {"md5": md5, "duration": 12.4, "file_size": size, "verified": True, "sources": sources}


async def _build_live_match(page_data: PageData) -> Document:
    second = matchday.goal(
        player=7,
        minute=45,
        extra=3,
        team_id=matchday.AWAY,
        name="Bukayo Saka",
        _score_before={"home": 1, "away": 0},
        _score_after={"home": 1, "away": 1},
    )
    second["_s3_videos"] = [await store_angle(page_data, second["_event_id"], "d" * 32, label="45+3")]
    third = matchday.goal(
        player=9,
        minute=58,
        name="Alexander Isak",
        _first_seen=NOW - timedelta(minutes=3),
        _score_before={"home": 1, "away": 1},
        _score_after={"home": 2, "away": 1},
    )
    removed = matchday.goal(
        player=99,
        minute=34,
        team_id=matchday.AWAY,
        name="Viktor Gyökeres",
        _event_id=REMOVED_GOAL,
        _removed=True,
        _removed_at=NOW - timedelta(minutes=22),
        _first_seen=NOW - timedelta(minutes=26),
    )
    return matchday.fixture(
        MATCH,
        goals={"home": 2, "away": 1},
        events=[await _build_shown_goal(page_data), second, third],
        removed_events=[removed],
    )


async def _build_finished_match(page_data: PageData) -> Document:
    sides = teams(team(157, "Bayern München"), team(165, "Borussia Dortmund"))
    league = {"id": 78, "name": "Bundesliga", "country": "Germany", "round": "Regular Season - 11"}
    goals = []
    for player, minute, name, home, away, side in (
        (1, 12, "Harry Kane", 1, 0, 157),
        (2, 40, "Serhou Guirassy", 1, 1, 165),
        (3, 83, "Jamal Musiala", 2, 1, 157),
    ):
        goal = matchday.goal(
            FINISHED_MATCH,
            player,
            team_id=side,
            minute=minute,
            name=name,
            _download_complete=True,
            _download_completed_at=NOW - timedelta(hours=1),
            _score_after={"home": home, "away": away},
        )
        digest = str(player) * 32
        goal["_s3_videos"] = [await store_angle(page_data, goal["_event_id"], digest, label=f"{minute - 1}:40")]
        goals.append(goal)
    return matchday.fixture(
        FINISHED_MATCH,
        status="FT",
        kickoff=NOW - timedelta(hours=4),
        teams=sides,
        league=league,
        goals={"home": 2, "away": 1},
        events=goals,
    )


async def store_match_day(page_data: PageData) -> None:
    """Live, finished and upcoming matches of three leagues."""
    await page_data.store_fixture(await _build_live_match(page_data))
    await page_data.store_fixture(await _build_finished_match(page_data), FixtureCollection.COMPLETED)
    spain = {"id": 140, "name": "La Liga", "country": "Spain", "round": "Regular Season - 13"}
    half_time = matchday.fixture(
        5001,
        status="HT",
        minute=45,
        teams=teams(team(529, "Barcelona"), team(530, "Atlético Madrid")),
        league=spain,
        goals={"home": 0, "away": 0},
    )
    await page_data.store_fixture(half_time)
    for number, (home, away) in enumerate((("Real Madrid", "Sevilla"), ("Valencia", "Real Betis"))):
        upcoming = matchday.fixture(
            UPCOMING_MATCH + number,
            status="NS",
            minute=None,
            kickoff=NOW + timedelta(hours=1 + number),
            teams=teams(team(541 + 10 * number, home), team(536 + 10 * number, away)),
            league=spain,
            goals={"home": None, "away": None},
        )
        await page_data.store_fixture(upcoming, FixtureCollection.STAGING)


async def _list_failed_workflows(since: datetime, limit: int) -> list[FailedWorkflow]:
    cause = "Activity task failed: DiskFailed: disk: no space left on device"
    return [FailedWorkflow("upload-5100_157_1_Goal_1", "run-1", "UploadWorkflow", "failed", cause, NOW)]


async def _restart_workflow(workflow_id: str, run_id: str, reason: str) -> str:
    return "run-2"


async def _send_test(name: str) -> None:
    """Every channel works."""


def build_operator() -> OperatorDeps:
    """What the operator's pages show beside the database: a workflow that failed, two channels, a key for browsers."""
    rule = NotifyRule(channels=("fans",), teams=("Liverpool", "Arsenal"), moments=(Moment.CONFIRMED, Moment.FIRST_CLIP))
    channels = {"fans": "discord", "phone": "telegram"}
    page = NotificationsPageDeps(channels, (rule,), "BPublicKeyOfThePage", _send_test)
    return OperatorDeps(_list_failed_workflows, _restart_workflow, page)
