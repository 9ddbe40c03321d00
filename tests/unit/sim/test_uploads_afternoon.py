"""The plan of an organization's afternoon, and what its stories demand."""

import json
from datetime import UTC, datetime

import pytest

from found_footy.uploads.intake.notification_parser import parse_notification
from found_footy.uploads.intake.object_event import ObjectAction
from found_footy_sim.uploads.afternoon import (
    Action,
    ActionKind,
    Story,
    StoryKind,
    UploadFile,
    list_pictures,
    plan_afternoon,
)
from found_footy_sim.uploads.expectations import ExpectedUpload, compute_etag, expect_upload
from found_footy_sim.uploads.pictures import HostileKind, Motif, build_hostile_file, draw_picture
from found_footy_sim.uploads.store_notifications import StoreDialect, StoredObject, write_notification

MAX_BYTES = 100_000
WHOLE = len(StoryKind)
FIRST, SECOND = UploadFile(Motif.WEB, 0), UploadFile(Motif.CLOCK, 0)
LABELS = {file: frozenset({str(file.content)}) for file in list_pictures(plan_afternoon(1, 200).stories)}


def etag(file: UploadFile) -> str:
    return compute_etag(file.build(MAX_BYTES))


def expect(*actions: Action, kind: StoryKind = StoryKind.UPLOAD) -> ExpectedUpload:
    return expect_upload(Story("a.png", kind, actions), LABELS, MAX_BYTES)


def test_the_seed_alone_decides_the_afternoon() -> None:
    first, again, other = (plan_afternoon(seed, 3 * WHOLE) for seed in (1, 1, 2))
    assert first == again != other


def test_an_afternoon_has_stories_of_every_kind_under_different_names() -> None:
    stories = plan_afternoon(5, WHOLE).stories
    assert {story.kind for story in stories} == set(StoryKind)
    assert len({story.name for story in stories}) == WHOLE
    assert all(story.actions for story in stories)


@pytest.mark.parametrize("seed", range(5))
def test_a_row_that_stays_on_the_wrong_version_has_the_wrong_label(seed: int) -> None:
    """So the versions of one name show different motifs."""
    for story in plan_afternoon(seed, 2 * WHOLE).stories:
        files = {action.file for action in story.actions if action.file is not None}
        assert len({file.content for file in files}) == len(files)


@pytest.mark.parametrize("motif", Motif)
def test_pictures_are_the_same_bytes_each_time_and_every_variant_of_a_kind_is_another(motif: Motif) -> None:
    first = draw_picture(motif, 0)
    draw_picture.cache_clear()
    assert draw_picture(motif, 0) == first != draw_picture(motif, 1)
    assert first.startswith(b"\x89PNG")
    assert draw_picture(motif, 1).startswith(b"\xff\xd8")


def test_hostile_files_are_what_their_names_say() -> None:
    sizes = {kind: len(build_hostile_file(kind, 0, MAX_BYTES)) for kind in HostileKind}
    assert sizes[HostileKind.OVERSIZED] == MAX_BYTES + 1
    whole = draw_picture(Motif.HONEYCOMB, 0)
    assert build_hostile_file(HostileKind.TRUNCATED, 0, MAX_BYTES) == whole[: len(whole) // 2]
    assert build_hostile_file(HostileKind.HTML, 0, MAX_BYTES).startswith(b"<!doctype html>")


def test_the_last_stored_version_is_demanded_with_its_label() -> None:
    found = expect(Action(ActionKind.UPLOAD, FIRST), Action(ActionKind.PUT, SECOND))
    assert (found.etag, found.labels, found.needs_row) == (etag(SECOND), frozenset({"clock"}), True)
    assert not found.is_told
    assert expect(Action(ActionKind.PUT, FIRST), Action(ActionKind.TELL_CREATED, FIRST)).is_told


def test_a_version_may_be_classified_as_often_as_it_came_to_be_stored() -> None:
    upload, replace = Action(ActionKind.UPLOAD, FIRST), Action(ActionKind.UPLOAD, SECOND)
    assert expect(upload, upload).stored_times == {etag(FIRST): 1}
    assert expect(upload, replace, upload).stored_times == {etag(FIRST): 2, etag(SECOND): 1}
    assert expect(upload, Action(ActionKind.DELETE), upload).stored_times == {etag(FIRST): 2}


def test_a_deleted_name_needs_a_tombstone_only_if_its_row_was_seen() -> None:
    put, remove = Action(ActionKind.PUT, FIRST), Action(ActionKind.REMOVE)
    unseen, seen = expect(put, remove), expect(put, Action(ActionKind.SETTLE), remove)
    assert (unseen.etag, unseen.needs_row) == (None, False)
    assert (seen.etag, seen.needs_row) == (None, True)


def test_what_the_api_refuses_is_not_stored() -> None:
    upload = Action(ActionKind.UPLOAD, UploadFile(HostileKind.OVERSIZED, 0))
    found = expect(upload, kind=StoryKind.TOO_LARGE_FOR_API)
    assert (found.is_refused_by_api, found.is_hostile, found.etag, found.stored_times) == (True, True, None, {})


@pytest.mark.parametrize("dialect", StoreDialect)
@pytest.mark.parametrize("is_removal", [False, True])
def test_the_product_reads_the_notifications_of_every_name(dialect: StoreDialect, is_removal: bool) -> None:
    for story in plan_afternoon(1, WHOLE).stories:
        key = f"demo-club/{story.name}"
        stored = StoredObject("footy-uploads", key, "e" * 32, 7, datetime(2026, 11, 17, 12, tzinfo=UTC), 255)
        found = parse_notification(write_notification(dialect, stored, is_removal=is_removal), "footy-uploads")
        [event] = found.events
        assert (event.key, event.sequencer) == (key, "00000000000000FF")
        assert event.action is (ObjectAction.REMOVED if is_removal else ObjectAction.CREATED)
        assert event.etag == (None if is_removal else "e" * 32)


def test_every_malformed_notification_has_one_thing_that_nobody_can_read() -> None:
    bodies = plan_afternoon(1, 1).malformed
    assert len(set(bodies)) == len(bodies)
    for body in bodies[1:]:
        assert json.loads(body)
