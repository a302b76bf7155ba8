"""The MiniLM encoder as an ONNX graph: token ids in, one unit vector per text out.

Weights are 8-bit numbers with one scale for each column. Activations are quantised while the graph runs, each word by
itself: a text's vector then does not depend on the texts beside it. Weights use seven of the eight bits: products of
two neighbours then fit into 16 bits, and processors with and without the newer integer instructions agree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from scripts.safetensors_file import Tensors

LAYERS, HEADS, WIDTH, INNER = 6, 12, 384, 1536
LONGEST = 256
OPSET, IR_VERSION = 17, 9
EPSILON = 1e-12
HIDDEN_SCORE = -1e9
WEIGHT_STEPS, STEPS, ZERO = 63, 127, 128
INPUTS, OUTPUT = ("input_ids", "attention_mask"), "vectors"


class Graph:
    """Nodes and constants in the order in which they are added: the same calls give the same bytes."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def constant(self, name: str, value: NDArray[Any]) -> str:
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def add(self, kind: str, inputs: Sequence[str], outputs: int = 1, **attributes: Any) -> list[str]:
        place = len(self.nodes)
        names = [f"{kind}_{place}_{index}" for index in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=f"{kind}_{place}", **attributes))
        return names

    def one(self, kind: str, *inputs: str, **attributes: Any) -> str:
        return self.add(kind, inputs, **attributes)[0]

    def whole(self, *values: int) -> str:
        return self.constant(f"whole_{'_'.join(map(str, values))}", np.array(values, dtype=np.int64))

    def number(self, value: float) -> str:
        return self.constant(f"number_{value!r}", np.array(value, dtype=np.float32))

    def cast(self, name: str) -> str:
        return self.one("Cast", name, to=TensorProto.FLOAT)

    def normalised(self, name: str, tensors: Tensors, prefix: str) -> str:
        scale = self.constant(f"{prefix}.weight", tensors[f"{prefix}.weight"])
        bias = self.constant(f"{prefix}.bias", tensors[f"{prefix}.bias"])
        return self.one("LayerNormalization", name, scale, bias, axis=-1, epsilon=EPSILON)

    def linear(self, name: str, key: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """x · W + b in whole numbers. `weight` is as stored: one row for each output."""
        numbers, scale = quantised(weight.T, WEIGHT_STEPS, axis=0)
        step = self.one("ReduceMax", self.one("Abs", name), axes=[-1], keepdims=1)
        step = self.one("Div", step, self.number(STEPS))
        shifted = self.one("Add", self.one("Round", self.one("Div", name, step)), self.number(ZERO))
        rounded = self.one("Cast", shifted, to=TensorProto.UINT8)
        zero = self.constant("zero", np.array(ZERO, dtype=np.uint8))
        product = self.cast(self.one("MatMulInteger", rounded, self.constant(f"{key}.weight", numbers), zero))
        scaled = self.one("Mul", self.one("Mul", product, self.constant(f"{key}.scale", scale)), step)
        return self.one("Add", scaled, self.constant(f"{key}.bias", bias))


def quantised(values: NDArray[np.float32], steps: int, axis: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole numbers up to ±steps and the scale that brings them back, one along the other axis."""
    scale = (np.abs(values).max(axis=axis, keepdims=True) / np.float32(steps)).astype(np.float32)
    scale[scale == 0] = 1
    return np.rint(values / scale).astype(np.int8), scale.squeeze(axis)


def serialised(tensors: Tensors) -> bytes:
    """The whole model."""
    graph = Graph()
    mask = graph.cast("attention_mask")
    state = _embedded(graph, tensors)
    hidden = graph.one("Mul", graph.one("Sub", graph.number(1.0), mask), graph.number(HIDDEN_SCORE))
    hidden = graph.one("Unsqueeze", hidden, graph.whole(1, 2))
    for layer in range(LAYERS):
        state = _layer(graph, tensors, f"encoder.layer.{layer}", state, hidden)
    _pooled(graph, state, mask)
    ids = [helper.make_tensor_value_info(n, TensorProto.INT64, ["texts", "words"]) for n in INPUTS]
    out = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["texts", WIDTH])
    body = helper.make_graph(graph.nodes, "minilm", ids, [out], list(graph.constants.values()))
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="docgemma")
    model.ir_version = IR_VERSION
    return bytes(model.SerializeToString(deterministic=True))


def _embedded(graph: Graph, tensors: Tensors) -> str:
    """Word plus place. There is one kind of segment, so its vector is part of every place."""
    table, scale = quantised(tensors["embeddings.word_embeddings.weight"], STEPS, axis=1)
    places = tensors["embeddings.position_embeddings.weight"][:LONGEST]
    places = places + tensors["embeddings.token_type_embeddings.weight"][0]
    rows = graph.cast(graph.one("Gather", graph.constant("words", table), "input_ids"))
    scales = graph.one("Gather", graph.constant("words.scale", scale[:, None]), "input_ids")
    length = graph.one("Slice", graph.one("Shape", "input_ids"), graph.whole(1), graph.whole(2))
    here = graph.one("Slice", graph.constant("places", places), graph.whole(0), length, graph.whole(0))
    return graph.normalised(graph.one("Add", graph.one("Mul", rows, scales), here), tensors, "embeddings.LayerNorm")


def _layer(graph: Graph, tensors: Tensors, prefix: str, state: str, hidden: str) -> str:
    """Attention and the feed-forward part, each with its residual."""
    parts = [f"{prefix}.attention.self.{part}" for part in ("query", "key", "value")]
    together = np.concatenate([tensors[f"{part}.weight"] for part in parts])
    bias = np.concatenate([tensors[f"{part}.bias"] for part in parts])
    asked = graph.linear(state, f"{prefix}.attention", together, bias)
    shape = graph.whole(0, 0, 3 * HEADS, WIDTH // HEADS)
    heads = graph.one("Transpose", graph.one("Reshape", asked, shape), perm=[0, 2, 1, 3])
    query, key, value = graph.add("Split", [heads, graph.whole(HEADS, HEADS, HEADS)], outputs=3, axis=1)
    scores = graph.one("MatMul", query, graph.one("Transpose", key, perm=[0, 1, 3, 2]))
    scores = graph.one("Mul", scores, graph.number(1 / math.sqrt(WIDTH // HEADS)))
    weights = graph.one("Softmax", graph.one("Add", scores, hidden), axis=-1)
    mixed = graph.one("Transpose", graph.one("MatMul", weights, value), perm=[0, 2, 1, 3])
    mixed = graph.one("Reshape", mixed, graph.whole(0, 0, WIDTH))
    state = _residual(graph, tensors, f"{prefix}.attention.output", mixed, state)
    key_inner = f"{prefix}.intermediate.dense"
    inner = graph.linear(state, key_inner, tensors[f"{key_inner}.weight"], tensors[f"{key_inner}.bias"])
    return _residual(graph, tensors, f"{prefix}.output", _gelu(graph, inner), state)


def _residual(graph: Graph, tensors: Tensors, prefix: str, name: str, before: str) -> str:
    key = f"{prefix}.dense"
    out = graph.linear(name, key, tensors[f"{key}.weight"], tensors[f"{key}.bias"])
    return graph.normalised(graph.one("Add", out, before), tensors, f"{prefix}.LayerNorm")


def _gelu(graph: Graph, name: str) -> str:
    curve = graph.one("Erf", graph.one("Div", name, graph.number(math.sqrt(2))))
    raised = graph.one("Mul", name, graph.one("Add", curve, graph.number(1.0)))
    return graph.one("Mul", raised, graph.number(0.5))


def _pooled(graph: Graph, state: str, mask: str) -> None:
    """The mean over the words of a text, at length one."""
    wide = graph.one("Unsqueeze", mask, graph.whole(2))
    total = graph.one("ReduceSum", graph.one("Mul", state, wide), graph.whole(1), keepdims=0)
    length = graph.one("Sqrt", graph.one("ReduceSum", graph.one("Mul", total, total), graph.whole(1), keepdims=1))
    graph.nodes.append(helper.make_node("Div", [total, length], [OUTPUT], name="Div_last"))
