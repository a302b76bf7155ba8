"""MiniLM: a small English sentence embedder that runs on a laptop's processor.

Its folder is checked against the manifest before one of its files is read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from docgemma.embed.wordpiece import WordPiece
from docgemma.errors import BadInput, Unavailable
from docgemma.seal import CONTENT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT: Literal["docgemma-embedder-1"] = "docgemma-embedder-1"
MANIFEST, MODEL, VOCABULARY = "manifest.json", "model.onnx", "vocab.txt"
MEND = "Build it again with scripts/build_embedder.py."
NOT_INSTALLED = "The sentence embedder needs onnxruntime: install docgemma with the extra 'embed'."
_TOGETHER = 32
"""Texts in one run: enough to keep the processor busy, few enough to stay small in memory."""


class Embedder(Protocol):
    """Turns texts into vectors of length one, so that a dot product is their similarity.

    A text has the same vector alone and among others: what was stored yesterday compares with what is asked today.
    """

    @property
    def name(self) -> str:
        """Which model it is; vectors of two names do not compare."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text, in order. A long text is read up to the model's limit."""
        ...


class Manifest(BaseModel):
    """Written by the build beside the model. `files` are sha256 by name."""

    model_config = ConfigDict(frozen=True)

    format: Literal["docgemma-embedder-1"]
    name: str
    dimensions: int = Field(gt=0)
    longest: int = Field(gt=2)
    files: dict[str, str]


class MiniLm:
    """A checked model in memory."""

    def __init__(self, session: Any, tokens: WordPiece, manifest: Manifest) -> None:
        self._session = session
        self._tokens = tokens
        self._longest = manifest.longest
        self.name = manifest.name
        self.dimensions = manifest.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts of like length go together, so that little is computed for padding."""
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        tokens = [self._tokens.ids(text, self._longest) for text in texts]
        order = sorted(range(len(texts)), key=lambda row: len(tokens[row]))
        for first in range(0, len(order), _TOGETHER):
            rows = order[first : first + _TOGETHER]
            ids = np.zeros((len(rows), len(tokens[rows[-1]])), dtype=np.int64)
            mask = np.zeros_like(ids)
            for place, row in enumerate(rows):
                ids[place, : len(tokens[row])] = tokens[row]
                mask[place, : len(tokens[row])] = 1
            vectors[rows] = self._session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return vectors


def open_minilm(folder: Path, *, threads: int = 1) -> MiniLm | None:
    """The embedder in this folder; None when there is none.

    BadInput for one that is damaged, Unavailable where the library is missing. One thread is best for a sentence: more
    spend their time waiting for each other.
    """
    manifest = _manifest(folder)
    if manifest is None:
        return None
    for name in (MODEL, VOCABULARY):
        try:
            whole = CONTENT.fits(manifest.files.get(name), folder / name)
        except OSError:
            raise BadInput(f"The embedder in {folder} is not used: {name} is missing. {MEND}") from None
        if not whole:
            raise BadInput(f"The embedder in {folder} is not used: {name} is damaged or was changed. {MEND}")
    try:
        import onnxruntime as ort
    except ImportError:
        raise Unavailable(NOT_INSTALLED) from None
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    options.log_severity_level = 3
    session = ort.InferenceSession(str(folder / MODEL), options, providers=["CPUExecutionProvider"])
    return MiniLm(session, WordPiece.read(folder / VOCABULARY), manifest)


def _manifest(folder: Path) -> Manifest | None:
    try:
        text = (folder / MANIFEST).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BadInput(f"The embedder in {folder} cannot be read: {error.strerror}.") from None
    try:
        return Manifest.model_validate(json.loads(text))
    except (ValueError, ValidationError):
        raise BadInput(f"The embedder in {folder} is not used: its {MANIFEST} is not one we wrote. {MEND}") from None
