"""People's word as the archive takes it."""

from typing import Any

import pytest

from found_footy.archive.moderation.lookup import parse_clip_reference
from found_footy.archive.moderation.model import BlockScope, ContentBlock, GoalModeration, parse_moderation
from found_footy.archive.moderation.objects import blocked_fingerprint_key, list_files
from found_footy.archive.moderation.service import collect_md5s
from found_footy.domain.clip_files import key_stem, list_object_keys

A, B, C, D = (letter * 32 for letter in "abcd")


def refused(*md5s: str, scope: BlockScope = BlockScope.WRONG_GOAL, **more: Any) -> dict[str, Any]:
    return {"clip_id": "x", "md5s": list(md5s), "scope": scope.value, "print_key": "p", "hash_version": "v"} | more


def test_a_goal_without_decisions_has_no_judgements() -> None:
    assert parse_moderation({}) == GoalModeration()
    assert parse_moderation({"_judgements": None, "_s3_videos": [{"clip_id": "x"}]}) == GoalModeration()


def test_all_decisions_are_read_and_withdrawn_ones_do_not_count() -> None:
    event = {
        "_s3_videos": [{"clip_id": "one", "pinned": True}, {"clip_id": "two"}],
        "_judgements": {
            "apart": [{"one": ["one", A], "other": ["two", B]}],
            "refused": [refused(A, B), refused(C, lifted=True)],
        },
    }
    blocklist: list[dict[str, Any]] = [{"_id": D, "md5s": [D]}, {"_id": C, "md5s": [C], "lifted": True}]
    said = parse_moderation(event, blocklist)
    assert said.pinned == {"one"}
    assert said.blocks == (
        ContentBlock((A, B), BlockScope.WRONG_GOAL, "p", "v"),
        ContentBlock((D,), BlockScope.TAKEN_DOWN),
    )
    assert [bool(said.find_block(md5)) for md5 in (A, B, C, D)] == [True, True, False, True]


def test_a_takedown_takes_precedence_over_a_rejection_for_the_goal() -> None:
    said = parse_moderation({"_judgements": {"refused": [refused(A)]}}, [{"_id": A, "md5s": [A]}])
    found = said.find_block(A)
    assert found
    assert found.scope is BlockScope.TAKEN_DOWN


APART = parse_moderation({"_judgements": {"apart": [{"one": ["one", A], "other": ["two", B]}]}})


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        (["one"], ["two"], True),
        (["two"], ["one"], True),
        ([A], ["two", C], True),
        ([C, D], [B], False),
        (["one", A], ["one", A], False),
        (["one"], ["three", C], False),
        ([], ["two"], False),
    ],
)
def test_two_clips_are_kept_apart_by_any_of_their_ids(one: list[str], other: list[str], apart: bool) -> None:
    assert APART.are_kept_apart(one, other) is apart
    assert APART.are_kept_apart(iter(one), iter(other)) is apart


@pytest.mark.parametrize(
    ("typed", "clip"),
    [
        ("abc123", "abc123"),
        (" abc123\n", "abc123"),
        ("/clips/abc123.mp4", "abc123"),
        ("https://footy.example/clips/abc-1_2.mp4?t=3#x", "abc-1_2"),
        ("https://footy.example/media/1/2/3.mp4", "https://footy.example/media/1/2/3.mp4"),
    ],
)
def test_a_clip_is_named_by_its_id_or_its_address(typed: str, clip: str) -> None:
    assert parse_clip_reference(typed) == clip


CLIP: dict[str, Any] = {
    "md5": A,
    "_s3_key": f"1/1_2_3_Goal_1/{A}.mp4",
    "thumbnail_key": f"1/1_2_3_Goal_1/{A}.jpg",
    "preview_key": None,
    "hash_version": "v",
    "_sources": ["https://x.com/a", f"md5:{B}", C],
    "_md5s": [A, D],
    "_members": [{"md5": A, "fingerprint_key": f"1/e/{A}.print"}, {"md5": D, "fingerprint_key": f"1/e/{D}.print"}],
}


def test_a_clip_is_recognized_by_every_file_it_was_found_as() -> None:
    assert collect_md5s(CLIP) == [A, B, C, D]
    assert collect_md5s({"md5": A, "_s3_key": "k"}) == [A]
    assert [(file.md5, file.fingerprint_key) for file in list_files(CLIP)] == [
        (A, f"1/1_2_3_Goal_1/{A}.print"),
        (D, f"1/e/{D}.print"),
    ]


def test_a_clip_needs_the_objects_that_its_record_names_and_those_beside_its_file() -> None:
    beside = {f"1/1_2_3_Goal_1/{A}{end}" for end in (".mp4", ".jpg", ".preview.mp4", ".print")}
    assert list_object_keys(CLIP) == beside | {f"1/e/{A}.print", f"1/e/{D}.print"}
    assert key_stem(f"1/e.v2/{A}.preview.mp4") == f"1/e.v2/{A}"


def test_fingerprints_of_rejected_clips_are_stored_with_the_fixture_and_of_blocked_ones_in_the_blocklist() -> None:
    assert blocked_fingerprint_key(BlockScope.WRONG_GOAL, 1, "e", A) == f"1/e/wrong/{A}.print"
    assert blocked_fingerprint_key(BlockScope.TAKEN_DOWN, 1, "e", A) == f"blocklist/{A}.print"
