"""Label prose taken apart: where a sentence ends, and where it only looks so."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.drugs.labels.references import MARK, marked
from docgemma.drugs.labels.sentences import parts, sentences

ONE = [
    "Take it with food, e.g., Bread or rice.",
    "Give 0.5 mg vs. Placebo in adults.",
    "Sold in the U.S. Virgin Islands only.",
    "Doses of 2.5 mg/day.",
    "Ask Dr. Example about tablet No. 5 first.",
    "Table 2. Doses by weight.",
    "Levels rose 1.6 to 1.7 times.",
    "Start low (i.e., Half a tablet) and go slow.",
]
SEVERAL = [
    ("Give 2 mg b.i.d. or t.i.d. Severely ill patients need more.", 2),
    ("Up to 5 mg/day. Stop it slowly.", 2),
    ("Pregnancy Category B . Use it with care.", 2),
    ("It may harm! Is it needed? Ask first.", 3),
    ('He called it "safe." Others did not.', 2),
    ("Known allergy to vitamin K. Patients with shock.", 2),
    ("Stop it at once. a. Stroke It is more frequent. b. Clots They are too.", 3),
    ("It harms if taken ■ with wine Allergy alert: It may cause hives.", 3),
]


@pytest.mark.parametrize("text", ONE)
def test_a_full_stop_inside_a_sentence_ends_nothing(text: str) -> None:
    assert sentences(text) == (text,)


@pytest.mark.parametrize(("text", "count"), SEVERAL)
def test_a_full_stop_before_a_new_sentence_ends_one(text: str, count: int) -> None:
    assert len(sentences(text)) == count


def test_references_go_and_end_the_points_of_a_summary() -> None:
    text = (
        "Nitrates in any form ( 4.1 , 7.1 ) Known allergy to it ( 4.2 ) With riociguat (4.3) "
        "Levels rise [see Clinical Pharmacology (12.3)] in the elderly [ see Use in Specific Populations (8.5) ] . "
        "Stop it (see WARNINGS ). It is misused [see Drug Abuse and Dependence (9) ] ."
    )
    assert sentences(text) == (
        "Nitrates in any form",
        "Known allergy to it",
        "With riociguat",
        "Levels rise in the elderly.",
        "Stop it.",
        "It is misused.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Give for five (5) days.",
        "The ratio was 2.1 (1.2, 3.4) for stroke.",
        "A dose (2.5) mg is enough.",
        "Reduce it (see table; do not use with nitrates).",
        "The mean (5.1) was higher.",
        "The risk rose (95% CI 1.06, 4.34).",
    ],
)
def test_a_bracket_that_says_something_stays(text: str) -> None:
    assert sentences(text) == (text,)


def test_bullets_of_all_kinds_are_statements_and_know_what_they_hang_from() -> None:
    text = "Contraindicated in patients with: • heart block • shock. Ask first. Use care in: -gout -asthma"
    found = list(parts(marked(text)))
    assert [part.text for part in found] == [
        "Contraindicated in patients with:",
        "heart block",
        "shock.",
        "Ask first.",
        "Use care in:",
        "gout",
        "asthma",
    ]
    assert [part.stem for part in found] == [
        "",
        "Contraindicated in patients with:",
        "Contraindicated in patients with:",
        "",
        "",
        "Use care in:",
        "Use care in:",
    ]


def test_a_new_list_does_not_hang_from_the_line_of_the_last_one() -> None:
    text = "Signs may include: • hives • shock If it occurs, stop use. Do not use • before surgery Other facts • if red"
    assert [(part.stem, part.text) for part in parts(marked(text))] == [
        ("", "Signs may include:"),
        ("Signs may include:", "hives"),
        ("Signs may include:", "shock If it occurs, stop use."),
        ("", "Do not use"),
        ("Do not use:", "before surgery Other facts"),
        ("Do not use:", "if red"),
    ]


def test_a_line_that_cannot_end_there_opens_the_list_after_it() -> None:
    text = "Harm may occur if you take ■ too much ■ it with wine"
    assert [(part.stem, part.text) for part in parts(marked(text))][1:] == [
        ("Harm may occur if you take:", "too much"),
        ("Harm may occur if you take:", "it with wine"),
    ]


def test_a_reference_belongs_to_the_sentence_before_it() -> None:
    found = [part.refers for part in parts(marked("Check it. Stop it. ( 5.1 ) Rash may occur ( 5.2 ) Ask."))]
    assert found == [False, True, True, False]


def test_numbered_points_are_taken_apart_and_numbers_in_a_sentence_are_not() -> None:
    assert sentences("Do not use in: 1. Patients with gout 2. Patients with shock") == (
        "Do not use in:",
        "Patients with gout",
        "Patients with shock",
    )
    inline = "Only for an illness that, 1) is known to respond, and, 2) has no other treatment."
    assert sentences(inline) == (inline,)
    assert sentences("Well-known risks - bleeding and falls - need care.") == (
        "Well-known risks - bleeding and falls - need care.",
    )


@pytest.mark.parametrize(
    "piece",
    ["(", "[see ", "( 5.1 , ", "(see (a) ", "5.1 A ", "A. ", "a: • ", "1. A ", " -ab", "AB ", "e.g. A", MARK, "<"],
)
def test_hostile_repetition_is_read_to_its_end(piece: str) -> None:
    """Reading that grows with the square of the length would not come back from this."""
    assert sum(len(text) for text in sentences(piece * (400_000 // len(piece)))) <= 400_000


_PIECES = (
    "Patients with gout should not use it . • - 1. 2) ( 5.1 ) [see Warnings (5.1)] e.g., U.S. mg/day. 0.5 mg : ; "
    "(see WARNINGS ) vs. 5.1 Nitrates CYP3A4 inhibitors (e.g., ritonavir) ≥65 “crowded” – é 中文"
)
_PROSE = st.lists(st.sampled_from(_PIECES.split()), max_size=60).map(" ".join)


@given(_PROSE | st.text(max_size=300))
def test_no_word_is_lost_added_or_moved(text: str) -> None:
    line = marked(text.replace(MARK, " "))
    kept = "".join(part.text for part in parts(line))
    letters = re.compile(r"[^\W\d_]")
    assert letters.findall(kept) == letters.findall(line.replace(MARK, ""))


@given(_PROSE)
def test_every_sentence_is_a_piece_of_the_text(text: str) -> None:
    squeezed = "".join(marked(text).replace(MARK, "").replace(",", "").split())
    for part in sentences(text):
        assert "".join(part.replace(",", "").split()) in squeezed
