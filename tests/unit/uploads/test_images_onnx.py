"""The ONNX backend reads what a graph takes and gives from the graph, and says what to do when there is none."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from found_footy.platform.errors import ConfigError, Unavailable
from found_footy.uploads.classifiers import onnx_backend
from found_footy.uploads.classifiers.factory import build_upload_classifier
from found_footy.uploads.classifiers.model_graph import describe_input, describe_output
from found_footy.uploads.classifiers.onnx_backend import OnnxClassifier, OnnxOptions
from found_footy.uploads.settings import UploadSettings
from found_footy.vision.classifier.npm_package import compute_sha256
from found_footy.vision.errors import ModelDigestMismatch, ModelMissing
from tests.support.patience import PATIENCE
from tests.support.uploads.tiny_models import COLOURS, write_model

PICTURES = {
    label: np.full((40, 60, 3), [250 if channel == index else 5 for channel in range(3)], np.uint8)
    for index, label in enumerate(COLOURS)
}


def options_of(path: Path, **changes: Any) -> OnnxOptions:
    return OnnxOptions(path, compute_sha256(path), "tiny", "ask the author", **changes)


@pytest.fixture
async def closing() -> AsyncIterator[list[OnnxClassifier]]:
    opened: list[OnnxClassifier] = []
    yield opened
    for classifier in opened:
        await classifier.aclose()


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"softmax": True},
        {"channels_first": False},
        {"takes_bytes": True, "channels_first": False, "softmax": True},
        {"takes_bytes": True, "input_name": "image"},
        {"batch": 1},
        {"side": "s", "input_name": "pixel_values"},
    ],
)
async def test_a_graph_of_any_form_is_used_as_it_is(
    tmp_path: Path, form: dict[str, Any], closing: list[OnnxClassifier]
) -> None:
    classifier = OnnxClassifier(options_of(write_model(tmp_path / "m.onnx", **form)))
    closing.append(classifier)
    found = await asyncio.gather(*(classifier.classify(pixels) for pixels in PICTURES.values()))
    assert [one.labels[0].label for one in found] == list(COLOURS)
    for one in found:
        assert len(one.labels) == 3
        assert abs(sum(label.score for label in one.labels) - 1) < 1e-6
        assert (one.model_name, one.model_sha256) == ("tiny", compute_sha256(tmp_path / "m.onnx"))


async def test_pictures_that_wait_together_are_one_run_of_the_network(
    tmp_path: Path, closing: list[OnnxClassifier], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    build_input = onnx_backend._build_input

    def count(pictures: Sequence[Any], wanted: Any) -> Any:
        sizes.append(len(pictures))
        return build_input(pictures, wanted)

    path = write_model(tmp_path / "m.onnx")
    classifier = OnnxClassifier(options_of(path, max_batch=6, max_wait=timedelta(minutes=5)))
    closing.append(classifier)
    monkeypatch.setattr(onnx_backend, "_build_input", count)
    found = await asyncio.gather(*(classifier.classify(pixels) for pixels in [*PICTURES.values()] * 2))
    assert [one.labels[0].label for one in found] == [*COLOURS] * 2
    assert sizes == [6]


async def test_the_file_is_opened_once_and_only_when_it_is_needed(
    tmp_path: Path, closing: list[OnnxClassifier]
) -> None:
    path = write_model(tmp_path / "m.onnx")
    classifier = OnnxClassifier(options_of(path))
    closing.append(classifier)
    content = path.read_bytes()
    path.unlink()
    with pytest.raises(ModelMissing, match="ask the author"):
        await classifier.classify(PICTURES["red thing"])
    path.write_bytes(content)
    assert (await classifier.classify(PICTURES["red thing"])).labels[0].label == "red thing"
    path.unlink()
    assert (await classifier.classify(PICTURES["blue thing"])).labels[0].label == "blue thing"


async def test_another_file_is_refused(tmp_path: Path, closing: list[OnnxClassifier]) -> None:
    path = write_model(tmp_path / "m.onnx")
    classifier = OnnxClassifier(OnnxOptions(path, "0" * 64, "tiny", "ask the author"))
    closing.append(classifier)
    with pytest.raises(ModelDigestMismatch):
        await classifier.classify(PICTURES["red thing"])


async def test_without_the_model_of_set_up_the_error_names_the_command(
    tmp_path: Path, closing: list[OnnxClassifier]
) -> None:
    classifier = build_upload_classifier(UploadSettings(), tmp_path)
    assert isinstance(classifier, OnnxClassifier)
    closing.append(classifier)
    with pytest.raises(ModelMissing, match="found-footy setup"):
        await classifier.classify(PICTURES["red thing"])


async def test_a_model_that_gives_no_numbers_is_no_verdict_on_a_picture(
    tmp_path: Path, closing: list[OnnxClassifier]
) -> None:
    classifier = OnnxClassifier(options_of(write_model(tmp_path / "m.onnx", not_a_number=True)))
    closing.append(classifier)
    with pytest.raises(Unavailable):
        await classifier.classify(PICTURES["red thing"])


async def test_a_model_without_fitting_labels_is_refused(tmp_path: Path, closing: list[OnnxClassifier]) -> None:
    classifier = OnnxClassifier(options_of(write_model(tmp_path / "m.onnx", labels=None)))
    closing.append(classifier)
    with pytest.raises(ConfigError, match="3 classes"):
        await classifier.classify(PICTURES["red thing"])


def test_a_file_of_ones_own_needs_its_digest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="MODEL_SHA256"):
        build_upload_classifier(UploadSettings(model_file=tmp_path / "m.onnx"), tmp_path)


def test_workers_ai_needs_an_account_and_a_token(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="WORKERS_AI_ACCOUNT"):
        build_upload_classifier(UploadSettings(classifier="workers-ai"), tmp_path)


class Value:
    def __init__(self, name: str, shape: Sequence[Any], kind: str = "tensor(float)") -> None:
        self.name: str = name
        self.shape: Sequence[Any] = shape
        self.type: str = kind


@pytest.mark.parametrize(
    "inputs",
    [
        [Value("x", ["n", 3, 224])],
        [Value("x", ["n", 3, 224, 224]), Value("y", ["n"])],
        [Value("x", ["n", 1, 224, 224])],
        [Value("x", ["n", 3, 224, 200])],
        [Value("x", ["n", 3, 224, 224], "tensor(int64)")],
    ],
)
def test_a_graph_that_takes_no_picture_is_refused(inputs: list[Value]) -> None:
    with pytest.raises(ConfigError):
        describe_input(inputs)


def test_the_output_of_classes_is_found_by_name_then_by_form() -> None:
    embedding, probs = Value("embedding", ["n", 2048]), Value("probs", ["n", 1000])
    assert describe_output([embedding, probs]).name == "probs"
    assert describe_output([Value("map", ["n", 8, 7, 7]), embedding]).name == "embedding"
    with pytest.raises(ConfigError):
        describe_output([Value("map", ["n", 8, 7, 7])])


async def test_a_model_that_gives_one_row_for_several_pictures_is_not_believed(
    tmp_path: Path, closing: list[OnnxClassifier]
) -> None:
    path = write_model(tmp_path / "m.onnx", mixes_pictures=True)
    classifier = OnnxClassifier(options_of(path, max_batch=len(PICTURES), max_wait=PATIENCE))
    closing.append(classifier)
    for _ in range(2):  # the second time, the classifier still works
        found = await asyncio.gather(*map(classifier.classify, PICTURES.values()), return_exceptions=True)
        assert [type(one) for one in found] == [ConfigError] * len(PICTURES)
        assert "1 rows" in str(found[0])
