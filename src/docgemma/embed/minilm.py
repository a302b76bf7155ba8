"""MiniLM: a small English sentence embedder that runs on a laptop's processor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docgemma.embed.manifest import MODEL, VOCABULARY, Manifest, read_manifest, verify
from docgemma.embed.wordpiece import WordPiece
from docgemma.errors import Unavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NOT_INSTALLED = "The sentence embedder needs onnxruntime: install docgemma with the extra 'embed'."
_TOGETHER = 32
"""Texts in one run: enough to keep the processor busy, few enough to stay small in memory."""


class MiniLm:
    """A checked model in memory."""

    def __init__(self, session: Any, tokens: WordPiece, manifest: Manifest) -> None:
        self._session = session
        self._tokens = tokens
        self._manifest = manifest

    @property
    def name(self) -> str:
        return self._manifest.name

    @property
    def dimensions(self) -> int:
        return self._manifest.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts of like length go together, so that little is computed for padding."""
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        tokens = [self._tokens.ids(text, self._manifest.longest) for text in texts]
        order = sorted(range(len(texts)), key=lambda row: len(tokens[row]))
        for first in range(0, len(order), _TOGETHER):
            rows = order[first : first + _TOGETHER]
            vectors[rows] = self._run([tokens[row] for row in rows])
        return vectors

    def _run(self, tokens: Sequence[list[int]]) -> NDArray[np.float32]:
        import numpy as np

        longest = max(map(len, tokens))
        ids = np.zeros((len(tokens), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, numbers in enumerate(tokens):
            ids[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1
        found: list[NDArray[np.float32]] = self._session.run(None, {"input_ids": ids, "attention_mask": mask})
        return found[0]


def open_minilm(folder: Path, *, threads: int = 1) -> MiniLm | None:
    """The embedder in this folder; None when there is none. A damaged one is refused, a missing library named.

    One thread is best for a sentence: more spend their time waiting for each other.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        return None
    verify(folder, manifest)
    try:
        import onnxruntime as ort
    except ImportError:
        raise Unavailable(NOT_INSTALLED) from None
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    options.log_severity_level = 3
    session = ort.InferenceSession(str(folder / MODEL), options, providers=["CPUExecutionProvider"])
    return MiniLm(session, WordPiece.read(folder / VOCABULARY), manifest)
