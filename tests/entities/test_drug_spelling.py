"""What a word that stands for a drug may mean: suggestions for a person, never corrections."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from docgemma.entities.drugs.names import ingredients, same_drug
from docgemma.entities.drugs.spelling import look_alikes, near_misses, resolve
from docgemma.entities.words import word_set
from tests.support.tables import each_of

_ATTACKS = Path(__file__).parent.parent / "fixtures" / "attacks"
with (_ATTACKS / "lasa_pairs.csv").open(encoding="utf-8", newline="") as _file:
    _PAIRS = [(row["a"], row["b"]) for row in csv.DictReader(_file)]


@pytest.mark.parametrize(
    ("name", "kind", "drug"),
    [
        ("Warfarin", "known", "warfarin"),
        ("Telma AM", "known", "telma-am"),
        ("warfarin's", "known", "warfarin"),
        ("sacubitril and valsartan", "known", "sacubitril and valsartan"),
        ("HCTZ", "shorthand", "hydrochlorothiazide"),
        ("pcm", "shorthand", "paracetamol"),
        ("wаrfarin", "disguised", "warfarin"),
        ("met\u200bformin", "disguised", "metformin"),
        ("hydr0xyzine", "disguised", "hydroxyzine"),
        ("xyzumab", "unknown", ""),
        ("", "unknown", ""),
        ("a" * 10_000, "unknown", ""),
    ],
)
def test_what_a_name_is_taken_for(name: str, kind: str, drug: str) -> None:
    found = resolve(name)
    assert (found.kind, found.name) == (kind, drug)
    assert bool(found.ingredients) == bool(drug)


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("warfrin", "warfarin"),
        ("metfromin", "metformin"),
        ("asprin", "aspirin"),
        ("paracetmol", "paracetamol"),
        ("amlodapine", "amlodipine"),
        ("azithromicin", "azithromycin"),
        ("ceftrixone", "ceftriaxone"),
        ("levocitrizine", "levocetirizine"),
        ("rosuvastin", "rosuvastatin"),
        ("xeralto", "xarelto"),
        ("jardience", "jardiance"),
        ("ozempik", "ozempic"),
        ("combiflame", "combiflam"),
        ("thyronrom", "thyronorm"),
        ("clopidogrl", "clopidogrel"),
        ("gabapenten", "gabapentin"),
        ("lisinipril", "lisinopril"),
        ("augmentine", "augmentin"),
    ],
)
def test_a_slip_is_suggested_and_not_corrected(slip: str, meant: str) -> None:
    found = resolve(slip)
    assert (found.kind, found.name, found.ingredients) == ("near", "", ())
    assert found.suggestions[0] == meant
    assert len(found.suggestions) <= 3


def test_both_look_alikes_are_named_when_both_are_close() -> None:
    assert set(resolve("prednisoln").suggestions) == {"prednisolone", "prednisone"}
    assert set(resolve("hydralizine").suggestions) >= {"hydralazine", "hydroxyzine"}


_ORDINARY = word_set(
    "patient started normal protein relation insomnia morning general depression migraine vertigo allergy warning "
    "medication tablets something another question ability attention moderate severe adrenal pancreas anesthesia "
    "diabetes diabetic cardiac hepatic abdomen scabies colitis thyroid regular daily twice doctor nurse warf dose"
)


@each_of("word", sorted(_ORDINARY))
def test_ordinary_words_are_near_to_nothing(word: str) -> None:
    assert near_misses(word) == ()


def test_an_exact_or_short_name_has_no_near_misses() -> None:
    assert near_misses("prednisone") == near_misses("Telma H") == near_misses("warf") == near_misses("x" * 500) == ()


@each_of(("one", "other"), _PAIRS)
def test_look_alikes_are_two_drugs_and_know_each_other(one: str, other: str) -> None:
    """OxyContin holds oxycodone: the pair differs in release, not in ingredient, so only the names differ."""
    assert resolve(one).kind == resolve(other).kind == "known"
    assert ingredients(one) and ingredients(other)
    if {one, other} != {"oxyCODONE", "OxyCONTIN"}:
        assert not same_drug(one, other)
    assert other.lower() in look_alikes(one)
    assert one.lower() in look_alikes(other)
    assert resolve(one).name == one.lower()
    assert resolve(other).name == other.lower()
