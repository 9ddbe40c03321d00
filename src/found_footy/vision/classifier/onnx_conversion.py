"""Converts the package's layers to one ONNX graph. Needs `onnx`, at set-up only.

The graph takes raw RGB bytes and does the preprocessing itself. Batch norms are folded into the convolutions before
them. Every step is a correctly rounded operation, so the same package gives the same bytes on every machine, and their
digest can be a constant of the program.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from found_footy.vision.classifier.npm_package import CLASS_COUNT, Floats, KerasNetwork

INPUT_SIDE = 224
EMBEDDING_SIZE = 2048
# Channel means of the training data, subtracted from red, green and blue.
_CHANNEL_MEANS = (123.68, 116.779, 103.939)
_OPSET = 17
_IR_VERSION = 8


@dataclass
class _OnnxGraph:
    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)

    def add_node(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output

    def add_constant(self, name: str, values: np.ndarray[Any, Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values, dtype="<f4"), name))
        return name


@dataclass
class _LayerConverter:
    """State of the conversion: the output name of each layer, and the padding that the next layer must add."""

    graph: _OnnxGraph
    weights: Mapping[str, Floats]
    batch_norms: Mapping[str, Mapping[str, Any]]
    output_names: dict[str, str] = field(default_factory=dict)
    padding: dict[str, int] = field(default_factory=dict)

    def convert_layer(self, layer: Mapping[str, Any]) -> None:
        kind, name, config = layer["class_name"], layer["name"], layer["config"]
        before = [source[0] for node in layer["inbound_nodes"] for source in node]
        self.padding[name] = 0
        self.output_names[name] = getattr(self, f"_{kind.lower()}")(name, config, before)

    def _inputlayer(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        del name, config, before
        floats = self.graph.add_node("Cast", ["image"], "floats", to=TensorProto.FLOAT)
        centred = self.graph.add_node(
            "Sub", [floats, self.graph.add_constant("mean", np.array(_CHANNEL_MEANS))], "centred"
        )
        return self.graph.add_node("Transpose", [centred], "planes", perm=[0, 3, 1, 2])

    def _zeropadding2d(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        """Applied by the layer that follows. Before the pooling all values are positive, so zeros change
        nothing there.
        """
        self.padding[name] = int(config["padding"][0][0])
        return self.output_names[before[0]]

    def _conv2d(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        kernel, bias = _fold_batch_norm(self.weights, name, self.batch_norms[name])
        if not self.graph.constants[1:]:
            # The weights expect BGR.
            kernel = kernel[:, :, ::-1, :]
        reach = config["kernel_size"][0] // 2 if config["padding"] == "same" else self.padding[before[0]]
        inputs = [
            self.output_names[before[0]],
            self.graph.add_constant(f"{name}.kernel", kernel.transpose(3, 2, 0, 1)),
            self.graph.add_constant(f"{name}.bias", bias),
        ]
        return self.graph.add_node("Conv", inputs, name, strides=config["strides"], pads=[reach] * 4)

    def _batchnormalization(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        del name, config
        return self.output_names[before[0]]

    def _activation(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        del config
        return self.graph.add_node("Relu", [self.output_names[before[0]]], name)

    def _maxpooling2d(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        reach = self.padding[before[0]]
        return self.graph.add_node(
            "MaxPool",
            [self.output_names[before[0]]],
            name,
            kernel_shape=config["pool_size"],
            strides=config["strides"],
            pads=[reach] * 4,
        )

    def _add(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        del config
        return self.graph.add_node("Add", [self.output_names[source] for source in before], name)

    def _globalaveragepooling2d(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        del config
        pooled = self.graph.add_node("GlobalAveragePool", [self.output_names[before[0]]], name)
        return self.graph.add_node("Flatten", [pooled], "embedding", axis=1)

    def _dense(self, name: str, config: Mapping[str, Any], before: list[str]) -> str:
        del config
        inputs = [
            self.output_names[before[0]],
            self.graph.add_constant(f"{name}.kernel", self.weights[f"{name}/kernel"]),
            self.graph.add_constant(f"{name}.bias", self.weights[f"{name}/bias"]),
        ]
        return self.graph.add_node("Softmax", [self.graph.add_node("Gemm", inputs, name)], "probs", axis=1)


def convert_to_onnx(network: KerasNetwork) -> bytes:
    """Serialize the graph: input `image` (n, 224, 224, 3) bytes, outputs `probs` (n, 1000) and `embedding`
    (n, 2048).
    """
    walk = _LayerConverter(_OnnxGraph(), network.weights, _find_batch_norms(network.layers))
    for layer in network.layers:
        walk.convert_layer(layer)
    model = _build_model(walk.graph)
    helper.set_model_props(model, {"labels": json.dumps(network.labels)})
    return model.SerializeToString(deterministic=True)


def _find_batch_norms(layers: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Map each convolution to the batch norm that follows it."""
    return {
        layer["inbound_nodes"][0][0][0]: layer["config"]
        for layer in layers
        if layer["class_name"] == "BatchNormalization"
    }


def _fold_batch_norm(weights: Mapping[str, Floats], name: str, norm: Mapping[str, Any]) -> tuple[Any, Any]:
    gamma, beta, mean, variance = (
        weights[f"{norm['name']}/{part}"].astype(np.float64)
        for part in ("gamma", "beta", "moving_mean", "moving_variance")
    )
    scale = gamma / np.sqrt(variance + norm["epsilon"])
    bias = (weights[f"{name}/bias"].astype(np.float64) - mean) * scale + beta
    return weights[f"{name}/kernel"].astype(np.float64) * scale, bias


def _build_model(graph: _OnnxGraph) -> ModelProto:
    image = helper.make_tensor_value_info("image", TensorProto.UINT8, ["n", INPUT_SIDE, INPUT_SIDE, 3])
    outputs = [
        helper.make_tensor_value_info("probs", TensorProto.FLOAT, ["n", CLASS_COUNT]),
        helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", EMBEDDING_SIZE]),
    ]
    made = helper.make_graph(graph.nodes, "resnet50", [image], outputs, graph.constants)
    return helper.make_model(
        made, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION, producer_name="found-footy"
    )
