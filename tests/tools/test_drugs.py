"""The two drug checks from question to result, over services on real sockets."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.clinical import People, holding, withheld
from tests.support.fake_service import Said
from tests.support.labels import derived, record
from tests.support.pharmacy import CUT_OFF, pharmacy

WARFARIN = record(
    "warfarin sodium",
    brand="Coumadin",
    substances=["warfarin"],
    boxed_warning="WARNING: BLEEDING RISK Warfarin can cause major or fatal bleeding.",
    contraindications="4 CONTRAINDICATIONS Pregnancy. Active bleeding.",
    drug_interactions="7 DRUG INTERACTIONS Nonsteroidal anti-inflammatory drugs raise the risk of bleeding.",
    warnings_and_cautions="5 WARNINGS AND PRECAUTIONS 5.1 Tissue Necrosis Skin necrosis has been fatal.",
)
IBUPROFEN = record(
    "ibuprofen",
    boxed_warning="WARNING: CARDIOVASCULAR AND GASTROINTESTINAL RISK NSAIDs raise the risk of heart attack and stroke.",
    contraindications="4 CONTRAINDICATIONS Asthma after aspirin.",
    warnings_and_cautions="5 WARNINGS AND PRECAUTIONS Watch blood pressure during treatment.",
)
LORATADINE = record(
    "loratadine",
    contraindications="4 CONTRAINDICATIONS Hypersensitivity to loratadine.",
    warnings_and_cautions="5 WARNINGS AND PRECAUTIONS Start lower in severe liver disease.",
    drug_interactions="7 DRUG INTERACTIONS No study was made with food.",
)
AMOXICILLIN = record(
    "amoxicillin",
    contraindications="4 CONTRAINDICATIONS Serious allergy to a penicillin.",
    warnings_and_cautions="5 WARNINGS AND PRECAUTIONS Stop at the first sign of a rash.",
    drug_interactions="7 DRUG INTERACTIONS Probenecid raises its levels.",
)


async def test_a_label_in_short(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [WARFARIN, IBUPROFEN]) as shop:
        report = await shop.safety("Coumadin")
    assert (report.status, report.origin, report.demonstration) == ("found", "live", False)
    assert any("fatal bleeding" in line for line in report.boxed_warnings)
    assert any("Active bleeding" in line for line in report.contraindications)
    assert any("necrosis" in line.lower() for line in report.alerts)
    assert not any("heart attack" in line for line in (*report.boxed_warnings, *report.alerts))
    boxed = next(source for source in report.sources if source.quote and "fatal bleeding" in source.quote)
    assert boxed.title.endswith(": Boxed warning")
    assert boxed.date == "2024-01-31"
    assert boxed.url is not None
    assert "dailymed.nlm.nih.gov" in boxed.url


async def test_a_class_on_one_label_is_enough(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [WARFARIN, IBUPROFEN]) as shop:
        report = await shop.interactions("Coumadin", "ibuprofen")
    assert report.status == "found"
    quoted = [each.quote for each in report.interactions if each.quote]
    assert any("raise the risk of bleeding" in quote for quote in quoted)
    assert any(source.kind == "label" and source.quote in quoted for source in report.sources)


async def test_none_is_said_only_of_two_full_labels(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [LORATADINE, AMOXICILLIN]) as shop:
        both = await shop.interactions("loratadine", "amoxicillin")
        one = await shop.interactions("loratadine", "dofetilide")
    assert both.status == "none"
    assert both.unmentioned == ("loratadine with amoxicillin",)
    assert "does not rule" in both.message
    assert "does not rule" in both.text()
    assert one.status in ("unavailable", "not_found")
    assert one.not_checked


async def test_a_part_that_was_not_read_stands_beside_what_was_found(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [WARFARIN, IBUPROFEN]) as shop:
        report = await shop.interactions("warfarin", "ibuprofen", "loratadine")
    assert report.status == "found"
    assert [line.partition(":")[0] for line in report.not_checked] == [
        "warfarin with loratadine",
        "ibuprofen with loratadine",
    ]


async def test_a_misspelt_name_is_offered_and_not_taken(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [WARFARIN, IBUPROFEN]) as shop:
        safety = await shop.safety("warfrin")
        pair = await shop.interactions("warfrin", "ibuprofen")
    for report in (safety, pair):
        assert (report.status, report.error_type) == ("invalid", "ambiguous_drug_name")
        assert "warfarin" in report.suggestions
    assert safety.missing == ("drug_name",)


async def test_an_unknown_name_is_not_found(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [WARFARIN]) as shop:
        report = await shop.safety("Blorbizumab-xq")
    assert (report.status, report.error_type) == ("not_found", "drug_not_in_database")
    assert report.not_checked


async def test_a_name_that_only_a_label_knows_is_found(tmp_path: Path) -> None:
    rare = record("blorbizumab", contraindications="4 CONTRAINDICATIONS Children under 2 years.")
    async with pharmacy(tmp_path, [rare]) as shop:
        report = await shop.safety("Blorbizumab")
    assert report.status == "found"
    assert "Children under 2 years" in report.contraindications[0]


async def test_the_same_ingredient_twice_is_said(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [WARFARIN, IBUPROFEN]) as shop:
        report = await shop.interactions("Coumadin", "warfarin", "ibuprofen")
    assert any("warfarin" in line for line in report.warnings)


async def test_with_the_network_cut_the_starter_pack_answers_with_its_mark(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [], sources="auto", **CUT_OFF) as shop:
        safety = await shop.safety("dofetilide")
        three = await shop.interactions("warfarin", "aspirin", "ibuprofen")
        two = await shop.interactions("sildenafil", "isosorbide mononitrate")
        outside = await shop.interactions("loratadine", "amoxicillin")
        unknown = await shop.safety("netarsudil")
    assert (safety.status, safety.origin, safety.demonstration) == ("found", "pack", True)
    assert safety.boxed_warnings
    assert any("current label" in line for line in safety.not_checked)
    assert (three.status, len({each.drugs for each in three.interactions})) == ("found", 3)
    assert two.interactions[0].severity == "contraindicated"
    assert three.demonstration and two.demonstration
    assert outside.status == "unavailable"
    assert not outside.unmentioned
    assert (unknown.status, unknown.demonstration) == ("unavailable", False)


async def test_an_answer_of_before_serves_while_the_service_is_down(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [WARFARIN], sources="auto") as shop:
        assert (await shop.safety("warfarin")).origin == "live"
        shop.openfda.always = Said(500, {"error": {"code": "SERVER_ERROR", "message": "Own words"}})
        again = await shop.safety("warfarin")
    assert (again.status, again.origin, again.demonstration) == ("found", "cache", False)


async def test_in_pack_mode_nothing_is_asked(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [WARFARIN], sources="pack") as shop:
        report = await shop.safety("warfarin")
        await shop.interactions("warfarin", "Blorbizumab-xq")
        assert shop.openfda.count == 0
    assert (report.origin, report.demonstration) == ("pack", True)


MISSED = [
    ("sildenafil", "nitroglycerin", "nitrate"),
    ("sildenafil", "isosorbide mononitrate", "nitrate"),
    ("sildenafil", "riociguat", "riociguat"),
    ("sildenafil", "tamsulosin", "alpha"),
    ("sildenafil", "clarithromycin", "CYP3A4"),
    ("haloperidol", "lithium", "lithium"),
    ("haloperidol", "rifampin", "rifampin"),
    ("atorvastatin", "clarithromycin", "clarithromycin"),
    ("atorvastatin", "gemfibrozil", "gemfibrozil"),
]


@pytest.mark.parametrize(("one", "other", "said"), MISSED, ids=str)
async def test_pairs_that_a_search_for_the_name_in_one_section_misses(
    one: str, other: str, said: str, tmp_path: Path
) -> None:
    records = [derived(name) for name in ("viagra", "haloperidol_legacy", "lipitor-orig", "lipitor-repack", "cough")]
    async with pharmacy(tmp_path, records) as shop:
        report = await shop.interactions(one, other)
    assert report.status == "found"
    quotes = [each.quote for each in report.interactions if each.quote and not each.no_effect]
    assert any(said.lower() in quote.lower() for quote in quotes)
    assert all(any(source.quote == quote and source.url for source in report.sources) for quote in quotes)


STATIN = record(
    "atorvastatin",
    boxed_warning="WARNING: HARM IN PREGNANCY Stop at once when pregnancy is found: it can be fatal to the fetus.",
    contraindications="4 CONTRAINDICATIONS Active liver disease.",
    warnings_and_cautions="5 WARNINGS AND PRECAUTIONS Muscle damage can be severe; avoid alcohol with liver disease.",
    drug_interactions=(
        "7 DRUG INTERACTIONS Avoid large amounts of grapefruit juice. Live vaccines were not studied. "
        "Each mL contains benzyl alcohol."
    ),
)


async def test_what_is_taken_beside_a_drug_is_told_and_nothing_twice(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [STATIN]) as shop:
        report = await shop.safety("atorvastatin")
    assert "Grapefruit: Avoid large amounts of grapefruit juice." in report.populations
    assert any(line.startswith("Vaccines: ") for line in report.populations)
    assert not any("benzyl" in line for line in report.populations)
    told = [line.partition(": ")[2] for line in report.text().splitlines()[1:]]
    assert len(told) == len(set(told))
    assert any(source.quote and "grapefruit" in source.quote for source in report.sources)


async def test_the_gravest_pair_stands_first_and_pairs_that_share_a_reason_share_a_line(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [], sources="auto", **CUT_OFF) as shop:
        report = await shop.interactions("metformin", "amlodipine", "sildenafil", "nitroglycerin", "loratadine")
    grades = [each.severity for each in report.interactions]
    order = ["contraindicated", "major", "moderate", None, "minor"]
    assert grades == sorted(grades, key=order.index)
    assert grades[0] == "contraindicated"
    *pairs, labels = report.not_checked
    checked = {frozenset(each.drugs) for each in report.interactions}
    named = [(one, other) for line in pairs for one, _, rest in [line.partition(" with ")] for other in _others(rest)]
    assert len(named) == len(set(named)) == 10 - len(checked)
    assert all("current label" not in line and "openFDA" not in line for line in pairs)
    assert labels.startswith("The current labels of metformin, amlodipine, sildenafil, nitroglycerin and loratadine: ")


def _others(rest: str) -> list[str]:
    return rest.partition(":")[0].replace(" and ", ", ").split(", ")


async def test_a_combination_read_by_its_parts_says_why_its_own_label_was_not(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [], sources="auto", **CUT_OFF) as shop:
        report = await shop.safety("Percocet")
    assert report.status == "found"
    assert "entries of its parts" in report.read
    (line,) = report.not_checked
    assert line.startswith("The current label of percocet: openFDA gave no answer")


async def test_a_name_in_two_drugs_stays_here(tmp_path: Path) -> None:
    async with pharmacy(tmp_path, [WARFARIN]) as shop:
        with holding(withheld, People(names=("Kwame Mensah",))):
            report = await shop.interactions("Mensah", "Kwame", "warfarin")
        assert shop.openfda.count == 0
    assert (report.status, report.error_type) == ("unavailable", "patient_data")
    assert len(report.not_checked) == 3
