"""The drug checks over a built pack, on a machine whose network is cut: whole labels, so even `none` can be said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docgemma.config import Settings
from docgemma.sources.pack.labels.build import build
from tests.support.labels import Record, record
from tests.support.pharmacy import CUT_OFF, pharmacy

DATE = "2026-08-11"
RECORDS = [
    record(
        "warfarin sodium",
        substances=["warfarin"],
        boxed_warning="WARNING: BLEEDING RISK Warfarin can cause major or fatal bleeding.",
        contraindications="4 CONTRAINDICATIONS Pregnancy. Active bleeding.",
        drug_interactions="7 DRUG INTERACTIONS Nonsteroidal anti-inflammatory drugs raise the risk of bleeding.",
    ),
    record("ibuprofen", warnings="WARNINGS Stomach bleeding."),
    record("loratadine", warnings="WARNINGS Ask a doctor first in liver disease."),
    record("amoxicillin", contraindications="4 CONTRAINDICATIONS Serious allergy to a penicillin."),
]


def put_pack(home: Path, records: list[Record]) -> None:
    part = home / "drug-label-0001-of-0001.json"
    home.mkdir(parents=True, exist_ok=True)
    part.write_text(json.dumps({"meta": {"last_updated": DATE}, "results": records}), encoding="utf-8")
    build([part], Settings(home=home).packs_folder)


@pytest.mark.parametrize("sources", ["auto", "pack"])
async def test_a_built_pack_answers_in_full(sources: str, tmp_path: Path) -> None:
    put_pack(tmp_path, RECORDS)
    async with pharmacy(tmp_path, [], sources=sources, **CUT_OFF) as shop:
        safety = await shop.safety("Coumadin")
        found = await shop.interactions("warfarin", "ibuprofen")
        none = await shop.interactions("loratadine", "amoxicillin")
        outside = await shop.interactions("loratadine", "dofetilide")
        unknown = await shop.safety("Blorbizumab-xq")
    assert (safety.status, safety.origin, safety.data_date, safety.demonstration) == ("found", "pack", DATE, False)
    assert any("fatal bleeding" in line for line in safety.boxed_warnings)
    assert found.status == "found"
    assert any(each.quote and "raise the risk of bleeding" in each.quote for each in found.interactions)
    assert (none.status, none.unmentioned) == ("none", ("loratadine with amoxicillin",))
    assert outside.status == "unavailable" and outside.not_checked
    assert unknown.status == ("not_found" if sources == "pack" else "unavailable")


async def test_a_damaged_pack_is_no_answer_and_does_not_stop_the_starter_pack(tmp_path: Path) -> None:
    put_pack(tmp_path, RECORDS)
    (database,) = tmp_path.glob("packs/*/labels.sqlite")
    database.write_bytes(database.read_bytes()[:4096] + bytes(40_000))
    async with pharmacy(tmp_path, [], sources="pack") as shop:
        report = await shop.safety("warfarin")
        none = await shop.interactions("loratadine", "amoxicillin")
    assert (report.status, report.demonstration) == ("found", True)
    assert any("pack" in line for line in report.not_checked)
    assert none.status == "unavailable"
