"""The classifier at run time: one verified file, loaded once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import onnxruntime  # type: ignore[import-untyped]

from found_footy.vision.classifier.making import FILE, SHA256
from found_footy.vision.classifier.package import digest
from found_footy.vision.errors import ModelMissing, ModelRefused
from found_footy.vision.frames import Pixels

_SIDE = 224

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Label:
    label: str
    score: float


@dataclass(frozen=True, eq=False)
class Seen:
    """One row per picture: 1000 probabilities, and 2048 numbers that say what it looks like."""

    probs: Floats
    embedding: Floats


class Classifier:
    """ResNet-50 on the processor. Safe from several threads."""

    def __init__(self, folder: Path, *, threads: int = 1, sha256: str = SHA256) -> None:
        path = folder / FILE
        if not path.is_file():
            raise ModelMissing(f"{path} is not there; `found-footy setup` makes it")
        if (found := digest(path)) != sha256:
            raise ModelRefused(f"{path} is damaged or not ours (SHA-256 {found}); remove it and make it again")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.labels: tuple[str, ...] = tuple(json.loads(self._session.get_modelmeta().custom_metadata_map["labels"]))

    def look(self, pictures: Sequence[Pixels]) -> Seen:
        """What the network makes of pictures of any size, red first."""
        small = np.stack([_shrunk(picture) for picture in pictures])
        probs, embedding = self._session.run(["probs", "embedding"], {"image": small})
        return Seen(probs, embedding)

    def top(self, picture: Pixels, count: int = 5) -> list[Label]:
        """The likeliest labels, best first."""
        probs = self.look([picture]).probs[0]
        best = np.argsort(-probs, kind="stable")[:count]
        return [Label(self.labels[int(index)], float(probs[index])) for index in best]


def _shrunk(picture: Pixels) -> Pixels:
    """By area. Large pictures are halved first, which is three times as fast and looks the same."""
    height, width = picture.shape[:2]
    if min(height, width) >= 4 * _SIDE and height % 2 == 0 and width % 2 == 0:
        picture = np.asarray(cv2.resize(picture, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(cv2.resize(picture, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA), np.uint8)
