"""Classifies on this machine: a verified ONNX file, loaded with the first picture and kept."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from found_footy.platform.errors import ConfigError, Unavailable
from found_footy.platform.media.frames import Pixels
from found_footy.uploads.classifiers.classification import (
    Classification,
    normalize_label,
    select_top_labels,
    to_probabilities,
)
from found_footy.uploads.classifiers.imagenet_labels import find_labels
from found_footy.uploads.classifiers.micro_batches import MicroBatcher
from found_footy.uploads.classifiers.model_graph import ModelInput, describe_input, describe_output
from found_footy.uploads.classifiers.preprocessing import CropRule, crop_picture, normalize_picture

_SYSTEM = "classifier"
_LIBRARY_MISSING = "classifying pictures needs onnxruntime: pip install 'found-footy[vision]'"


@dataclass(frozen=True)
class OnnxOptions:
    """`remedy` says what to do if the file is missing or damaged. `short_side` is what the weights were made for.
    Pictures that arrive within `max_wait` are classified together, up to `max_batch`.
    """

    path: Path
    sha256: str
    name: str
    remedy: str
    short_side: int = 256
    threads: int = 1
    max_batch: int = 8
    max_wait: timedelta = timedelta(milliseconds=3)


class _LoadedModel:
    def __init__(self, options: OnnxOptions) -> None:
        try:
            from found_footy.vision.classifier.onnx_session import open_session  # noqa: PLC0415
        except ModuleNotFoundError as error:
            raise ConfigError(_LIBRARY_MISSING) from error
        self._session: Any = open_session(options.path, options.sha256, options.threads, options.remedy)
        self.input = describe_input(self._session.get_inputs())
        self._output = describe_output(self._session.get_outputs())
        self._metadata = dict(self._session.get_modelmeta().custom_metadata_map)
        self.crop_rule = CropRule(
            self.input.side, max(self.input.side, round(options.short_side * self.input.side / CropRule.side))
        )

    def run(self, pictures: Sequence[Pixels]) -> list[npt.NDArray[np.float64]]:
        """The probabilities of each cropped picture. Raises Unavailable if the runtime fails or gives no numbers,
        ConfigError if the model does not take several pictures although its graph says so.
        """
        groups = [pictures] if self.input.is_batched else [[picture] for picture in pictures]
        rows = [row for group in groups for row in self._run_session(_build_input(group, self.input))]
        if len(rows) != len(pictures):
            raise ConfigError(f"the model gives {len(rows)} rows of classes for {len(pictures)} pictures")
        if not all(np.isfinite(row).all() for row in rows):
            raise Unavailable(_SYSTEM, "the model gives values that are no numbers")
        return [to_probabilities(row) for row in rows]

    def _run_session(self, values: npt.NDArray[Any]) -> npt.NDArray[np.floating]:
        try:
            rows: npt.NDArray[np.floating] = self._session.run([self._output.name], {self.input.name: values})[0]
        except Exception as error:
            # onnxruntime's errors share no base class of their own.
            raise Unavailable(_SYSTEM, f"onnxruntime failed: {error}"[:500]) from error
        return rows

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """A graph that does not say how many classes it has is asked with one black picture."""
        count = self._output.class_count
        if count is None:
            side = self.input.side
            count = len(self._run_session(_build_input([np.zeros((side, side, 3), np.uint8)], self.input))[0])
        return tuple(map(normalize_label, find_labels(self._metadata, count)))


class OnnxClassifier:
    """An UploadClassifier. Safe from several threads and event loops. Raises ModelMissing or ModelDigestMismatch, which
    say what to do, until the file is in place.
    """

    def __init__(self, options: OnnxOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._model: _LoadedModel | None = None
        self._batches: MicroBatcher[Pixels, npt.NDArray[np.float64]] = MicroBatcher(
            self._run_batch, max_items=options.max_batch, max_wait=options.max_wait
        )

    async def classify(self, pixels: Pixels) -> Classification:
        model = await asyncio.to_thread(self._load_model)
        cropped = await asyncio.to_thread(crop_picture, pixels, model.crop_rule)
        probabilities = await asyncio.wrap_future(self._batches.submit(cropped))
        labels = select_top_labels(probabilities, model.labels)
        return Classification(labels, self._options.name, self._options.sha256)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._batches.close)

    def _load_model(self) -> _LoadedModel:
        with self._lock:
            if self._model is None:
                model = _LoadedModel(self._options)
                _ = model.labels  # checked before it is used
                self._model = model
            return self._model

    def _run_batch(self, pictures: Sequence[Pixels]) -> list[npt.NDArray[np.float64]]:
        return self._load_model().run(pictures)


def _build_input(pictures: Sequence[Pixels], wanted: ModelInput) -> npt.NDArray[Any]:
    values: npt.NDArray[Any] = np.stack(
        [picture if wanted.takes_bytes else normalize_picture(picture) for picture in pictures]
    )
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2)) if wanted.channels_first else values
