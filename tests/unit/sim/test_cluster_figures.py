"""The figures of the cluster test: what counts as an interruption, and what fails the run."""

from pathlib import Path

import pytest

from found_footy_sim.cluster.availability import Interruption, Operation, Watch, WatchedRequest, find_interruption
from found_footy_sim.cluster.failover_report import compute_figures, list_failures, render_table
from found_footy_sim.cluster.failovers import Failover
from found_footy_sim.cluster.proxy import build_config

KILL = 100.0


def good(started: float, seconds: float = 0.1) -> WatchedRequest:
    return WatchedRequest(started, started + seconds)


def failed(started: float, seconds: float = 0.1) -> WatchedRequest:
    return WatchedRequest(started, started + seconds, "away")


@pytest.mark.parametrize(
    ("requests", "expected"),
    [
        ([], Interruption(0, 0, 0.0, None)),
        ([good(99.0), good(100.5)], Interruption(1, 0, 0.1, 0.0)),
        ([failed(100.5), good(101.0)], Interruption(2, 1, 0.1, 1.1, ("away",))),
        # One that began before the kill and waited for the new leader.
        ([good(99.9, 12.0), good(112.0)], Interruption(2, 0, 12.0, 11.9)),
        ([failed(100.5), good(101.0), failed(102.0), good(103.0)], Interruption(4, 2, 0.1, 3.1, ("away",))),
        ([good(100.2), failed(101.0)], Interruption(2, 1, 0.1, None, ("away",))),
        # After the window another failover is to blame.
        ([good(100.5), failed(151.0)], Interruption(1, 0, 0.1, 0.0)),
    ],
)
def test_an_operation_works_again_with_the_first_good_answer_after_the_last_bad_one(
    requests: list[WatchedRequest], expected: Interruption
) -> None:
    assert find_interruption(requests, KILL, 150.0) == expected


def test_an_operation_works_if_the_last_requests_are_all_good_and_new() -> None:
    async def never(_number: int) -> None:
        """Not called."""

    watch = Watch(Operation.PAGE, never, [good(99.0), good(101.0), good(102.0)])
    assert watch.has_worked_since(KILL, 2)
    assert not watch.has_worked_since(KILL, 3)
    assert not watch.has_worked_since(KILL, 4)
    watch.requests.append(failed(103.0))
    assert not watch.has_worked_since(KILL, 2)


def build_watches() -> list[Watch]:
    async def never(_number: int) -> None:
        """Not called."""

    requests = [good(90.0), failed(101.0), good(111.0), good(201.0)]
    return [Watch(operation, never, requests) for operation in Operation]


def test_each_failover_has_a_row_with_what_every_operation_saw() -> None:
    failovers = [
        Failover("MongoDB primary", ("mongodb-2",), 100.0, 11.1, 20.0),
        Failover("web process", ("web-1",), 200.0, 0.0, None),
    ]
    figures = compute_figures(failovers, build_watches(), 80.0, 250.0)
    assert [row.name for row in figures] == ["before the first kill", "MongoDB primary", "web process"]
    assert [row.seen[Operation.PAGE].works_again_after for row in figures] == [0.0, 11.1, 0.0]
    table = render_table(figures, {Operation.QUEUE: 0})
    assert "MongoDB primary (mongodb-2) | 11.1 s | 20.0 s | 11.1 s (1 of 2 failed, longest 0.1 s)" in table
    assert "web process (web-1) | 0.0 s | never | – (longest 0.1 s)" in table
    assert table.endswith("missing at the end: queue 0.")


@pytest.mark.parametrize(
    ("failover", "lost", "wanted", "failures"),
    [
        (Failover("a", ("b",), 0.0, 1.0, 2.0), 0, 1, 0),
        (Failover("a", ("b",), 0.0, None, 2.0), 0, 1, 1),
        (Failover("a", ("b",), 0.0, 1.0, None), 0, 1, 1),
        (Failover("a", ("b",), 0.0, 1.0, 2.0), 3, 1, 1),
        (Failover("a", ("b",), 0.0, 1.0, 2.0), 0, 5, 1),
    ],
)
def test_a_run_fails_by_what_is_lost_not_recovered_or_not_tried(
    failover: Failover, lost: int, wanted: int, failures: int
) -> None:
    assert len(list_failures([failover], {Operation.QUEUE: lost}, wanted)) == failures


def test_nginx_has_every_process_of_the_page() -> None:
    config = build_config(Path("/var/a folder"), 8080, [9001, 9002])
    assert "server 127.0.0.1:9001 max_fails" in config
    assert "server 127.0.0.1:9002 max_fails" in config
    assert 'pid "/var/a folder/nginx.pid";' in config
