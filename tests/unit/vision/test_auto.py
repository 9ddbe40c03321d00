"""Who looks when the model is away, and what the settings build."""

from datetime import timedelta
from pathlib import Path

import pytest

from found_footy.domain.outcomes import TimestampStatus
from found_footy.platform.errors import ConfigError
from found_footy.platform.settings.environment import load_from_environment
from found_footy.vision.auto_reader import AutoReader
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import ClipFrames
from found_footy.vision.llm.prompt import PROMPT_TEMPLATE, build_answer_schema, render_prompt
from found_footy.vision.llm.reader import LlmReader
from found_footy.vision.reader_factory import build_llm_reader, build_reader
from found_footy.vision.settings import VisionSettings
from found_footy.vision.verdict import Accepted, Verdict, VerdictEvidence

CLIP, GOAL = ClipFrames(()), ExpectedGoal(34)


class Stub:
    def __init__(self, name: str, *, away: bool = False) -> None:
        self.name = name
        self.away = away
        self.closed = False

    async def read(self, clip: ClipFrames, expected: ExpectedGoal, *, broadcast: str = "") -> Verdict:
        if self.away:
            raise VisionUnavailable(self.name, "away")
        return Accepted(TimestampStatus.VERIFIED, 34, VerdictEvidence(self.name, str(expected), (), "stub"))

    async def aclose(self) -> None:
        self.closed = True


class FailingReader:
    def __init__(self, minutes: float) -> None:
        self.downtime = timedelta(minutes=minutes)


def reader(away: bool, minutes: float, patience: timedelta | None) -> AutoReader:
    return AutoReader(Stub("model", away=away), FailingReader(minutes), patience, lambda: Stub("local"))


async def who_looked(made: AutoReader) -> str:
    return (await made.read(CLIP, GOAL)).evidence.reader


async def test_the_model_reads_clips_while_it_answers() -> None:
    assert await who_looked(reader(False, 0, timedelta(minutes=10))) == "model"


async def test_clips_wait_for_the_model_by_default() -> None:
    with pytest.raises(VisionUnavailable):
        await who_looked(reader(True, 600, None))


async def test_a_short_absence_is_waited_for() -> None:
    with pytest.raises(VisionUnavailable):
        await who_looked(reader(True, 9, timedelta(minutes=10)))


async def test_the_local_reader_replaces_a_long_absent_model_if_configured() -> None:
    assert await who_looked(reader(True, 11, timedelta(minutes=10))) == "local"


def test_an_address_selects_the_model_and_the_reader_may_be_set() -> None:
    named = load_from_environment(VisionSettings, {"LLAMA_URL": "http://127.0.0.1:8080"}).settings
    assert named.llm_url == "http://127.0.0.1:8080"
    assert isinstance(build_reader(named, Path()), AutoReader)
    assert isinstance(build_reader(named.model_copy(update={"reader": "llm"}), Path()), LlmReader)


def test_the_model_without_an_address_is_a_mistake_that_is_named() -> None:
    with pytest.raises(ConfigError, match="LLAMA_URL"):
        build_reader(VisionSettings(reader="llm"), Path())


@pytest.mark.parametrize("url", ["http://[::1]:8080", "https://[2001:db8::1]/v1", "https://vision.example/v1"])
async def test_the_model_may_have_an_address_of_either_kind_and_no_port(url: str) -> None:
    await build_llm_reader(VisionSettings(llm_url=url)).aclose()


def test_a_prompt_of_ones_own_must_be_readable(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="prompt"):
        build_llm_reader(VisionSettings(llm_url="http://127.0.0.1:8080", llm_prompt=tmp_path / "missing.txt"))


def test_the_prompt_names_each_frame_and_each_field() -> None:
    text = render_prompt(2)
    assert "frame_1, frame_2" in text
    assert all(name in PROMPT_TEMPLATE for name in build_answer_schema(1)["properties"]["frame_1"]["required"])
    assert render_prompt(1, 'answer {"like": "this"} for {names}') == 'answer {"like": "this"} for frame_1'
