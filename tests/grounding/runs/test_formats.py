"""What an output looks like to whoever loads it: the same bytes each time, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from docgemma.grounding.contract import Entity, Grounded, Window
from docgemma.grounding.runs import omop
from docgemma.grounding.runs.formats import format_of
from tests.grounding.runs.jobs import candidate, criterion, entity, run_to


def line(*entities: Entity, **more: Any) -> Grounded:
    return Grounded(
        criterion_id="c1", protocol_id="P1", batch_id="b1", type="exclusion", text="x", entities=entities, **more
    )


def rows(given: Grounded) -> list[dict[str, str]]:
    text = (omop.header() + omop.rows(given)).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def sure(text: str, kind: str = "Condition", **more: Any) -> Entity:
    found = {"status": "grounded", "umls_cui": "C1", "preferred_term": text, "grounding_confidence": 0.9}
    return entity(text, entity_type=kind, **(found | more))


@pytest.mark.parametrize(
    ("kind", "domain"),
    [
        ("Condition", "Condition"),
        ("Medication", "Drug"),
        ("Procedure", "Procedure"),
        ("Lab_Value", "Measurement"),
        ("Demographic", "Observation"),
        ("Biomarker", "Measurement"),
    ],
)
def test_domains(kind: str, domain: str) -> None:
    [row] = rows(line(sure("x", kind)))
    assert (row["domain_id"], row["concept_id"], row["criterion_type"]) == (domain, "0", "exclusion")


IDS = {"LOINC": ("4548-4",), "RXNORM": ("6809",), "MESH": ("D1", "D2")}


@pytest.mark.parametrize(
    ("kind", "snomed", "ids", "vocabulary", "code"),
    [
        ("Medication", "1", IDS, "RxNorm", "6809"),
        ("Lab_Value", "1", IDS, "LOINC", "4548-4"),
        ("Condition", "1", IDS, "SNOMED", "1"),
        ("Condition", None, {"MESH": ("D1", "D2")}, "MeSH", "D1"),
        ("Condition", None, {}, "UMLS", "C1"),
    ],
)
def test_the_source_code_is_the_one_that_its_domain_is_mapped_by(
    kind: str, snomed: str | None, ids: dict[str, tuple[str, ...]], vocabulary: str, code: str
) -> None:
    [row] = rows(line(sure("x", kind, snomed_code=snomed, candidates=(candidate("x", ids=ids),))))
    assert (row["source_vocabulary_id"], row["source_concept_code"]) == (vocabulary, code)


def test_what_waits_for_an_expert_carries_no_code() -> None:
    [row] = rows(line(entity("asthma", umls_cui="C1", snomed_code="1", preferred_term="Asthma", reason="Unsure.")))
    assert {row[name] for name in ("umls_cui", "snomed_code", "source_concept_code", "source_concept_name")} == {""}
    assert (row["status"], row["reason"], row["source_value"]) == ("expert_review", "Unsure.", "asthma")


@pytest.mark.parametrize(
    ("value", "number", "words"),
    [
        ("-2.5", "-2.5", "-2.5"),
        ("7.5", "7.5", "7.5"),
        ("+1", "+1", "+1"),
        ("-1+cmd|' /C calc'!A0", "", "'-1+cmd|' /C calc'!A0"),
        ("=2*3", "", "'=2*3"),
        ("-", "", "'-"),
        ("1e5", "", "1e5"),
        ("１", "", "１"),
    ],
)
def test_a_number_stays_one_and_a_formula_becomes_text(value: str, number: str, words: str) -> None:
    [row] = rows(line(sure("T-score", "Lab_Value", comparator="<=", value=value)))
    assert (row["operator"], row["value_as_number"], row["value_as_string"]) == ("<=", number, words)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "＝"], ids=repr)
def test_no_cell_of_text_begins_with_what_a_spreadsheet_runs(start: str) -> None:
    text = f"{start}cmd|' /C calc'!A0"
    given = line(sure(text, reason=text, unit=text, time=Window(text=text, anchor=text)))
    [row] = rows(given.model_copy(update={"criterion_id": text, "protocol_id": text}))
    found = [value for name, value in row.items() if "calc" in value and name != "entity_id"]
    assert len(found) == 8 and all(value.startswith("'") for value in found)


def test_ranges_windows_and_lines_in_a_text() -> None:
    window = Window(text="within 6 months", comparator="<=", value="6", unit="month", anchor="screening")
    age = sure(
        "age", "Demographic", comparator="between", value="18", upper="65", unit="years", time=window, negated=True
    )
    [row] = rows(line(age.model_copy(update={"text": 'age,\n"x"'})))
    assert row["source_value"] == 'age,\n"x"'
    assert (row["value_as_number"], row["value_upper_as_number"], row["value_as_string"]) == ("18", "65", "18 to 65")
    assert [row[name] for name in omop.COLUMNS if name.startswith("window")] == [
        "<=",
        "6",
        "month",
        "screening",
        "within 6 months",
    ]
    assert row["negated"] == "1"


def test_a_criterion_that_failed_is_seen_in_the_table_too() -> None:
    [row] = rows(line(error="The terminology is gone."))
    assert (row["status"], row["reason"]) == ("error", "The terminology is gone.")
    assert rows(line()) == []


def test_lines_have_the_keys_of_the_contract_in_its_order() -> None:
    data = format_of("jsonl").line(line(entity("ALT ≥ 3")))
    assert data.endswith(b"\n") and data.count(b"\n") == 1 and "≥".encode() in data
    read = json.loads(data)
    assert list(read) == list(Grounded.model_fields)
    assert list(read["entities"][0]) == list(Entity.model_fields)


async def test_a_table_is_resumed_like_lines(tmp_path: Path) -> None:
    entries = [criterion(n) for n in range(12)]
    path = tmp_path / "out.csv"
    await run_to(path, str(tmp_path / "db"), entries[:5], kind="omop")
    await run_to(path, str(tmp_path / "db"), entries, kind="omop")
    await run_to(tmp_path / "whole.csv", str(tmp_path / "other"), entries, kind="omop")
    assert path.read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert [row.split(",")[0] for row in path.read_text().splitlines()[1::2]] == [f"c{n}" for n in range(12)]
