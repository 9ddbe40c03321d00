"""The image of the search service: built from a lock, its password never among the arguments of a program."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy" / "xsearch"
LOCKS = [DEPLOY / "requirements.lock", *sorted(ROOT.glob("requirements*.lock"))]
_PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^ ;\\]+)", re.MULTILINE)
# Prints the distributions of all that the search service imports.
_IMPORTED = """
import sys
from importlib.metadata import packages_distributions
import found_footy.cli, found_footy.cli.xsearch, found_footy.xsearch.server, found_footy.xsearch.browser.chromium
known = packages_distributions()
print("\\n".join({one for name in list(sys.modules) for one in known.get(name, [])}))
"""
# Installed besides, and used where they are: the service does without. The packages of OpenTelemetry share one name.
_BESIDES = {"found-footy", "setuptools"}
_SHARED_NAME = "opentelemetry-"


def pins(lock: Path) -> dict[str, str]:
    return {plain(name): version for name, version in _PIN.findall(lock.read_text())}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_pinned_package_has_its_hashes(lock: Path) -> None:
    entries = re.split(r"\n(?=[A-Za-z0-9])", lock.read_text().strip())
    assert entries
    for entry in entries:
        assert re.search(r"==[\s\S]*--hash=sha256:", entry), entry.partition("\n")[0]


def test_the_image_has_the_versions_that_are_tested_and_nothing_that_only_a_worker_needs() -> None:
    ours, tested = pins(DEPLOY / "requirements.lock"), pins(ROOT / "requirements.lock")
    assert {name: tested.get(name) for name in ours} == ours
    assert not ours.keys() & {"av", "boto3", "pymongo", "temporalio", "nats-py", "numpy", "pillow"}


def test_the_image_is_installed_by_hash_alone() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    installs = [part for line in lines for part in line.split("&&") if "pip install" in part]
    assert len(installs) == 2
    assert "--require-hashes" in installs[0]
    assert "-r /src/requirements.lock" in installs[0]
    assert "--no-deps --no-build-isolation /src" in installs[1]


def test_the_lock_of_the_image_has_all_that_the_search_service_imports() -> None:
    imported = subprocess.run(
        [sys.executable, "-c", _IMPORTED], capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS
    )
    names = {plain(name) for name in imported.stdout.split() if not plain(name).startswith(_SHARED_NAME)} - _BESIDES
    assert "playwright" in names
    assert names <= pins(DEPLOY / "requirements.lock").keys()


def program(folder: Path, name: str, does: str) -> None:
    """A stand-in that notes how it was called."""
    path = folder / name
    path.write_text(f'#!/bin/sh\nprintf "%s\\n" "{name} $*" >>"$CALLS"\n{does}\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.mark.skipif(shutil.which("bash") is None, reason="the script is written for bash")
def test_the_password_of_the_screen_is_no_argument_of_any_program(tmp_path: Path) -> None:
    tools, data, calls = tmp_path / "tools", tmp_path / "data", tmp_path / "calls"
    tools.mkdir()
    program(tools, "xauth", "")
    program(tools, "Xvfb", "echo 7 >&3; exec sleep 600")
    program(tools, "x11vnc", "exec sleep 600")
    program(tools, "found-footy", 'until grep -q "^x11vnc" "$CALLS"; do sleep 0.05; done')
    env = {
        **os.environ,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "CALLS": str(calls),
        "TMPDIR": str(tmp_path),
        "X_SEARCH_DATA_DIR": str(data),
        "X_SEARCH_VNC": "on",
    }
    subprocess.run(
        ["bash", str(DEPLOY / "start.sh")], env=env, check=True, capture_output=True, timeout=PATIENCE_SECONDS
    )
    password = (data / "vnc-password").read_text().strip()
    assert len(password) == 8
    said = calls.read_text()
    assert "x11vnc -display :7" in said
    assert str(data / "vnc-password") in said
    assert password not in said
