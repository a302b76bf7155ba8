"""Where the small real model for tests is, and what happens when it is not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

from scripts.fetch_weights import FILE_NAME, FOLDER


def missing(what: str) -> NoReturn:
    """A developer may go without; a build that claims to have tested real engines may not."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def smollm2_path() -> Path:
    """SmolLM2-135M-Instruct as fetched, or the GGUF that DOCGEMMA_TEST_GGUF names."""
    named = os.environ.get("DOCGEMMA_TEST_GGUF")
    for path in (FOLDER / FILE_NAME, Path(named) if named else None):
        if path is not None and path.is_file():
            return path
    missing("the SmolLM2 weights are not here: run `make weights`, or set DOCGEMMA_TEST_GGUF to a GGUF file")
