"""A drug as it is looked for in labels: by its names, its classes, and what it does at enzymes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from docgemma.drugs.classes import Words, classes, folded, memberships, shipped_words, told_classes, words_of
from docgemma.drugs.interactions.enzymes import STRENGTHS, Role, roles_in, roles_of
from docgemma.drugs.model import Drug
from docgemma.entities.drugs.names import ingredients

_SHORTEST = 3
"""Letters that a name needs which only the user knows; a shorter one is in every text."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A drug as it is looked for. Ingredients by class id and by role say which part of a combination it is."""

    drug: Drug
    ingredients: frozenset[str]
    classes: Mapping[str, str]
    roles: Mapping[Role, tuple[str, str]]
    told: Words
    told_via: Mapping[str, str]
    """Names that our dictionary and our table do not have, as the user or a live service wrote them."""


def sought(drug: Drug) -> Sought:
    """What to look for: its ingredients, the classes of the table, its roles, and names that only others know."""
    own = memberships(drug)
    roles = _roles({id_: part for id_, part in own.items() if part in classes()[id_].members})
    known = {(role.enzyme, role.part) for role in roles}
    told: dict[str, str] = {}
    for name in told_classes(drug):
        added = roles_of((name,))
        new = [role for role in added if (role.enzyme, role.part) not in known]
        roles |= dict.fromkeys(new, (drug.name, f'listed under "{name}"'))
        if not added and folded(name) not in shipped_words().keys:
            told[folded(name)] = f'{drug.name} is listed under "{name}"'
    for name in (*drug.ingredients, *drug.brands, drug.name):
        if not ingredients(name):
            told[folded(name)] = ""
    told = {key: via for key, via in told.items() if len(key) >= _SHORTEST}
    return Sought(drug, frozenset(drug.ingredients), own, roles, words_of((key, key) for key in told), told)


def called(drug: Drug, ingredient: str) -> str:
    """The drug as the user named it, with the ingredient meant where that is another word."""
    return drug.name if drug.name.lower() == ingredient.lower() else f"{drug.name} ({ingredient})"


def _roles(own: Mapping[str, str]) -> dict[Role, tuple[str, str]]:
    """A member of "CYP3A4 inhibitors" that the table names neither strong nor moderate is neither."""
    found: dict[Role, tuple[str, str]] = {}
    stated = {(role.enzyme, role.part) for id_ in own if (role := role_of(id_)) and role.strength}
    for id_, part in own.items():
        role = role_of(id_)
        if role is None or (not role.strength and (role.enzyme, role.part) in stated):
            continue
        graded = _graded().get((role.enzyme, role.part))
        exact = [role] if role.strength or not graded else [replace(role, strength=each) for each in STRENGTHS - graded]
        for each in exact:
            found.setdefault(each, (part, classes()[id_].is_))
    return found


@cache
def role_of(id_: str) -> Role | None:
    """The role that a class of the table is; none for one that takes two enzymes at once, which goes by its words."""
    found = roles_in(classes()[id_].is_) if classes()[id_].kind == "enzyme" else ()
    return found[0].role if len(found) == 1 else None


@cache
def _graded() -> Mapping[tuple[str, str], frozenset[str]]:
    """For each enzyme and part, the strengths that the table has a class of."""
    found: dict[tuple[str, str], set[str]] = {}
    for id_ in classes():
        role = role_of(id_)
        if role and role.strength:
            found.setdefault((role.enzyme, role.part), set()).add(role.strength)
    return {of: frozenset(strengths) for of, strengths in found.items()}
