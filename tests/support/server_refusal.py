"""Fails a test that uses or starts a server; for folders whose tests need none.

A folder's conftest imports the hooks of this module: pytest calls the hooks of a conftest for the tests below it. The
start of a process is noticed by an audit hook, whoever calls for it, and refused; if the code under test catches the
refusal, the test fails all the same. Other processes, and sockets within the test's own process, are allowed.
"""

import sys
from collections.abc import Iterator
from pathlib import PurePath

import pytest

__all__ = ["pytest_runtest_call", "pytest_runtest_setup", "pytest_runtest_teardown"]

_FIXTURES = {"platform", "database", "objects", "temporal"}
_SERVERS = ("mongod", "temporal", "weed", "nats-server", "nginx", "chromium", "chrome", "headless_shell")
# Arguments of an interpreter: the servers of a test run, Playwright's driver, and the commands of the product.
_SERVING = ("shared_platform.py", "run-driver", "found_footy.cli")
_WHERE = "a test that needs a server belongs to tests/integration"

_started: list[str] | None = None


def find_server(program: object, arguments: object) -> str | None:
    """The server that a command starts."""
    words = [str(word) for word in arguments] if isinstance(arguments, list | tuple) else [str(arguments)]
    for name in (PurePath(str(program)).name, PurePath(words[0]).name if words else ""):
        if name.startswith(_SERVERS):
            return name
    return next((word for word in words if word.endswith(_SERVING)), None)


def _refuse_server(event: str, arguments: tuple[object, ...]) -> None:
    if _started is None or event not in {"subprocess.Popen", "os.posix_spawn", "os.exec"}:
        return
    if server := find_server(arguments[0], arguments[1]):
        _started.append(server)
        raise PermissionError(f"{server} is not started: {_WHERE}")


sys.addaudithook(_refuse_server)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Servers are refused from the setup of the test's first fixture to the teardown of its last.

    pytest_runtest_protocol would not do: pytest calls that hook of every conftest for every test.
    """
    global _started  # noqa: PLW0603
    if used := _FIXTURES & set(getattr(item, "fixturenames", ())):
        pytest.fail(f"uses {', '.join(sorted(used))}: {_WHERE}", pytrace=False)
    _started = []
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown() -> Iterator[None]:
    global _started  # noqa: PLW0603
    try:
        return (yield)
    finally:
        _started = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    result = yield
    if _started:
        pytest.fail(f"starts {', '.join(_started)}: {_WHERE}", pytrace=False)
    return result
