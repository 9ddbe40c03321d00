"""One embedded platform per test run, shared by all workers, started by the first test that asks for it."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings

from found_footy.domain.messages import TaskQueues
from found_footy.embedded.endpoints import PlatformEndpoints, find_running_endpoints
from found_footy.platform.errors import NotFound
from tests.support import patience

# Imported where they are used: together they take a second, which pure tests need not pay.
if TYPE_CHECKING:
    from temporalio.client import Client

    from found_footy.platform.mongo import Database
    from found_footy.platform.objects import ObjectStore

# How long an example takes says something about the machine, nothing about the product.
settings.register_profile("exhaustive", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=200)
settings.register_profile("gate", settings.get_profile("exhaustive"), max_examples=50)
settings.register_profile("quick", settings.get_profile("gate"), max_examples=20)
settings.load_profile("gate")

_SERVER = Path(__file__).parent / "support" / "shared_platform.py"
_POLL_SECONDS = 0.05
_RUN = pytest.StashKey[Path]()
_ALIVE = pytest.StashKey[int]()
# Kept for the life of the process: the platform outlives the worker that started it, and is not waited for.
_started: list["subprocess.Popen[bytes]"] = []

Eventually = patience.Eventually

pytest_plugins = ["tests.support.leaks", "tests.support.random_order", "tests.support.sampling"]


def pytest_configure(config: pytest.Config) -> None:
    workerinput: dict[str, Any] | None = getattr(config, "workerinput", None)
    if workerinput is not None:
        config.stash[_RUN] = Path(workerinput["platform_run"])
        return
    run = Path(tempfile.mkdtemp(prefix="found-footy-tests-"))
    os.mkfifo(run / "alive")
    config.stash[_RUN] = run
    # Opened for both, so that opening does not wait for a reader; it is closed by our end, whatever brings it about.
    config.stash[_ALIVE] = os.open(run / "alive", os.O_RDWR | os.O_NONBLOCK)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["platform_run"] = str(node.config.stash[_RUN])


def pytest_unconfigure(config: pytest.Config) -> None:
    for platform in _started:
        platform.returncode = 0  # nobody waits for it, and that it still runs is no news
    if _ALIVE not in config.stash:
        return
    run = config.stash[_RUN]
    os.close(config.stash[_ALIVE])
    deadline = time.monotonic() + patience.PATIENCE_SECONDS
    while (run / "data").exists() and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    shutil.rmtree(run, ignore_errors=True)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """The AV1 encoder makes the thread of a root that calls it a real-time one, before which all others wait.

    Left so, it would go on to every server and worker that this process starts.
    """
    if sys.platform == "linux" and os.sched_getscheduler(0) == os.SCHED_FIFO:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _shared_platform(run: Path) -> PlatformEndpoints:
    with (run / "demand.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            return find_running_endpoints(run / "data")
        except NotFound:
            return _start_platform(run)


def _start_platform(run: Path) -> PlatformEndpoints:
    log = run / "platform.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, str(_SERVER), str(run)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    _started.append(process)
    deadline = time.monotonic() + patience.PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            return find_running_endpoints(run / "data")
        except NotFound:
            time.sleep(_POLL_SECONDS)
    raise RuntimeError(f"the platform of the tests did not start:\n{log.read_text(errors='replace')[-4000:]}")


@pytest.fixture(scope="session")
def platform(pytestconfig: pytest.Config) -> PlatformEndpoints:
    """The servers of this test run. Whoever uses them directly takes care to use names of its own."""
    return _shared_platform(pytestconfig.stash[_RUN])


@pytest.fixture
async def database(platform: PlatformEndpoints) -> "AsyncIterator[Database]":
    """A MongoDB database of the test's own."""
    import tests.support.driver_sockets  # noqa: F401
    from found_footy.platform.mongo import connect

    async with connect(platform.mongodb_uri, f"test_{uuid4().hex}") as database:
        yield database
        await database.client.drop_database(database.name)


@pytest.fixture
async def objects(platform: PlatformEndpoints) -> "AsyncIterator[ObjectStore]":
    """An object store with a bucket of the test's own."""
    from found_footy.platform.objects import ObjectStore

    store = ObjectStore(
        platform.s3_endpoint, platform.s3_access_key, platform.s3_secret_key, bucket=f"test-{uuid4().hex}"
    )
    await store.ensure_bucket()
    yield store
    await store.aclose()


@pytest.fixture
async def temporal(platform: PlatformEndpoints) -> "AsyncIterator[Client]":
    """A Temporal client on the test's event loop."""
    import tests.support.patient_workers  # noqa: F401
    from found_footy.platform.temporal.client import connect

    async with connect(platform.temporal_address, "default") as client:
        yield client


@pytest.fixture
def queues() -> TaskQueues:
    """Task queues of the test's own."""
    unique = uuid4().hex
    return TaskQueues(main=f"main-{unique}", media=f"media-{unique}", vision=f"vision-{unique}")


@pytest.fixture
def eventually() -> Eventually:
    """`await eventually(predicate, timeout)`: the first true answer of `predicate`, which may be async."""
    return patience.eventually
