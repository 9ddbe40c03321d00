"""Which of two clips is better, and what the integrity check says of ranks."""

from datetime import UTC, datetime
from typing import Any

import pytest

from found_footy.archive.maintenance.integrity import IssueKind, StoredFixtureCopy, find_issues
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ranking import rank_clips

NOW = datetime(2026, 11, 15, tzinfo=UTC)


def make_clip(md5: str, **fields: Any) -> dict[str, Any]:
    return {"clip_id": md5, "md5": md5, "timestamp_verified": False, "popularity": 1, "file_size": 100, **fields}


BETTER_AND_WORSE = [
    pytest.param({"pinned": True}, {"timestamp_verified": True, "popularity": 9, "file_size": 900}, id="pinned"),
    pytest.param({"timestamp_verified": True}, {"popularity": 9, "file_size": 900}, id="verified"),
    pytest.param(
        {"title_confirmed": True, "post_doubts": 2}, {"popularity": 9, "file_size": 900}, id="confirmed title"
    ),
    pytest.param(
        {"timestamp_verified": True},
        {"title_confirmed": True, "popularity": 9},
        id="a title does not outdo the picture",
    ),
    pytest.param(
        {"timestamp_verified": True, "popularity": 2},
        {"timestamp_verified": True, "title_confirmed": True},
        id="titles do not matter if verified",
    ),
    pytest.param({}, {"post_doubts": 1, "popularity": 9, "file_size": 900}, id="doubtful post"),
    pytest.param({"post_doubts": 1}, {"post_doubts": 2, "popularity": 9}, id="more doubtful post"),
    pytest.param(
        {"timestamp_verified": True, "post_doubts": 3, "popularity": 2},
        {"timestamp_verified": True, "file_size": 900},
        id="doubts do not matter if verified",
    ),
    pytest.param({"popularity": 2}, {"file_size": 900}, id="popular"),
    pytest.param({"file_size": 900}, {}, id="larger"),
]


@pytest.mark.parametrize(("better", "worse"), BETTER_AND_WORSE)
def test_a_clip_is_ranked_by_the_first_field_that_differs(better: dict[str, Any], worse: dict[str, Any]) -> None:
    # The MD5s are against it, so that it is not the tie-breaker that decides.
    ranked = rank_clips([make_clip("a", **worse), make_clip("b", **better)])
    assert [(clip["md5"], clip["rank"]) for clip in ranked] == [("b", 1), ("a", 2)]


def test_clips_alike_are_ranked_by_their_md5() -> None:
    assert [clip["md5"] for clip in rank_clips([make_clip("b"), make_clip("a")])] == ["a", "b"]


def rank_issues(*clips: dict[str, Any]) -> list[str]:
    document = {"events": [{"_event_id": "e", "_s3_videos": list(clips)}]}
    issues = find_issues(7, [StoredFixtureCopy(FixtureCollection.ACTIVE, document)], {}, NOW)
    return [issue.event_id for issue in issues if issue.kind is IssueKind.RANKS]


@pytest.mark.parametrize(("better", "worse"), BETTER_AND_WORSE)
def test_the_integrity_check_wants_the_better_clip_first(better: dict[str, Any], worse: dict[str, Any]) -> None:
    assert rank_issues(make_clip("b", rank=1, **better), make_clip("a", rank=2, **worse)) == []
    assert rank_issues(make_clip("b", rank=2, **better), make_clip("a", rank=1, **worse)) == ["e"]
