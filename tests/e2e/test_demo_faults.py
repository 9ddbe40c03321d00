"""Long outages in the middle of a demo's day: each happens, each ends, and no goal is lost."""

import json
from pathlib import Path
from typing import Any

import pytest

from found_footy.platform.free_port import find_free_port
from tests.support.calm_days import CALM_SEED, assert_nothing_found_was_lost
from tests.support.command_line import clean_environment, started, wait_for, wait_for_the_end_of_all
from tests.support.small_disks import MEGABYTE, small_disk

LONGEST_DAY_SECONDS = 1800


def played(tmp_path: Path, faults: str, *more: str, data_dir: Path | None = None) -> dict[str, Any]:
    """The scorecard of a small day with these outages."""
    data, log, report = data_dir or tmp_path / "data", tmp_path / "demo.log", tmp_path / "report"
    small = ("--world", "small", "--seed", CALM_SEED, "--no-browser", "--limit", str(LONGEST_DAY_SECONDS))
    places = ("--port", str(find_free_port()), "--data-dir", str(data), "--report", str(report))
    with started("demo", *small, "--fault", faults, *more, *places, env=clean_environment(), log=log) as demo:
        wait_for("the end of the demo", lambda: demo.poll() is not None, log, LONGEST_DAY_SECONDS)
        assert demo.returncode == 0, log.read_text()[-6000:]
    wait_for_the_end_of_all(data)
    card: dict[str, Any] = json.loads((report / "scorecard.json").read_text())
    assert [target["name"] for target in card["targets"] if target["hard"] and not target["met"]] == []
    assert_nothing_found_was_lost(card)
    assert card["archive_faults"] == []
    assert [fault["name"] for fault in card["faults"]] == faults.split(",")
    return card


@pytest.mark.storm
def test_no_goal_is_lost_with_temporals_database(tmp_path: Path) -> None:
    [fault] = played(tmp_path, "empty-temporal", "--speed", "20")["faults"]
    assert fault["new_pid"] not in (None, fault["old_pid"])
    before, after = (int(word) for word in fault["detail"].split() if word.isdigit())
    assert after < before
    assert "the worker continued" in fault["detail"]


@pytest.mark.storm
def test_no_goal_is_lost_while_the_worker_is_frozen_for_a_minute(tmp_path: Path) -> None:
    [fault] = played(tmp_path, "freeze-worker")["faults"]
    assert "was stopped for 60 s" in fault["detail"]


@pytest.mark.storm
def test_no_goal_is_lost_while_there_is_no_worker_for_a_minute(tmp_path: Path) -> None:
    [fault] = played(tmp_path, "stop-workers")["faults"]
    assert fault["new_pid"] not in (None, fault["old_pid"])
    assert "no worker for 60 s" in fault["detail"]


@pytest.mark.storm
def test_a_goal_has_a_playable_clip_though_no_attempt_could_check_one(tmp_path: Path) -> None:
    [fault] = played(tmp_path, "blind-goal")["faults"]
    assert "clips not checked in 10 attempts" in fault["detail"]


@pytest.mark.storm
@pytest.mark.parametrize("seconds", [60, 210])
def test_no_goal_and_no_clip_is_lost_to_a_disk_that_fills_up(tmp_path: Path, seconds: int) -> None:
    """About 300 MB are left once the servers run. After more than a minute without any, mongod ends."""
    with small_disk(650 * MEGABYTE) as disk:
        more = ("--fault-seconds", str(seconds))
        [fault] = played(tmp_path, "full-disk", *more, data_dir=disk / "data")["faults"]
        assert fault["detail"].startswith(f"0 bytes free for {seconds * 2 // 3} s; downloads paused before ")
        assert "paused before 0" not in fault["detail"]
        assert fault["detail"].endswith("clips rejected because of it: 0")
        assert ("mongodb" in fault["detail"]) == (seconds > 100)
