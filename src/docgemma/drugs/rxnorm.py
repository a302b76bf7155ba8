"""RxNorm's identifier of an ingredient, where it was verified. None is worked out and none is guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

SYSTEM = "http://www.nlm.nih.gov/research/umls/rxnorm"


def rxnorm_of(ingredients: Sequence[str]) -> str:
    """The identifier of a drug with this one ingredient; empty for a combination, and where it is not known."""
    return _table().get(ingredients[0], "") if len(ingredients) == 1 else ""


@cache
def _table() -> Mapping[str, str]:
    """The shipped file: an ingredient, a tab, its identifier. A row that does not fit is a fault of ours."""
    text = files("docgemma.drugs").joinpath("data/rxnorm.tsv").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith(("#", "ingredient\t")):
            continue
        name, _, identifier = line.partition("\t")
        if not name or not identifier.isdecimal() or name in found:
            raise ValueError(f"The table of RxNorm identifiers has a row that does not fit: {name}.")
        found[name] = identifier
    return found
