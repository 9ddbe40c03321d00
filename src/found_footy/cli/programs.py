"""The product's own processes, as programs for the supervisor to keep running."""

import asyncio
import os
import socket
import sys
from collections.abc import Mapping
from datetime import timedelta
from importlib.util import find_spec

from found_footy.cli.chromium import find_chromium
from found_footy.cli.program_environment import SEARCH, WEB, WORKER, share
from found_footy.embedded.endpoints import Endpoints
from found_footy.embedded.programs import Probe, Program
from found_footy.platform import metrics, temporal
from found_footy.platform.errors import Unavailable
from found_footy.platform.http import SafeHttp
from found_footy.platform.settings import variables
from found_footy.settings import Settings

_OK = 200
_SEARCH_URL = "TWITTER_SERVICE_URL"
# Who listens everywhere is found here.
_HERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
# A worker finishes the activities it has begun before it goes.
_WORKER_GRACE = timedelta(seconds=10)
# Less than the supervisor waits for an answer, which would blame the worker.
_TEMPORAL_PATIENCE = timedelta(seconds=6)


def _cli(*arguments: str) -> tuple[str, ...]:
    """-P: a module in the working directory is not taken for one of ours."""
    return (sys.executable, "-P", "-m", "found_footy.cli", *arguments)


def reached_at(host: str, port: int) -> str:
    """The address at which this machine reaches a program that listens on `host`."""
    place = _HERE.get(host, host)
    return f"http://[{place}]:{port}" if ":" in place else f"http://{place}:{port}"


def worker(settings: Settings, endpoints: Endpoints, env: Mapping[str, str]) -> Program:
    port = metrics.free_port(settings.metrics.host, settings.metrics.port)
    return Program(
        "worker",
        _cli("worker"),
        ready=_polls(settings, endpoints),
        alive=_still_polls(settings, endpoints),
        env={**share(env, WORKER), "FOOTY_METRICS__PORT": str(port)},
        address=f"{reached_at(settings.metrics.host, port)}/metrics" if port else "",
        grace=_WORKER_GRACE,
    )


def web(settings: Settings, env: Mapping[str, str]) -> Program:
    base = reached_at(settings.web.host, settings.web.port)
    # The page's own port serves its figures; a second server on the worker's port would clash.
    own = {**share(env, WEB), "FOOTY_METRICS__PORT": "0"}
    return Program("web", _cli("web"), ready=answers(f"{base}/healthz"), env=own, address=base)


def search_service(settings: Settings, env: Mapping[str, str]) -> Program | str:
    """The search service on this machine, or why there is none."""
    service = settings.xsearch
    browser = service.browser or find_chromium(env)
    if elsewhere := _search_named(env):
        return f"Searches go to {elsewhere}."
    if find_spec("playwright") is None:
        return "No search service: install found-footy[xsearch], or set TWITTER_SERVICE_URL."
    if browser is None:
        return "No search service: no Chromium found; install it (apt install chromium) or set CHROMIUM_PATH."
    if service.sandbox and os.geteuid() == 0:
        return "No search service: Chromium's sandbox does not work as root. Run as another user (docs/x-search.md)."
    own = {} if service.browser else {"CHROMIUM_PATH": str(browser)}
    base = reached_at(service.host, service.port)
    return Program(
        "search",
        _cli("xsearch"),
        ready=answers(f"{base}/healthz"),
        optional=True,
        blocked=lambda: taken(service.host, service.port),
        env={**share(env, SEARCH), **own},
        address=base,
        grace=service.drain,
    )


def taken(host: str, port: int) -> str:
    """Why nobody can listen there, empty if somebody can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return f"port {port} on {host} cannot be had ({error.strerror or error})"
    return ""


def _search_named(env: Mapping[str, str]) -> str:
    """Where searches go by a person's own word, under whatever name that was said."""
    names = next(names for names in variables(Settings) if _SEARCH_URL in names)
    return next((env[name].strip() for name in names if env.get(name, "").strip()), "")


def with_search(env: Mapping[str, str], search: Program | str) -> dict[str, str]:
    """The environment of those who search: they are told where the service is, if it runs here."""
    return {**env, _SEARCH_URL: search.address} if isinstance(search, Program) else dict(env)


def simulator(port: int, arguments: tuple[str, ...], env: Mapping[str, str]) -> Program:
    base = f"http://127.0.0.1:{port}"
    return Program(
        "simulator",
        (sys.executable, "-P", "-m", "found_footy.sim", "--port", str(port), *arguments),
        ready=answers(f"{base}/x/health"),
        # What it plays would begin anew with it, so it is never restarted for being slow.
        alive=_unasked,
        env=env,
        address=base,
        ready_within=timedelta(minutes=3),
    )


async def _unasked() -> None:
    return


def answers(url: str) -> Probe:
    """Ready once `url`, on this machine, answers 200."""
    host = url.split("/")[2]

    async def probe() -> None:
        http = SafeHttp(system=url, allowed_hosts={host}, trusted_private={host}, timeout=timedelta(seconds=5))
        try:
            answer = await http.request("GET", url)
        finally:
            await http.aclose()
        if answer.status != _OK:
            raise Unavailable(url, f"answered {answer.status}")

    return probe


def _still_polls(settings: Settings, endpoints: Endpoints) -> Probe:
    """As `_polls`, but a Temporal that does not answer, or hangs, says nothing about the worker."""

    async def probe() -> None:
        try:
            async with asyncio.timeout(_TEMPORAL_PATIENCE.total_seconds()):
                depth = await _main_queue(settings, endpoints)
        except (Unavailable, TimeoutError):
            return
        if not depth.workflow.pollers:
            raise Unavailable("worker", "nobody takes work from the main queue any more")

    return probe


async def _main_queue(settings: Settings, endpoints: Endpoints) -> temporal.Backlog:
    named = settings.temporal
    async with temporal.connected(endpoints.temporal_address, named.namespace, access=named.access) as client:
        return await temporal.backlog(client, settings.queues.main)


def _polls(settings: Settings, endpoints: Endpoints) -> Probe:
    """Ready once Temporal sees somebody take work from the main queue."""

    async def probe() -> None:
        if not (await _main_queue(settings, endpoints)).workflow.pollers:
            raise Unavailable("worker", "nobody takes work from the main queue yet")

    return probe
