"""The product's processes under `up`: each is told where the others are."""

import asyncio
import contextlib
import dataclasses
import io
import json
import logging
import os
import socket
import stat
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import pytest

from found_footy import health
from found_footy.cli import console, program_environment, programs, up
from found_footy.embedded import program_process
from found_footy.embedded.credentials import load_credentials
from found_footy.embedded.endpoints import PlatformEndpoints, find_running_endpoints, publish_endpoints
from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.server import EmbeddedServer
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.errors import Unavailable
from found_footy.platform.http.access_tokens import MIN_TOKEN_LENGTH
from found_footy.platform.settings.environment import ENV_PREFIX
from found_footy.platform.settings.groups import SettingsGroup, list_variables
from found_footy.settings import Settings, embedded_fallbacks, load_settings
from found_footy.web.listening_socket import bind_socket

# As root there would be no search service with a sandbox.
BROWSER = {"CHROMIUM_PATH": "/opt/chromium", "FOOTY_XSEARCH__SANDBOX": "false"}


def search(env: Mapping[str, str]) -> ProgramSpec | str:
    return programs.build_search_program(load_settings(env).settings, env)


def of(program: ProgramSpec | str) -> ProgramSpec:
    assert isinstance(program, ProgramSpec)
    return program


def seen_by(program: ProgramSpec) -> Settings:
    assert program.env is not None
    return load_settings(program.env).settings


@pytest.mark.parametrize(
    ("place", "address"),
    [
        ({}, "http://127.0.0.1:8888"),
        ({"FOOTY_XSEARCH__PORT": "9999"}, "http://127.0.0.1:9999"),
        ({"FOOTY_XSEARCH__HOST": "0.0.0.0"}, "http://127.0.0.1:8888"),
        ({"FOOTY_XSEARCH__HOST": "::1", "FOOTY_XSEARCH__PORT": "9999"}, "http://[::1]:9999"),
    ],
)
def test_programs_that_search_get_the_address_of_the_service(
    place: dict[str, str], address: str, tmp_path: Path
) -> None:
    env = {**BROWSER, **place, "FOOTY_DATA_DIR": str(tmp_path)}
    program = of(search(env))
    assert program.address == address
    reported = load_settings(programs.add_search_url(env, program)).settings
    assert reported.discovery.search_urls == (address,)


@pytest.mark.parametrize("name", ["TWITTER_SERVICE_URL", "FOOTY_DISCOVERY__SEARCH_URLS"])
def test_a_configured_search_service_is_used(name: str) -> None:
    env = {**BROWSER, name: "http://search.example.org:8888"}
    why = search(env)
    assert why == "Searches go to http://search.example.org:8888."
    assert programs.add_search_url(env, why) == env


@pytest.mark.parametrize("name", ["", "X_SEARCH_DATA_DIR", "FOOTY_XSEARCH__DATA_DIR"])
def test_the_search_service_keeps_its_data_in_the_configured_directory(name: str, tmp_path: Path) -> None:
    env = {**BROWSER, "FOOTY_DATA_DIR": str(tmp_path)} | ({name: f"{tmp_path}/mine/"} if name else {})
    wanted = tmp_path / ("mine" if name else "xsearch")
    assert seen_by(of(search(env))).xsearch.data_dir == wanted == load_settings(env).settings.xsearch.data_dir


@pytest.mark.parametrize("name", ["CHROMIUM_PATH", "FOOTY_XSEARCH__BROWSER"])
def test_the_configured_browser_is_used(name: str) -> None:
    env = {"FOOTY_XSEARCH__SANDBOX": "false", name: "/opt//chromium"}
    assert seen_by(of(search(env))).xsearch.browser == Path("/opt/chromium")


def test_every_group_of_settings_reaches_a_program() -> None:
    groups = {name for name, field in Settings.model_fields.items() if isinstance(field.default, SettingsGroup)}
    assert groups == {name for one in program_environment.ALL_SCOPES for name in one.groups}


