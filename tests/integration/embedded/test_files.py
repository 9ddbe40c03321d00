"""The small files of a data directory."""

from dataclasses import fields
from pathlib import Path

import pytest

from found_footy.embedded import ports
from found_footy.embedded.credentials import ServerCredentials, load_credentials
from found_footy.embedded.endpoints import PlatformEndpoints, find_running_endpoints, publish_endpoints
from found_footy.embedded.files import read_json, write_json
from found_footy.embedded.log_files import read_last_lines, rotate_log
from found_footy.embedded.ports import load_or_assign_ports
from found_footy.platform.errors import NotFound

SECRETS = [field.name for field in fields(ServerCredentials) if not field.name.endswith("_user")]
WHERE = PlatformEndpoints(
    "mongodb://me:hush@127.0.0.1:1/?replicaSet=rs0",
    "127.0.0.1:2",
    "http://127.0.0.1:3",
    "KEY",
    "hush",
    "nats://me:hush@127.0.0.1:4",
)


def test_credentials_are_random_stored_privately_and_kept(tmp_path: Path) -> None:
    first = load_credentials(tmp_path)
    assert (tmp_path / "credentials.json").stat().st_mode & 0o777 == 0o600
    assert load_credentials(tmp_path) == first
    other = tmp_path / "other"
    other.mkdir()
    second = load_credentials(other)
    assert all(getattr(first, name) != getattr(second, name) for name in SECRETS)


def test_a_secret_added_by_a_later_version_is_made_and_the_others_stay(tmp_path: Path) -> None:
    first = load_credentials(tmp_path)
    stored = read_json(tmp_path / "credentials.json")
    del stored["nats_password"]
    write_json(tmp_path / "credentials.json", stored)
    second = load_credentials(tmp_path)
    assert second.nats_password != first.nats_password
    assert second.mongodb_password == first.mongodb_password
    assert load_credentials(tmp_path) == second


def test_ports_are_distinct_and_recorded(tmp_path: Path) -> None:
    names = ["s3", "s3-grpc", *(f"server-{number}" for number in range(50))]
    first = load_or_assign_ports(tmp_path, names)
    assert len(set(first.values())) == len(names)
    assert first["s3-grpc"] == first["s3"] + 10_000
    assert load_or_assign_ports(tmp_path, [*names, "one more"]) | first == load_or_assign_ports(tmp_path, names)


@pytest.mark.parametrize("remembered", ["above", "below"])
def test_a_port_whose_second_port_is_recorded_is_not_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remembered: str
) -> None:
    """Nobody listens on a remembered port before its server is started, so that it looks free."""
    base = 12_000
    monkeypatch.setattr(ports, "_is_port_free", lambda port: True)
    monkeypatch.setattr(ports, "_PORT_RANGE", range(base, base + 2))
    write_json(tmp_path / "ports.json", {"other": base + (10_000 if remembered == "above" else -10_000)})
    assert load_or_assign_ports(tmp_path, ["s3", "s3-grpc"])["s3"] == base + 1


def test_endpoints_do_not_show_their_secrets() -> None:
    assert "hush" not in repr(WHERE)
    assert "127.0.0.1:1" in repr(WHERE)


def test_endpoints_of_a_dead_supervisor_are_ignored(tmp_path: Path) -> None:
    publish_endpoints(tmp_path, WHERE, pid=2**22 + 1)
    with pytest.raises(NotFound):
        find_running_endpoints(tmp_path)


def test_a_log_that_grew_too_large_is_moved_aside_under_its_writer(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"old\n" * 10)
        rotate_log(log, max_bytes=100)
        assert log.stat().st_size == 40
        rotate_log(log, max_bytes=30)
        writer.write(b"new\n")
    assert log.read_bytes() == b"new\n"
    assert (tmp_path / "server.log.1").read_bytes() == b"old\n" * 10


def test_the_end_of_a_log_is_returned_even_if_there_is_none(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    assert read_last_lines(log) == "(no log)"
    log.write_bytes(b"")
    assert read_last_lines(log) == "(the log is empty)"
    log.write_bytes(b"\xff\n".join(str(number).encode() for number in range(100_000)))
    assert read_last_lines(log, count=2).splitlines()[-1] == "99999"
