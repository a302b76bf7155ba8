"""The encoder with its heads in PyTorch, and its numbers as the export writes them."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from docgemma.reader.inputs import FEATURES
from docgemma.reader.labels import ASKS, FLAGS, RELATIONS, TAGS

LAYERS, HEADS, WIDTH, INNER = 6, 12, 384, 1536
POOLED = 3 * WIDTH
OWNERS = len(ASKS)


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up = nn.Linear(WIDTH, INNER)
        self.down = nn.Linear(INNER, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, x: Tensor, mask: Tensor, drop: float) -> Tensor:
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # dropout there would cost the fast kernel
        mixed = self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH))
        x = self.norm1(x + F.dropout(mixed, drop, self.training))
        inner = self.down(F.gelu(self.up(x)))
        return self.norm2(x + F.dropout(inner, drop, self.training))


class ReaderModel(nn.Module):
    """ids, segments, features, mask, message mask in; a dictionary of logits out.

    A tool is judged by the message as a whole and by the words that this tool looks at: in a message with several
    requests each has words of its own.
    """

    def __init__(self, drop: float = 0.1) -> None:
        super().__init__()
        self.drop = drop
        self.words = nn.Embedding(30522, WIDTH)
        self.places = nn.Embedding(512, WIDTH)
        self.segments = nn.Embedding(2, WIDTH)
        self.features = nn.Embedding(FEATURES, WIDTH)
        nn.init.zeros_(self.features.weight)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.tools = nn.Linear(POOLED, len(ASKS))
        self.looks = nn.Linear(WIDTH, len(ASKS))
        self.seen = nn.Linear(WIDTH, len(ASKS), bias=False)
        self.relation = nn.Linear(POOLED, len(RELATIONS))
        self.flags = nn.Linear(POOLED, len(FLAGS))
        self.tags = nn.Linear(WIDTH, len(TAGS))
        self.owner = nn.Linear(WIDTH, OWNERS)

    def forward(
        self, ids: Tensor, segments: Tensor, features: Tensor, mask: Tensor, message: Tensor
    ) -> dict[str, Tensor]:
        drop = self.drop if self.training else 0.0
        length = ids.shape[1]
        x = self.words(ids) + self.places.weight[:length] + self.segments(segments) + self.features(features)
        x = F.dropout(self.norm(x), drop, self.training)
        bias = torch.zeros_like(mask, dtype=x.dtype).masked_fill(mask == 0, -1e9)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, bias, drop)
        weight = message[:, :, None].to(x.dtype)
        mean = (x * weight).sum(1) / weight.sum(1).clamp(min=1)
        most = x.masked_fill(message[:, :, None] == 0, -1e4).amax(1)
        pooled = F.dropout(torch.cat([x[:, 0], mean, most], dim=1), drop, self.training)
        token = F.dropout(x, drop, self.training)
        where = self.looks(token).masked_fill(message[:, :, None] == 0, -1e4).softmax(1)
        own = torch.einsum("bwa,bwd->bad", where, token)
        return {
            "tools": self.tools(pooled) + (own * self.seen.weight).sum(-1),
            "relation": self.relation(pooled),
            "flags": self.flags(pooled),
            "tags": self.tags(token),
            "owner": self.owner(token),
        }

    def load_base(self, base: dict[str, np.ndarray]) -> None:
        """The published encoder's weights; heads and features stay as they are."""

        def put(target: Tensor, *names: str) -> None:
            value = np.concatenate([base[name] for name in names]) if len(names) > 1 else base[names[0]]
            target.data.copy_(torch.from_numpy(np.ascontiguousarray(value)))

        put(self.words.weight, "embeddings.word_embeddings.weight")
        put(self.places.weight, "embeddings.position_embeddings.weight")
        put(self.segments.weight, "embeddings.token_type_embeddings.weight")
        put(self.norm.weight, "embeddings.LayerNorm.weight")
        put(self.norm.bias, "embeddings.LayerNorm.bias")
        for number, layer in enumerate(self.layers):
            head = f"encoder.layer.{number}"
            for part in ("weight", "bias"):
                put(
                    getattr(layer.qkv, part),
                    *(f"{head}.attention.self.{name}.{part}" for name in ("query", "key", "value")),
                )
                put(getattr(layer.out, part), f"{head}.attention.output.dense.{part}")
                put(getattr(layer.norm1, part), f"{head}.attention.output.LayerNorm.{part}")
                put(getattr(layer.up, part), f"{head}.intermediate.dense.{part}")
                put(getattr(layer.down, part), f"{head}.output.dense.{part}")
                put(getattr(layer.norm2, part), f"{head}.output.LayerNorm.{part}")
