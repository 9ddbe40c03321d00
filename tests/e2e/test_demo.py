"""The demo as a newcomer runs it, while its servers are being killed."""

import os
import signal
import socket
from pathlib import Path

import pytest

from tests.e2e.processes import clean_environment, processes_using, programs, run, started, wait_for

VICTIMS = ("mongodb", "temporal", "seaweedfs", "worker")


def test_every_goal_is_watchable_though_every_server_is_killed_in_between(tmp_path: Path) -> None:
    data, log = tmp_path / "with a space", tmp_path / "demo.log"
    with started("demo", "--speed", "60", "--data-dir", str(data), env=clean_environment(), log=log) as demo:
        wait_for("the first search", lambda: "searching" in log.read_text(), log)
        for victim in VICTIMS:
            _kill_and_await_return(data, victim, log)
        assert demo.wait(400) == 0, log.read_text()[-4000:]
    assert "2 of 2 goals watchable" in log.read_text()
    assert processes_using(data) == []


def _kill_and_await_return(data: Path, victim: str, log: Path) -> None:
    before = programs(data)[victim]
    os.kill(before["pid"], signal.SIGKILL)

    def is_back() -> bool:
        now = programs(data).get(victim, {})
        return now.get("state") == "ready" and now["restarts"] > before["restarts"] and now["pid"] != before["pid"]

    wait_for(f"the return of {victim}", is_back, log)


def test_killing_the_supervisor_leaves_nothing_and_the_next_demo_starts(tmp_path: Path) -> None:
    data, log = tmp_path / "data", tmp_path / "demo.log"
    for _ in range(2):
        with started("demo", "--data-dir", str(data), env=clean_environment(), log=log) as demo:
            wait_for("the page", lambda: "Watch it at" in log.read_text(), log)
            assert len(processes_using(data)) >= len(VICTIMS)
            demo.kill()
            demo.wait()
        wait_for("the end of every process", lambda: not processes_using(data), log, 20)


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
    assert processes_using(tmp_path / "data") == []


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
    for system, variable in (("MongoDB", "MONGODB_URI"), ("Temporal", "TEMPORAL_ADDRESS"), ("NATS", "NATS_URL")):
        assert system in ended.stdout
        assert variable in ended.stdout
