"""The demo as a newcomer runs it, while its servers are being killed."""

import json
import socket
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from found_footy.platform.free_port import find_free_port
from tests.support.calm_days import CALM_SEED, assert_nothing_found_was_lost
from tests.support.command_line import (
    clean_environment,
    processes_using,
    programs,
    run,
    started,
    wait_for,
    wait_for_the_end_of_all,
)

VICTIMS = ("mongodb", "temporal", "seaweedfs", "worker")


def test_every_goal_has_a_playable_clip_though_every_server_is_killed_meanwhile(tmp_path: Path) -> None:
    data, log, report = tmp_path / "with a space", tmp_path / "demo.log", tmp_path / "report"
    small = ("--world", "small", "--seed", CALM_SEED, "--speed", "20", "--chaos", "--no-browser", "--limit", "1700")
    wishes = (*small, "--port", str(find_free_port()), "--data-dir", str(data), "--report", str(report))
    with started("demo", *wishes, env=clean_environment(), log=log) as demo:
        lives = _lives_until_the_end(demo, data, log)
        assert demo.returncode == 0, log.read_text()[-6000:]
    card = json.loads((report / "scorecard.json").read_text())
    assert [target["name"] for target in card["targets"] if target["hard"] and not target["met"]] == []
    assert_nothing_found_was_lost(card)
    assert card["archive_faults"] == []
    assert card["clips"]["watched"]
    assert card["clips"]["unreachable"] == 0
    assert card["clips"]["right"] > 0
    _assert_killed_and_back(card["faults"], lives)
    assert (report / "scorecard.html").stat().st_size > 10_000
    wait_for_the_end_of_all(data)


def _lives_until_the_end(demo: "subprocess.Popen[bytes]", data: Path, log: Path) -> dict[str, list[int]]:
    """Every process that each program ran as, in order, as the supervisor's own file tells while the demo plays."""
    lives: dict[str, list[int]] = {victim: [] for victim in VICTIMS}

    def has_ended() -> bool:
        for victim in VICTIMS:
            now = programs(data).get(victim, {})
            if now.get("state") == "ready" and now["pid"] not in lives[victim]:
                lives[victim].append(now["pid"])
        return demo.poll() is not None

    wait_for("the end of the demo", has_ended, log, 1800)
    return lives


def _assert_killed_and_back(faults: list[dict[str, Any]], lives: dict[str, list[int]]) -> None:
    """What the report says of each kill is what could be seen from outside."""
    by_name = {fault["name"]: fault for fault in faults}
    for victim in VICTIMS:
        fault = by_name[f"kill {victim}"]
        assert lives[victim][:2] == [fault["old_pid"], fault["new_pid"]]
        assert fault["recovered_after"] > 0
    assert by_name["kill a reader"]["recovered_after"] is not None
    assert "could not be checked" in by_name["vision outage"]["detail"]
    assert by_name["vision outage"]["recovered_after"] is not None


def test_killing_the_supervisor_leaves_nothing_and_the_next_one_starts(tmp_path: Path) -> None:
    """The next one is `up`: by then there may be matches, and a demo plays only where there are none."""
    data, log = tmp_path / "data", tmp_path / "demo.log"
    env = clean_environment(FOOTY_DATA_DIR=str(data), FOOTY_WEB__PORT="0")
    demo = ("demo", "--scenario", "normal-goal", "--port", str(find_free_port()), "--data-dir", str(data))
    for arguments, ready in ((demo, "Watch it at"), (("up",), "is up")):
        with started(*arguments, env=env, log=log) as supervisor:
            wait_for("the page", partial(_says, log, ready), log)
            assert len(processes_using(data)) >= len(VICTIMS)
            supervisor.kill()
            supervisor.wait()
        wait_for_the_end_of_all(data)


def _says(log: Path, words: str) -> bool:
    return words in log.read_text()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MONGODB_URI", "nonsense"),
        ("FOOTY_FIXTURES__MONITOR_INTERVAL", "soon"),
        ("FOOTY_FIXTURE__MONITOR_INTERVAL", "30s"),
        ("FOOTY_DATA_DIRR", "elsewhere"),
    ],
)
def test_a_wrong_setting_ends_the_start_with_one_line_that_names_it(variable: str, value: str, tmp_path: Path) -> None:
    env = clean_environment(**{"FOOTY_DATA_DIR": str(tmp_path), variable: value})
    ended = run("up", env=env)
    assert ended.returncode == 2
    assert len(ended.stderr.strip().splitlines()) == 1
    assert variable in ended.stderr


def test_a_server_that_does_not_answer_ends_the_start_and_is_named(tmp_path: Path) -> None:
    env = clean_environment(
        FOOTY_DATA_DIR=str(tmp_path / "data"),
        FOOTY_WEB__PORT="0",
        MONGODB_URI="mongodb://127.0.0.1:1/?directConnection=true",
    )
    ended = run("up", env=env)
    assert ended.returncode == 2
    assert "MongoDB" in ended.stderr
    assert "MONGODB_URI" in ended.stderr
    wait_for_the_end_of_all(tmp_path / "data")


def test_a_taken_port_of_the_page_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = run("up", env=clean_environment(FOOTY_DATA_DIR=str(tmp_path / "data"), FOOTY_WEB__PORT=port))
    assert ended.returncode == 2
    assert port in ended.stderr


def test_doctor_names_what_does_not_answer_and_what_to_do(tmp_path: Path) -> None:
    nowhere = "127.0.0.1:1"
    env = clean_environment(
        FOOTY_DATA_DIR=str(tmp_path),
        MONGODB_URI=f"mongodb://{nowhere}/?directConnection=true",
        TEMPORAL_ADDRESS=nowhere,
        S3_ENDPOINT=f"http://{nowhere}",
        S3_ACCESS_KEY="a",
        S3_SECRET_KEY="b",
        NATS_URL=f"nats://{nowhere}",
    )
    ended = run("doctor", env=env)
    assert ended.returncode == 1
    for system, variable in (("MongoDB", "MONGODB_URI"), ("Temporal", "TEMPORAL_ADDRESS")):
        assert system in ended.stdout
        assert variable in ended.stdout
