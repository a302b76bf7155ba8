"""Recorded allergies: the same medicine, one of its kind, or one that often goes with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from docgemma.drugs.classes import classes, classes_of
from docgemma.drugs.rules.allergens import Allergen, read_allergen
from docgemma.drugs.rules.outcome import Finding, Outcome, gravest, opened, resting_on
from docgemma.drugs.rules.tables import Row, basis, noted, rows


def check_allergy(
    ingredients: Sequence[str], recorded: Sequence[str], *, stated_none: bool = False
) -> tuple[Finding, ...]:
    """An order's ingredients against the entries of the allergy list, as they are written there.

    `stated_none`: the record says that there are no allergies. An empty list does not say so.
    """
    if not ingredients:
        return (Finding("allergy", "not_checked", "Without known ingredients no allergy can be checked."),)
    entries = [read_allergen(text) for text in dict.fromkeys(recorded)]
    real = [entry for entry in entries if not entry.none]
    if not real:
        if stated_none or entries:
            return (Finding("allergy", "passed", "The record states that there are no known allergies."),)
        text = "No allergies are recorded, which does not mean that there are none."
        return (Finding("allergy", "not_checked", text),)
    found = [finding for entry in real for finding in _against(entry, ingredients)]
    if stated_none or len(real) < len(entries):
        text = "The record states that there are no allergies and lists some all the same."
        found.append(Finding("allergy", "not_checked", text))
    found += _outside(ingredients)
    return gravest(found) or (_passed(ingredients, len(real)),)


def _against(entry: Allergen, ingredients: Sequence[str]) -> Iterator[Finding]:
    for word in entry.unread:
        text = f"Recorded allergy '{word}' is not recognised: whether it concerns this order is not checked."
        yield Finding("allergy", "not_checked", text)
    for ingredient in ingredients:
        conflict = _conflict(entry, ingredient)
        if conflict:
            yield conflict


def _conflict(entry: Allergen, ingredient: str) -> Finding | None:
    """The gravest that one entry says of one ingredient."""
    told = f"Recorded allergy '{entry.text}': {ingredient}"
    if any(_same(ingredient, part) for part in entry.ingredients):
        return Finding("allergy", "hard_stop", f"{told} is what was recorded.", "the patient's record")
    for id_ in entry.classes:
        if ingredient in classes()[id_].members:
            text = f"{told} is {classes()[id_].is_}."
            return Finding("allergy", "hard_stop", text, resting_on(classes()[id_].basis))
    crossing = [row for row in rows("cross_reactivity") if _is_of(row, entry) and _is_to(row, ingredient)]
    found = [_crossed(row, told) for row in crossing]
    return gravest(found)[0] if found else None


def _crossed(row: Row, told: str) -> Finding:
    says = "can bring the same reaction" if row["outcome"] == "hard_stop" else "may bring a reaction too"
    return Finding("allergy", cast(Outcome, row["outcome"]), noted(f"{told} {says}.", row), basis(row))


def _is_of(row: Row, entry: Allergen) -> bool:
    for side in row["of"].split(","):
        if side.startswith("~"):
            if side[1:] in entry.others:
                return True
        elif side.startswith("="):
            if side[1:] in entry.ingredients:
                return True
        elif side in entry.classes or not entry.ingredients.isdisjoint(classes()[side].members):
            return True
    return False


def _is_to(row: Row, ingredient: str) -> bool:
    return any(
        side[1:] == ingredient if side.startswith("=") else ingredient in classes()[side].members
        for side in row["to"].split(",")
    )


def _outside(ingredients: Sequence[str]) -> Iterator[Finding]:
    """A medicine in no class: only its own name could be compared, and that is said."""
    for ingredient in ingredients:
        if not classes_of(ingredient) and not any(_is_to(row, ingredient) for row in rows("cross_reactivity")):
            text = f"{opened(ingredient)} is in no class of the shipped table: only its own name was looked for."
            yield Finding("allergy", "not_checked", text, resting_on(""))


def _passed(ingredients: Sequence[str], count: int) -> Finding:
    said = "The recorded allergy does not concern" if count == 1 else f"None of {count} recorded allergies concerns"
    return Finding("allergy", "passed", f"{said} {' or '.join(ingredients)}.", resting_on("shipped tables"))


def _same(one: str, other: str) -> bool:
    """Equal, or one is the general name of the other: "insulin" may be any insulin."""
    return one == other or one.startswith(f"{other} ") or other.startswith(f"{one} ")
