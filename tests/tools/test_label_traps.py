"""What real labels and openFDA itself do to a careless reader, one trap a test, from the question to the result."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docgemma.clinical import ToolResult
from tests.support.fake_service import Said
from tests.support.labels import derived, record
from tests.support.pharmacy import Pharmacy, pharmacy

REFERENCE = re.compile(r"\(\s*\d{1,2}(?:\.\d{1,2})?\s*(?:,\s*\d{1,2}(?:\.\d{1,2})?\s*)*\)|\[\s*see", re.IGNORECASE)


def quotes(report: ToolResult) -> str:
    return "\n".join(source.quote or "" for source in report.sources)


async def test_trap_1_an_old_label_has_no_section_for_interactions(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [derived("haloperidol_legacy")]) as shop:
        assert "drug_interactions" not in shop.openfda.records[0]
        for partner, said in (("lithium", "lithium plus haloperidol"), ("warfarin", "anticoagulant")):
            report = await shop.interactions("haloperidol", partner)
            assert report.status == "found"
            assert said in quotes(report).lower()


async def test_trap_1_in_own_words(tmp_path: Path) -> None:
    old = record("haloperidol", warnings="WARNINGS Brain damage was seen in patients treated with lithium plus it.")
    async with pharmacy(tmp_path, [old]) as shop:
        report = await shop.interactions("haloperidol", "lithium")
    assert report.status == "found"
    assert "lithium plus it" in quotes(report)


async def test_trap_2_not_every_box_is_a_warning(tmp_path: Path) -> None:
    seal = "TAMPER EVIDENT: DO NOT USE IF SEAL UNDER CAP IS BROKEN OR MISSING."
    syrup = record("guaifenesin", kind="HUMAN OTC DRUG", boxed_warning=seal, warnings="Warnings Stop if cough lasts.")
    async with pharmacy(tmp_path, [syrup]) as shop:
        report = await shop.safety("guaifenesin")
    assert (report.status, report.boxed_warnings) == ("found", ())


async def test_trap_2_on_real_labels(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [derived("cough"), derived("haloperidol_legacy")]) as shop:
        syrup = await shop.safety("diphenhydramine")
        tablet = await shop.safety("haloperidol")
    assert syrup.boxed_warnings == ()
    boxed = " ".join(tablet.boxed_warnings)
    assert "increased risk of death" in boxed
    assert not re.search(r"\bmg\b", boxed), "dose tables stand in the same place"


@pytest.mark.parametrize("field", ["warnings", "warnings_and_cautions", "precautions", "general_precautions"])
async def test_trap_3_warnings_stand_in_whichever_section_there_is(field: str, tmp_path: Path) -> None:
    label = record("dofetilide", **{field: f"{field.upper()} It can cause fatal arrhythmia."})
    async with pharmacy(tmp_path, [label]) as shop:
        report = await shop.safety("dofetilide")
    assert any("fatal arrhythmia" in line for line in report.alerts)


async def test_trap_4_a_class_stands_for_its_members(tmp_path: Path) -> None:
    label = record("sildenafil", contraindications="4 CONTRAINDICATIONS Use with organic nitrates in any form.")
    async with pharmacy(tmp_path, [label]) as shop:
        report = await shop.interactions("sildenafil", "isosorbide mononitrate")
    assert (report.status, report.interactions[0].severity) == ("found", "contraindicated")
    assert "organic nitrates in any form" in quotes(report)
    assert "nitrate" in (report.interactions[0].via or "")


async def test_trap_5_what_stands_only_in_a_table_is_read_row_by_row(tmp_path: Path) -> None:
    table = (
        "<table><thead><tr><th>Interacting agent</th><th>What to do</th></tr></thead><tbody>"
        "<tr><td>Tipranavir plus ritonavir, cyclosporine</td><td>Avoid the statin</td></tr>"
        "<tr><td>Clarithromycin, itraconazole</td><td>No more than 20 mg a day</td></tr></tbody></table>"
    )
    label = record("atorvastatin", drug_interactions="7 DRUG INTERACTIONS See table.", drug_interactions_table=table)
    async with pharmacy(tmp_path, [label]) as shop:
        report = await shop.interactions("atorvastatin", "clarithromycin")
    first = report.interactions[0].quote or ""
    assert "No more than 20 mg" in first
    assert "Avoid the statin" not in first


async def test_trap_6_of_many_labels_the_makers_newest_is_read(tmp_path: Path) -> None:
    old = [
        record(
            "warfarin", id_=f"repack {number}", maker="Repackaging Inc", effective="20090101", warnings="WARNINGS Old."
        )
        for number in range(30)
    ]
    new = record("warfarin", original=True, effective="20250601", warnings="WARNINGS Bleeding can be fatal.")
    async with pharmacy(tmp_path, [*old[:5], new, *old[5:]]) as shop:
        report = await shop.safety("warfarin")
        assert all(int(question.params["limit"]) >= 10 for question in shop.openfda.questions)
    assert report.sources[0].date == "2025-06-01"
    assert any("fatal" in line for line in report.alerts)


async def test_trap_6_on_real_labels(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [derived("lipitor-repack"), derived("lipitor-orig")]) as shop:
        report = await shop.interactions("Lipitor", "clarithromycin")
    assert report.sources[0].date == "2014-01-13"


async def test_trap_7_a_label_that_openfda_has_no_names_for(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [record("dofetilide", brand="Tikosyn", harmonised=False)]) as shop:
        report = await shop.safety("dofetilide")
    assert (report.status, report.origin) == ("found", "live")


@pytest.mark.parametrize("drug", ["Lipitor", "Viagra", "haloperidol"])
async def test_trap_8_and_9_a_long_label_is_told_in_short_and_once(drug: str, tmp_path: Path) -> None:
    records = [derived(name) for name in ("viagra", "haloperidol_legacy", "lipitor-orig")]
    async with pharmacy(tmp_path, records) as shop:
        report = await shop.safety(drug)
    lines = [*report.boxed_warnings, *report.contraindications, *report.alerts]
    assert len(report.text()) < 8_000
    assert len({re.sub(r"\W", "", line.lower()) for line in lines}) == len(lines)
    assert not any(REFERENCE.search(line) for line in lines)


NO_ANSWERS = {
    "nothing under this name": (
        Said(404, {"error": {"code": "NOT_FOUND", "message": "No matches found!"}}),
        "not_found",
    ),
    "no such page": (Said(404, b"<html>"), "unavailable"),
    "no records in a good reply": (Said(200, {"meta": {}}), "unavailable"),
    "an empty reply": (Said(200, b""), "unavailable"),
    "a fault": (Said(500, {"error": {"code": "SERVER_ERROR", "message": "Own words"}}), "unavailable"),
    "too many questions": (Said(429, {"error": {"code": "OVER_RATE_LIMIT", "message": "Own words"}}), "unavailable"),
}


@pytest.mark.parametrize("name", NO_ANSWERS)
async def test_trap_10_no_answer_is_never_safe(name: str, tmp_path: Path) -> None:
    said, status = NO_ANSWERS[name]
    async with pharmacy(tmp_path, [], tool_deadline_s=5) as shop:
        shop.openfda.always = said
        safety, pair = await _asked(shop)
    assert safety.status == status
    assert pair.status in ("not_found", "unavailable")
    for report in (safety, pair):
        assert report.not_checked
        assert not re.search(r"\bno (?:boxed )?(?:warning|interaction)|safe to\b", report.text().lower())


async def _asked(shop: Pharmacy) -> tuple[ToolResult, ToolResult]:
    return await shop.safety("dofetilide"), await shop.interactions("loratadine", "amoxicillin")
