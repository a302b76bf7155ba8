"""Charts of fictional people that another program made, where they lie beside the checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from docgemma.ehr.contract import Resource
from docgemma.ehr.fhir_json import loads

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "ehr"

needs_synthea = pytest.mark.skipif(not FOLDER.is_dir(), reason="the Synthea charts are not beside the checkout")


@cache
def bundles() -> tuple[Resource, ...]:
    """Every bundle, in the order of the file names. They are shared: copy before you change one."""
    return tuple(loads(path.read_bytes()) for path in sorted(FOLDER.glob("*.json")))


def resources() -> list[Resource]:
    return [entry["resource"] for bundle in bundles() for entry in bundle["entry"]]
