"""What an embedder's folder must hold: its files are checked against the manifest before one of them is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from docgemma.errors import BadInput
from docgemma.seal import CONTENT

FORMAT: Literal["docgemma-embedder-1"] = "docgemma-embedder-1"
MANIFEST, MODEL, VOCABULARY = "manifest.json", "model.onnx", "vocab.txt"
MEND = "Build it again with scripts/build_embedder.py."


class Manifest(BaseModel):
    """Written by the build beside the model."""

    model_config = ConfigDict(frozen=True)

    format: Literal["docgemma-embedder-1"]
    name: str
    dimensions: int = Field(gt=0)
    longest: int = Field(gt=2)
    files: dict[str, str]


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest, or None where no embedder lies."""
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


def verify(folder: Path, manifest: Manifest) -> None:
    """Refuse a folder in which a file is absent or is not the one that was built."""
    for name in (MODEL, VOCABULARY):
        try:
            whole = CONTENT.fits(manifest.files.get(name), folder / name)
        except OSError:
            raise BadInput(f"The embedder in {folder} is not used: {name} is missing. {MEND}") from None
        if not whole:
            raise BadInput(f"The embedder in {folder} is not used: {name} is damaged or was changed. {MEND}")
