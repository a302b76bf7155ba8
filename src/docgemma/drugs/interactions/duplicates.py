"""The same thing twice: one ingredient in two of the named drugs, or two drugs of one kind."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.drugs.classes import DrugClass, classes, memberships
from docgemma.drugs.model import Drug


def duplicates(drugs: Sequence[Drug]) -> tuple[str, ...]:
    """One sentence for each ingredient that is in more than one of these drugs."""
    found: list[str] = []
    for ingredient in dict.fromkeys(part for drug in drugs for part in drug.ingredients):
        holding = [drug.name for drug in drugs if ingredient in drug.ingredients]
        if len(holding) < 2:
            continue
        names = list(dict.fromkeys(holding))
        if len(names) == 1 or all(name.lower() == ingredient for name in names):
            found.append(f"{names[0]} is named {_times(len(holding))}.")
        else:
            found.append(f"{_and(names)} {'both' if len(names) == 2 else 'all'} contain {ingredient}.")
    return tuple(dict.fromkeys(found))


def shared_class(one: Drug, other: Drug) -> DrugClass | None:
    """The narrowest therapeutic class that both belong to."""
    of_other = memberships(other)
    shared = [classes()[id_] for id_ in memberships(one) if id_ in of_other and classes()[id_].kind == "therapeutic"]
    return min(shared, key=lambda each: (len(each.members), each.id), default=None)


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
