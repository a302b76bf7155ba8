"""What a labelled product is made of, by the names on its label: salts are folded, so that every form is one drug."""

from __future__ import annotations

import re

from docgemma.drugs.labels.wording import PRODUCT_DATA
from docgemma.entities.drugs.names import drugs_in, ingredients
from docgemma.entities.words import word_set
from docgemma.sources.contract import Label

_SALTS = word_set(
    "acetate anhydrous axetil benzoate besilate besylate bicarbonate bisulfate bitartrate bromide butyrate calcium "
    "camsylate carbonate chloride citrate decanoate dihydrate dihydrochloride dimesylate dipotassium dipropionate "
    "disodium disoproxil enanthate etexilate ethylsuccinate fumarate furoate gluconate hbr hcl hemifumarate "
    "hemihydrate hydrate hydrobromide hydrochloride hydroxide hyclate iodide lactate lysine magnesium malate maleate "
    "medoxomil meglumine mesilate mesylate micronized mofetil monohydrate monosodium mucate napsylate nitrate oxalate "
    "palmitate pamoate pentahydrate phosphate potassium proxetil propionate saccharate salicylate sodium stearate "
    "succinate sulfate sulphate tartrate tosylate trihydrate tromethamine valerate xinafoate zinc"
)
_BETWEEN = re.compile(r"\s{0,3}(?:,|;|/|\+|&|\band\b|\bwith\b)\s{0,3}", re.IGNORECASE)
_LONGEST = 300
"""Letters of a name that are looked at."""


def folded(name: str) -> tuple[str, ...]:
    """Ingredients of one written substance: "ATORVASTATIN CALCIUM TRIHYDRATE" is atorvastatin.

    The whole name is tried first, because some salts are drugs of their own (lithium carbonate). A name that the
    dictionary does not have stands for itself, without its salt.
    """
    words = re.sub(r"[^\w\s'+-]", " ", name[:_LONGEST].casefold()).split()
    for end in range(len(words), 0, -1):
        known = ingredients(" ".join(words[:end]))
        if known:
            return known
        if words[end - 1] not in _SALTS or end == 1:
            return (" ".join(words[:end]),)
    return ()


def composition(label: Label) -> frozenset[str]:
    """Every ingredient that the label's names give: substances, else generic names, else brands. Empty: unknown."""
    for written in (label.substances, label.generics, label.brands):
        found = frozenset(part for name in written for part in _parts(name))
        if found:
            return found
    return frozenset()


def named(label: Label) -> frozenset[str]:
    """Ingredients found anywhere in its title and product data, for a label whose name fields are empty."""
    data = " ".join(label.sections.get(PRODUCT_DATA, ()))[:_LONGEST]
    found = drugs_in(f"{label.title[:_LONGEST]} . {data}")
    return frozenset(part for mention in found for part in ingredients(mention.value))


def _parts(name: str) -> tuple[str, ...]:
    """A joined name ("DIPHENHYDRAMINE HCL, PHENYLEPHRINE HCL") at its joints, unless the dictionary knows it whole."""
    whole = ingredients(name[:_LONGEST].strip())
    if whole:
        return whole
    return tuple(each for part in _BETWEEN.split(name[:_LONGEST]) if part for each in folded(part))
