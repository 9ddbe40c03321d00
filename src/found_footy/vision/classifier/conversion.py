"""From the package's layers to one ONNX graph. Needs `onnx`, at set-up only.

The graph takes pictures as they are, bytes in rows of RGB, and does the preprocessing itself. Batch norms are folded
into the convolutions before them. Every step is a correctly rounded operation, so the same package gives the same
bytes on every machine, and their digest can be part of the program.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from found_footy.vision.classifier.package import CLASSES, Floats, Network

SIDE = 224
EMBEDDING = 2048
# What the network was trained with, subtracted from red, green and blue.
_MEAN = (123.68, 116.779, 103.939)
_OPSET = 17
_IR_VERSION = 8


@dataclass
class _Graph:
    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)

    def add(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output

    def constant(self, name: str, values: np.ndarray[Any, Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values, dtype="<f4"), name))
        return name


@dataclass
class _Walk:
    """The way through the layers: what each one's output is called, and which zeros the next one must add."""

    graph: _Graph
    weights: Mapping[str, Floats]
    norms: Mapping[str, Mapping[str, Any]]
    names: dict[str, str] = field(default_factory=dict)
    padding: dict[str, int] = field(default_factory=dict)

    def step(self, layer: Mapping[str, Any]) -> None:
        kind, name, config = layer["class_name"], layer["name"], layer["config"]
        before = [source[0] for node in layer["inbound_nodes"] for source in node]
        self.padding[name] = 0
        self.names[name] = getattr(self, f"_{kind.lower()}")(name, config, before)

    def _inputlayer(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        del name, config, before
        floats = self.graph.add("Cast", ["image"], "floats", to=TensorProto.FLOAT)
        centred = self.graph.add("Sub", [floats, self.graph.constant("mean", np.array(_MEAN))], "centred")
        return self.graph.add("Transpose", [centred], "planes", perm=[0, 3, 1, 2])

    def _zeropadding2d(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        """Done by the layer that follows. Before the pooling all values are positive, so zeros change nothing there."""
        self.padding[name] = int(config["padding"][0][0])
        return self.names[before[0]]

    def _conv2d(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        kernel, bias = _folded(self.weights, name, self.norms[name])
        if not self.graph.constants[1:]:
            # The weights expect blue first.
            kernel = kernel[:, :, ::-1, :]
        reach = config["kernel_size"][0] // 2 if config["padding"] == "same" else self.padding[before[0]]
        inputs = [
            self.names[before[0]],
            self.graph.constant(f"{name}.kernel", kernel.transpose(3, 2, 0, 1)),
            self.graph.constant(f"{name}.bias", bias),
        ]
        return self.graph.add("Conv", inputs, name, strides=config["strides"], pads=[reach] * 4)

    def _batchnormalization(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        del name, config
        return self.names[before[0]]

    def _activation(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        del config
        return self.graph.add("Relu", [self.names[before[0]]], name)

    def _maxpooling2d(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        reach = self.padding[before[0]]
        return self.graph.add(
            "MaxPool", [self.names[before[0]]], name,
            kernel_shape=config["pool_size"], strides=config["strides"], pads=[reach] * 4,
        )  # fmt: skip

    def _add(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        del config
        return self.graph.add("Add", [self.names[source] for source in before], name)

    def _globalaveragepooling2d(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        del config
        pooled = self.graph.add("GlobalAveragePool", [self.names[before[0]]], name)
        return self.graph.add("Flatten", [pooled], "embedding", axis=1)

    def _dense(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        del config
        inputs = [
            self.names[before[0]],
            self.graph.constant(f"{name}.kernel", self.weights[f"{name}/kernel"]),
            self.graph.constant(f"{name}.bias", self.weights[f"{name}/bias"]),
        ]
        return self.graph.add("Softmax", [self.graph.add("Gemm", inputs, name)], "probs", axis=1)


def convert(network: Network) -> bytes:
    """The graph as a file: input `image` (n, 224, 224, 3) bytes, outputs `probs` (n, 1000), `embedding` (n, 2048)."""
    walk = _Walk(_Graph(), network.weights, _norms(network.layers))
    for layer in network.layers:
        walk.step(layer)
    model = _model(walk.graph)
    helper.set_model_props(model, {"labels": json.dumps(network.labels)})
    return model.SerializeToString(deterministic=True)


def _norms(layers: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The batch norm that follows each convolution."""
    return {
        layer["inbound_nodes"][0][0][0]: layer["config"]
        for layer in layers
        if layer["class_name"] == "BatchNormalization"
    }


def _folded(weights: Mapping[str, Floats], name: str, norm: Mapping[str, Any]) -> tuple[Any, Any]:
    gamma, beta, mean, variance = (
        weights[f"{norm['name']}/{part}"].astype(np.float64)
        for part in ("gamma", "beta", "moving_mean", "moving_variance")
    )
    scale = gamma / np.sqrt(variance + norm["epsilon"])
    bias = (weights[f"{name}/bias"].astype(np.float64) - mean) * scale + beta
    return weights[f"{name}/kernel"].astype(np.float64) * scale, bias


def _model(graph: _Graph) -> ModelProto:
    image = helper.make_tensor_value_info("image", TensorProto.UINT8, ["n", SIDE, SIDE, 3])
    outputs = [
        helper.make_tensor_value_info("probs", TensorProto.FLOAT, ["n", CLASSES]),
        helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", EMBEDDING]),
    ]
    made = helper.make_graph(graph.nodes, "resnet50", [image], outputs, graph.constants)
    return helper.make_model(
        made, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION, producer_name="found-footy"
    )
