"""Words that only look like a partner, words that name one without writing it out, and quotes that fit the grade."""

from __future__ import annotations

import pytest

from docgemma.drugs.interactions.find import find
from tests.drugs.pairs_of import drug, quote, told
from tests.drugs.written import label

INTERACTIONS, WARNINGS, FORBIDDEN = "drug_interactions", "warnings_and_cautions", "contraindications"

BESIDE = [
    ("promethazine", WARNINGS, "Neuroleptic malignant syndrome has occurred alone and in combination.", "haloperidol"),
    ("metoclopramide", FORBIDDEN, "Earlier neuroleptic malignant syndrome.", "aripiprazole"),
    ("trimethoprim", FORBIDDEN, "Megaloblastic anemia from folate deficiency.", "folic acid"),
    ("atorvastatin", WARNINGS, "Caution with drugs that lower endogenous steroid hormones.", "prednisone"),
    ("bupropion", FORBIDDEN, "Sudden withdrawal of alcohol, benzodiazepines or barbiturates.", "lorazepam"),
    (
        "bupropion",
        FORBIDDEN,
        "It is contraindicated in patients undergoing abrupt discontinuation of alcohol, barbiturates or "
        "antiepileptic drugs.",
        "valproate",
    ),
    ("omeprazole", INTERACTIONS, "Clopidogrel: less antiplatelet effect; avoid the combination.", "aspirin"),
    ("omeprazole", INTERACTIONS, "Avoid: it reduces the antiplatelet activity of clopidogrel.", "ticagrelor"),
    ("diltiazem", INTERACTIONS, "Simvastatin and lovastatin: higher statin levels.", "rosuvastatin"),
    ("amoxicillin", INTERACTIONS, "Methotrexate: penicillins slow its excretion.", "penicillin"),
    ("amoxicillin and clavulanate", INTERACTIONS, "Probenecid keeps penicillins in the blood.", "penicillin"),
    ("lisinopril", WARNINGS, "Potassium rises with kidney disease, diabetes or potassium-raising drugs.", "metformin"),
]


@pytest.mark.parametrize(("one", "field", "text", "other"), BESIDE)
def test_a_word_of_the_class_is_not_the_class(one: str, field: str, text: str, other: str) -> None:
    assert not told(one, field, text, other)


MEANT = [
    ("promethazine", WARNINGS, "Malignant syndrome was seen with concomitant neuroleptics.", "haloperidol"),
    ("clonidine", WARNINGS, "Sudden withdrawal of beta-blockers in patients receiving clonidine.", "metoprolol"),
    ("clonidine", INTERACTIONS, "Abrupt withdrawal of beta-blockers: blood pressure shoots up.", "metoprolol"),
    ("propranolol", INTERACTIONS, "Abrupt withdrawal of clonidine may cause rebound hypertension.", "clonidine"),
    ("omeprazole", INTERACTIONS, "It may reduce the antiplatelet effect of thienopyridines.", "clopidogrel"),
    ("omeprazole", INTERACTIONS, "Clopidogrel and other drugs with antiplatelet effect: care.", "ticagrelor"),
    ("fenofibrate", INTERACTIONS, "It potentiates the anticoagulant effect; watch the INR.", "warfarin"),
    ("fenofibrate", INTERACTIONS, "Warfarin: watch; other anticoagulants: more anticoagulant effect.", "apixaban"),
    ("amoxicillin", INTERACTIONS, "Do not combine with other penicillins.", "penicillin"),
    ("methotrexate", INTERACTIONS, "Penicillins slow its excretion.", "penicillin"),
    ("paroxetine", INTERACTIONS, "Drugs that are metabolized by CYP2D6 may need lower doses.", "metoprolol"),
    ("clonidine", INTERACTIONS, "Alpha- and beta-blockers deepen the fall in pressure.", "doxazosin"),
    ("clonidine", INTERACTIONS, "Alpha- and beta-blockers deepen the fall in pressure.", "metoprolol"),
    ("digoxin", INTERACTIONS, "Calcium channel and beta blockers slow conduction.", "verapamil"),
    ("theophylline", INTERACTIONS, "Loop and thiazide diuretics: low potassium.", "furosemide"),
    ("lithium", INTERACTIONS, "Loop, thiazide or potassium-sparing diuretics raise levels.", "furosemide"),
    (
        "sildenafil",
        INTERACTIONS,
        "It is broken down by CYP3A4 and CYP2C9. Inhibitors of these isoenzymes raise its levels.",
        "fluconazole",
    ),
    (
        "sildenafil",
        INTERACTIONS,
        "It is broken down by CYP3A4 and CYP2C9; inducers of these isoenzymes lower its levels.",
        "rifampin",
    ),
    (
        "terbinafine",
        INTERACTIONS,
        "It inhibits CYP2D6. Drugs that are metabolized by this enzyme may need lower doses.",
        "metoprolol",
    ),
]


@pytest.mark.parametrize(("one", "field", "text", "other"), MEANT)
def test_a_partner_is_found_by_what_the_sentence_means(one: str, field: str, text: str, other: str) -> None:
    found = told(one, field, text, other)
    assert found
    assert not found[0].no_effect


def test_these_enzymes_are_those_of_the_sentence_before_and_no_others() -> None:
    text = "It is broken down by CYP2D6. Inhibitors of this isoenzyme raise its levels."
    assert told("metoprolol", INTERACTIONS, text, "paroxetine")
    assert not told("metoprolol", INTERACTIONS, text, "clarithromycin")
    assert not told("metoprolol", INTERACTIONS, "Inhibitors of this isoenzyme raise its levels.", "paroxetine")


def test_an_effect_that_is_unlikely_is_none() -> None:
    text = "It is a weak inhibitor of CYP2D6. It is unlikely to alter the clearance of substrates of this isoenzyme."
    assert all(each.no_effect for each in told("sildenafil", "pharmacokinetics", text, "metoprolol"))


@pytest.mark.parametrize(("one", "other"), [("morphine", "promethazine"), ("hydromorphone", "olanzapine")])
def test_the_quote_tells_of_what_the_grade_is_for(one: str, other: str) -> None:
    of = label(
        about=one,
        drug_interactions="Anticholinergics: retention of urine. "
        "Alcohol and every other CNS depressant: deep sedation, weak breathing and death.",
    )
    found = find(drug(one), drug(other), [of], [])
    assert "sedation" in found[0].meaning.lower()
    assert "sedation" in quote(found[0])
    assert "urine" in quote(found[1])


def test_a_sentence_that_forbids_is_not_put_behind_one_that_fits() -> None:
    of = label(
        about="morphine",
        drug_interactions="Anticholinergics: do not combine. CNS depressants: deep sedation and death.",
    )
    assert "do not combine" in quote(find(drug("morphine"), drug("promethazine"), [of], [])[0])


@pytest.mark.parametrize(
    ("one", "text", "other"),
    [
        ("salmeterol", "Asthma without an inhaled corticosteroid is a contraindication.", "fluticasone"),
        (
            "salmeterol",
            "Contraindicated unless given together with an inhaled corticosteroid.",
            "fluticasone",
        ),
        ("salmeterol", "Contraindicated alone: use only together with an inhaled corticosteroid.", "fluticasone"),
        ("methotrexate", "High doses are contraindicated unless given with leucovorin.", "leucovorin"),
    ],
)
def test_a_partner_that_is_wanted_is_never_forbidden(one: str, text: str, other: str) -> None:
    assert all(each.severity != "contraindicated" for each in told(one, FORBIDDEN, text, other))
