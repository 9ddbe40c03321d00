"""What a test leaves open is reported by that test.

A socket, a file or a task that is part of a reference cycle is found only when the garbage collector runs, which is
usually in the middle of another test. So it runs after the fixtures of each test are gone, before pytest asks what
could not be raised. What is left then is no garbage and is not looked at again, which keeps a collection short.
"""

import gc
import importlib
import sys
from collections.abc import Iterator

import pytest
from _pytest.unraisableexception import collect_unraisable


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        collect_unraisable(item.config)


def pytest_runtest_setup() -> None:
    # Imported only where the driver is: it takes long, and most tests do without.
    if "pymongo.pool_shared" in sys.modules:
        importlib.import_module("tests.support.driver_sockets")


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure() -> None:
    gc.unfreeze()
