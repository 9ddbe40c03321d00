"""A worker that dies is noticed within seconds, and a reader that is away for minutes costs no clip its verdict."""

from datetime import timedelta

import pytest
from pydantic import ValidationError

from found_footy.archive.steps import ArchiveSteps
from found_footy.clips.check.lease import LEASE_MAX_WAIT
from found_footy.clips.fingerprints.maker import FINGERPRINT_LIMITS
from found_footy.clips.settings import MAX_DOWNLOAD_DEADLINE, ClipSettings
from found_footy.clips.steps import BRIEF_CHECK_OPTIONS, ClipSteps
from found_footy.platform.heartbeat import MAX_HEARTBEAT_THROTTLE
from found_footy.platform.media.probe import MediaLimits
from found_footy.platform.temporal.steps import StepOptions, get_step_options
from found_footy.settings import WorkerSettings
from found_footy.vision.settings import VisionSettings
from tests.support.steps import declared_steps

SOON = timedelta(seconds=15)
ALL = {step.__name__: get_step_options(step) for step in declared_steps(ClipSteps, ArchiveSteps)}
LONG = {
    name: options
    for name, options in (ALL | {"brief check": BRIEF_CHECK_OPTIONS}).items()
    if not options.local and options.start_to_close_timeout > timedelta(seconds=60)
}
CHECK = ALL["validate_video_is_soccer"]


def waits(options: StepOptions) -> timedelta:
    """The pauses between all tries of a step."""
    pauses = (
        options.initial_interval * options.backoff_coefficient**number for number in range(options.maximum_attempts - 1)
    )
    return sum((min(pause, options.maximum_interval) for pause in pauses), timedelta(0))


@pytest.mark.parametrize("options", LONG.values(), ids=LONG)
def test_every_long_step_is_restarted_within_seconds_of_the_end_of_its_worker(options: StepOptions) -> None:
    assert options.heartbeat_timeout is not None
    assert 3 * MAX_HEARTBEAT_THROTTLE <= options.heartbeat_timeout <= SOON


def test_there_are_long_steps() -> None:
    assert set(LONG) >= {
        "download_single_video",
        "validate_video_is_soccer",
        "generate_video_hash",
        "deduplicate_videos",
        "upload_single_video",
    }


def test_a_reader_is_waited_for_some_minutes_and_not_for_every_clip_anew() -> None:
    assert timedelta(minutes=5) < waits(CHECK) < timedelta(minutes=15)
    assert waits(BRIEF_CHECK_OPTIONS) < timedelta(seconds=10)


def test_the_longest_download_ends_before_its_step_times_out() -> None:
    """Besides fetching, the step prepares the clip twice, checks the decoder and stores what it made."""
    limits = MediaLimits()
    assert (
        MAX_DOWNLOAD_DEADLINE + 3 * limits.timeout + timedelta(minutes=2)
        <= ALL["download_single_video"].start_to_close_timeout
    )
    with pytest.raises(ValidationError):
        ClipSettings(download_deadline=MAX_DOWNLOAD_DEADLINE + timedelta(seconds=1))
    assert ClipSettings(download_deadline=MAX_DOWNLOAD_DEADLINE).download_deadline == MAX_DOWNLOAD_DEADLINE


def test_fingerprints_that_wait_for_each_other_end_before_their_step_times_out() -> None:
    assert FINGERPRINT_LIMITS.timeout * WorkerSettings().media < ALL["generate_video_hash"].start_to_close_timeout


@pytest.mark.parametrize("options", [CHECK, BRIEF_CHECK_OPTIONS], ids=["usual", "briefly"])
def test_a_check_that_waits_for_every_lease_ends_before_its_step_times_out(options: StepOptions) -> None:
    """The outer frames one by one, the one at half and one that confirms a clock: each has its own turn."""
    questions = 4
    assert questions * (LEASE_MAX_WAIT + VisionSettings().llm_timeout) < options.start_to_close_timeout


@pytest.mark.parametrize(("workers", "questions"), [(1, 4), (2, 4), (3, 4), (5, 1)])
def test_further_workers_do_not_block_clips_of_a_slow_model(workers: int, questions: int) -> None:
    """Turns are drawn among all who wait; hardly any look is passed over at all tries of its step."""
    vision, answer = VisionSettings(), timedelta(seconds=61)
    waiting = max(1, workers * WorkerSettings().vision - vision.llm_at_once + 1)
    missed_once = max(0.0, 1 - vision.llm_at_once / waiting)
    missed = missed_once ** (LEASE_MAX_WAIT // answer)
    failed_look = 1 - (1 - missed) ** questions
    assert failed_look**CHECK.maximum_attempts < 0.001
