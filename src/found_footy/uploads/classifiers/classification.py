"""What a classifier of uploads returns, and the port that the backends implement."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from found_footy.platform.media.frames import Pixels
from found_footy.uploads.messages import LabelScore

TOP_COUNT = 5
# How far the sum of a row may be from 1 for the row to be probabilities.
_SUM_TOLERANCE = 1e-3

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Classification:
    """The most probable labels, best first. `model_sha256` is empty for a model that somebody else runs."""

    labels: tuple[LabelScore, ...]
    model_name: str
    model_sha256: str


class UploadClassifier(Protocol):
    """Raises BadInput for a picture that cannot be classified; every other error says nothing about the picture."""

    async def classify(self, pixels: Pixels) -> Classification: ...

    async def aclose(self) -> None: ...


def normalize_label(label: str) -> str:
    """The same label from every backend: lower-case, single blanks."""
    return " ".join(label.casefold().split())


def to_probabilities(values: npt.NDArray[np.floating]) -> Floats:
    """Apply softmax, unless the row already is the result of one."""
    row = values.astype(np.float64)
    if is_distribution(row):
        return row
    shares = np.exp(row - row.max())
    return np.asarray(shares / shares.sum(), np.float64)


def is_distribution(row: Floats) -> bool:
    return bool(row.min() >= 0 and row.max() <= 1 and abs(row.sum() - 1) <= _SUM_TOLERANCE)


def select_top_labels(probabilities: Floats, labels: Sequence[str], count: int = TOP_COUNT) -> tuple[LabelScore, ...]:
    """The most probable labels, best first; of equal ones the first."""
    best = np.argsort(-probabilities, kind="stable")[:count]
    return tuple(LabelScore(labels[int(index)], float(probabilities[index])) for index in best)
