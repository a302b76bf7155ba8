"""Sentences come out early, whole, and the same however the text arrived."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.entities.sentences import LONGEST, Repetition, SentenceStream, complete, split

FRAGMENTS = [
    "Take ", "0.5 mg", "e.g. ", "p.o. ", "Dr. ", "No. ", "2. ", "- ", "\n", "\n\n", "...", "…", "?!", ". ", ".", " ",
    "A. ", "warfarin", "The ", "(see Fig. 2)", '"Stop."', "**Bold.** ", "q.d. ", "\t", "\u00a0", "1,000",
    "x" * 250, "word " * 60,
]  # fmt: skip
TEXT = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))


@given(TEXT, st.data())
def test_neither_pieces_nor_chance_change_the_sentences(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=30)))
    stream, out = SentenceStream(), []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        out += stream.feed(text[start:end])
    out += stream.flush()
    assert "".join(out) == text
    assert out == split(text)
    assert all(0 < len(sentence) <= LONGEST for sentence in out)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Take 0.5 mg. Then 2.0 mg.", ["Take 0.5 mg. ", "Then 2.0 mg."]),
        ("Give p.o. b.i.d. with food.", ["Give p.o. b.i.d. with food."]),
        ("Give 5 mg q.d. Then stop.", ["Give 5 mg q.d. ", "Then stop."]),
        ("Use e.g. Warfarin, i.e. Coumadin.", ["Use e.g. Warfarin, i.e. Coumadin."]),
        ("Dr. Smith vs. J. Doe agreed.", ["Dr. Smith vs. J. Doe agreed."]),
        ("Approx. 5 of 10. See Fig. 2 and No. 7.", ["Approx. 5 of 10. ", "See Fig. 2 and No. 7."]),
        ("Is it known? No. It is not.", ["Is it known? ", "No. ", "It is not."]),
        ("1. First. 2. Second.\n- third", ["1. First. ", "2. Second.\n", "- third"]),
        ("Really?! Yes... perhaps. Wait… Now.", ["Really?! ", "Yes... perhaps. ", "Wait… ", "Now."]),
        ("One\n\nTwo.", ["One\n", "\n", "Two."]),
        ('"Stop." Then **go.** Now', ['"Stop." ', "Then **go.** ", "Now"]),
        ("Check vitamin D. The rest is fine.", ["Check vitamin D. ", "The rest is fine."]),
        ("See https://a.example/b.c for it.", ["See https://a.example/b.c for it."]),
    ],
)
def test_a_clinician_would_cut_here(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_a_sentence_is_released_with_the_first_letter_of_the_next() -> None:
    stream = SentenceStream()
    assert stream.feed("Monitor the INR.") == []
    assert stream.feed(" ") == []
    assert stream.feed("W") == ["Monitor the INR. "]
    assert stream.flush() == ["W"]


def test_a_line_is_released_at_once() -> None:
    assert SentenceStream().feed("- hives\n- ra") == ["- hives\n"]


def test_an_endless_sentence_does_not_hold_the_reader_up() -> None:
    released = SentenceStream().feed("and then 500 mg " * 60)
    assert released
    assert all(sentence.endswith(" ") for sentence in released)


def stopped_at(sentences: list[str]) -> int | None:
    watch = Repetition()
    return next((number for number, sentence in enumerate(sentences, start=1) if watch.stop(sentence)), None)


def test_the_third_time_is_a_loop() -> None:
    assert stopped_at(["Monitor the INR. ", "Ask about falls. ", "monitor  the INR.\n", "Monitor the INR. "]) == 4


def test_none_under_every_heading_is_no_loop() -> None:
    headings = ["Allergies:\n", "- None\n", "Problems:\n", "- None\n", "Devices:\n", "- None\n", "Notes:\n", "- None\n"]
    assert stopped_at(headings) is None
    assert stopped_at(["- None\n"] * 3) == 3


@pytest.mark.parametrize("phrase", ["the ", "and the ", "risk of bleeding "])
def test_words_in_circles_are_a_loop(phrase: str) -> None:
    assert stopped_at(split(phrase * 40)) == 1


def test_plain_prose_never_stops() -> None:
    prose = [f"Drug {number} was studied in {number * 7} adults with condition {number}. " for number in range(40)]
    assert stopped_at(prose) is None


@pytest.mark.parametrize(
    "shape", ["{}. **Safety**: {}", "{}) {}", "**{}.** {}", "Step {}: {}", "- {}. {}", "### {}. {}"]
)
def test_a_new_number_before_the_same_words_is_a_loop(shape: str) -> None:
    said = "The safety of users should be monitored closely.\n"
    assert stopped_at([shape.format(number, said) for number in range(5, 12)]) == 3


def test_steps_that_differ_are_no_loop() -> None:
    steps = ["1. Check the INR.\n", "2. Check the ECG.\n", "3. Check the eGFR.\n", "4. Check the weight.\n"]
    assert stopped_at(steps) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "Monitor the INR.",
        "Is it known?",
        "Stop!",
        "**Stop.**",
        'He said "stop."',
        "Wait…",
        "The target is 2.5.",
        "It was approved in 1999. ",
        "Check vitamin D.",
        "- hives\n",
        "## Warnings\n",
        "\n",
        "",
    ],
)
def test_a_whole_sentence_is_kept(sentence: str) -> None:
    assert complete(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The maximum is 10",
        "systolic pressure above 13",
        "The maximum is 0.",
        "The maximum is 10.",
        "Do not give wit",
        "Give it with",
        "- hives",
        "## Warnings",
        "The following apply:",
        "2.",
        "Use e.g.",
        "Ask Dr.",
        "Stop it (see",
        "**Sto",
    ],
)
def test_a_cut_sentence_is_seen(sentence: str) -> None:
    assert not complete(sentence)