def test_a_setting_reaches_the_programs_that_read_it_under_whichever_name(tmp_path: Path) -> None:
    secret = tmp_path / "key"
    secret.write_text("hunter2")
    env = {
        **BROWSER,
        "FOOTY_FIXTURES__FEED_KEY": "key",
        "LLAMA_API_KEY_FILE": str(secret),
        "LLAMA_URL": "http://here",
        "FOOTY_DATA_DIR": str(tmp_path),
        "MONGODB_URI": "mongodb://a:b@db",
        "FOOTY_COMMIT": "1",
        "PATH": "/bin",
        "GITHUB_TOKEN": "hunter2",
        "LC_ALL": "C",
        "X_SEARCH_TOKEN": "a-token-of-enough-characters",
    }
    settings = load_settings(env).settings
    worker = programs.build_worker_program(settings, Platform.endpoints, env).env or {}
    web, service = programs.build_web_program(settings, env).env or {}, of(search(env)).env or {}
    withheld = {"FOOTY_FIXTURES__FEED_KEY", "LLAMA_API_KEY_FILE"}
    assert worker.keys() - {"FOOTY_METRICS__PORT"} == env.keys() - {"FOOTY_XSEARCH__SANDBOX", "CHROMIUM_PATH"}
    added = {"FOOTY_KEYS_ELSEWHERE", "FOOTY_METRICS__PORT"}
    assert web.keys() - added == worker.keys() - withheld - {"FOOTY_METRICS__PORT"}
    assert set(web["FOOTY_KEYS_ELSEWHERE"].split(",")) == withheld
    assert service.keys() == {*BROWSER, "FOOTY_DATA_DIR", "FOOTY_COMMIT", "PATH", "LC_ALL", "X_SEARCH_TOKEN"}
    reported = load_settings(web).settings
    assert health.has_feed_access(reported)
    assert not health.has_feed_access(load_settings({"FOOTY_DATA_DIR": str(tmp_path)}).settings)


def test_of_the_uploads_secrets_each_program_gets_what_it_uses(tmp_path: Path) -> None:
    env = {
        "FOOTY_DATA_DIR": str(tmp_path),
        "NATS_URL": "nats://queue.example.org",
        "FOOTY_UPLOADS__NOTIFICATION_SECRET": "a-secret-of-enough-characters",
        "FOOTY_UPLOADS__WORKERS_AI_TOKEN": "hunter2",
        "FOOTY_UPLOADS__R2_TOKEN_FILE": "/run/secrets/r2",
    }
    scopes = program_environment
    web = scopes.filter_environment(env, scopes.WEB_SCOPE)
    worker = scopes.filter_environment(env, scopes.WORKER_SCOPE)
    withheld = {"FOOTY_UPLOADS__WORKERS_AI_TOKEN", "FOOTY_UPLOADS__R2_TOKEN_FILE"}
    assert web.keys() - {"FOOTY_KEYS_ELSEWHERE"} == env.keys() - withheld
    assert worker.keys() - {"FOOTY_KEYS_ELSEWHERE"} == env.keys() - {"FOOTY_UPLOADS__NOTIFICATION_SECRET"}


def test_the_object_store_tells_the_page_and_nobody_if_uploads_are_off() -> None:
    secret = "a-secret-of-enough-characters"
    given = {"FOOTY_WEB__HOST": "0.0.0.0", "FOOTY_WEB__PORT": "8123", "FOOTY_UPLOADS__NOTIFICATION_SECRET": secret}
    target = programs.build_notification_target(load_settings(given).settings)
    assert target is not None
    assert (target.url, target.secret) == ("http://127.0.0.1:8123/api/v1/notifications/objects", secret)
    assert secret not in repr(target)
    assert programs.build_notification_target(load_settings({"FOOTY_UPLOADS__ENABLED": "false"}).settings) is None


async def test_the_page_is_asked_whether_it_is_ready_at_an_address_of_either_kind() -> None:
    for host in ("127.0.0.1", "::1"):
        with bind_socket(load_settings({"FOOTY_WEB__HOST": host, "FOOTY_WEB__PORT": "0"}).settings.web) as opened:
            server = await asyncio.start_server(_healthy, sock=opened)
            async with server:
                port = str(opened.getsockname()[1])
                settings = load_settings({"FOOTY_WEB__HOST": host, "FOOTY_WEB__PORT": port}).settings
                probe = programs.build_web_program(settings, {}).ready_probe
                assert probe is not None
                await probe()


async def _healthy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok")
    await writer.drain()
    writer.close()


