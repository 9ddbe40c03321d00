"""Decides whether it is football: a linear head over the classifier's embedding and pitch features, or, without the
model, a weaker rule.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from found_footy.vision.local.pitch import PitchFeatures
from found_footy.vision.local.text_boxes import TextRow

# Texts in the score bugs of other sports. Their clocks read perfectly, and the head does not know every sport. Words
# that football uses too (QUARTER-FINAL, SETS UP, LAP OF HONOUR, OVERS 2.5) need the number that goes with the sport;
# "2ND QUARTER" and "QTR" may begin a final's name.
_OTHER_SPORTS_PATTERN = re.compile(
    r"\b(?:QTR|Q[1-4]|[1-4](?:ST|ND|RD|TH) ?(?:&|AND) ?(?:\d{1,2}|GOAL)|[1-4](?:ST|ND|RD|TH) (?:DOWN|QTR|QUARTER)"
    r"|SET [1-5]|INNINGS?|WICKETS?|SHOT CLOCK|3RD PERIOD|[12](?:ST|ND) PERIOD(?! OF EXTRA)|TIE ?BREAK|LAP \d{1,2})\b"
    r"(?!.?FINAL)"
)
_MIN_GREEN_SHARE = 0.25
# A steep camera shows little but grass, which few training pictures show: a lower probability then suffices. So it
# does with a clock of the goal's minute that was seen to run.
_STEEP_CAMERA_MIN_GREEN, MIN_PROBABILITY_WITH_CLOCK = 0.7, 0.3
# The two outer frames, and the middle one if these are inconclusive.
MAX_FRAMES_CLASSIFIED = 3


@dataclass(frozen=True, eq=False)
class SoccerHead:
    weights: npt.NDArray[np.float64]
    bias: float
    threshold: float
    version: str

    def probabilities(self, embeddings: npt.NDArray[np.float32], pitches: Sequence[PitchFeatures]) -> list[float]:
        norms = np.linalg.norm(embeddings, axis=1, keepdims=True)
        features = np.hstack([embeddings / np.maximum(norms, 1e-12), [pitch.vector for pitch in pitches]])
        return [float(p) for p in 1.0 / (1.0 + np.exp(-(features @ self.weights + self.bias)))]


@cache
def load_soccer_head() -> SoccerHead:
    data = json.loads(files("found_footy.vision.data").joinpath("soccer_head.json").read_text(encoding="utf-8"))
    return SoccerHead(np.array(data["weights"]), float(data["bias"]), float(data["threshold"]), str(data["version"]))


def find_other_sport(rows: Iterable[TextRow]) -> str | None:
    """Return the text that no football broadcast has in its score bug; only score bug rows are searched."""
    found = (_OTHER_SPORTS_PATTERN.search(row.text.upper()) for row in rows)
    return next((match[0] for match in found if match), None)


def is_football(
    probability: float, pitches: Sequence[PitchFeatures], threshold: float, *, has_goal_clock: bool
) -> bool:
    """Decide by the head's probability; where that is inconclusive, by a pitch seen from above, or by a clock of the
    goal's minute that was seen to run (`has_goal_clock`).
    """
    if probability > threshold:
        return True
    steep = min(pitch.green_share for pitch in pitches) >= _STEEP_CAMERA_MIN_GREEN
    return probability > MIN_PROBABILITY_WITH_CLOCK and (has_goal_clock or steep)


def is_football_without_model(pitches: Sequence[PitchFeatures], *, has_clock: bool) -> bool:
    """Without the model: enough green, and a match clock."""
    return has_clock and float(np.mean([pitch.green_share for pitch in pitches])) > _MIN_GREEN_SHARE
