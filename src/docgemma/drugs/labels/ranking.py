"""Which of many labels to read first.

A drug has up to a hundred: of its maker, of repackagers with older text, of combinations, of creams and kits. A
search gives them in no useful order, and the first one is often the wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from docgemma.drugs.labels.composition import composition, folded, named
from docgemma.entities.words import word_set
from docgemma.sources.contract import Label

_ODD = re.compile(
    r"\b(?:hom(?:o|oe)eopathic|hpus|cosmetic|kits?|veterinary|animal|dietary supplement|medical food)\b"
    r"|\b(?:[1-9]\d{0,2}[CX]|\d{1,2}X)\b(?=\s|$|,)|unapproved",
    re.IGNORECASE,
)
_REPACKS = re.compile(
    r"repack|relabel|pd-?rx|a-s medication|bryant ranch|nucare|proficient rx|preferred pharmaceuticals|direct ?rx"
    r"|aphena|physicians total care|rebel distributors|st\.? mary'?s medical park|lake erie medical|quality care"
    r"|contract pharmac|northwind|qpharma|medsource|unit dose services|blenheim|dispensing solutions|aidarex|altura"
    r"|stat ?rx|henry schein|cardinal health|american health packaging|mckesson|denton pharma|asclemed|nostrum labs rp",
    re.IGNORECASE,
)
_OVER_THE_COUNTER = word_set(
    "do_not_use ask_doctor ask_doctor_or_pharmacist when_using stop_use active_ingredient purpose"
)


def about(label: Label, ingredients: Collection[str]) -> bool:
    """Whether a label is about one of these substances at all. One that names nothing is looked for in its title."""
    wanted = {part for name in ingredients for part in (name.casefold(), *folded(name))}
    return bool(wanted & (composition(label) or named(label)))


def ranked(
    labels: Iterable[Label], ingredients: tuple[str, ...], asked: str, *, otc: bool = False
) -> tuple[Label, ...]:
    """Labels about the drug, the one to read first in front. `otc`: the over-the-counter product was asked for.

    Order: the same ingredients and nothing else, a full label, prescription or not as asked, the asked brand, the
    maker's own, the newest, the most complete. Kits and homeopathic products come last.
    """
    wanted = ingredients or folded(asked)
    kept = [label for label in labels if about(label, wanted) or (not ingredients and _called(label, asked))]
    return tuple(sorted(kept, key=lambda label: _place(label, frozenset(wanted), asked, otc=otc)))


def over_the_counter(label: Label) -> bool:
    """By the product type, and by its sections where that is not given."""
    if label.product_type:
        return "OTC" in label.product_type.upper()
    return any(label.sections.get(field) for field in _OVER_THE_COUNTER)


def _place(label: Label, wanted: frozenset[str], asked: str, *, otc: bool) -> tuple[int, ...]:
    maker = 0 if label.original else 2 if _REPACKS.search(label.manufacturer) else 1
    date = "".join(char for char in label.effective or "" if char.isdigit())[:8].ljust(8, "0")
    return (
        int(_is_odd(label)),
        _distance(composition(label), wanted),
        int(not label.full),
        int(over_the_counter(label) != otc),
        int(not _called(label, asked)),
        maker,
        -int(date),
        -sum(1 for texts in label.sections.values() if any(texts)),
    )


def _is_odd(label: Label) -> bool:
    return bool(_ODD.search(" ".join((label.title, label.product_type, *label.brands, *label.generics))))


def _distance(made_of: frozenset[str], wanted: frozenset[str]) -> int:
    """The same drug, one that says nothing, one with more in it, one with a part of it."""
    if made_of == wanted:
        return 0
    if not made_of:
        return 1
    return 2 if wanted < made_of else 3


def _called(label: Label, asked: str) -> bool:
    """Whether the product has the asked name as its brand or generic name."""
    name = " ".join(asked.casefold().split())
    return bool(name) and any(name == " ".join(each.casefold().split()) for each in (*label.brands, *label.generics))
