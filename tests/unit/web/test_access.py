"""Which stored bytes a visitor may have."""

from typing import Any

import pytest

from found_footy.domain.goals import resolve_event_id
from found_footy.domain.removed_clips import ClipRemovalReason
from found_footy.web.access import (
    MediaGone,
    MediaGranted,
    MediaKey,
    MediaMoved,
    MediaUnknown,
    decide_clip_access,
    decide_media_access,
)
from tests.support.web import matchday
from tests.support.web.matchday import Document

EVENT = "5000_40_234_Goal_1"
DIGEST = "a" * 32
KEY = f"5000/{EVENT}/{DIGEST}.mp4"


def asked(key: str = KEY) -> MediaKey:
    parsed = MediaKey.parse(key)
    assert parsed is not None
    return parsed


def with_goal(*clips: Document, **changes: Any) -> Document:
    return matchday.fixture(events=[matchday.goal(_s3_videos=list(clips), **changes)])


@pytest.mark.parametrize("key", [KEY, KEY.replace(".mp4", ".jpg")])
def test_keys_of_clips_and_thumbnails_are_understood(key: str) -> None:
    assert (asked(key).fixture_id, asked(key).event_id, asked(key).md5) == (5000, EVENT, DIGEST)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "/" + KEY,
        KEY + "/",
        KEY + "\n",
        "../" + KEY,
        f"scratch/{EVENT}/{DIGEST}.mp4",
        f"5001/{EVENT}/{DIGEST}.mp4",
        f"5000/{EVENT}/{DIGEST}.exe",
        f"5000/{EVENT}/{DIGEST.upper()}.mp4",
        f"5000/{EVENT}/{DIGEST[:-1]}.mp4",
        f"5000/{EVENT}/../{DIGEST}.mp4",
        f"5000/5000_40_$ne_Goal_1/{DIGEST}.mp4",
        f"٥٠٠٠/{EVENT}/{DIGEST}.mp4",
    ],
)
def test_every_other_shape_of_key_is_refused(key: str) -> None:
    assert MediaKey.parse(key) is None


def test_a_clip_of_a_valid_goal_is_served() -> None:
    document = with_goal(matchday.clip(EVENT))
    assert decide_media_access(document, asked()) == MediaGranted(KEY)
    assert decide_clip_access(document, f"{EVENT}-aaaaaaaa") == MediaGranted(KEY)


def test_a_file_that_was_replaced_by_a_better_copy_redirects_to_it() -> None:
    winner = matchday.clip(EVENT, "b" * 32, sources=["https://x.com/1", DIGEST])
    assert decide_media_access(with_goal(winner), asked()) == MediaMoved(winner["_s3_key"])
    assert decide_media_access(with_goal(winner), asked(KEY.replace("mp4", "jpg"))) == MediaMoved(
        winner["thumbnail_key"]
    )


PREVIEW = KEY.replace(".mp4", ".preview.mp4")


def test_the_preview_of_a_clip_is_served_and_its_fingerprint_is_not() -> None:
    document = with_goal(matchday.clip(EVENT, preview_key=PREVIEW))
    assert decide_media_access(document, asked(PREVIEW)) == MediaGranted(PREVIEW)
    assert asked(PREVIEW).content_type == "video/mp4"
    assert decide_media_access(with_goal(matchday.clip(EVENT)), asked(PREVIEW)) == MediaUnknown()
    assert MediaKey.parse(KEY.replace(".mp4", ".print")) is None


def test_a_former_file_of_a_clip_redirects_to_the_same_kind_of_object() -> None:
    winner = matchday.clip(EVENT, "b" * 32, _md5s=[DIGEST, "b" * 32], preview_key="better.preview.mp4")
    assert decide_media_access(with_goal(winner), asked()) == MediaMoved(winner["_s3_key"])
    assert decide_media_access(with_goal(winner), asked(PREVIEW)) == MediaMoved("better.preview.mp4")


def test_a_file_that_two_goals_know_redirects_to_the_clip_of_its_own_goal() -> None:
    theirs = matchday.clip("5000_40_7_Goal_1", "c" * 32, _md5s=[DIGEST])
    ours = matchday.clip(EVENT, "b" * 32, _md5s=[DIGEST])
    goals = [matchday.goal(player=7, _s3_videos=[theirs]), matchday.goal(_s3_videos=[ours])]
    assert decide_media_access(matchday.fixture(events=goals), asked()) == MediaMoved(ours["_s3_key"])


