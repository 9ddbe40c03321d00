"""A worker that dies is noticed within seconds, and a reader that is away for minutes costs no clip its verdict."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from found_footy.archive import policies as archive
from found_footy.clips import policies as clips
from found_footy.clips.prints import LIMITS
from found_footy.clips.settings import LONGEST_DEADLINE, ClipSettings
from found_footy.clips.turns import PATIENCE
from found_footy.platform.heartbeats import LONGEST_THROTTLE
from found_footy.platform.media import MediaLimits
from found_footy.platform.temporal import Step
from found_footy.settings import WorkerSettings
from found_footy.vision.settings import VisionSettings

SOON = timedelta(seconds=15)
ON_A_QUEUE = [
    step
    for module in (clips, archive)
    for step in vars(module).values()
    if isinstance(step, Step) and not step.at_hand and step.start_to_close > timedelta(seconds=60)
]


def waits(step: Step[Any, Any]) -> timedelta:
    """The pauses between all tries of a step."""
    pauses = (step.first_wait * step.backoff**number for number in range(step.attempts - 1))
    return sum((min(pause, step.longest_wait) for pause in pauses), timedelta(0))


@pytest.mark.parametrize("step", ON_A_QUEUE, ids=lambda step: step.name)
def test_every_long_step_is_begun_again_within_seconds_of_its_workers_death(step: Step[Any, Any]) -> None:
    assert step.heartbeat is not None
    assert 3 * LONGEST_THROTTLE <= step.heartbeat <= SOON


def test_there_are_long_steps() -> None:
    assert {step.name for step in ON_A_QUEUE} >= {
        "download_single_video", "validate_video_is_soccer", "generate_video_hash", "deduplicate_videos",
        "upload_single_video",
    }  # fmt: skip


def test_a_reader_is_waited_for_some_minutes_and_not_for_every_clip_anew() -> None:
    assert timedelta(minutes=5) < waits(clips.VALIDATE) < timedelta(minutes=15)
    assert waits(clips.VALIDATE_BRIEFLY) < timedelta(seconds=10)


def test_a_download_at_its_longest_ends_before_its_step_is_given_up() -> None:
    """Besides fetching, the step prepares the clip twice, checks the decoder and stores what it made."""
    limits = MediaLimits()
    assert LONGEST_DEADLINE + 3 * limits.time + timedelta(minutes=2) <= clips.FETCH.start_to_close
    with pytest.raises(ValidationError):
        ClipSettings(download_deadline=LONGEST_DEADLINE + timedelta(seconds=1))
    assert ClipSettings(download_deadline=LONGEST_DEADLINE).download_deadline == LONGEST_DEADLINE


def test_prints_that_wait_for_each_other_end_before_their_step_is_given_up() -> None:
    assert LIMITS.time * WorkerSettings().media < clips.HASH.start_to_close


@pytest.mark.parametrize("step", [clips.VALIDATE, clips.VALIDATE_BRIEFLY], ids=["usual", "briefly"])
def test_a_look_that_waits_for_every_turn_ends_before_its_step_is_given_up(step: Step[Any, Any]) -> None:
    """The outer frames one by one, the one at half and one that confirms a clock: each has its own turn."""
    questions = 4
    assert questions * (PATIENCE + VisionSettings().llm_timeout) < step.start_to_close


@pytest.mark.parametrize(("workers", "questions"), [(1, 4), (2, 4), (3, 4), (5, 1)])
def test_further_workers_do_not_starve_clips_of_a_slow_model(workers: int, questions: int) -> None:
    """Turns are drawn among all who wait; hardly any look is passed over at all tries of its step."""
    vision, answer = VisionSettings(), timedelta(seconds=61)
    waiting = max(1, workers * WorkerSettings().vision - vision.llm_at_once + 1)
    missed_once = max(0.0, 1 - vision.llm_at_once / waiting)
    missed = missed_once ** (PATIENCE // answer)
    failed_look = 1 - (1 - missed) ** questions
    assert failed_look**clips.VALIDATE.attempts < 0.001
