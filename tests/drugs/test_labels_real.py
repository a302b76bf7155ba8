"""Traps of real labels: what a reader of one section or of raw text gets wrong."""

from __future__ import annotations

import pytest

from docgemma.drugs.labels.findings import safety
from docgemma.drugs.labels.statements import statements
from docgemma.drugs.labels.wording import SECTIONS, TABLE, section_name
from tests.drugs.written import lost, real, texts
from tests.support.labels import DERIVED

PRINTED_TITLES = ("patient", "counseling", "information", "directions")
"""Words of section titles that the name of the section does not have."""


def test_an_old_label_tells_its_interactions_among_the_warnings() -> None:
    label = real("haloperidol_legacy")
    assert "drug_interactions" not in label.sections
    assert any("irreversible brain damage" in text and "lithium" in text for text in texts(label, "warnings"))
    assert any("rifampin" in text for text in texts(label, "precautions"))
    assert any("anticoagulants" in text for text in texts(label, "precautions"))


def test_a_current_label_has_its_warnings_under_another_name() -> None:
    label = real("lipitor-orig")
    assert "warnings" not in label.sections
    found = [each for each in statements(label) if each.field == "warnings_and_cautions"]
    assert {"Skeletal Muscle", "Liver Dysfunction", "CNS Toxicity"} <= {each.heading for each in found}


def test_an_interaction_table_is_read_by_its_rows() -> None:
    found = [each for each in statements(real("lipitor-orig")) if each.field == "drug_interactions"]
    rows = [each for each in found if "Prescribing Recommendations:" in each.text]
    assert any("telaprevir" in row.text and row.text.endswith("Avoid atorvastatin") for row in rows)
    assert any("Clarithromycin" in row.text and row.text.endswith("20 mg atorvastatin daily") for row in rows)
    assert {row.heading for row in rows} == {
        "Drug Interactions Associated with Increased Risk of Myopathy/Rhabdomyolysis"
    }
    assert not any("Avoid atorvastatin HIV protease inhibitor" in each.text for each in found)


def test_labels_of_two_packagers_differ_where_it_matters() -> None:
    one, other = texts(real("lipitor-orig"), "drug_interactions"), texts(real("lipitor-repack"), "drug_interactions")
    assert set(one) - set(other)


def test_summary_and_text_are_not_quoted_twice() -> None:
    found = texts(real("viagra"), "contraindications")
    assert len([text for text in found if "hypersensitivity to sildenafil" in text]) == 1
    assert len([text for text in found if "potentiate the hypotensive effect" in text and "nitrates" in text]) == 1
    assert not any("4.1" in text or "see Clinical" in text for text in found)


def test_a_part_stands_in_one_section_only() -> None:
    found = statements(real("viagra"))
    places = {each.field for each in found if each.text == "VIAGRA is not indicated for use in pediatric patients."}
    assert places == {"pediatric_use"}


def test_dogs_and_open_questions_are_no_warnings_of_a_real_label() -> None:
    found = safety([real("lipitor-orig")], "atorvastatin")
    shown = [each.text for each in (*found.warnings, *found.contraindications)]
    assert any(text.startswith("Skeletal Muscle: Rare cases of rhabdomyolysis") for text in shown)
    assert any(text.startswith("Liver Dysfunction: ") for text in shown)
    assert not any(word in text for text in shown for word in ("female dog", "not been studied", "It is not known"))


def test_the_box_of_a_real_label_tells_its_trials_last() -> None:
    found = [each.text for each in safety([real("haloperidol_legacy")], "haloperidol").boxed]
    assert found[0].startswith("WARNING Increased Mortality")
    assert found.index(next(text for text in found if "not approved" in text)) < 4
    assert "4.5%" in " ".join(found[4:])


def test_a_real_package_gives_whole_lines() -> None:
    found = safety([real("cough")], "diphenhydramine")
    assert any(
        text.startswith("Ask a doctor before use if the child has heart disease; high blood pressure")
        for text in (each.text for each in found.warnings)
    )
    assert found.contraindications[-1].text.startswith("Do not use with any other product")
    assert not any(each.field == "do_not_use" for each in found.populations)


@pytest.mark.parametrize("name", DERIVED)
def test_no_word_of_a_real_label_is_lost(name: str) -> None:
    label = real(name)
    for field in SECTIONS:
        for text in label.sections.get(field, ()):
            title = {*section_name(field).casefold().split(), *PRINTED_TITLES}
            assert lost(label, text) <= title, field


@pytest.mark.parametrize("name", DERIVED)
def test_a_statement_is_a_sentence_and_not_a_section(name: str) -> None:
    label = real(name)
    rows = [each for each in statements(label) if each.field + TABLE not in label.sections]
    assert max(len(each.text) for each in rows) < 1200
    assert len({(each.text, each.heading, each.field) for each in statements(label)}) == len(statements(label))