@pytest.mark.parametrize("struck_in_place", [True, False])
def test_clips_of_a_removed_goal_are_gone(struck_in_place: bool) -> None:
    removed = matchday.goal(_s3_videos=[matchday.clip(EVENT)], _removed=True)
    document = matchday.fixture() | {"events" if struck_in_place else "removed_events": [removed]}
    assert decide_media_access(document, asked()) == MediaGone()
    assert decide_clip_access(document, f"{EVENT}-aaaaaaaa") == MediaGone()


def test_clips_of_a_removed_goal_are_gone_when_their_records_are_deleted_too() -> None:
    removed = matchday.goal(_s3_videos=[], _gone_clips=[f"{EVENT}-aaaaaaaa"], _removed=True)
    document = matchday.fixture(removed_events=[removed])
    assert decide_clip_access(document, f"{EVENT}-aaaaaaaa") == MediaGone()
    assert decide_clip_access(document, f"{EVENT}-bbbbbbbb") == MediaUnknown()


def test_clips_that_moved_to_another_player_are_served_under_their_old_key() -> None:
    clip = matchday.clip(EVENT)
    document = matchday.fixture(
        events=[matchday.goal(player=7, _s3_videos=[clip], _matched_from=EVENT)],
        removed_events=[matchday.goal(_s3_videos=[clip], _removed=True)],
    )
    assert decide_media_access(document, asked()) == MediaGranted(KEY)
    assert decide_clip_access(document, clip["clip_id"]) == MediaGranted(KEY)


def test_a_file_that_a_corrected_goal_no_longer_has_is_not_called_removed() -> None:
    moved = matchday.goal(_removed=True, _moved_to="5000_40_7_Goal_1")
    standing = matchday.fixture(events=[matchday.goal(player=7)], removed_events=[moved])
    assert decide_media_access(standing, asked()) == MediaUnknown()
    removed = matchday.fixture(removed_events=[moved, matchday.goal(player=7, _removed=True)])
    assert decide_media_access(removed, asked()) == MediaGone()


def test_a_goal_is_followed_through_every_correction_and_never_in_circles() -> None:
    moves = [matchday.goal(player=n, _moved_to=f"5000_40_{n + 1}_Goal_1") for n in (1, 2)]
    assert resolve_event_id(matchday.fixture(removed_events=moves), "5000_40_1_Goal_1") == "5000_40_3_Goal_1"
    circle = [matchday.goal(player=1, _moved_to="5000_40_1_Goal_1")]
    assert resolve_event_id(matchday.fixture(removed_events=circle), "5000_40_1_Goal_1") == "5000_40_1_Goal_1"


def refused(**changes: Any) -> Document:
    return {"refused": [{"clip_id": f"{EVENT}-aaaaaaaa", "md5s": [DIGEST], "scope": "taken_down", **changes}]}


@pytest.mark.parametrize("key", [KEY, KEY.replace(".mp4", ".jpg"), PREVIEW])
def test_what_people_removed_is_gone_by_its_file_and_by_its_address(key: str) -> None:
    document = with_goal(_judgements=refused())
    assert decide_media_access(document, asked(key)) == MediaGone(ClipRemovalReason.CLIP_REMOVED, is_final=True)
    assert decide_clip_access(document, f"{EVENT}-aaaaaaaa") == MediaGone(ClipRemovalReason.CLIP_REMOVED, is_final=True)


def test_a_file_that_people_removed_does_not_redirect_to_a_clip_that_was_found_as_it() -> None:
    winner = matchday.clip(EVENT, "b" * 32, _md5s=[DIGEST])
    assert decide_media_access(with_goal(winner, _judgements=refused()), asked()) == MediaGone(
        ClipRemovalReason.CLIP_REMOVED, is_final=True
    )
    assert decide_media_access(with_goal(winner, _judgements=refused(lifted=True)), asked()) == MediaMoved(
        winner["_s3_key"]
    )


def test_what_people_allow_again_is_gone_until_it_is_found_again() -> None:
    document = with_goal(_judgements=refused(lifted=True))
    assert decide_media_access(document, asked()) == MediaGone(ClipRemovalReason.CLIP_REMOVED)
    assert decide_clip_access(document, f"{EVENT}-aaaaaaaa") == MediaGone(ClipRemovalReason.CLIP_REMOVED)


def test_what_nobody_knows_is_unknown() -> None:
    assert decide_media_access(None, asked()) == MediaUnknown()
    assert decide_clip_access(None, "x") == MediaUnknown()
    assert decide_media_access(with_goal(), asked()) == MediaUnknown()
    assert decide_clip_access(with_goal(matchday.clip(EVENT)), "other") == MediaUnknown()
