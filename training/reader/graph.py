"""The trained reader as one ONNX file: whole-number weights, written node by node, the same bytes for the same weights.

Inputs: ids, segments, features, mask, message (1 for tokens of the message). Outputs: chances of tools, relation,
flags (one row a text) and of tags and owners (one row a token).
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx import load as load_model

from docgemma.reader.inputs import LONGEST
from scripts.minilm_graph import HEADS, HIDDEN_SCORE, IR_VERSION, LAYERS, OPSET, STEPS, WIDTH, Graph, quantised
from training.reader import base

INPUTS = ("ids", "segments", "features", "mask", "message")
PLACES = "embeddings.position_embeddings.weight"
PLAIN = tuple(f"{head}.weight" for head in ("tools", "relation", "flags", "tags", "owner", "looks"))
OUTPUTS = ("tools", "relation", "flags", "tags", "owner")
Weights = dict[str, NDArray[np.float32]]


def serialised(weights: Weights) -> bytes:
    """The whole model, int8."""
    graph = Graph()
    state = _embedded(graph, weights)
    hidden = graph.one("Mul", graph.one("Sub", graph.number(1.0), graph.cast("mask")), graph.number(HIDDEN_SCORE))
    hidden = graph.one("Unsqueeze", hidden, graph.whole(1, 2))
    for number in range(LAYERS):
        state = _layer(graph, weights, f"layers.{number}", state, hidden)
    pooled = _pooled(graph, state)
    for name, source, sigmoid in (
        ("tools", pooled, True),
        ("relation", pooled, False),
        ("flags", pooled, True),
        ("tags", state, False),
        ("owner", state, False),
    ):
        logits = _plain_linear(graph, weights, name, source)
        if name == "tools":
            logits = graph.one("Add", logits, _own_words(graph, weights, state))
        kind = "Sigmoid" if sigmoid else "Softmax"
        graph.nodes.append(
            helper.make_node(kind, [logits], [name], name=f"{kind}_{name}", **({} if sigmoid else {"axis": -1}))
        )
    ins = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "words"]) for name in INPUTS]
    outs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in OUTPUTS]
    body = helper.make_graph(graph.nodes, "reader", ins, outs, list(graph.constants.values()))
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="docgemma")
    model.ir_version = IR_VERSION
    return bytes(model.SerializeToString(deterministic=True))


def restored(path: Path) -> Weights:
    """The weights of a file that `serialised` wrote, as exact as its whole numbers are: good enough to train on."""
    tensors = {each.name: numpy_helper.to_array(each) for each in load_model(path).graph.initializer}
    found: Weights = {}
    for name, value in tensors.items():
        if name.endswith(".weight") and f"{name[:-7]}.scale" in tensors:
            value = (value * tensors[f"{name[:-7]}.scale"]).T
        elif name == "words":
            name, value = "words.weight", value * tensors["words.scale"]
        elif name == "places":
            name, value = "places.weight", np.vstack([value, base.load()[PLACES][len(value) :]])
        elif name.endswith(".table"):
            name = f"{name[:-6]}.weight"
        elif name in PLAIN:
            value = value.T
        elif not name.endswith((".weight", ".bias")):
            continue
        found[name] = np.ascontiguousarray(value, dtype=np.float32)
    return found


def _embedded(graph: Graph, weights: Weights) -> str:
    table, scale = quantised(weights["words.weight"], STEPS, axis=1)
    rows = graph.cast(graph.one("Gather", graph.constant("words", table), "ids"))
    scales = graph.one("Gather", graph.constant("words.scale", scale[:, None]), "ids")
    length = graph.one("Slice", graph.one("Shape", "ids"), graph.whole(1), graph.whole(2))
    places = graph.constant("places", weights["places.weight"][:LONGEST])
    here = graph.one("Slice", places, graph.whole(0), length, graph.whole(0))
    total = graph.one("Add", graph.one("Mul", rows, scales), here)
    for name in ("segments", "features"):
        total = graph.one(
            "Add", total, graph.one("Gather", graph.constant(f"{name}.table", weights[f"{name}.weight"]), name)
        )
    return _normalised(graph, weights, "norm", total)


def _layer(graph: Graph, weights: Weights, prefix: str, state: str, hidden: str) -> str:
    asked = _linear(graph, weights, f"{prefix}.qkv", state)
    shape = graph.whole(0, 0, 3 * HEADS, WIDTH // HEADS)
    heads = graph.one("Transpose", graph.one("Reshape", asked, shape), perm=[0, 2, 1, 3])
    query, key, value = graph.add("Split", [heads, graph.whole(HEADS, HEADS, HEADS)], outputs=3, axis=1)
    scores = graph.one("MatMul", query, graph.one("Transpose", key, perm=[0, 1, 3, 2]))
    scores = graph.one("Mul", scores, graph.number(1 / math.sqrt(WIDTH // HEADS)))
    mixed = graph.one("MatMul", graph.one("Softmax", graph.one("Add", scores, hidden), axis=-1), value)
    mixed = graph.one("Reshape", graph.one("Transpose", mixed, perm=[0, 2, 1, 3]), graph.whole(0, 0, WIDTH))
    state = _normalised(
        graph, weights, f"{prefix}.norm1", graph.one("Add", _linear(graph, weights, f"{prefix}.out", mixed), state)
    )
    inner = _linear(graph, weights, f"{prefix}.up", state)
    curve = graph.one("Erf", graph.one("Div", inner, graph.number(math.sqrt(2))))
    inner = graph.one("Mul", graph.one("Mul", inner, graph.one("Add", curve, graph.number(1.0))), graph.number(0.5))
    out = _linear(graph, weights, f"{prefix}.down", inner)
    return _normalised(graph, weights, f"{prefix}.norm2", graph.one("Add", out, state))


def _pooled(graph: Graph, state: str) -> str:
    """First token, mean and maximum over the message's tokens, side by side."""
    weight = graph.one("Unsqueeze", graph.cast("message"), graph.whole(2))
    total = graph.one("ReduceSum", graph.one("Mul", state, weight), graph.whole(1), keepdims=0)
    mean = graph.one("Div", total, graph.one("ReduceSum", weight, graph.whole(1), keepdims=0))
    far = graph.one("Mul", graph.one("Sub", graph.number(1.0), weight), graph.number(-1e4))
    shown = graph.one("Add", graph.one("Mul", state, weight), far)
    most = graph.one("ReduceMax", shown, axes=[1], keepdims=0)
    first = graph.one(
        "Squeeze", graph.one("Slice", state, graph.whole(0), graph.whole(1), graph.whole(1)), graph.whole(1)
    )
    return graph.one("Concat", first, mean, most, axis=1)


