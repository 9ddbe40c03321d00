"""Figures for Prometheus, served beside the event loop."""

import socket
import time
import urllib.request

import pytest

from found_footy.platform import metrics
from found_footy.platform.errors import ConfigError
from found_footy.platform.version import build_info
from tests.support.patience import PATIENCE_SECONDS


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_figures_are_served_even_while_the_event_loop_is_busy() -> None:
    server = metrics.serve_metrics("127.0.0.1", free_port())
    assert server is not None
    try:
        time.sleep(0)  # noqa: ASYNC251  this thread never yields to the loop while it asks
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=PATIENCE_SECONDS) as answer:  # noqa: ASYNC210
            text = answer.read().decode()
    finally:
        server.close()
    assert f'found_footy_build_info{{commit="{build_info().commit}",version="{build_info().version}"}} 1.0' in text


def test_port_zero_serves_nothing() -> None:
    assert metrics.serve_metrics("127.0.0.1", 0) is None


def test_processes_side_by_side_serve_on_the_next_free_port() -> None:
    port = free_port()
    servers = [metrics.serve_metrics("127.0.0.1", port) for _ in range(3)]
    try:
        ports = [server.port for server in servers if server]
        assert len(ports) == 3
        assert ports == sorted(set(ports))
        assert metrics.find_free_port("127.0.0.1", port) > ports[-1]
        for taken in ports:
            with urllib.request.urlopen(f"http://127.0.0.1:{taken}/metrics", timeout=PATIENCE_SECONDS) as answer:
                assert b"found_footy_build_info" in answer.read()
    finally:
        for server in servers:
            if server:
                server.close()


def test_a_process_whose_ports_are_all_taken_goes_on_without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MAX_PORTS_TRIED", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert metrics.serve_metrics("127.0.0.1", port) is None
        assert metrics.find_free_port("127.0.0.1", port) == 0


def test_a_host_that_is_none_of_this_machines_is_a_wrong_setting() -> None:
    with pytest.raises(ConfigError, match=r"cannot serve metrics on 203\.0\.113\.7:"):
        metrics.serve_metrics("203.0.113.7", free_port())


def test_a_closed_server_frees_its_port() -> None:
    port = free_port()
    for _ in range(2):
        server = metrics.serve_metrics("127.0.0.1", port)
        assert server is not None
        server.close()
