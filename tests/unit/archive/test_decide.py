"""What becomes of a batch, as one decision on data."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from found_footy.archive.dedup.copies import ClipCopy, StoredRecording
from found_footy.archive.dedup.decide import DedupDecision, RecordingAction, decide_recordings
from found_footy.archive.dedup.quality import choose_best
from found_footy.archive.moderation.model import GoalModeration

START = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)


def a_file(md5: str, length: float = 10.0, size: int = 1000, *, verified: bool = False, source: str = "") -> ClipCopy:
    return ClipCopy(md5, length, size, verified, (source or f"https://x.com/{md5}",))


def make_clip(*members: ClipCopy, pinned: bool = False, minutes: int = 0) -> StoredRecording:
    """A stored clip behind which the first of its members stands."""
    first = members[0].md5
    return StoredRecording(f"id-{first}", first, members, pinned, START + timedelta(minutes=minutes))


def decided(
    stored: Sequence[StoredRecording], found: Iterable[ClipCopy], *pairs: str, judgements: GoalModeration | None = None
) -> DedupDecision:
    """`pairs` are two names each, as in "ab"; every found file is at hand."""
    found = list(found)
    files = {member.md5 for member in found}
    return decide_recordings(stored, found, files, [(pair[0], pair[1]) for pair in pairs], judgements)


def reported(decision: DedupDecision) -> list[tuple[str, str, str, str, tuple[str, ...]]]:
    return [
        (kept.action.value, kept.clip_id, kept.md5, "".join(sorted(m.md5 for m in kept.copies)), kept.absorbed_ids)
        for kept in decision.recordings
    ]


LENGTHS = [
    # Within 15 % the larger file, whichever is longer.
    ([("a", 10.0, 900), ("b", 11.5, 800)], "a"),
    ([("a", 10.0, 800), ("b", 11.5, 900)], "b"),
    # Beyond it the longer one.
    ([("a", 10.0, 900), ("b", 11.6, 800)], "b"),
    # As large: the longer one, then the name.
    ([("a", 10.0, 900), ("b", 11.0, 900)], "b"),
    ([("a", 10.0, 900), ("b", 10.0, 900)], "a"),
    # Each would beat the next in a circle; lengths are measured against the longest.
    ([("a", 10.0, 500), ("b", 9.0, 800), ("c", 11.0, 100)], "a"),
    ([("a", 0.0, 1), ("b", 0.0, 2)], "b"),
]


@pytest.mark.parametrize(("copies", "winner"), LENGTHS)
def test_the_best_of_several_copies(copies: list[tuple[str, float, int]], winner: str) -> None:
    for order in (copies, copies[::-1]):
        assert choose_best([a_file(*copy) for copy in order]).md5 == winner


def test_a_new_recording_is_stored_once() -> None:
    decision = decided([], [a_file("a"), a_file("b", size=2000), a_file("c")], "ab")
    assert reported(decision) == [("keep", "", "b", "ab", ()), ("keep", "", "c", "c", ())]


def test_a_worse_copy_adds_a_source() -> None:
    decision = decided([make_clip(a_file("a", size=2000))], [a_file("b")], "ab")
    assert reported(decision) == [("join", "id-a", "a", "ab", ())]


def test_a_better_copy_replaces_the_file_and_not_the_clip() -> None:
    decision = decided([make_clip(a_file("a"))], [a_file("b", 12.0)], "ab")
    assert reported(decision) == [("replace", "id-a", "b", "ab", ())]


def test_a_copy_that_matches_several_clips_joins_them_under_the_oldest_address() -> None:
    stored = [make_clip(a_file("a"), minutes=5), make_clip(a_file("b"), minutes=2), make_clip(a_file("c"))]
    decision = decided(stored, [a_file("d", 30.0)], "ad", "bd")
    assert reported(decision) == [("stand", "id-c", "c", "c", ()), ("replace", "id-b", "d", "abd", ("id-a",))]


def test_a_replaced_file_still_assigns_others_to_its_recording() -> None:
    lost = ClipCopy("b", 5.0, 100, False, ("s",), matches=("a",))
    decision = decided([make_clip(a_file("a", 20.0), lost)], [a_file("c", 5.0, 50)], "bc")
    assert reported(decision) == [("join", "id-a", "a", "abc", ())]


def test_known_bytes_add_a_source_even_if_they_were_replaced() -> None:
    lost = ClipCopy("b", 30.0, 9000, False, ("s",), matches=("a",))
    decision = decided([make_clip(a_file("a"), lost)], [a_file("b", 30.0, 9000, source="t")])
    [kept] = decision.recordings
    assert (kept.action, kept.md5) == (RecordingAction.ADD_SOURCES, "a")
    assert {source for member in kept.copies for source in member.sources} == {"https://x.com/a", "s", "t"}


def test_the_same_copy_again_changes_nothing() -> None:
    assert reported(decided([make_clip(a_file("a"))], [a_file("a")])) == [("stand", "id-a", "a", "a", ())]


def test_a_verified_copy_never_loses_to_an_unverified_one() -> None:
    long, short = a_file("a", 50.0, 9000), a_file("b", 4.0, 10, verified=True)
    assert reported(decided([make_clip(long)], [short], "ab")) == [("replace", "id-a", "b", "ab", ())]
    assert reported(decided([make_clip(short)], [long], "ab")) == [("join", "id-b", "b", "ab", ())]


def test_bytes_that_are_verified_later_stay_verified() -> None:
    lost = ClipCopy("b", 5.0, 10, False, ("s",), matches=("a",))
    [kept] = decided([make_clip(a_file("a"), lost)], [a_file("b", 5.0, 10, verified=True)]).recordings
    assert (kept.action, kept.md5, kept.clip_id) == (RecordingAction.REPLACE, "b", "id-a")


def test_an_unverified_copy_does_not_join_two_verified_clips() -> None:
    proven = [make_clip(a_file("a", 20.0, verified=True)), make_clip(a_file("b", verified=True))]
    decision = decided(proven, [a_file("c", 60.0)], "ac", "bc")
    assert reported(decision) == [("join", "id-a", "a", "ac", ()), ("stand", "id-b", "b", "b", ())]


def test_a_pinned_clip_never_loses() -> None:
    decision = decided([make_clip(a_file("a"), pinned=True)], [a_file("b", 60.0, 9000, verified=True)], "ab")
    assert reported(decision) == [("stand", "id-a", "a", "a", ()), ("keep", "", "b", "b", ())]
    decision = decided([make_clip(a_file("a"), pinned=True)], [a_file("b", 60.0, 9000)], "ab")
    assert reported(decision) == [("join", "id-a", "a", "ab", ())]


def test_two_pinned_clips_stay_two() -> None:
    stored = [make_clip(a_file("a", 20.0), pinned=True), make_clip(a_file("b"), pinned=True)]
    decision = decided(stored, [a_file("c")], "ac", "bc")
    assert reported(decision) == [("join", "id-a", "a", "ac", ()), ("stand", "id-b", "b", "b", ())]


@pytest.mark.parametrize("names", [("a", "b"), ("id-a", "b"), ("id-a", "id-b")])
def test_clips_that_people_keep_apart_are_not_joined_even_through_a_third(names: tuple[str, str]) -> None:
    stored = [make_clip(a_file("a")), make_clip(a_file("b"))]
    word = GoalModeration(kept_apart=frozenset([frozenset(names)]))
    decision = decided(stored, [a_file("c")], "ab", "ac", "bc", judgements=word)
    assert reported(decision) == [("join", "id-a", "a", "ac", ()), ("stand", "id-b", "b", "b", ())]


def test_an_unverified_clip_that_people_keep_apart_from_a_verified_one_stays_beside_it() -> None:
    proven, other = a_file("a", verified=True), a_file("b")
    word = GoalModeration(kept_apart=frozenset([frozenset(("id-a", "id-b"))]))
    decision = decided([make_clip(proven), make_clip(other)], [a_file("c")], "ab", "ac", "bc", judgements=word)
    assert reported(decision) == [("stand", "id-a", "a", "a", ()), ("join", "id-b", "b", "bc", ())]


def test_a_copy_of_a_verified_clip_adds_a_source_whichever_came_first() -> None:
    proven, copies = a_file("a", 8.0, verified=True), [a_file("b"), a_file("c")]
    later = decided([make_clip(copies[0]), make_clip(copies[1], minutes=1)], [proven], "ab", "ac")
    assert reported(later) == [("replace", "id-b", "a", "abc", ("id-c",))]
    assert reported(decided([make_clip(proven)], copies, "ab", "ac")) == [("join", "id-a", "a", "abc", ())]


def test_a_copy_that_is_kept_apart_after_its_file_was_lost_stays_until_it_is_found_again() -> None:
    lost = ClipCopy("b", 5.0, 10, False, ("s",), matches=("a",))
    stored = [make_clip(a_file("a"), lost)]
    word = GoalModeration(kept_apart=frozenset([frozenset(("a", "b"))]))
    assert reported(decided(stored, [], judgements=word)) == [("stand", "id-a", "a", "ab", ())]
    again = decided(stored, [a_file("b", 5.0, 10)], judgements=word)
    assert reported(again) == [("join", "id-a", "a", "a", ()), ("keep", "", "b", "b", ())]


def test_a_new_copy_whose_file_is_lost_is_not_stored() -> None:
    decision = decide_recordings([make_clip(a_file("a"))], [a_file("b")], available_md5s=())
    assert decision.unassigned_md5s == ("b",)
    assert decide_recordings([make_clip(a_file("a"))], [a_file("b")], (), [("a", "b")]).unassigned_md5s == ()
