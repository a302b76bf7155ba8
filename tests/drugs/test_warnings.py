"""Which of many warnings are shown, in which order, and each so that it can be read alone."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.drugs.labels.findings import safety
from docgemma.drugs.labels.gravity import evidence, idle
from docgemma.drugs.model import Safety
from tests.drugs.written import label


def said(found: Safety, group: str) -> list[str]:
    return [each.text for each in getattr(found, group)]


SILLY = [
    "Bleeding of the brain was seen in a female dog after 3 months.",
    "Fatal tumors were found in mice at 16 times the human exposure.",
    "Its effects on fertility have not been studied.",
    "Studies have shown that it does not reduce deaths.",
    "No serious difference was seen between young and old.",
]


@pytest.mark.parametrize("silly", SILLY)
def test_what_there_is_nothing_to_do_about_displaces_no_warning(silly: str) -> None:
    text = (
        f"5 WARNINGS AND PRECAUTIONS 5.1 Animals {silly} 5.2 Liver Check enzymes monthly. 5.3 Skin Stop it at a rash. "
    )
    found = said(
        safety([label(warnings_and_cautions=f"{text}5.4 Falls Take care on stairs.")], "sildenafil"), "warnings"
    )
    assert len(found) == 3
    assert not any(silly in each for each in found)
    assert said(safety([label(warnings=silly)], "sildenafil"), "warnings") == [silly]


@pytest.mark.parametrize(
    "text",
    [
        "Animal studies show that it can cause fetal harm in pregnant women.",
        "Safety is not established; it should not be used in children.",
    ],
)
def test_a_finding_that_asks_for_something_is_not_idle(text: str) -> None:
    assert not idle(text)


def test_trials_come_last_in_a_box_and_nothing_of_it_is_lost() -> None:
    made = label(
        boxed_warning="WARNING: DEATHS In 17 placebo-controlled trials, 4.5% of patients died. Old people on it die "
        "more often. These deaths were sudden. In the longest study, deaths were twice as many. Ask before you start "
        "it. It is not approved for dementia."
    )
    assert said(safety([made], "sildenafil"), "boxed") == [
        "WARNING: DEATHS",
        "Old people on it die more often. These deaths were sudden.",
        "It is not approved for dementia.",
        "Ask before you start it.",
        "In 17 placebo-controlled trials, 4.5% of patients died.",
        "In the longest study, deaths were twice as many.",
    ]
    assert evidence("In the longest study, deaths were twice as many.")


def test_the_pointer_to_the_full_text_is_not_the_warning() -> None:
    text = "WARNING: GOUT RISK See full prescribing information for complete boxed warning Stop it in fatal gout."
    assert said(safety([label(boxed_warning=text)], "sildenafil"), "boxed") == [
        "WARNING: GOUT RISK",
        "Stop it in fatal gout.",
    ]


HIGHLIGHTS = (
    "5 WARNINGS AND PRECAUTIONS Low Pressure: Check pressure monthly. Avoid it in shock. ( 5.1 ) Liver Injury: Stop it "
    "if jaundice occurs. ( 2.1 , 5.2 ) Never share a pen. ( 5.4 ) 5.1 Low Pressure In 400 patients, pressure fell by "
    "12%. Trials had few elderly. 5.2 Liver Injury Fatal liver failure occurred. 5.3 Rash Severe rash occurs."
)


def test_a_current_label_gives_one_warning_for_each_of_its_sub_sections() -> None:
    assert said(safety([label(warnings_and_cautions=HIGHLIGHTS)], "sildenafil"), "warnings") == [
        "Liver Injury: Fatal liver failure occurred.",
        "Never share a pen.",
        "Severe rash occurs.",
        "Low Pressure: Check pressure monthly. Avoid it in shock.",
    ]


@pytest.mark.parametrize(
    ("sections", "found"),
    [
        (
            {"precautions": "PRECAUTIONS Use caution in patients: -with severe gout. -with asthma."},
            ["Use caution in patients: with severe gout.; with asthma."],
        ),
        (
            {"ask_doctor": "Ask a doctor before use if the child has gout • asthma • a cough that lasts"},
            ["Ask a doctor before use if the child has gout; asthma; a cough that lasts"],
        ),
        (
            {
                "warnings": "Warnings Severe harm may occur if you take ■ too much ■ it with wine Allergy alert: It "
                "may cause severe rash. Symptoms may include: ■ blisters"
            },
            [
                "Severe harm may occur if you take too much; it with wine",
                "Allergy alert: It may cause severe rash. Symptoms may include blisters",
            ],
        ),
        (
            {
                "warnings": "WARNINGS Deafness has occurred. It may be permanent. Severe colitis occurs. Discontinue "
                "it in such cases."
            },
            ["Severe colitis occurs. Discontinue it in such cases.", "Deafness has occurred. It may be permanent."],
        ),
    ],
)
def test_a_warning_can_be_read_alone(sections: dict[str, Any], found: list[str]) -> None:
    assert said(safety([label(**sections)], "sildenafil"), "warnings") == found


def test_every_line_of_a_package_says_what_it_hangs_from() -> None:
    made = label(
        do_not_use="Do not use ■ with wine. If in doubt, ask. ■ if you had a rash from it",
        stop_use="Stop use and ask a doctor if ■ pain lasts ■ fever rises These could be signs of a serious disease.",
    )
    found = safety([made], "sildenafil")
    assert said(found, "contraindications") == [
        "Do not use with wine.",
        "If in doubt, ask.",
        "Do not use if you had a rash from it",
    ]
    assert said(found, "warnings") == [
        "Stop use and ask a doctor if pain lasts; fever rises These could be signs of a serious disease."
    ]
    assert said(found, "populations") == []
