"""Genes and receptors with what is the matter with them: "EGFR mutation", "HER2-positive", "BRAF V600E".

A gene's symbol is often an ordinary abbreviation too, so a symbol that only the index knows counts when an alteration
follows it or the text speaks of genes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.grounding.extracting.model import Found
from docgemma.grounding.extracting.tables import listed
from docgemma.terminology.linking.words import Word

_VARIANT = re.compile(
    r"[ACDEFGHIKLMNPQRSTVWY]\d{2,4}(?:[ACDEFGHIKLMNPQRSTVWYX]|fs|del)|\d{1,2}del|del\d{1,2}", re.IGNORECASE
)
"""A changed amino acid, written with the letters that amino acids have."""
_CERTAIN_VARIANT = re.compile(r"[ACDEFGHIKLMNPQRSTVWY]\d{3,4}(?:[ACDEFGHIKLMNPQRSTVWYX]|del)")
_CODON = re.compile(r"[ACDEFGHIKLMNPQRSTVWY]\d{2,4}")
_SMALL_NUMBER = re.compile(r"\d{1,2}")
_SPEAKS_OF_GENES = frozenset(
    {"gene", "mutation", "genotype", "mutated", "genetic", "rearrangement", "amplification", "fusion"}
)
_CANNOT_END = frozenset({"activating", "sensitizing", "exon", "wild", "pathogenic", "germline", "somatic"})
_OPENS = frozenset({" ", "-", "\u2010", "\u2011", "/"})
_STATES = frozenset({"positive", "negative", "status", "expression", "positivity", "low"})
_TWO_LETTERS = 2
_NEAR = 5
_MOST_WORDS = 6


def altered(words: Sequence[Word], biomarker: Found) -> Found:
    """The biomarker with the alteration after it."""
    last = biomarker.last
    while last < len(words) and last - biomarker.last < _MOST_WORDS and words[last - 1].gap in _OPENS:
        if not _alteration(words, last):
            break
        last += 1
    while last > biomarker.last and (words[last - 1].key in _CANNOT_END or words[last - 2].gap == "/"):
        last -= 1
    return Found(biomarker.first, last, "Biomarker", biomarker.term, rank=3)


def _alteration(words: Sequence[Word], place: int) -> bool:
    word, before = words[place], words[place - 1]
    if before.gap == "/":
        return word.text.isdigit()
    if word.key in listed("alterations") or _VARIANT.fullmatch(word.text) or _CODON.fullmatch(word.text):
        return True
    if word.key in {"low", "high"}:
        return before.hyphened
    return before.key == "exon" and _SMALL_NUMBER.fullmatch(word.text) is not None


def variants(words: Sequence[Word]) -> list[Found]:
    """Changes named without their gene: "L858R mutation"."""
    found = [
        Found(place, place + 1, "Biomarker", rank=2)
        for place, word in enumerate(words)
        if _CERTAIN_VARIANT.fullmatch(word.text) is not None
    ]
    return [altered(words, one) for one in found]


def aimed_at(words: Sequence[Word], target: Found) -> Found:
    """ "anti-EGFR therapy" is a medicine, and so are anti-tuberculosis drugs: the target is only what they aim at."""
    before = target.first - 1
    if before < 0 or words[before].low != "anti" or not words[before].hyphened:
        return target
    last = target.last
    while last < len(words) and last - target.last < 2 and words[last - 1].gap in _OPENS:
        if words[last].key not in listed("class_endings") and words[last].key not in {
            "antibody",
            "monoclonal",
            "biologic",
        }:
            break
        last += 1
    return Found(before, last, "Medication", rank=3)


def supported(words: Sequence[Word], one: Found) -> bool:
    """Two letters are a receptor only with its state beside it, its own or that of the next one: "ER/PR-positive"."""
    if one.type != "Biomarker" or one.size > 1 or len(words[one.first].text) > _TWO_LETTERS:
        return True
    return any(words[place].key in _STATES for place in range(one.last, min(one.last + _NEAR, len(words))))


def speaks_of_genes(words: Sequence[Word]) -> bool:
    return any(word.key in _SPEAKS_OF_GENES for word in words)
