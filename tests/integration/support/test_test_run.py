"""How the tests themselves are run: in any order, and each answers for what it leaves open."""

import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import PATIENCE_SECONDS
from tests.support.random_order import LONGEST, spread

ROOT = Path(__file__).parents[3]
LEAKS = """
import socket

def test_careless():
    cycle = [socket.socket()]
    cycle.append(cycle)

def test_innocent():
    many = [[] for _ in range(100_000)]
    assert many
"""
# Three modules of which each test notes its name.
NOTES = """
import os, pytest

@pytest.mark.parametrize("number", range(5))
def test_note(number):
    with open(os.environ["NOTES"], "a") as notes:
        notes.write(f"{__name__}-{number} ")
"""
# Tests of a folder without servers: one asks for a server, one starts it and carries on without, one does neither.
CASES = """
import pytest

@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(10))
def test_sampled(number, draw):
    assert len(draw(range(9), 4)) in (4, 9)

@pytest.mark.parametrize("number", range(3))
def test_whole(number):
    pass
"""
SERVERS = """
import subprocess, sys
import pytest

@pytest.fixture
def platform():
    return "running"

def test_uses(platform):
    assert platform

def test_starts():
    with pytest.raises(PermissionError):
        subprocess.run(["/opt/mongod-8", "--version"])

def test_does_neither():
    subprocess.run([sys.executable, "-c", ""], check=True)
"""


def pytest_run(folder: Path, *arguments: str, **environment: str) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(folder)]
    done = subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return done.stdout + done.stderr


def test_a_test_that_leaves_something_open_fails_itself(tmp_path: Path) -> None:
    (tmp_path / "test_leaks.py").write_text(LEAKS)
    strict = ("-W", "error::ResourceWarning", "-W", "error::pytest.PytestUnraisableExceptionWarning")
    said = pytest_run(tmp_path, *strict, "-p", "tests.support.leaks", "-rA")
    assert "ERROR test_leaks.py::test_careless" in said
    assert "PASSED test_leaks.py::test_innocent" in said
    assert "unclosed <socket" in said


def test_a_test_of_a_folder_without_servers_fails_if_it_uses_or_starts_one(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "unit" / "conftest.py", tmp_path)
    (tmp_path / "test_servers.py").write_text(SERVERS)
    output = pytest_run(tmp_path, "-rA")
    assert "ERROR test_servers.py::test_uses - Failed: uses platform: " in output
    assert "FAILED test_servers.py::test_starts - Failed: starts mongod-8: " in output
    assert "PASSED test_servers.py::test_does_neither" in output


def order(folder: Path, *arguments: str) -> tuple[list[str], str]:
    notes = folder / "notes"
    notes.write_text("")
    said = pytest_run(folder, "-p", "tests.support.random_order", *arguments, NOTES=str(notes))
    return notes.read_text().split(), said


def test_a_seed_gives_the_same_order_again_and_modules_stay_together(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / f"test_{name}.py").write_text(NOTES)
    first, said = order(tmp_path, "--order-seed=7")
    assert "--order-seed=7" in said
    assert (first, len(set(first))) == (order(tmp_path, "--order-seed=7")[0], 15)
    assert first != order(tmp_path, "--order-seed=8")[0]
    modules = [note.partition("-")[0] for note in first]
    assert sum(name != after for name, after in pairwise(modules)) == 2


def test_every_run_takes_another_order_and_names_its_seed(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(NOTES)
    drawn, said = order(tmp_path)
    seed = said.partition("--order-seed=")[2].split()[0]
    assert order(tmp_path, f"--order-seed={seed}")[0] == drawn


def test_a_run_of_all_tests_samples_the_cases_that_its_seed_draws(tmp_path: Path) -> None:
    (tmp_path / "test_cases.py").write_text(CASES)

    def run_cases(*arguments: str) -> str:
        plugins = ("-p", "tests.support.random_order", "-p", "tests.support.sampling")
        return pytest_run(tmp_path, *plugins, "-rA", *arguments)

    sampled, again = run_cases("--order-seed=7"), run_cases("--order-seed=7")
    passed = [line for line in sampled.splitlines() if line.startswith("PASSED")]
    assert "5 passed, 8 deselected" in sampled
    assert sorted(passed) == sorted(line for line in again.splitlines() if line.startswith("PASSED"))
    assert any("test_whole" in line for line in passed)
    for named in ("test_cases.py", "--exhaustive"):
        assert "13 passed" in run_cases(named)


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 7])
@pytest.mark.parametrize(("long", "short"), [(0, 0), (0, 9), (3, 0), (3, 40), (9, 5)])
def test_every_worker_begins_with_its_share_of_the_longest(workers: int, long: int, short: int) -> None:
    longest, others = [[("long", n)] for n in range(long)], [("short", n) for n in range(short)]
    ordered: list[Any] = spread(longest, list(others), workers)  # type: ignore[arg-type]
    assert sorted(ordered) == sorted([*others, *(test for tests in longest for test in tests)])
    if short >= 10 * workers:
        parts, left = [], list(ordered)
        for worker in range(workers):  # as xdist deals them out
            size = len(left) // (workers - worker)
            parts.append([name for name, _ in left[:size]])
            del left[:size]
        shares = [part.index("short") for part in parts]
        assert (sum(shares), max(shares) - min(shares)) == (long, min(1, long % workers))


def test_what_is_begun_first_exists() -> None:
    modules = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")]
    assert [start for start in LONGEST if not any(module.startswith(start) for module in modules)] == []
