"""The few sentences of a drug's labels that nobody may overlook."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.drugs.labels.findings import cut, safety
from docgemma.drugs.labels.gravity import gravity
from docgemma.drugs.model import Safety
from docgemma.sources.contract import Label
from docgemma.sources.starter import medicines
from tests.drugs.written import label, real

GROUPS = ("boxed", "contraindications", "warnings", "populations")


def said(found: Safety, group: str) -> list[str]:
    return [each.text for each in getattr(found, group)]


def test_contraindications_are_a_list() -> None:
    found = safety(
        [label(contraindications="It is contraindicated in patients with: • gout • asthma • shock")], "sildenafil"
    )
    assert said(found, "contraindications") == ["gout", "asthma", "shock"]


def test_every_contraindication_of_a_current_label_is_there() -> None:
    text = (
        "4 CONTRAINDICATIONS Active liver disease ( 4.1 ) Nursing mothers ( 4.3 ) 4.1 Active liver disease "
        "4.2 Pregnancy Women who are or may become pregnant. Fats rise in pregnancy. It may harm the unborn. "
        "4.3 Nursing mothers Little is known of milk. Women on it should not breastfeed."
    )
    found = said(safety([label(contraindications=text)], "sildenafil"), "contraindications")
    assert found[:3] == ["Nursing mothers", "Active liver disease", "Women who are or may become pregnant."]
    assert "Women on it should not breastfeed." in found
    assert "Fats rise in pregnancy." not in found


def test_warnings_of_a_current_label_are_its_headings_with_a_sentence() -> None:
    text = (
        "5 WARNINGS AND PRECAUTIONS 5.1 Taste It may change taste. 5.2 Liver Injury Fatal liver failure occurred. "
        "Check enzymes. 5.3 Falls Use caution on stairs."
    )
    found = safety([label(warnings_and_cautions=text)], "sildenafil").warnings
    assert [(each.heading, each.text) for each in found] == [
        ("Liver Injury", "Liver Injury: Fatal liver failure occurred."),
        ("Falls", "Falls: Use caution on stairs."),
        ("Taste", "It may change taste."),
    ]


def test_warnings_of_an_old_label_are_its_gravest_sentences() -> None:
    text = (
        "WARNINGS It is a white powder. Take care on stairs; caution is advised. It caused sudden death in adults. "
        "Rats died at high doses; deaths were common in mice. Do not give it to children."
    )
    found = said(safety([label(warnings=text)], "sildenafil"), "warnings")
    assert found == [
        "It caused sudden death in adults.",
        "Do not give it to children.",
        "Take care on stairs; caution is advised.",
    ]


@pytest.mark.parametrize("field", ["warnings", "precautions", "warnings_and_cautions", "general_precautions"])
def test_a_section_that_sounds_harmless_is_not_left_out(field: str) -> None:
    sections: dict[str, Any] = {field: "It is a powder. It is white. It is dry. It is light."}
    found = safety([label(**sections)], "sildenafil")
    assert said(found, "warnings") == ["It is a powder.", "It is white.", "It is dry."]
    assert found.more == 1


def test_a_boxed_warning_that_only_another_label_has_is_shown_with_its_label() -> None:
    best = label(contraindications="Known allergy.", facts={"set_id": "best"})
    other = label(boxed_warning="WARNING: BLEEDING RISK It can bleed to death.", facts={"set_id": "other"})
    found = safety([best, other], "sildenafil")
    assert said(found, "boxed") == ["WARNING: BLEEDING RISK", "It can bleed to death."]
    assert {each.label.set_id for each in found.boxed} == {"other"}
    assert {each.label.set_id for each in found.contraindications} == {"best"}


def test_the_warnings_of_a_combination_are_not_those_of_the_drug() -> None:
    both = label(boxed_warning="WARNING: DEATH Many died.", about="ibuprofen and codeine")
    alone = label(contraindications="Known allergy.", about="ibuprofen")
    assert said(safety([both, alone], "ibuprofen"), "boxed") == []


def test_every_part_of_a_combination_has_its_say() -> None:
    one = label(contraindications="Not with aliskiren in diabetes.", about="valsartan")
    other = label(contraindications="Not within 36 hours of an ACE inhibitor.", about="sacubitril")
    found = said(safety([one, other], "sacubitril and valsartan"), "contraindications")
    assert found == ["Not with aliskiren in diabetes.", "Not within 36 hours of an ACE inhibitor."]


def test_a_name_that_we_do_not_know_is_read_by_what_its_labels_say() -> None:
    alone = label(contraindications="Known allergy.", about="newdrugol sodium")
    both = label(contraindications="Gout.", about="newdrugol sodium and olddrugol")
    assert said(safety([both, alone], "Newbrand"), "contraindications") == ["Known allergy."]
    assert said(safety([alone, both], "newdrugol"), "contraindications") == ["Known allergy."]


def test_a_label_that_does_not_say_what_is_in_it_can_still_warn() -> None:
    named = label(contraindications="Known allergy.")
    unnamed = Label("?", {"boxed_warning": ("WARNING: DEATH It can kill.",), "contraindications": ("Gout.",)})
    found = safety([unnamed, named], "sildenafil")
    assert said(found, "boxed") == ["WARNING: DEATH", "It can kill."]
    assert said(found, "contraindications") == ["Known allergy."]
    assert said(safety([unnamed], "sildenafil"), "contraindications") == ["Gout."]


def test_what_was_said_is_not_said_again() -> None:
    found = safety(
        [
            label(
                boxed_warning="WARNING: FETAL TOXICITY Stop it when pregnancy is detected, as it can kill the unborn.",
                warnings="Stop it when a pregnancy is detected as it can kill the unborn. Watch for severe rash.",
            )
        ],
        "sildenafil",
    )
    assert said(found, "warnings") == ["Watch for severe rash."]


def test_it_is_short_and_says_how_much_more_there_is() -> None:
    text = " ".join(f"Serious harm number {number} was seen in organ {number}." for number in range(30))
    found = safety([label(warnings=text)], "sildenafil")
    assert len(found.warnings) == 8
    assert found.more == 22


def test_a_long_sentence_is_cut_where_a_clause_ends() -> None:
    text = f"Do not use it in gout, {'which is a very painful disease, ' * 20}as said."
    (only,) = safety([label(warnings=text)], "sildenafil").warnings
    assert len(only.text) <= 301
    assert only.text.endswith("disease …")
    assert text.startswith(only.text.removesuffix(" …"))


@pytest.mark.parametrize("text", ["short", "word " * 200, "x" * 1000, "A. " * 300])
def test_a_cut_text_is_never_longer_than_asked(text: str) -> None:
    assert len(cut(text, 300)) <= 301


def test_groups_of_people_have_one_sentence_each() -> None:
    made = label(
        pregnancy="8.1 Pregnancy It may harm. It is contraindicated in pregnant women. Rats had fewer pups.",
        nursing_mothers="8.3 Nursing Mothers It is not known whether it passes into milk.",
        pediatric_use="8.4 Pediatric Use It is a tablet. Safety in children has not been established.",
        geriatric_use="8.5 Geriatric Use Of 100 subjects, 40% were old. A lower dose should be considered.",
        use_in_specific_populations="8 USE IN SPECIFIC POPULATIONS 8.6 Renal Impairment No dose adjustment is required "
        "in mild disease. Severe disease: reduce the dose by half. 8.7 Hepatic Impairment Do not use it.",
    )
    found = safety([made], "sildenafil").populations
    assert [(each.section, each.text) for each in found] == [
        ("Pregnancy", "It is contraindicated in pregnant women."),
        ("Nursing mothers", "It is not known whether it passes into milk."),
        ("Pediatric use", "Safety in children has not been established."),
        ("Geriatric use", "A lower dose should be considered."),
        ("Use in specific populations", "Renal Impairment: Severe disease: reduce the dose by half."),
        ("Use in specific populations", "Hepatic Impairment: Do not use it."),
    ]


def test_an_entry_of_the_starter_pack_gives_its_groups() -> None:
    entry = label(
        contraindications="Active bleeding.",
        warnings="Bleeding may be fatal.",
        renal="Halve the dose below 30 mL/min.",
        pregnancy="Do not use.",
        full=False,
    )
    found = safety([entry], "sildenafil")
    assert said(found, "contraindications") == ["Active bleeding."]
    assert said(found, "populations") == ["Do not use.", "Halve the dose below 30 mL/min."]


def test_nothing_to_read_gives_nothing() -> None:
    assert safety([], "sildenafil") == Safety()


@pytest.mark.parametrize(
    ("graver", "than"),
    [
        ("Fatal bleeding has occurred.", "Bleeding has occurred."),
        ("Do not use it in gout.", "Use caution in gout."),
        ("Death has been reported.", "Death in rats was seen at high doses."),
        ("Stroke was more frequent.", "The rate of fatal stroke was similar to placebo (1.4% vs. 1.5%)."),
    ],
)
def test_how_grave_a_sentence_sounds(graver: str, than: str) -> None:
    assert gravity(graver) >= gravity(than)
    assert gravity(graver) > 0


def test_real_labels_tell_what_matters() -> None:
    found = safety([real("viagra")], "sildenafil")
    assert not found.boxed
    assert any("nitric oxide donors" in text for text in said(found, "contraindications"))
    assert any("riociguat" in text for text in said(found, "contraindications"))
    statin = safety([real("lipitor-orig"), real("lipitor-repack")], "atorvastatin")
    assert any("pregnant" in text for text in said(statin, "contraindications"))
    assert any("liver disease" in text for text in said(statin, "contraindications"))
    old = safety([real("haloperidol_legacy")], "haloperidol")
    assert any("lithium" in text for text in said(old, "warnings"))
    assert any("sudden death" in text for text in said(old, "warnings"))


def test_what_is_said_of_a_group_of_people_is_not_said_as_a_warning_too() -> None:
    text = "WARNINGS Usage in Pregnancy Infants should not be nursed on it. Stroke It may cause fatal stroke."
    found = safety([label(warnings=text)], "sildenafil")
    assert said(found, "warnings") == ["Stroke It may cause fatal stroke."]
    assert said(found, "populations") == ["Infants should not be nursed on it."]


def test_the_highlights_on_a_group_of_people_count() -> None:
    made = label(
        pregnancy="8.1 Pregnancy Risk Summary Data are insufficient to inform of a risk of birth defects.",
        use_in_specific_populations="8 USE IN SPECIFIC POPULATIONS Pregnancy: Not recommended. ( 8.1 ) Lactation: Stop "
        "nursing. ( 8.2 ) 8.1 Pregnancy Risk Summary Data are insufficient to inform of a risk of birth defects.",
    )
    assert said(safety([made], "sildenafil"), "populations") == [
        "Pregnancy: Not recommended.",
        "Lactation: Stop nursing.",
    ]


def test_an_entry_written_by_hand_is_shown_whole() -> None:
    written = {
        "boxed_warning": ("Clearance has to be known before the first dose, because the dose depends on it.",),
        "contraindications": (*(f"Disease {number}." for number in range(20)), "Pregnancy (when used for weight)."),
        "warnings": (*(f"Take care with organ {number}." for number in range(15)), "Not studied in rats."),
        "pregnancy": ("Avoid. Ask a specialist.",),
        "renal": ("Halve the dose.",),
    }
    found = safety([Label("x", written, generics=("sildenafil",), full=False)], "sildenafil")
    shown = " ".join(each.text for group in GROUPS for each in getattr(found, group))
    assert all(text in shown for texts in written.values() for text in texts)
    assert found.more == 0


def test_every_sentence_of_the_starter_pack_is_shown() -> None:
    for entry in medicines().values():
        made = Label(entry.ingredient, entry.sections(), generics=entry.parts, substances=entry.parts, full=False)
        found = safety([made], " and ".join(entry.parts))
        shown = " ".join(each.text for group in GROUPS for each in getattr(found, group))
        told = [text for field, texts in entry.sections().items() if field != "interactions" for text in texts]
        assert [text for text in told if text not in shown] == []