def _own_words(graph: Graph, weights: Weights, state: str) -> str:
    """What each tool sees in the words that it looks at: attention over the message's tokens, one query a tool."""
    outside = graph.one("Sub", graph.number(1.0), graph.one("Unsqueeze", graph.cast("message"), graph.whole(2)))
    looks = graph.one(
        "Add", _plain_linear(graph, weights, "looks", state), graph.one("Mul", outside, graph.number(-1e4))
    )
    where = graph.one("Transpose", graph.one("Softmax", looks, axis=1), perm=[0, 2, 1])
    seen = graph.one("Mul", graph.one("MatMul", where, state), graph.constant("seen.weight", weights["seen.weight"]))
    return graph.one("ReduceSum", seen, graph.whole(2), keepdims=0)


def _linear(graph: Graph, weights: Weights, prefix: str, name: str) -> str:
    return graph.linear(name, prefix, weights[f"{prefix}.weight"], weights[f"{prefix}.bias"])


def _plain_linear(graph: Graph, weights: Weights, prefix: str, name: str) -> str:
    """The heads stay 32-bit: they are small, and thresholds hang on them."""
    product = graph.one("MatMul", name, graph.constant(f"{prefix}.weight", weights[f"{prefix}.weight"].T))
    return graph.one("Add", product, graph.constant(f"{prefix}.bias", weights[f"{prefix}.bias"]))


def _normalised(graph: Graph, weights: Weights, prefix: str, name: str) -> str:
    scale = graph.constant(f"{prefix}.weight", weights[f"{prefix}.weight"])
    return graph.one(
        "LayerNormalization",
        name,
        scale,
        graph.constant(f"{prefix}.bias", weights[f"{prefix}.bias"]),
        axis=-1,
        epsilon=1e-12,
    )
