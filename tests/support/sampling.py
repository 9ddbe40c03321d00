"""Long lists of cases are sampled in a run of all tests, and tried whole where a test is named or with `--exhaustive`.

The seed of the run's order draws the cases, so each run draws others and a failure is repeated by its seed. Whoever
changes what such a test is about runs its file, which tries every case; `make exhaustive` does so for all of them.
"""

from collections.abc import Callable, Iterable
from itertools import groupby
from random import Random
from typing import TypeVar

import pytest

from tests.support.random_order import seed_of

T = TypeVar("T")
Sample = Callable[[Iterable[T], int], list[T]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--exhaustive", action="store_true", help="try every case of the sampled tests")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sampled(count): a run of all tests tries this many of the test's cases")


def is_sampling(config: pytest.Config) -> bool:
    """Whether nobody named a test, a file or a directory, or wanted every case."""
    return not config.getoption("exhaustive") and not config.getoption("file_or_dir")


def sample(cases: Iterable[T], count: int, seed: int) -> list[T]:
    listed = list(cases)
    return Random(seed).sample(listed, min(count, len(listed)))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not is_sampling(config):
        return
    kept: list[pytest.Item] = []
    for _, tests in groupby(items, key=lambda item: item.nodeid.partition("[")[0]):
        cases = list(tests)
        marker = cases[0].get_closest_marker("sampled")
        kept += cases if marker is None else sample(cases, marker.args[0], seed_of(config))
    drawn = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in drawn])
    items[:] = kept


@pytest.fixture
def draw(pytestconfig: pytest.Config) -> "Sample[T]":
    """`draw(cases, count)` for a test that goes through its cases itself."""

    def draw_cases(cases: Iterable[T], count: int) -> list[T]:
        return sample(cases, count, seed_of(pytestconfig)) if is_sampling(pytestconfig) else list(cases)

    return draw_cases
