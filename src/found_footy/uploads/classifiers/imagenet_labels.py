"""The labels of a model's classes: its own, else those of ImageNet in the order of ILSVRC 2012."""

import json
from collections.abc import Mapping
from importlib.resources import files

from found_footy.platform.errors import ConfigError
from found_footy.uploads.classifiers.classification import normalize_label

IMAGENET_CLASS_COUNT = 1000
_LABELS_KEY = "labels"


def load_imagenet_labels() -> tuple[str, ...]:
    text = (files("found_footy.uploads.classifiers") / "data" / "imagenet_labels.txt").read_text(encoding="utf-8")
    return tuple(text.splitlines())


def find_labels(metadata: Mapping[str, str], class_count: int) -> tuple[str, ...]:
    """The labels in the model's metadata (`labels`, a list as JSON), else ImageNet's. Raises ConfigError if they are
    of another number than the classes.
    """
    labels = _read_own_labels(metadata[_LABELS_KEY]) if _LABELS_KEY in metadata else load_imagenet_labels()
    if len(labels) != class_count:
        raise ConfigError(f"the model has {class_count} classes, and there are {len(labels)} labels for them")
    return labels


def _read_own_labels(text: str) -> tuple[str, ...]:
    try:
        return tuple(normalize_label(str(label)) for label in json.loads(text))
    except (ValueError, TypeError) as error:
        raise ConfigError(f"the labels in the model's metadata cannot be read: {error}") from error
