"""Sentence vectors: texts of like meaning lie near each other. Optional; whoever uses them can do without."""

from docgemma.embed.minilm import Embedder, MiniLm, open_minilm

__all__ = ["Embedder", "MiniLm", "open_minilm"]
