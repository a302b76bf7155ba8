"""What stands in the boxed-warning section, and what of it is a boxed warning."""

from __future__ import annotations

import pytest

from docgemma.drugs.labels.boxed import is_warning
from docgemma.drugs.labels.statements import statements
from tests.drugs.written import label, real, texts

WARNINGS = [
    "WARNING: BLEEDING RISK This drug can cause major or fatal bleeding. Check the INR often.",
    "WARNING Higher mortality in elderly patients with dementia. It is not approved for them.",
    "Fetal toxicity: stop it as soon as pregnancy is known.",
    "WARNING: Give no more than 5 mg a day. Doses above 10 mg led to arrhythmias.",
    "Doses above 40 mg a day were followed by fatal arrhythmias; 20 mg a day is the highest dose.",
    "Only a specialist should start this drug.",
    "Boxed Warning: life-threatening skin reactions. Keep the package sealed until use.",
    "WARNINGS: Suicidal thoughts are more frequent in young adults.",
    "Creatinine clearance has to be calculated before the first dose, because the dose depends on it.",
    "The dose of 5 mg must not be given in place of 5 mL; each dose is measured by two people.",
]
OTHER_BOXES = [
    "TAMPER EVIDENT: DO NOT USE IF THE SEAL UNDER THE CAP IS BROKEN OR MISSING.",
    "Do not use if the printed foil band around the bottle is torn or missing.",
    "Do not use if blister unit is broken or torn.",
    "Adults - 1 mg to 2 mg b.i.d. Children - 0.05 mg/kg/day",
    "Mild symptoms - 0.5 mg to 2 mg b.i.d. Severe symptomatology - 3 mg to 5 mg b.i.d.",
    "Keep this carton for the full directions. Questions? Please call us.",
    "Rx only",
    "  ",
    "WARNING",
    "Store at room temperature. Net contents 30 mL",
    "Examplin tablets: 5 mg 10 mg 20 mg",
    "Under 24 lb - ask a doctor 24 lb - 5 mL 36 lb - 7.5 mL",
]


@pytest.mark.parametrize("text", WARNINGS)
def test_what_warns_is_shown(text: str) -> None:
    assert is_warning(text)


@pytest.mark.parametrize("text", OTHER_BOXES)
def test_what_only_stands_in_a_box_is_not(text: str) -> None:
    assert not is_warning(text)


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("WARNING: GOUT RISK WARNING: GOUT RISK It hurts. Ask.", "WARNING: GOUT RISK", "It hurts."),
        ("WARNING: BLEEDING RISK It can bleed. Ask.", "WARNING: BLEEDING RISK", "It can bleed."),
        (
            "WARNING Increased Mortality in the Elderly Elderly patients died more often. Ask.",
            "WARNING Increased Mortality in the Elderly",
            "Elderly patients died more often.",
        ),
        (
            "WARNING: SERIOUS INFECTIONS and MALIGNANCY Serious infections led to death. Ask.",
            "WARNING: SERIOUS INFECTIONS and MALIGNANCY",
            "Serious infections led to death.",
        ),
        (
            "WARNING: HEPATOTOXICITY Severe liver injury occurs.",
            "WARNING: HEPATOTOXICITY",
            "Severe liver injury occurs.",
        ),
        ("WARNING: FETAL TOXICITY EXAMPLIN can harm.", "WARNING: FETAL TOXICITY", "EXAMPLIN can harm."),
        ("WARNING: LACTIC ACIDOSIS • It can kill. • Ask.", "WARNING: LACTIC ACIDOSIS", "It can kill."),
        (
            "WARNING: (A) STOPPING IT EARLY (B) BLEEDING (A) STOPPING IT EARLY Stopping leads to clots. Ask.",
            "WARNING: (A) STOPPING IT EARLY (B) BLEEDING",
            "Stopping leads to clots.",
        ),
    ],
)
def test_the_line_over_it_comes_first(text: str, first: str, second: str) -> None:
    assert texts(label(boxed_warning=text), "boxed_warning")[:2] == [first, second]


def test_another_box_is_read_but_not_as_a_boxed_warning() -> None:
    found = statements(label(boxed_warning="Adults - 1 mg to 2 mg b.i.d. Children - 0.05 mg/kg/day"))
    assert found
    assert not [each for each in found if each.field == "boxed_warning"]


def test_a_tamper_seal_on_a_real_label_warns_of_nothing() -> None:
    assert texts(real("cough"), "boxed_warning") == []


def test_dose_tables_in_a_box_on_a_real_label_are_no_warning() -> None:
    found = texts(real("haloperidol_legacy"), "boxed_warning")
    assert found[0] == "WARNING Increased Mortality in Elderly Patients with Dementia-Related Psychosis"
    assert not any("b.i.d." in text or "mg/kg" in text for text in found)
