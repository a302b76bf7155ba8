"""Emergencies in patients' words: the notice comes for every one of them, and not for a question out of interest."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.knowledge.entry import Language
from docgemma.knowledge.safety.language import detect, unmarked
from docgemma.knowledge.safety.phrases import compiled, normalised
from docgemma.knowledge.safety.red_flags import UNREVIEWED, flags, urgent
from tests.support.tables import each_of

HERE = Path(__file__).parent


def _lines(name: str) -> list[str]:
    return [line for line in (HERE / name).read_text("utf-8").splitlines() if line.strip()]


def _language(text: str) -> Language:
    return detect(text) or ("en" if text.isascii() else "vi")


EMERGENCIES = [(group, text) for group, _, text in (line.partition(" | ") for line in _lines("emergencies.txt"))]
HARMLESS = _lines("harmless.txt")


def test_tables_are_wide_enough() -> None:
    assert len({text for _, text in EMERGENCIES}) >= 300
    assert len({*HARMLESS}) >= 300
    for language in ("en", "vi"):
        assert sum(_language(text) == language for _, text in EMERGENCIES) >= 100
        assert sum(_language(text) == language for text in HARMLESS) >= 100


@each_of(("group", "text"), EMERGENCIES)
def test_emergency(group: str, text: str) -> None:
    assert group in flags(text, _language(text))[:2]


@each_of("text", HARMLESS)
def test_no_emergency(text: str) -> None:
    assert urgent(text, _language(text)) == ""


def test_vietnamese_emergencies_are_found_without_their_marks() -> None:
    texts = [text for _, text in EMERGENCIES if _language(text) == "vi"]
    missed = [text for text in texts if not flags(unmarked(text), "vi")]
    assert len(missed) <= 0.03 * len(texts), missed


def test_shouting_changes_nothing() -> None:
    assert [text for _, text in EMERGENCIES if not urgent(text.upper(), _language(text))] == []


@pytest.mark.parametrize("language", ["en", "vi"])
def test_every_notice_sends_to_help_and_names_no_diagnosis(language: Language) -> None:
    for group, text in EMERGENCIES:
        notice = urgent(text, language)
        assert "115" in notice, group
        assert detect(notice) == language
        assert "you have" not in notice.lower()
        assert "bạn bị" not in notice.lower()
        assert len(notice) < 900


def test_self_harm_is_met_kindly_and_nobody_is_left_alone() -> None:
    assert "not have to face this alone" in urgent("I want to die", "en")
    assert "stay with" in urgent("My brother wants to kill himself", "en")
    assert "không phải chịu đựng một mình" in urgent("em không muốn sống nữa", "vi")


def test_a_later_sentence_alarms_after_an_earlier_one_that_does_not() -> None:
    assert flags("What are the signs of a stroke? My father's face is drooping.", "en") == ("stroke",)
    assert flags("I had a stroke ten years ago. Now I have chest pain.", "en") == ("heart",)
    assert flags("Tôi không sốt. Tôi đau ngực quá.", "vi") == ("heart",)
    assert flags("băng gạc không ra, máu chảy nhiều", "vi") == ("bleeding",)


def test_language_of_the_notice_is_the_readers() -> None:
    assert detect(urgent("I have chest pain", "vi")) == "vi"
    assert detect(urgent("tôi bị đau ngực", "en")) == "en"


def test_questions_that_ship_alarm_only_where_somebody_is_in_danger() -> None:
    folder = files("docgemma.knowledge").joinpath("demo")
    rows = [
        json.loads(line)
        for file in folder.iterdir()
        if file.name.startswith("patient_") and file.name.endswith(".jsonl")
        for line in file.read_text("utf-8").splitlines()
    ]
    alarmed = [row["question"] for row in rows if flags(row["question"], row["language"])]
    assert len(rows) > 200
    assert len(alarmed) <= 0.05 * len(rows), alarmed


def test_says_that_nobody_reviewed_it() -> None:
    assert "no clinician" in UNREVIEWED


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("chest pain*", "Chest pains!", True),
        ("chest pain*", "my chest. Pain in the knee", False),
        ("face .2 droop*", "her face is now drooping", True),
        ("face .2 droop*", "her face is not really at all drooping", False),
        ("week|weeks old?", "six weeks", True),
        ("khó thở", "KHÓ THỞ", True),
        ("khó thở", "kho tho", True),
        ("=tự tử", "tu tu", False),
        ("=tự tử", "từ từ", False),
        ("hòa tan", "hoà tan", True),
        ("cant breath*", "I can’t breathe", True),
        ("temp #fever", "temp 38,5", True),
        ("temp #fever", "temp 36.6", False),
        ("chest ~ heavy", "so heavy on my chest", True),
        ("took #many .2 tablet*", "took 40 tablets", True),
        ("took #many .2 tablet*", "took twenty-five tablets", True),
        ("took #many .2 tablet*", "took 2 tablets", False),
        ("took #many .2 tablet*", "took 20 mg tablets", False),
        ("took .2 #drug", "took some amlodipine", True),
    ],
    ids=lambda value: str(value).replace(" ", "_"),
)
def test_phrases(phrase: str, text: str, found: bool) -> None:
    assert (compiled([phrase]).search(normalised(text)) is not None) is found


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("im having a hart attack", "heart"),
        ("my mums speach is slured", "stroke"),
        ("he is haveing a siezure", "fits"),
        ("i cant breeth", "breathing"),
        ("she wants to comit sucide", "self_harm"),
        ("ko thở đc", "breathing"),
    ],
    ids=lambda value: str(value).replace(" ", "_"),
)
def test_a_small_mistake_hides_nothing(text: str, group: str) -> None:
    assert group in flags(text, _language(text))


@pytest.mark.parametrize(
    "text", ["I never had that", "My brother plays chess", "The threat of a flood", "a new kettle"]
)
def test_an_everyday_word_is_no_misspelt_sign(text: str) -> None:
    assert flags(text, "en") == ()


@pytest.mark.parametrize("before", [0, 1_480, 1_990, 2_010, 3_990, 19_000])
@pytest.mark.parametrize("sign", ["I have crushing chest pain", "Bố tôi liệt nửa người"])
def test_a_sign_is_found_wherever_it_stands(before: int, sign: str) -> None:
    filler = "It began at work. " * (before // 18 + 1)
    assert flags(f"{filler[:before]}. {sign}. {filler}", "vi") != ()
    assert flags(filler, "vi") == ()


def test_signs_far_apart_are_not_one_illness() -> None:
    text = f"My diabetes is well controlled. {'We talked about the garden. ' * 200}The dog was vomiting and sleepy."
    assert "high_sugar" not in flags(text, "en")


@given(st.text(max_size=300), st.sampled_from(["en", "vi"]))
def test_any_text_is_read(text: str, language: Language) -> None:
    assert isinstance(urgent(text, language), str)


def test_a_long_text_is_read_quickly_enough_to_finish() -> None:
    assert urgent("not " * 5_000, "en") == ""
    assert urgent("no fever or " * 500 + "chest pain", "en") is not None
