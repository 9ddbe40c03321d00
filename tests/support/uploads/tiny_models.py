"""ONNX graphs of a few nodes that classify by colour: class 0 red, class 1 green, class 2 blue."""

import json
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

COLOURS = ("red thing", "green thing", "blue thing")


def write_model(
    path: Path,
    *,
    input_name: str = "data",
    takes_bytes: bool = False,
    channels_first: bool = True,
    softmax: bool = False,
    batch: int | str = "n",
    side: int | str = 32,
    labels: tuple[str, ...] | None = COLOURS,
    not_a_number: bool = False,
    mixes_pictures: bool = False,
) -> Path:
    """The logits are the means of the colours; with `mixes_pictures` there is one row for all pictures."""
    shape = [batch, 3, side, side] if channels_first else [batch, side, side, 3]
    kind = TensorProto.UINT8 if takes_bytes else TensorProto.FLOAT
    nodes = [
        helper.make_node("Cast", [input_name], ["floats"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["floats"], ["means"], axes=[2, 3] if channels_first else [1, 2], keepdims=0),
        helper.make_node("Mul", ["means", "factor"], ["scaled"]),
        helper.make_node("Softmax" if softmax else "Identity", ["scaled"], ["rows"]),
        helper.make_node("ReduceMean", ["rows"], ["answer"], axes=[0], keepdims=1)
        if mixes_pictures
        else helper.make_node("Identity", ["rows"], ["answer"]),
    ]
    factor = np.array([np.nan if not_a_number else (0.05 if takes_bytes else 3.0)], np.float32)
    graph = helper.make_graph(
        nodes,
        "colours",
        [helper.make_tensor_value_info(input_name, kind, shape)],
        [helper.make_tensor_value_info("answer", TensorProto.FLOAT, ["rows" if mixes_pictures else batch, 3])],
        [numpy_helper.from_array(factor, "factor")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    if labels is not None:
        helper.set_model_props(model, {"labels": json.dumps(labels)})
    path.write_bytes(model.SerializeToString())
    return path