class Platform:
    """A supervisor that starts nothing and remembers what it was given, in order."""

    endpoints = PlatformEndpoints("mongodb", "temporal", "s3", "key", "secret", temporal_ui="http://127.0.0.1:8233")

    def __init__(self) -> None:
        self.programs: list[ProgramSpec] = []
        self.servers: list[str] = []
        self.search = ""

    def __call__(self, *_: object, servers: Sequence[type[EmbeddedServer]], **__: object) -> Self:
        self.servers = [server.name for server in servers]
        return self

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return

    async def run_program(self, program: ProgramSpec) -> None:
        self.programs.append(program)

    def announce_search(self, address: str, token: str = "") -> str:
        self.search = address
        return token or "made"

    async def wait(self) -> None:
        return


def test_up_passes_the_address_of_a_search_service_on_a_free_port_to_worker_and_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    platform = Platform()
    for name in {name for names in list_variables(Settings) for name in names} & os.environ.keys():
        monkeypatch.delenv(name)
    for name, value in {**BROWSER, f"{ENV_PREFIX}WEB__PORT": "0", f"{ENV_PREFIX}XSEARCH__PORT": "0"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FOOTY_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(up, "Supervisor", platform)
    monkeypatch.setattr(up, "_refuse_broken_servers", _nothing)
    monkeypatch.setattr("found_footy.cli.console.start_logs", lambda *_: None)
    assert up.command() == console.OK
    worker, page, service = platform.programs
    assert (worker.name, page.name, service.name) == ("worker", "web", "search")
    assert platform.servers == ["mongodb", "temporal", "seaweedfs", "nats"]
    said = capsys.readouterr()
    assert "http://127.0.0.1:8233" in said.out
    # Here no database runs: the link for the first admin is not made, and everything else is started.
    assert "No link for the first admin: MongoDB" in said.err
    port = seen_by(service).xsearch.port
    assert port > 0
    assert platform.search == f"http://127.0.0.1:{port}"
    for program in (worker, page):
        assert seen_by(program).discovery.search_urls == (f"http://127.0.0.1:{port}",)


async def test_a_taken_port_of_the_search_service_is_reported_and_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        env = {**BROWSER, "FOOTY_XSEARCH__PORT": port, "FOOTY_DATA_DIR": str(tmp_path)}
        service, platform = of(search(env)), Platform()
        assert service.is_optional
        assert service.blocked_reason is not None
        assert port in service.blocked_reason()
        await up._start_search(platform, service)  # type: ignore[arg-type]
        said = capsys.readouterr().out
        assert "No search service yet" in said
        assert "FOOTY_XSEARCH__PORT=0" in said
        assert platform.programs == [service]
    assert service.blocked_reason() == ""


def test_the_worker_and_the_page_are_needed(tmp_path: Path) -> None:
    settings = load_settings({"FOOTY_DATA_DIR": str(tmp_path)}).settings
    for program in (
        programs.build_worker_program(settings, Platform.endpoints, {}),
        programs.build_web_program(settings, {}),
    ):
        assert not program.is_optional


async def test_a_worker_is_not_blamed_for_an_unreachable_temporal(tmp_path: Path) -> None:
    settings = load_settings({"FOOTY_DATA_DIR": str(tmp_path)}).settings
    nowhere = replace(Platform.endpoints, temporal_address="127.0.0.1:1")
    alive, ready = (
        programs.build_worker_program(settings, nowhere, {}).alive_probe,
        programs.build_worker_program(settings, nowhere, {}).ready_probe,
    )
    assert alive is not None
    assert ready is not None
    await alive()
    with pytest.raises(Unavailable):
        await ready()


async def test_a_worker_is_not_blamed_for_a_hanging_temporal(tmp_path: Path) -> None:
    """Asked as the supervisor asks, whose patience must be the longer one."""
    settings = load_settings({"FOOTY_DATA_DIR": str(tmp_path)}).settings
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hanging = replace(Platform.endpoints, temporal_address=f"127.0.0.1:{silent.getsockname()[1]}")
        alive = programs.build_worker_program(settings, hanging, {}).alive_probe
        assert alive is not None
        assert await program_process._find_probe_failure(alive) == ""


async def test_a_worker_that_no_longer_polls_is_noticed(platform: PlatformEndpoints, tmp_path: Path) -> None:
    queue = f"main-{uuid4().hex}"
    settings = load_settings({"FOOTY_DATA_DIR": str(tmp_path), "FOOTY_QUEUES__MAIN": queue}).settings
    alive = programs.build_worker_program(settings, platform, {}).alive_probe
    assert alive is not None
    with pytest.raises(Unavailable, match="any more"):
        await alive()


async def _nothing() -> Any:
    return None


def somewhere() -> PlatformEndpoints:
    return PlatformEndpoints(
        **{field.name: "somewhere" for field in dataclasses.fields(PlatformEndpoints) if field.type is not int}
    )


def test_the_workers_figures_are_served_by_default_and_shown_where_they_are() -> None:
    """On the usual port or, if another worker has that one, on the next."""
    env = {"FOOTY_DATA_DIR": "/nowhere"}
    usual = load_settings(env).settings
    assert usual.metrics.port == 9464
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        settings = load_settings({**env, "FOOTY_METRICS__PORT": str(port)}).settings
        program = programs.build_worker_program(settings, somewhere(), env)
    reported = seen_by(program).metrics
    assert reported.port > port
    assert program.address == f"http://127.0.0.1:{reported.port}/metrics"


@pytest.mark.parametrize(("simulated", "said"), [("true", ["simulated"]), ("false", [])])
def test_a_process_in_a_simulated_world_says_so_first(simulated: str, said: list[str]) -> None:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    try:
        with contextlib.redirect_stderr(stream):
            console.start_logs(load_settings({"FOOTY_SIMULATED": simulated}).settings, "worker")
    finally:
        logging.captureWarnings(False)
        root.handlers[:] = handlers
        root.setLevel(level)
    assert [json.loads(line)["action"] for line in stream.getvalue().splitlines()] == said


def test_commands_beside_up_use_the_search_service_of_its_worker(tmp_path: Path) -> None:
    servers = ("mongodb://127.0.0.1:1", "127.0.0.1:2", "http://127.0.0.1:3", "key", "secret")
    token = "a-token-of-enough-characters"
    publish_endpoints(
        tmp_path, PlatformEndpoints(*servers, search_url="http://127.0.0.1:4711", search_token=token), os.getpid()
    )
    env = {"FOOTY_DATA_DIR": str(tmp_path)}
    reported = load_settings(env).settings.xsearch.token
    assert reported is not None
    assert reported.get_secret_value() == token
    assert token not in repr(PlatformEndpoints(*servers, search_token=token))
    assert load_settings(env).settings.discovery.search_urls == ("http://127.0.0.1:4711",)
    named = {**env, "TWITTER_SERVICE_URL": "http://search.example"}
    assert load_settings(named).settings.discovery.search_urls == ("http://search.example",)
    # Another service is not told our token; ours is, under whatever name the worker was given its address.
    assert load_settings(named).settings.discovery.search_token is None
    for name in ("TWITTER_SERVICE_URL", "FOOTY_DISCOVERY__SEARCH_URLS"):
        ours = load_settings({**env, name: "http://127.0.0.1:4711"}).settings.discovery.search_token
        assert ours is not None
        assert ours.get_secret_value() == token


async def test_up_records_the_address_of_its_search_service(tmp_path: Path) -> None:
    elsewhere = {field.name: "somewhere" for field in dataclasses.fields(PlatformEndpoints)}
    async with Supervisor(tmp_path, external=elsewhere) as supervisor:
        made = supervisor.announce_search("http://127.0.0.1:4711")
        assert find_running_endpoints(tmp_path).search_url == "http://127.0.0.1:4711"
        assert find_running_endpoints(tmp_path) == supervisor.endpoints
        assert find_running_endpoints(tmp_path).search_token == made == load_credentials(tmp_path).search_token
        assert len(made) >= MIN_TOKEN_LENGTH
        assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("credentials.json", "endpoints.json")} == {
            0o600
        }
        supervisor.announce_search("http://127.0.0.1:4711", "a-token-that-a-person-chose")
        assert find_running_endpoints(tmp_path).search_token == "a-token-that-a-person-chose"


def test_the_page_finds_the_generated_secret_of_the_notifications() -> None:
    endpoints = replace(Platform.endpoints, notification_secret="a-generated-secret-0123")
    assert "a-generated-secret" not in repr(endpoints)
    given = embedded_fallbacks(endpoints)["FOOTY_UPLOADS__NOTIFICATION_SECRET"]
    assert given.value == "a-generated-secret-0123"
