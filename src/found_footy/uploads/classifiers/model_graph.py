"""What a classifier's ONNX graph takes and gives, read from the graph. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from found_footy.platform.errors import ConfigError

_CHANNELS = 3
_DEFAULT_SIDE = 224
_BYTES, _FLOATS = "tensor(uint8)", "tensor(float)"
_PREFERRED_OUTPUTS = ("probs", "logits")


class GraphValue(Protocol):
    """An input or output as onnxruntime describes it; a size that is a name or None may be any."""

    name: str
    shape: Sequence[Any]
    type: str


@dataclass(frozen=True)
class ModelInput:
    """`takes_bytes`: raw RGB, the graph does the rest. `channels_first`: (batch, 3, side, side). `is_batched`: several
    pictures at once.
    """

    name: str
    side: int
    takes_bytes: bool
    channels_first: bool
    is_batched: bool


@dataclass(frozen=True)
class ModelOutput:
    """`class_count` is None if the graph does not say it."""

    name: str
    class_count: int | None


def describe_input(inputs: Sequence[GraphValue]) -> ModelInput:
    """Raises ConfigError for a graph that does not take one batch of RGB pictures."""
    value = inputs[0]
    shape = list(value.shape)
    if len(inputs) != 1 or len(shape) != 4 or value.type not in (_BYTES, _FLOATS):
        raise ConfigError(f"the model takes {[(one.name, one.type, one.shape) for one in inputs]}, not one RGB picture")
    if _CHANNELS not in (shape[1], shape[3]):
        raise ConfigError(f"the model's input {value.name} {shape} has no {_CHANNELS} colour channels")
    channels_first = shape[1] == _CHANNELS
    sides = shape[2:] if channels_first else shape[1:3]
    known = {side for side in sides if isinstance(side, int)}
    if len(known) > 1:
        raise ConfigError(f"the model's input {value.name} {shape} is not square")
    return ModelInput(
        value.name, known.pop() if known else _DEFAULT_SIDE, value.type == _BYTES, channels_first, shape[0] != 1
    )


def describe_output(outputs: Sequence[GraphValue]) -> ModelOutput:
    """The output with a number for each class: by its name, else the first of two dimensions. Raises ConfigError."""
    rows = [one for one in outputs if len(one.shape) == 2]
    if not rows:
        raise ConfigError(f"the model gives {[(one.name, one.shape) for one in outputs]}, no row of classes")
    value = next((one for name in _PREFERRED_OUTPUTS for one in rows if one.name == name), rows[0])
    return ModelOutput(value.name, value.shape[1] if isinstance(value.shape[1], int) else None)
