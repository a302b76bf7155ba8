"""The built embedder, shared by the whole session."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.embed import MiniLm, open_minilm
from scripts.build_embedder import FOLDER
from tests.support.weights import missing


@pytest.fixture(scope="session")
def built() -> Path:
    if not (FOLDER / "manifest.json").is_file():
        missing("the sentence embedder is not here: run `make embedder`")
    return FOLDER


@pytest.fixture(scope="session")
def minilm(built: Path) -> MiniLm:
    embedder = open_minilm(built)
    assert embedder is not None
    return embedder
