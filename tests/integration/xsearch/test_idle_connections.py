"""More idle connections than a process may open files, at the service as it is shipped."""

import os
import resource
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from found_footy.xsearch.settings import XSearchSettings
from tests.integration.xsearch.test_service_process import address_of, process, started
from tests.support.patience import PATIENCE_SECONDS

if TYPE_CHECKING:
    from tests.integration.xsearch.conftest import Site

Eventually = Callable[..., Awaitable[Any]]

_FILES = 1024
_CROWD = 1100
_SEARCH = {"query": "Saka", "max_age_minutes": 3, "limit": 20, "exclude": []}


@contextmanager
def many_files() -> Iterator[None]:
    """This process holds the other ends of the connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * _CROWD), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_more_idle_connections_than_open_files_stop_no_search(
    site: "Site", settings: XSearchSettings, eventually: Eventually, tmp_path: Path
) -> None:
    settings = settings.model_copy(update={"data_dir": tmp_path})
    site.post(1, timedelta(minutes=1))
    # A search that is shown it opens one page only.
    site.post(2, timedelta(minutes=30))
    with process(settings) as service, many_files():
        resource.prlimit(service.pid, resource.RLIMIT_NOFILE, (_FILES, _FILES))
        address = await eventually(lambda: address_of(settings))
        async with httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client:
            await eventually(lambda: started(client))
            session = await client.post("/session", json={"text": site.session_text()})
            assert session.json()["state"] == "authenticated"
        host, port = address.removeprefix("http://").split(":")
        await one_after_the_other(address, (host, int(port)))
        await all_at_once(address, (host, int(port)), service.pid)
    assert "out of system resource" not in (settings.data_dir / "log").read_text()


async def one_after_the_other(address: str, place: tuple[str, int]) -> None:
    with ExitStack() as crowd:
        for _ in range(_CROWD):
            crowd.enter_context(socket.create_connection(place, timeout=PATIENCE_SECONDS))
        async with httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client:
            assert (await client.get("/healthz")).status_code == 200
            assert len((await client.post("/search", json=_SEARCH)).json()["videos"]) == 1


async def all_at_once(address: str, place: tuple[str, int], service: int) -> None:
    """They come while the process is stopped, so that it finds all of them that the kernel keeps for it."""
    with ExitStack() as crowd:
        os.kill(service, signal.SIGSTOP)
        for _ in range(_CROWD):
            opened = crowd.enter_context(socket.socket())
            opened.setblocking(False)
            opened.connect_ex(place)
        os.kill(service, signal.SIGCONT)
        async with httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client:
            assert (await client.get("/healthz")).status_code == 200
