"""No warning of an entry is lost when it is put into other words, or cut."""

from __future__ import annotations

import pytest

from docgemma.knowledge.consult.quoting import LONGEST_QUOTE, word_for_word
from docgemma.knowledge.consult.warned import warnings_cut_off, warnings_left_out, warns
from docgemma.knowledge.demo.entries import demonstration
from docgemma.knowledge.entry import Language
from docgemma.knowledge.search.found import Found
from tests.knowledge.consult.library import entry


@pytest.mark.parametrize(
    "text",
    [
        "This means hospital assessment.",
        "Call 115.",
        "Never crush it.",
        "Don't drive.",
        "It is not safe in pregnancy.",
        "Tell your doctor about any allergy.",
        "Phải đánh giá tại bệnh viện.",
        "Đừng tự ý tăng liều.",
        "Thận trọng khi có thai.",
        "Khong duoc uong qua lieu.",
        "Den benh vien ngay.",
    ],
)
def test_a_warning_is_known(text: str) -> None:
    assert warns(text)


@pytest.mark.parametrize("text", ["Brush gently twice a day.", "Hãy chải răng nhẹ nhàng.", "Dung ban chai mem."])
def test_what_warns_of_nothing_is_none(text: str) -> None:
    assert not warns(text)


@pytest.mark.parametrize(
    ("warning", "text", "language"),
    [
        ("Do not take it with food.", "Take it with food.", "en"),
        ("Go to hospital at once.", "Do not go to hospital at once.", "en"),
        ("Stop at 3 tablets and call.", "Stop at 5 tablets and call.", "en"),
        ("Never drive at night after it.", "Never eat. They drive to it at night. It is after nine.", "en"),
        ("Không được uống khi đói.", "Uống được khi đói.", "vi"),
    ],
    ids=["denied", "turned", "number", "scattered", "vi"],
)
def test_a_text_with_the_same_words_does_not_say_it(warning: str, text: str, language: Language) -> None:
    assert warnings_left_out(text, entry("a", "Why?", warning, language=language), language) == (warning,)


@pytest.mark.parametrize("text", ["Do not take it with food [1].", "Don't take it with food."], ids=["same", "short"])
def test_what_the_text_says_is_not_told_again(text: str) -> None:
    assert warnings_left_out(text, entry("a", "Why?", "Do not take it with food."), "en") == ()


def test_of_a_harmless_list_only_the_warning_items_are_told() -> None:
    listed = entry("w", "How?", "Step by step:\n- Wash your hands\n- Never share a pen\n- Write it down")
    assert warnings_left_out("Wash.", listed, "en") == ("Step by step:\n- Never share a pen",)


def test_a_list_without_marks_stays_with_its_heading() -> None:
    listed = entry("w", "When?", "Go to hospital if you have:\nfever\nweakness\n\nIt is blue.")
    assert warnings_left_out("It is blue.", listed, "en") == ("Go to hospital if you have:\nfever\nweakness",)


def test_every_shipped_entry_says_its_own_warnings() -> None:
    told = [each.id for each in demonstration() if warnings_left_out(each.answer, each, each.language)]
    assert told == []


def test_what_is_cut_off_still_warns() -> None:
    plain, warning = "This sentence is one of many. ", "Never take it with milk."
    answer = (
        plain * 150 + warning + " " + plain * 150 + "Call for help if:\n" + "- you feel faint\n- you vomit\n" + plain
    )
    text = word_for_word([Found(entry("long", "What is long?", answer), 1.0, True)], "en")
    shown, _, rest = text.partition(" …\n(Shortened")
    assert warning in shown
    assert warning not in rest
    assert "Call for help if:\n- you feel faint\n- you vomit\n" in rest


def test_an_answer_that_fits_is_shown_whole() -> None:
    answer = ("This sentence is one of many. " * 210)[: LONGEST_QUOTE - 1].strip()
    assert answer in word_for_word([Found(entry("long", "What is long?", answer), 1.0, True)], "en")


def test_a_sentence_cut_in_two_is_told_whole() -> None:
    assert warnings_cut_off("Rest, and", "Rest, and never drive.") == ("Rest, and never drive.",)
