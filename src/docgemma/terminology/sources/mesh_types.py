"""From MeSH tree numbers to our six kinds of entity.

The longest matching branch decides, so that a special branch ("kidney function tests") wins over the one it grows on
("diagnostic techniques"). A descriptor that stands in several trees takes the first kind in `_ORDER` that one of
them gives: a disease is a disease wherever else it is filed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from docgemma.terminology.contract import EntityType

_BRANCHES: Mapping[str, EntityType | None] = {
    "C": "Condition",
    "C22": None,  # diseases of animals
    "F03": "Condition",
    "F01.145.126": "Condition",  # behavioural symptoms
    "F01.470.132": "Condition",  # anxiety
    "D": "Medication",
    "D12.776.624": "Biomarker",  # neoplasm proteins
    "D12.776.826": "Biomarker",  # receptors inside the cell
    "D12.776.543.750": "Biomarker",  # receptors at the surface
    "D23.050": "Biomarker",  # antigens
    "D23.101": "Biomarker",
    "E": "Procedure",
    "E01.370.225": "Lab_Value",  # clinical laboratory techniques
    "E05.200": "Lab_Value",
    "E01.370.372.460": "Lab_Value",  # liver function tests
    "E01.370.386.700": "Lab_Value",  # respiratory function tests
    "E01.370.390.400": "Lab_Value",  # kidney function tests
    "E01.370.600": "Lab_Value",  # physical examination: vital signs, body measures
    "E05.318": None,  # epidemiologic methods and statistics
    "E05.581": None,  # models
    "M01": "Demographic",
    "N01.224": "Demographic",
}
_ORDER: tuple[EntityType, ...] = ("Condition", "Demographic", "Lab_Value", "Procedure", "Medication", "Biomarker")


def type_of_trees(trees: Iterable[str]) -> EntityType | None:
    """The kind of a descriptor, or nothing for anatomy, organisms, places and the like."""
    kinds = {_kind(tree) for tree in trees}
    return next((kind for kind in _ORDER if kind in kinds), None)


def _kind(tree: str) -> EntityType | None:
    branch = tree
    while branch:
        if branch in _BRANCHES:
            return _BRANCHES[branch]
        branch = branch.rpartition(".")[0]
    for short in (tree[:3], tree[:1]):
        if short in _BRANCHES:
            return _BRANCHES[short]
    return None
