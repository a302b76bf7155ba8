"""What a term may be a way of writing: abbreviations spelt out, compounds taken apart, brackets left off."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from docgemma.terminology.contract import EntityType
from docgemma.terminology.names.abbreviations import defined
from docgemma.terminology.names.clinical import clinical, formula, phrase
from docgemma.terminology.names.combining import taken_apart

How = Literal["written", "defined", "clinical", "formula", "phrase", "alteration", "apart"]

_BRACKET = re.compile(r"\s*[(\[][^()\[\]]{1,60}[)\]]")
_TOKEN = re.compile(r"[^\s/,;]+")


_ALTERED = (
    "mutation mutations mutant mutated mutation-positive positive negative positivity amplification amplified "
    "rearrangement rearranged translocation fusion overexpression overexpressing expression expressing deletion "
    "deleted exon insertion alteration alterations altered wild-type wildtype status gene deficient loss gain "
    "activating sensitizing germline somatic variant copy number + -"
)
_ALTERATIONS = frozenset(_ALTERED.split())
_CHANGE = re.compile(r"p?\.?[A-Z]\d{1,5}(?:[A-Z]|fs|del|\*)?|[A-Z]\d{1,5}[A-Z]/[A-Z]|\d{1,2}")


@dataclass(frozen=True, slots=True)
class Variant:
    """One reading of a term, and how likely it is to be the one meant."""

    text: str
    worth: float
    how: How
    type: EntityType | None = None


@dataclass(frozen=True, slots=True)
class Means:
    """What the search may use; the benchmark switches them off one by one."""

    definitions: bool = True
    clinical: bool = True
    formulas: bool = True
    phrases: bool = True
    alterations: bool = True
    compounds: bool = True
    composites: bool = True
    learnt: bool = True
    slips: bool = True
    soft: bool = True


def variants(term: str, type: EntityType | None, context: str, means: Means) -> list[Variant]:
    """Readings of a term, most likely first."""
    found: list[Variant] = []
    shorts = defined(context) if context and means.definitions else {}
    long = shorts.get(term)
    if long is not None:
        found.append(Variant(long, 1.0, "defined"))
    else:
        inside = _spelt_out(term, shorts)
        if inside != term:
            found.append(Variant(inside, 0.95, "defined"))
        if means.formulas and type in (None, "Medication"):
            name = formula(term)
            if name is not None:
                found.append(Variant(name, 0.9 if type else 0.5, "formula", "Medication"))
        if means.clinical:
            for kind, expansion in clinical(term):
                if type in (None, kind):
                    found.append(Variant(expansion, 0.9 if type else 0.85, "clinical", kind))
    found.append(Variant(term, 1.0 if not found else 0.8 if long is None else 0.5, "written"))
    for variant in list(found):
        bare = _BRACKET.sub("", variant.text).strip()
        if bare and bare != variant.text:
            found.append(Variant(bare, 0.9 * variant.worth, variant.how, variant.type))
    found += _altered(term, type) if means.alterations else []
    if means.phrases:
        meant = phrase(found[0].text)
        if meant is not None:
            found.append(Variant(meant, 0.95 * found[0].worth, "phrase"))
    if means.compounds:
        for variant in list(found):
            apart = taken_apart(variant.text)
            if apart is not None:
                found.append(Variant(apart, 0.5 * variant.worth, "apart", variant.type))
    return found


def _altered(term: str, type: EntityType | None) -> list[Variant]:
    """A gene or marker and what is the matter with it: the marker alone is in the index."""
    if type not in (None, "Biomarker"):
        return []
    tokens = term.replace("-positive", " positive").replace("-negative", " negative").split()
    kept = [token for token in tokens if token.lower() not in _ALTERATIONS and not _CHANGE.fullmatch(token)]
    if not kept or len(kept) == len(tokens) or len(kept) > 3:
        return []
    return [Variant(" ".join(kept), 0.9 if type else 0.8, "alteration", "Biomarker")]


def _spelt_out(term: str, shorts: dict[str, str]) -> str:
    """Defined abbreviations inside a longer term, written in full."""
    if not shorts:
        return term

    def full(found: re.Match[str]) -> str:
        word = found.group()
        if word in shorts:
            return shorts[word]
        head, dash, tail = word.partition("-")
        return f"{shorts[head]} {tail}" if dash and head in shorts and len(tail) > 2 else word

    return _TOKEN.sub(full, term)
