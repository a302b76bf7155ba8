"""What holds for any two drugs and any text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.drugs.classes import classes, classes_of
from docgemma.drugs.interactions.find import find
from docgemma.drugs.interactions.pairs import curated
from docgemma.sources.contract import Label
from tests.drugs.pairs_of import drug, quote


def word_list(listed: str) -> list[str]:
    return listed.split()


DRUGS = word_list(
    """sildenafil nitroglycerin warfarin ibuprofen naproxen aspirin clarithromycin simvastatin haloperidol lithium
    digoxin amiodarone rifampin lisinopril spironolactone fluoxetine tramadol metformin prednisone omeprazole"""
)
WORDS = word_list(
    """nitrates NSAIDs strong moderate CYP3A4 inhibitors inducers of and or with concomitant use other drugs that
    prolong QT warfarin aspirin hypersensitivity to avoid is a contraindicated patients taking no effect on levels
    ; . , ( ) : -
    SSRIs such as including Lithium not receiving P-gp anticoagulants"""
)
_NOUNS = ("inhibitor", "blocker", "agent", "drug", "agonist", "antagonist", "diuretic", "statin", "inducer", "azole")
FIELDS = ("contraindications", "drug_interactions", "warnings", "dosage_and_administration", "pharmacokinetics")
PIECES = (
    "ritonavir ",
    "strong CYP3A4 inhibitors ",
    "NSAIDs, including ibuprofen, ",
    "allergic to ",
    "(",
    "drugs that ",
)

labels = st.builds(
    lambda texts: Label("made up", {field: (" ".join(words),) for field, words in texts.items()}),
    st.dictionaries(st.sampled_from(FIELDS), st.lists(st.sampled_from(WORDS), min_size=1, max_size=40), max_size=3),
)
names = st.sampled_from(DRUGS)


@settings(deadline=None)
@given(names, names, labels, labels)
def test_the_order_of_the_drugs_does_not_matter(one: str, other: str, of_one: Label, of_other: Label) -> None:
    there = find(drug(one), drug(other), [of_one], [of_other])
    back = find(drug(other), drug(one), [of_other], [of_one])
    assert [replace(each, drugs=("", "")) for each in there] == [replace(each, drugs=("", "")) for each in back]


@settings(deadline=None)
@given(names, names)
def test_nor_in_the_table(one: str, other: str) -> None:
    there, back = curated(drug(one), drug(other)), curated(drug(other), drug(one))
    assert [(each.severity, each.meaning) for each in there] == [(each.severity, each.meaning) for each in back]


@settings(deadline=None)
@given(names, names, labels)
def test_what_is_quoted_stands_in_the_label(one: str, other: str, of: Label) -> None:
    whole = _letters(" ".join(text for texts in of.sections.values() for text in texts))
    for found in find(drug(one), drug(other), [of], []):
        assert _letters(quote(found)) in whole


def _letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


@settings(deadline=None)
@given(names, st.sampled_from(("Zorbexol", "Quantovir", "Melparide")), st.text(max_size=200))
def test_any_text_can_be_read(one: str, other: str, text: str) -> None:
    assert isinstance(find(drug(one), drug(other), [Label(one, {"warnings": (text,)})], []), tuple)


@settings(deadline=None)
@given(names, st.sampled_from(("Zorbexol", "Quantovir", "Melparide")))
def test_another_name_in_the_same_place_gives_the_same(one: str, other: str) -> None:
    text = f"Avoid {other} in patients who take it; deaths were reported with {other}."
    found = find(drug(one), drug(other), [Label(one, {"warnings": (text,)})], [])
    assert [quote(each) for each in found] == [text]


@pytest.mark.parametrize("piece", PIECES)
def test_a_heap_of_words_is_read_to_its_end(piece: str) -> None:
    """Nothing here takes a time that grows faster than the text: this one would take hours."""
    text = piece * (300_000 // len(piece)) + ". Avoid ritonavir."
    assert find(drug("sildenafil"), drug("ritonavir"), [Label("sildenafil", {"drug_interactions": (text,)})], [])


def test_every_member_of_a_class_is_found_by_each_of_its_words() -> None:
    """A class that labels write in six ways is worth nothing when the fifth is not recognised."""
    missed: list[tuple[str, str]] = []
    for each in classes().values():
        member = drug(min(each.members))
        for word in each.words:
            written = f"{word}s" if word.endswith(_NOUNS) else word
            of = Label("zorbexol", {"drug_interactions": (f"Concomitant {written} may be harmful.",)})
            if not find(drug("zorbexol"), member, [of], []):
                missed.append((each.id, written))
    assert not missed


def test_classes_are_known_for_the_drugs_of_these_tests() -> None:
    assert all(classes_of(name) for name in DRUGS)
