"""What the steps of the archive say to each other stays below the two megabytes that Temporal carries."""

from datetime import UTC, datetime

from found_footy.archive.dedup.decide import to_extra_source
from found_footy.archive.dedup.pools import build_pools
from found_footy.archive.messages import (
    ComparePool,
    CrossGoalFlag,
    FingerprintRef,
    GoalArchiveSummary,
    MatchedPair,
    PlanUploads,
    PoolMatches,
    SaveClips,
    StoredClip,
    UploadClip,
    UploadedClip,
    UploadPlan,
)
from found_footy.discovery.candidates.selection import MAX_STORED_CANDIDATES, MAX_URL_LENGTH
from found_footy.domain.clip_files import FINGERPRINT
from found_footy.domain.ids import clip_key
from found_footy.domain.messages import PipelinePace, ScreenedClip
from found_footy.domain.outcomes import TimestampStatus
from tests.support.pipeline.goals import make_goal
from tests.unit.discovery.test_payload_sizes import FAR_BELOW, size

GOAL = make_goal()
NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
# A minute of video has 240 frames in the text form of its fingerprint, of 22 characters each.
LONGEST_TEXT = "dense:0.25:" + ",".join(f"{number / 4:.2f}={number:016x}" for number in range(240))
OTHER_GOALS, CLIPS_EACH = 10, 30


def md5(number: int) -> str:
    return f"{number:032x}"


def make_clip(number: int) -> ScreenedClip:
    """As large as a clip can be: a minute long, at the longest address."""
    url = f"https://x.com/{number}/".ljust(MAX_URL_LENGTH, "x")
    return ScreenedClip(
        md5(number),
        f"scratch/{GOAL.event_id}/{md5(number)}.mp4",
        url,
        1920,
        1080,
        60.0,
        10**8,
        10**7,
        60.0,
        TimestampStatus.UNVERIFIED,
        None,
        "motion:0.125",
        LONGEST_TEXT,
    )


BATCH = tuple(map(make_clip, range(2 * PipelinePace().clips_per_attempt)))


def a_sample(number: int, name: str = "") -> FingerprintRef:
    key = FINGERPRINT.key(GOAL.fixture_id, GOAL.event_id, md5(number))
    return FingerprintRef(name or md5(number), key, "motion:0.125")


def the_goal() -> GoalArchiveSummary:
    """Every link of the goal was another file, and the match has as many other goals as it can have."""
    stored = [StoredClip("c" * 20, md5(n), (a_sample(n),)) for n in range(1000, 1000 + MAX_STORED_CANDIDATES)]
    others = [a_sample(n, f"{GOAL.event_id}/{md5(n)}") for n in range(OTHER_GOALS * CLIPS_EACH)]
    return GoalArchiveSummary(exists=True, clips=tuple(stored), other_goal_files=tuple(others))


def test_every_message_of_a_batch_stays_small() -> None:
    """The whole batch is new, long, and matches everything that the goal has."""
    event = the_goal()
    known = [member for clip in event.clips for member in clip.copies]
    pairs = tuple(MatchedPair(clip.md5, other.name, 0.1234, "motion") for clip in BATCH for other in known)
    key = clip_key(GOAL.fixture_id, GOAL.event_id, md5(1))
    uploaded = tuple(UploadedClip(clip, key, key, NOW, "", key, key) for clip in BATCH)
    flags = tuple(CrossGoalFlag(clip.md5, GOAL.event_id, "c" * 20) for clip in BATCH for _ in range(OTHER_GOALS))
    finds = tuple(map(to_extra_source, BATCH))
    compared = tuple(member.name for member in known)
    messages = [
        event,
        *build_pools(GOAL, BATCH, event),
        PoolMatches(pairs),
        PlanUploads(GOAL, BATCH, pairs),
        UploadPlan(BATCH, finds, BATCH, (), flags, (key,) * 100),
        UploadClip(GOAL, BATCH[0]),
        SaveClips(GOAL, "d" * 100, uploaded, finds, pairs, compared, (), flags),
    ]
    assert any(isinstance(message, ComparePool) for message in messages)
    sizes = {type(message).__name__: size(message) for message in messages}
    assert max(sizes.values()) < FAR_BELOW, sizes
