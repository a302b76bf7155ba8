"""Seals: what was stored by an earlier version still fits, and nothing that was changed does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.audit.chain import COLUMNS, seal
from docgemma.knowledge.entry import Entry, id_from
from docgemma.knowledge.index.seals import sealed as sealed_files
from docgemma.orders.ledger.seal import COLUMNS as LEDGER
from docgemma.orders.ledger.seal import sealed
from docgemma.seal import BRIEF, CHART, CONTENT, DESCRIBED, PACKED, RECORD, SUMMED, Seal
from docgemma.sources.pack.rows import record
from docgemma.store.ids import new_image_id, session_id_for

ENTRY = Entry(id="e1", question="Câu hỏi?", answer="A", role="patient", topic="T", language="vi", source="S")
QUESTION = "208a8295ab237dd27a6b3c9a2d46cbeaa22a0a379ce1ac2500c49fa9d7685f0b"
AUDIT_ROW = {name: 1 if name in ("count", "position") else f"{name} é" for name in COLUMNS}

EARLIER: dict[str, tuple[object, object]] = {
    "row of a chart": (CHART.of("version", 7, "Patient", "é", 1, ""), -5882152279488495672),
    "row of the audit log": (
        seal(AUDIT_ROW),
        "a196b45a5b9a1ee30ea49fb0717ed686caf499913c86675a66a86391146823f7",
    ),
    "row of the ledger": (
        sealed({name: name for name in LEDGER}),
        "39818a7d12e97f89a5fe42cc0dfe036a847a71f6275b096ae44128128c866a7b",
    ),
    "row of a pack": (PACKED.of(b"about", b"{}").hex(), "9ce2b06950954e852d4aab1d6c70d0f9"),
    "record of a pack": (PACKED.of(*record("label", 3, b"x")).hex(), "0f3d10ebab27dc0bd573ec968f6c36d1"),
    "description of a pack": (DESCRIBED.of(rb'{"a": "\u00e9", "b": 1}'), "b11de8bc683ddbc1efc0dc467c8122d8"),
    "all records of a pack": (SUMMED.of(b"one", b"two"), "c9f4d818f26a906691e3a222ecb5afc3"),
    "kept reply": (
        BRIEF.of(f"{QUESTION}\nx.example\n2026-01-01T00:00:00.000+00:00\n200\n0\n", b"packed"),
        "7fb2e8931dc4ec332b8954afb52133a8",
    ),
    "entry": (ENTRY.digest, "1c9cccdfee2c810f987767741eeaa939ce3796f20c2d7bafa7da8a7475959f57"),
    "name of an entry": (id_from("patient", "vi", "Câu  hỏi?"), "q-949914ed50e6ee99"),
    "image": (new_image_id("s", b"pix", "{}", b"d", b"f"), "img-d078bb48c67a9a65421afdf66db9109d"),
    "image of nobody": (new_image_id(None, b"pix"), "img-c7e23d8202fb4a9d4c9f9f711e21c036"),
    "session of a question": (session_id_for("o\ud800", "t"), "qvfs189c3d6x"),
    "text": (CONTENT.of("s\ud800"), "9a2df202e140b3452cb3f21fb09010014d670a648f1ddef9be6ae629665b214a"),
}


@pytest.mark.parametrize("what", EARLIER)
def test_what_was_sealed_before_still_fits(what: str) -> None:
    """Each is what an earlier version stored: a change here makes its files look damaged."""
    now, stored = EARLIER[what]
    assert now == stored


def test_a_file_is_sealed_by_its_bytes_and_an_index_file_by_its_blocks(tmp_path: Path) -> None:
    file = tmp_path / "segment.bin"
    file.write_bytes(b"a" * 70_000 + bytes(200_000) + b"b")
    (stored,) = sealed_files(tmp_path).values()
    assert stored.digest == "61450dcc41f0bcc9b3a8a3e6be24085269c8418281176b7b58f8645dad57ef4b"
    assert CONTENT.fits(CONTENT.of(file.read_bytes()), file)
    with pytest.raises(FileNotFoundError):
        CONTENT.fits(stored.digest, tmp_path / "gone")


texts = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8)
KINDS: dict[str, tuple[Seal[Any], st.SearchStrategy[Any]]] = {
    "content": (CONTENT, st.binary(max_size=8) | texts),
    "brief": (BRIEF, st.binary(max_size=8)),
    "record": (RECORD, st.dictionaries(texts, texts | st.integers(), max_size=3)),
    "packed": (PACKED, st.binary(max_size=8)),
    "described": (DESCRIBED, st.binary(max_size=8)),
    "chart": (CHART, texts | st.integers()),
}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, derandomize=True, deadline=None)
@given(data=st.data())
def test_only_what_was_sealed_fits(kind: str, data: st.DataObject) -> None:
    way, part = KINDS[kind]
    parts = data.draw(st.lists(part, min_size=1, max_size=4))
    stored = way.of(*parts)
    assert way.fits(stored, *parts)
    place = data.draw(st.integers(0, len(parts) - 1))
    other = data.draw(
        part.filter(lambda value: repr(value) != repr(parts[place]) and _raw(value) != _raw(parts[place]))
    )
    assert not way.fits(stored, *parts[:place], other, *parts[place + 1 :])
    assert not way.fits(None, *parts)


@pytest.mark.parametrize("way", [CONTENT, BRIEF, PACKED, DESCRIBED], ids=["content", "brief", "packed", "described"])
@pytest.mark.parametrize("part", [None, 1, 1.5, ["x"]])
def test_what_was_never_sealed_is_damage_and_no_error(way: Seal[Any], part: object) -> None:
    assert not way.fits(way.of(b""), part)
    assert not RECORD.fits("", {"a": b"bytes"})


def _raw(value: object) -> object:
    return value.encode() if isinstance(value, str) else str(value).encode() if isinstance(value, int) else value
