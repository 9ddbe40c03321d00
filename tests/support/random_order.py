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
# Whole demos. Begun last they would be waited for by everyone.
_LONGEST = "tests/e2e/"


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


def pytest_report_header(config: pytest.Config) -> str:
    return f"order of the tests: --order-seed={config.stash[_SEED]}"


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        terminalreporter.write_line(f"the same order again: --order-seed={config.stash[_SEED]}")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = shuffled(items, config.stash[_SEED])


def shuffled(items: list[pytest.Item], seed: int) -> list[pytest.Item]:
    random = Random(seed)
    modules = [random.sample(tests, len(tests)) for tests in _by_module(items)]
    random.shuffle(modules)
    modules.sort(key=lambda tests: not tests[0].nodeid.startswith(_LONGEST))
    return [test for tests in modules for test in tests]


def _by_module(items: list[pytest.Item]) -> Iterator[list[pytest.Item]]:
    ordered = sorted(items, key=lambda item: item.nodeid)
    for _, tests in groupby(ordered, key=lambda item: item.nodeid.partition("::")[0]):
        yield list(tests)
