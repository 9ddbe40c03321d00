"""The product's own processes as program specifications for the supervisor."""

import asyncio
import os
import socket
import sys
from collections.abc import Mapping
from datetime import timedelta
from importlib.util import find_spec

from found_footy.cli.chromium import find_chromium
from found_footy.cli.program_environment import SEARCH_SCOPE, WEB_SCOPE, WORKER_SCOPE, filter_environment
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.embedded.programs import ProgramProbe, ProgramSpec
from found_footy.embedded.server import NotificationTarget
from found_footy.platform import metrics
from found_footy.platform.errors import Unavailable
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.settings.addresses import format_host_port
from found_footy.platform.settings.groups import list_variables
from found_footy.platform.temporal import client as temporal
from found_footy.platform.temporal import queues as temporal_queues
from found_footy.settings import Settings
from found_footy.web.settings import OBJECT_NOTIFICATIONS_PATH

_HTTP_OK = 200
_SEARCH_URL_VARIABLE = "TWITTER_SERVICE_URL"
# A program that listens on all addresses is reached on loopback.
_LOOPBACK_BY_WILDCARD = {"0.0.0.0": "127.0.0.1", "::": "::1"}
# A worker closes its connections after it has drained its running activities.
_WORKER_EXIT_ALLOWANCE = timedelta(seconds=2)
# Shorter than the supervisor's probe timeout, which would count against the worker.
_TEMPORAL_TIMEOUT = timedelta(seconds=6)


def _cli_command(*arguments: str) -> tuple[str, ...]:
    """-P: keep the working directory off the module path."""
    return (sys.executable, "-P", "-m", "found_footy.cli", *arguments)


def reachable_url(host: str, port: int) -> str:
    """Return the URL at which this machine reaches a program that listens on `host`."""
    return f"http://{format_host_port(_LOOPBACK_BY_WILDCARD.get(host, host), port)}"


def build_worker_program(
    settings: Settings,
    endpoints: PlatformEndpoints,
    env: Mapping[str, str],
    number: int = 1,
    *,
    is_scaled: bool = False,
) -> ProgramSpec:
    """Build the specification of a worker. The first one is required. Those with a higher number, and all `is_scaled`
    ones, are optional, and not probed: whether the main queue is polled says nothing about one of several.
    """
    port = metrics.find_free_port(settings.metrics.host, settings.metrics.port)
    is_required = number == 1 and not is_scaled
    return ProgramSpec(
        "worker" if number == 1 else f"worker-{number}",
        _cli_command("worker"),
        ready_probe=_build_worker_ready_probe(settings, endpoints) if is_required else None,
        alive_probe=_build_worker_alive_probe(settings, endpoints) if is_required else None,
        is_optional=not is_required,
        env={**filter_environment(env, WORKER_SCOPE), "FOOTY_METRICS__PORT": str(port)},
        address=f"{reachable_url(settings.metrics.host, port)}/metrics" if port else "",
        stop_grace=settings.worker.grace + _WORKER_EXIT_ALLOWANCE,
    )


def build_web_program(settings: Settings, env: Mapping[str, str]) -> ProgramSpec:
    base = reachable_url(settings.web.host, settings.web.port)
    # The page's own port serves its metrics; a second server on the worker's port would conflict.
    own = {**filter_environment(env, WEB_SCOPE), "FOOTY_METRICS__PORT": "0"}
    return ProgramSpec(
        "web",
        _cli_command("web", "--no-admin-link"),
        ready_probe=build_http_probe(f"{base}/healthz"),
        env=own,
        address=base,
    )


def build_notification_target(settings: Settings) -> NotificationTarget | None:
    """Return where the embedded object store tells of uploaded images: the page, which starts after it."""
    if not settings.uploads.enabled:
        return None
    secret = settings.uploads.notification_secret
    return NotificationTarget(
        f"{reachable_url(settings.web.host, settings.web.port)}{OBJECT_NOTIFICATIONS_PATH}",
        settings.uploads.bucket,
        secret.get_secret_value() if secret else "",
    )


