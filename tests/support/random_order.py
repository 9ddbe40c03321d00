"""Every run takes the tests in another order: a test that needs what another one left behind is found out.

Modules are shuffled, and the tests within each; those of one module stay together, so that what they share is made
once. The seed is printed, and `--order-seed` repeats an order.
"""

from collections.abc import Iterator
from itertools import groupby
from random import Random
from typing import Any

import pytest

_SEED = pytest.StashKey[int]()
_MOST = 2**31
_SERVERS = "tests/integration"
# Whole demos and platforms, and what took longest of whole runs. Begun last they would be waited for by everyone.
LONGEST = (
    "tests/e2e/",
    f"{_SERVERS}/archive/test_killed_archive",
    f"{_SERVERS}/clips/test_killed_worker",
    f"{_SERVERS}/embedded/",
    f"{_SERVERS}/fixtures/test_application_properties",
    f"{_SERVERS}/fixtures/test_free_plan",
    f"{_SERVERS}/fixtures/test_lost_answers",
    f"{_SERVERS}/fixtures/test_polling",
    f"{_SERVERS}/fixtures/test_simulated",
    f"{_SERVERS}/uploads/test_agent_any_order",
    f"{_SERVERS}/uploads/test_agent_killed_worker",
    f"{_SERVERS}/uploads/test_organizations",
    f"{_SERVERS}/uploads/test_uploads_page",
    f"{_SERVERS}/vision/test_local_reader",
    f"{_SERVERS}/web/test_browser",
    f"{_SERVERS}/web/test_screens",
    f"{_SERVERS}/xsearch/",
)
# They share nothing, so that they need not be run one after another; each takes longer than any other group.
_ALONE = "tests/e2e/"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--order-seed", type=int, default=None, help="repeat the order of an earlier run")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    given: int | None = config.getoption("--order-seed")
    of_the_run: dict[str, Any] = getattr(config, "workerinput", {})
    drawn = Random().randrange(_MOST) if given is None else given
    config.stash[_SEED] = of_the_run.get("order_seed", drawn)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["order_seed"] = node.config.stash[_SEED]


def seed_of(config: pytest.Config) -> int:
    return config.stash[_SEED]


def pytest_report_header(config: pytest.Config) -> str:
    return f"order of the tests: --order-seed={config.stash[_SEED]}"


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        terminalreporter.write_line(f"the same order again: --order-seed={config.stash[_SEED]}")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    of_the_run: dict[str, Any] = getattr(config, "workerinput", {})
    items[:] = shuffled(items, config.stash[_SEED], of_the_run.get("workercount", 1))


def shuffled(items: list[pytest.Item], seed: int, workers: int = 1) -> list[pytest.Item]:
    random = Random(seed)
    groups = [random.sample(tests, len(tests)) for tests in _groups(items)]
    random.shuffle(groups)
    longest = [tests for tests in groups if tests[0].nodeid.startswith(LONGEST)]
    longest.sort(key=lambda tests: not tests[0].nodeid.startswith(_ALONE))
    others = [test for tests in groups if not tests[0].nodeid.startswith(LONGEST) for test in tests]
    return spread(longest, others, workers)


def spread(longest: list[list[pytest.Item]], others: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """Each worker is given an equal part of the list, in its order: every part begins with its share of the longest."""
    ordered: list[pytest.Item] = []
    left = len(others) + sum(map(len, longest))
    for worker in range(workers):
        begins_with = [test for tests in longest[worker::workers] for test in tests]
        size = left // (workers - worker)
        filling = max(size - len(begins_with), 0) if worker < workers - 1 else len(others)
        ordered += begins_with + others[:filling]
        del others[:filling]
        left -= len(begins_with) + filling
    return ordered


def _groups(items: list[pytest.Item]) -> Iterator[list[pytest.Item]]:
    ordered = sorted(items, key=lambda item: item.nodeid)
    for _, tests in groupby(ordered, key=lambda item: item.nodeid.partition("::")[0]):
        together = list(tests)
        yield from [[test] for test in together] if together[0].nodeid.startswith(_ALONE) else [together]
