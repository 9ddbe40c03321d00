"""Figures for Prometheus, served beside the event loop."""

import socket
import time
import urllib.request

import pytest

from found_footy.platform import metrics
from found_footy.platform.errors import ConfigError
from found_footy.platform.version import build


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_figures_are_served_even_while_the_event_loop_is_busy() -> None:
    server = metrics.serve("127.0.0.1", free_port())
    assert server is not None
    try:
        time.sleep(0)  # noqa: ASYNC251  this thread never yields to the loop while it asks
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=5) as answer:  # noqa: ASYNC210
            text = answer.read().decode()
    finally:
        server.close()
    assert f'found_footy_build_info{{commit="{build().commit}",version="{build().version}"}} 1.0' in text


def test_port_zero_serves_nothing() -> None:
    assert metrics.serve("127.0.0.1", 0) is None


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"cannot serve metrics on 127.0.0.1:{port}: Address already in use"):
            metrics.serve("127.0.0.1", port)


def test_a_closed_server_frees_its_port() -> None:
    port = free_port()
    for _ in range(2):
        server = metrics.serve("127.0.0.1", port)
        assert server is not None
        server.close()