def build_search_program(settings: Settings, env: Mapping[str, str]) -> ProgramSpec | str:
    """Build the specification of the embedded search service, or return why there is none."""
    service = settings.xsearch
    browser = service.browser or find_chromium(env)
    if elsewhere := _configured_search_url(env):
        return f"Searches go to {elsewhere}."
    if find_spec("playwright") is None:
        return "No search service: install found-footy[xsearch], or set TWITTER_SERVICE_URL."
    if browser is None:
        return "No search service: no Chromium found; install it (apt install chromium) or set CHROMIUM_PATH."
    if service.sandbox and os.geteuid() == 0:
        return "No search service: Chromium's sandbox does not work as root. Run as another user (docs/x-search.md)."
    own = {} if service.browser else {"CHROMIUM_PATH": str(browser)}
    base = reachable_url(service.host, service.port)
    return ProgramSpec(
        "search",
        _cli_command("xsearch"),
        ready_probe=build_http_probe(f"{base}/healthz"),
        is_optional=True,
        blocked_reason=lambda: find_port_conflict(service.host, service.port),
        env={**filter_environment(env, SEARCH_SCOPE), **own},
        address=base,
        stop_grace=service.drain,
    )


def find_port_conflict(host: str, port: int) -> str:
    """Return why the port cannot be bound, empty if it can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return f"port {port} on {host} cannot be bound ({error.strerror or error})"
    return ""


def _configured_search_url(env: Mapping[str, str]) -> str:
    """Return the search URL that the user configured, under any of its variable names."""
    names = next(names for names in list_variables(Settings) if _SEARCH_URL_VARIABLE in names)
    return next((env[name].strip() for name in names if env.get(name, "").strip()), "")


def add_search_url(env: Mapping[str, str], search: ProgramSpec | str) -> dict[str, str]:
    """Return the environment with the URL of the embedded search service, if there is one."""
    return {**env, _SEARCH_URL_VARIABLE: search.address} if isinstance(search, ProgramSpec) else dict(env)


def build_http_probe(url: str) -> ProgramProbe:
    """Ready once `url`, on this machine, answers 200."""
    host = url.split("/")[2]

    async def probe() -> None:
        http = SafeHttpClient(system=url, allowed_hosts={host}, trusted_private={host}, timeout=timedelta(seconds=5))
        try:
            answer = await http.request("GET", url)
        finally:
            await http.aclose()
        if answer.status != _HTTP_OK:
            raise Unavailable(url, f"answered {answer.status}")

    return probe


def _build_worker_alive_probe(settings: Settings, endpoints: PlatformEndpoints) -> ProgramProbe:
    """Like `_build_worker_ready_probe`, but a Temporal that hangs or does not answer does not count against the
    worker.
    """

    async def probe() -> None:
        try:
            async with asyncio.timeout(_TEMPORAL_TIMEOUT.total_seconds()):
                depth = await _fetch_main_backlog(settings, endpoints)
        except (Unavailable, TimeoutError):
            return
        if not depth.workflow.pollers:
            raise Unavailable("worker", "no worker polls the main task queue any more")

    return probe


async def _fetch_main_backlog(settings: Settings, endpoints: PlatformEndpoints) -> temporal_queues.TaskQueueBacklog:
    named = settings.temporal
    async with temporal.connect(endpoints.temporal_address, named.namespace, access=named.access) as client:
        return await temporal_queues.fetch_backlog(client, settings.queues.main)


def _build_worker_ready_probe(settings: Settings, endpoints: PlatformEndpoints) -> ProgramProbe:
    """Ready once Temporal sees a poller on the main queue."""

    async def probe() -> None:
        if not (await _fetch_main_backlog(settings, endpoints)).workflow.pollers:
            raise Unavailable("worker", "no worker polls the main task queue yet")

    return probe
