"""Which sentence is quoted, how it is weighed, and what it is said to rest on."""

from __future__ import annotations

import pytest

from docgemma.drugs.interactions.find import find
from docgemma.drugs.model import Drug
from docgemma.sources.contract import Label
from tests.drugs.pairs_of import drug, quote, told
from tests.drugs.written import label


def test_what_is_forbidden_comes_before_what_is_advised() -> None:
    of = label(
        about="sildenafil",
        warnings_and_cautions="Patients taking nitrates may faint.",
        drug_interactions="Nitrates potentiate its effect.",
        contraindications="Do not give with nitrates.",
        pharmacokinetics="Levels were measured with concomitant nitrates.",
    )
    found = find(drug("sildenafil"), drug("nitroglycerin"), [of], [])
    assert [each.statement.field for each in found if each.statement] == [
        "contraindications",
        "drug_interactions",
        "warnings_and_cautions",
        "pharmacokinetics",
    ]


def test_a_sentence_with_the_name_comes_before_one_with_the_class() -> None:
    of = label(drug_interactions="Avoid nitrates. Nitroglycerin lowers blood pressure further in most patients.")
    found = find(drug("sildenafil"), drug("nitroglycerin"), [of], [])
    assert "Nitroglycerin" in quote(found[0])
    assert found[0].via == ""
    assert found[1].via == "nitroglycerin is an organic nitrate"


def test_the_same_sentence_in_two_labels_is_said_once() -> None:
    of = label(drug_interactions="Avoid nitrates.")
    assert len(find(drug("sildenafil"), drug("nitroglycerin"), [of, of], [])) == 1


def test_a_brand_is_named_with_what_it_is() -> None:
    found = told("simvastatin", "drug_interactions", "Clarithromycin must not be combined with it.", "Biaxin")
    assert found[0].via == "Biaxin is clarithromycin"
    found = told("sildenafil", "contraindications", "Nitrates.", "Imdur")
    assert found[0].via == "Imdur (isosorbide mononitrate) is an organic nitrate"


def test_a_combination_is_found_by_its_part() -> None:
    found = told("potassium chloride", "drug_interactions", "Sacubitril raises potassium.", "Entresto")
    assert found[0].via == "Entresto contains sacubitril"


def test_a_name_that_nobody_knows_is_looked_for_as_it_is_written() -> None:
    assert told("haloperidol", "warnings", "The use of zorbexol with this drug should be avoided.", "Zorbexol")
    assert not told("haloperidol", "warnings", "The use of zorbexolate should be avoided.", "Zorbexol")


@pytest.mark.parametrize(
    ("field", "text", "severity"),
    [
        ("contraindications", "Nitrates are contraindicated.", "contraindicated"),
        ("contraindications", "It is contraindicated in patients: • taking nitrates • with stroke", "contraindicated"),
        ("warnings", "Use with zorbexol may be life-threatening.", None),
    ],
)
def test_severity_is_what_the_sentence_or_the_table_says(field: str, text: str, severity: str | None) -> None:
    other = "zorbexol" if "zorbexol" in text else "nitroglycerin"
    assert told("sildenafil", field, text, other)[0].severity == severity


def test_a_drug_outside_the_table_is_not_weighed() -> None:
    found = told("sildenafil", "contraindications", "Zorbexol may be taken with care.", "zorbexol")
    assert found[0].severity is None
    found = told("sildenafil", "contraindications", "Zorbexol is contraindicated; melparide needs care.", "zorbexol")
    assert found[0].severity == "contraindicated"
    found = told("sildenafil", "contraindications", "Zorbexol is contraindicated; melparide needs care.", "melparide")
    assert found[0].severity is None


def test_mechanism_and_meaning_come_from_the_table_and_name_their_basis() -> None:
    best = told("sildenafil", "drug_interactions", "Nitrates potentiate its effect.", "nitroglycerin")[0]
    assert best.severity == "contraindicated"
    assert best.mechanism
    assert best.meaning
    assert best.basis


NO_EFFECT = [
    "No significant interactions were shown with warfarin.",
    "It had no clinically significant effect on prothrombin time in patients receiving warfarin.",
    "It did not potentiate the increase in bleeding time caused by warfarin.",
    "Warfarin did not affect the pharmacokinetics.",
    "There was no evidence of a clinically relevant effect of warfarin on its levels.",
    "The pharmacokinetics of warfarin were not significantly altered.",
]


@pytest.mark.parametrize("text", NO_EFFECT)
def test_a_sentence_that_saw_no_effect_is_marked(text: str) -> None:
    found = told("atorvastatin", "drug_interactions", text, "warfarin")
    assert [each.no_effect for each in found] == [True]


def test_a_heading_with_the_name_speaks_for_the_sentences_under_it() -> None:
    of = label(
        drug_interactions="7 DRUG INTERACTIONS 7.1 Warfarin No effect on prothrombin time was seen. "
        "7.2 Digoxin Steady state levels rose by a fifth."
    )
    assert [each.no_effect for each in find(drug("atorvastatin"), drug("warfarin"), [of], [])] == [True]
    assert "rose by a fifth" in quote(find(drug("atorvastatin"), drug("digoxin"), [of], [])[0])


EFFECT_AFTER_ALL = [
    "Warfarin did not affect its levels, but bleeding was seen.",
    "No effect on the INR was seen; however, caution is advised with warfarin.",
    "No studies have been done with warfarin.",
    "No effect of aspirin was seen; warfarin increased bleeding.",
    "An effect of warfarin cannot be excluded.",
    "The interaction with warfarin has not been studied.",
    "The AUC was increased 51% (1-fold = no change) with warfarin.",
]


@pytest.mark.parametrize("text", EFFECT_AFTER_ALL)
def test_a_sentence_that_takes_it_back_is_not(text: str) -> None:
    assert not told("atorvastatin", "drug_interactions", text, "warfarin")[0].no_effect


def test_no_effect_hides_nothing() -> None:
    of = label(
        drug_interactions="Warfarin did not affect its levels.",
        pharmacokinetics="Bleeding was seen when it was given with warfarin.",
    )
    found = find(drug("sildenafil"), drug("warfarin"), [of], [])
    assert [each.no_effect for each in found] == [False, True]


def test_classes_that_a_service_names_are_looked_for() -> None:
    of = Label("sildenafil", {"drug_interactions": ("Zorbane blockers raise its levels.",)})
    zorbexol = Drug("zorbexol", ("zorbexol",), classes=("Zorbane Blockers [EPC]",))
    assert find(drug("sildenafil"), zorbexol, [of], [])[0].via == 'zorbexol is listed under "Zorbane Blockers"'


def test_a_strength_that_no_one_knows_counts_as_any() -> None:
    of = Label("simvastatin", {"contraindications": ("Strong CYP3A4 inhibitors.",)})
    told_of = ("Cytochrome P450 3A4 Inhibitors [MoA]",)
    assert find(drug("simvastatin"), Drug("zorbexol", ("zorbexol",), classes=told_of), [of], [])
    assert not find(drug("simvastatin"), drug("erythromycin", classes=told_of), [of], [])


def test_classes_that_fit_everything_are_not() -> None:
    of = Label("sildenafil", {"drug_interactions": ("Enzyme inhibitors and other drugs were studied.",)})
    named = ("Enzyme Inhibitors", "Drugs", "Chemical Ingredients", "Inhibitors [MoA]", "Benzodiazepines [CS]")
    assert not find(drug("sildenafil"), Drug("zorbexol", ("zorbexol",), classes=named), [of], [])
