"""Which pictures of checked frames a visitor may have."""

from typing import Any

import pytest

from found_footy.web.access import EvidenceKey, MediaGone, MediaGranted, MediaUnknown, decide_evidence_access
from tests.support.web import matchday
from tests.support.web.matchday import Document

EVENT = "5000_40_234_Goal_1"
KEY = f"5000/{EVENT}/evidence/{'a' * 32}-1.jpg"


def decide(document: Document | None, key: str = KEY) -> object:
    parsed = EvidenceKey.parse(key)
    assert parsed is not None
    return decide_evidence_access(document, parsed)


def shown(**changes: Any) -> Document:
    goal = matchday.goal(_s3_videos=[matchday.clip(EVENT, sources=["https://x.com/a/status/1"])], **changes)
    return matchday.fixture(events=[goal])


@pytest.mark.parametrize(
    "key",
    [
        "",
        KEY + "\n",
        "../" + KEY,
        KEY.replace("-1", "-11"),
        KEY.replace("-1", "-٣"),
        KEY.replace("evidence", "scratch"),
        KEY.replace(".jpg", ".mp4"),
        "5001" + KEY[4:],
    ],
)
def test_other_shapes_of_keys_are_not_evidence(key: str) -> None:
    assert EvidenceKey.parse(key) is None


def test_frames_of_a_shown_clip_are_served() -> None:
    assert decide(shown()) == MediaGranted(KEY)


def test_frames_of_another_copy_of_a_shown_recording_are_served() -> None:
    document = shown()
    document["events"][0]["_s3_videos"][0]["_md5s"] = ["a" * 32, "b" * 32]
    key = KEY.replace("a" * 32, "b" * 32)
    assert decide(document, key) == MediaGranted(key)


def test_frames_of_rejected_candidates_are_not_served() -> None:
    assert decide(shown(), KEY.replace("a" * 32, "c" * 32)) == MediaUnknown()


def test_frames_of_a_removed_goal_are_not_served() -> None:
    assert decide(shown(_removed=True)) == MediaUnknown()


def test_frames_of_a_clip_that_moderation_removed_are_gone() -> None:
    rejected = {"clip_id": "x", "md5s": ["a" * 32]}
    found = decide(shown(_judgements={"refused": [rejected]}))
    assert isinstance(found, MediaGone)
    assert decide(shown(_judgements={"refused": [rejected | {"lifted": True}]})) == MediaGranted(KEY)


def test_frames_of_a_match_that_is_not_stored_are_unknown() -> None:
    assert decide(None) == MediaUnknown()
