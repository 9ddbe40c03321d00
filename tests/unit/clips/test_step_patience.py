"""A worker that dies is noticed within seconds, and a reader that is away for minutes costs no clip its verdict."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from found_footy.archive import steps as archive
from found_footy.clips import steps as clips
from found_footy.clips.check.lease import LEASE_MAX_WAIT
from found_footy.clips.fingerprints.maker import FINGERPRINT_LIMITS
from found_footy.clips.settings import MAX_DOWNLOAD_DEADLINE, ClipSettings
from found_footy.platform.heartbeat import MAX_HEARTBEAT_THROTTLE
from found_footy.platform.media.probe import MediaLimits
from found_footy.platform.temporal import ActivityCall
from found_footy.settings import WorkerSettings
from found_footy.vision.settings import VisionSettings

SOON = timedelta(seconds=15)
ON_A_QUEUE = [
    step
    for module in (clips, archive)
    for step in vars(module).values()
    if isinstance(step, ActivityCall) and not step.is_local and step.start_to_close_timeout > timedelta(seconds=60)
]


def waits(step: ActivityCall[Any, Any]) -> timedelta:
    """The pauses between all tries of a step."""
    pauses = (step.initial_interval * step.backoff_coefficient**number for number in range(step.maximum_attempts - 1))
    return sum((min(pause, step.maximum_interval) for pause in pauses), timedelta(0))


@pytest.mark.parametrize("step", ON_A_QUEUE, ids=lambda step: step.name)
def test_every_long_step_is_begun_again_within_seconds_of_its_workers_death(step: ActivityCall[Any, Any]) -> None:
    assert step.heartbeat_timeout is not None
    assert 3 * MAX_HEARTBEAT_THROTTLE <= step.heartbeat_timeout <= SOON


def test_there_are_long_steps() -> None:
    assert {step.name for step in ON_A_QUEUE} >= {
        "download_single_video",
        "validate_video_is_soccer",
        "generate_video_hash",
        "deduplicate_videos",
        "upload_single_video",
    }


def test_a_reader_is_waited_for_some_minutes_and_not_for_every_clip_anew() -> None:
    assert timedelta(minutes=5) < waits(clips.VALIDATE_VIDEO_IS_SOCCER) < timedelta(minutes=15)
    assert waits(clips.VALIDATE_VIDEO_IS_SOCCER_BRIEFLY) < timedelta(seconds=10)


def test_a_download_at_its_longest_ends_before_its_step_is_given_up() -> None:
    """Besides fetching, the step prepares the clip twice, checks the decoder and stores what it made."""
    limits = MediaLimits()
    assert (
        MAX_DOWNLOAD_DEADLINE + 3 * limits.timeout + timedelta(minutes=2)
        <= clips.DOWNLOAD_SINGLE_VIDEO.start_to_close_timeout
    )
    with pytest.raises(ValidationError):
        ClipSettings(download_deadline=MAX_DOWNLOAD_DEADLINE + timedelta(seconds=1))
    assert ClipSettings(download_deadline=MAX_DOWNLOAD_DEADLINE).download_deadline == MAX_DOWNLOAD_DEADLINE


def test_prints_that_wait_for_each_other_end_before_their_step_is_given_up() -> None:
    assert FINGERPRINT_LIMITS.timeout * WorkerSettings().media < clips.GENERATE_VIDEO_HASH.start_to_close_timeout


@pytest.mark.parametrize(
    "step", [clips.VALIDATE_VIDEO_IS_SOCCER, clips.VALIDATE_VIDEO_IS_SOCCER_BRIEFLY], ids=["usual", "briefly"]
)
def test_a_look_that_waits_for_every_turn_ends_before_its_step_is_given_up(step: ActivityCall[Any, Any]) -> None:
    """The outer frames one by one, the one at half and one that confirms a clock: each has its own turn."""
    questions = 4
    assert questions * (LEASE_MAX_WAIT + VisionSettings().llm_timeout) < step.start_to_close_timeout


@pytest.mark.parametrize(("workers", "questions"), [(1, 4), (2, 4), (3, 4), (5, 1)])
def test_further_workers_do_not_starve_clips_of_a_slow_model(workers: int, questions: int) -> None:
    """Turns are drawn among all who wait; hardly any look is passed over at all tries of its step."""
    vision, answer = VisionSettings(), timedelta(seconds=61)
    waiting = max(1, workers * WorkerSettings().vision - vision.llm_at_once + 1)
    missed_once = max(0.0, 1 - vision.llm_at_once / waiting)
    missed = missed_once ** (LEASE_MAX_WAIT // answer)
    failed_look = 1 - (1 - missed) ** questions
    assert failed_look**clips.VALIDATE_VIDEO_IS_SOCCER.maximum_attempts < 0.001
