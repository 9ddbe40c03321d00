"""Which clips a goal ends with depends on what was found and on what shows the same, not on how it arrived."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from found_footy.archive.dedup.apply import compute_clip_list_update
from found_footy.archive.dedup.copies import parse_recording
from found_footy.archive.dedup.goal_archive import GoalArchive
from found_footy.archive.dedup.plan import plan_uploads
from found_footy.archive.dedup.quality import SAME_LENGTH_RATIO
from found_footy.archive.dedup.records import ClipRecord
from found_footy.archive.messages import MatchedPair, PlanUploads, SaveClips, UploadedClip
from found_footy.domain.messages import ScreenedClip
from found_footy.domain.outcomes import TimestampStatus
from tests.support.pipeline.goals import make_goal

GOAL = replace(make_goal(), fixture_id=5000, event_id="5000_40_234_Goal_1")
START = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
LENGTHS = (8.0, 9.0, 10.0, 11.0, 14.0, 20.0)
Edges = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class World:
    """Files, each of a length and a size; which of them show the same; and where each was found, with what clock."""

    finds: tuple[ScreenedClip, ...]
    edges: Edges


@st.composite
def worlds(draw: st.DrawFn) -> World:
    names = [f"{number:032x}" for number in range(draw(st.integers(1, 7)))]
    facts = {name: (draw(st.sampled_from(LENGTHS)), draw(st.integers(1, 4)) * 1000) for name in names}
    edges = frozenset(pair for pair in combinations(names, 2) if draw(st.integers(0, 3)) == 0)
    found = st.tuples(st.sampled_from(names), st.sampled_from("abcdef"), st.booleans())
    drawn = draw(st.lists(found, min_size=1, max_size=12))
    return World(tuple(a_find(name, facts[name], source, clock) for name, source, clock in drawn), edges)


def a_find(md5: str, facts: tuple[float, int], source: str, verified: bool) -> ScreenedClip:
    status = TimestampStatus.VERIFIED if verified else TimestampStatus.UNVERIFIED
    length, size = facts
    return ScreenedClip(md5, f"scratch/e/{md5}.mp4", source, 1280, 720, length, size, 800, 25.0, status, None, "v", "")


@st.composite
def arrivals(draw: st.DrawFn, world: World) -> list[list[ScreenedClip]]:
    """Every find at least once, in any order, cut into batches anywhere."""
    again = draw(st.lists(st.sampled_from(world.finds), max_size=3))
    order = draw(st.permutations([*world.finds, *again]))
    cuts = sorted(draw(st.sets(st.integers(1, len(order)), max_size=4)))
    return [order[a:b] for a, b in zip([0, *cuts], [*cuts, len(order)], strict=True) if a < b]


def archived(batches: Iterable[Sequence[ScreenedClip]], edges: Edges) -> list[ClipRecord]:
    """What the workflow does with each batch, without servers."""
    archive = GoalArchive(GOAL.event_id)
    for number, clips in enumerate(batches):
        at_hand = {clip.md5 for clip in clips}
        known = {member.md5 for record in archive.records for member in parse_recording(record).copies}
        # Only what is new is compared; what stored files match must be remembered.
        seen = [edge for edge in sorted(edges) if set(edge) <= known | at_hand and not set(edge) <= known]
        pairs = tuple(MatchedPair(*edge) for edge in seen)
        made = plan_uploads(PlanUploads(GOAL, tuple(clips), pairs), archive)
        stored_at = START + timedelta(minutes=number)
        whole = [UploadedClip(clip, f"{clip.md5}.mp4", "", stored_at, fingerprint_key="p") for clip in made.uploads]
        prints = [UploadedClip(clip, fingerprint_key="p") for clip in made.fingerprint_only]
        compared = tuple(sorted(known | at_hand))
        saved = SaveClips(GOAL, "download1", (*whole, *prints), made.extra_sources, pairs, compared)
        before = {record["clip_id"] for record in archive.records}
        change = compute_clip_list_update(saved, archive, "bucket")
        after = {record["clip_id"] for record in change.records}
        assert before - after == set(change.redirects), "an address was lost"
        assert set(change.redirects.values()) <= after, "an address leads nowhere"
        archive = GoalArchive(GOAL.event_id, tuple(change.records))
    return list(archive.records)


def recordings(records: Iterable[ClipRecord]) -> dict[frozenset[str], tuple[frozenset[str], bool]]:
    return {
        frozenset(record["_md5s"]): (frozenset(record["_sources"]), record["timestamp_verified"]) for record in records
    }


def is_clear(record: ClipRecord) -> bool:
    """Whether "within 15 %" is transitive among the files that may win, so that the rule has one answer."""
    files = [m for m in record["_members"] if m["verified"] or not record["timestamp_verified"]]
    longest = max(file["duration"] for file in files)
    as_long = [f["duration"] for f in files if f["duration"] * SAME_LENGTH_RATIO >= longest]
    shorter = [f["duration"] for f in files if f["duration"] * SAME_LENGTH_RATIO < longest]
    return not shorter or max(shorter) * SAME_LENGTH_RATIO < min(as_long)


@given(st.data())
def test_the_order_of_arrival_does_not_matter(data: st.DataObject) -> None:
    world = data.draw(worlds())
    one, other = (archived(data.draw(arrivals(world)), world.edges) for _ in range(2))
    assert recordings(one) == recordings(other)
    winners = {frozenset(record["_md5s"]): record["md5"] for record in other}
    for record in one:
        if is_clear(record):
            assert winners[frozenset(record["_md5s"])] == record["md5"]


@given(st.data())
def test_what_is_kept_is_sound_after_every_batch(data: st.DataObject) -> None:
    world = data.draw(worlds())
    records = archived(data.draw(arrivals(world)), world.edges)
    verified = {find.md5 for find in world.finds if find.timestamp_status is TimestampStatus.VERIFIED}
    owner = {md5: record["clip_id"] for record in records for md5 in record["_md5s"]}
    assert owner.keys() == {find.md5 for find in world.finds}
    assert sum(len(record["_md5s"]) for record in records) == len(owner)
    for one, other in world.edges:
        if one in owner and other in owner and (one in verified) == (other in verified):
            assert owner[one] == owner[other], "two clips of one pool show the same"
    standing = {record["md5"] for record in records if not record["timestamp_verified"]}
    for one, other in world.edges:
        if {one, other} <= owner.keys() and {one, other} & verified:
            assert not {one, other} & standing, "a copy of a verified clip is shown once more"
    for record in records:
        found = {find.source_url for find in world.finds if find.md5 in record["_md5s"]}
        assert set(record["_sources"]) == found
        assert record["popularity"] == len(found)
        assert record["timestamp_verified"] is (record["md5"] in verified)
        assert record["timestamp_verified"] or not verified & set(record["_md5s"])
    assert [record["rank"] for record in records] == list(range(1, len(records) + 1))


@given(st.data())
def test_the_same_batch_again_changes_nothing(data: st.DataObject) -> None:
    world = data.draw(worlds())
    batches = data.draw(arrivals(world))
    once = archived(batches, world.edges)
    again = archived([*batches, batches[-1]], world.edges)
    assert recordings(once) == recordings(again)
    assert [record["md5"] for record in once] == [record["md5"] for record in again]
