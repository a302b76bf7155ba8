"""The same treatment twice: an ingredient that is already taken, or another of the same kind."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.drugs.interactions.duplicates import shared_class
from docgemma.drugs.model import Drug
from docgemma.drugs.rules.outcome import Finding, opened, resting_on


def check_duplicate(
    ingredients: Sequence[str], current: Sequence[tuple[str, tuple[str, ...]]], *, name: str = ""
) -> tuple[Finding, ...]:
    """An order against the medicines that are taken now: each its name and its ingredients, none where it is unknown.

    `name` is what the order calls the drug. The list has to be complete: an empty one means that nothing is taken.
    """
    if not ingredients:
        return (Finding("duplicate", "not_checked", "Without known ingredients no duplicate can be looked for."),)
    ordered = Drug(name or " and ".join(ingredients), tuple(ingredients))
    found = [finding for each in current if (finding := _against(ordered, Drug(each[0], each[1])))]
    if found:
        return tuple(dict.fromkeys(found))
    if not current:
        return (Finding("duplicate", "passed", "No other medicine is on the list."),)
    count = f"{len(current)} current medicine{'' if len(current) == 1 else 's'}"
    return (Finding("duplicate", "passed", f"{opened(ordered.name)} is none of the {count}, nor of their kind."),)


def _against(ordered: Drug, taken: Drug) -> Finding | None:
    if not taken.ingredients:
        text = f"'{taken.name}' is on the list and not a name we know: whether it is the same medicine is not checked."
        return Finding("duplicate", "not_checked", text)
    same = [part for part in ordered.ingredients if any(_same(part, other) for other in taken.ingredients)]
    if same:
        what = " and ".join(same)
        already = f"{taken.name} is already taken" if taken.name.lower() == what else f"{taken.name} already has {what}"
        return Finding("duplicate", "hard_stop", f"The same medicine twice: {already}.")
    shared = shared_class(ordered, taken)
    if shared:
        text = f"The same kind of medicine twice: {taken.name} is taken, and it is {shared.is_} as {ordered.name} is."
        return Finding("duplicate", "warning", text, resting_on(shared.basis))
    return None


def _same(one: str, other: str) -> bool:
    """Equal, or one is the general name of the other: "insulin" may be any insulin."""
    return one == other or one.startswith(f"{other} ") or other.startswith(f"{one} ")
