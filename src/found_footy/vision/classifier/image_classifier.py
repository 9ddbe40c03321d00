"""The classifier at run time: one verified file, loaded once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from found_footy.vision.classifier.builder import MODEL_FILE, MODEL_SHA256, SETUP_REMEDY
from found_footy.vision.classifier.onnx_session import open_session
from found_footy.vision.frames import Pixels

_INPUT_SIDE = 224

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class ClassScore:
    label: str
    score: float


@dataclass(frozen=True, eq=False)
class ClassifierOutput:
    """One row per picture: 1000 class probabilities, and an embedding of 2048 numbers."""

    probs: Floats
    embedding: Floats


class ImageClassifier:
    """ResNet-50 on the CPU. Thread-safe."""

    def __init__(self, folder: Path, *, threads: int = 1, sha256: str = MODEL_SHA256) -> None:
        self._session = open_session(folder / MODEL_FILE, sha256, threads, SETUP_REMEDY)
        self.labels: tuple[str, ...] = tuple(json.loads(self._session.get_modelmeta().custom_metadata_map["labels"]))

    def classify(self, pictures: Sequence[Pixels]) -> ClassifierOutput:
        """Classify RGB pictures of any size."""
        small = np.stack([_resize_picture(picture) for picture in pictures])
        probs, embedding = self._session.run(["probs", "embedding"], {"image": small})
        return ClassifierOutput(probs, embedding)

    def top_labels(self, picture: Pixels, count: int = 5) -> list[ClassScore]:
        """Return the most probable labels, best first."""
        probs = self.classify([picture]).probs[0]
        best = np.argsort(-probs, kind="stable")[:count]
        return [ClassScore(self.labels[int(index)], float(probs[index])) for index in best]


def _resize_picture(picture: Pixels) -> Pixels:
    """Resize by area. Large pictures are halved first, which is three times as fast and looks the same."""
    height, width = picture.shape[:2]
    if min(height, width) >= 4 * _INPUT_SIDE and height % 2 == 0 and width % 2 == 0:
        picture = np.asarray(cv2.resize(picture, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(cv2.resize(picture, (_INPUT_SIDE, _INPUT_SIDE), interpolation=cv2.INTER_AREA), np.uint8)
