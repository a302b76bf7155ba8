"""Whether an argument means what the case expects: by person, drug, amount or words, never by spelling alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from docgemma.entities.amounts.doses import dose_key
from docgemma.entities.amounts.frequencies import frequency_key
from docgemma.entities.drugs.names import drugs_in, same_drug
from docgemma.entities.words import word_set
from docgemma.evals.clinic import TITLES, people, plain_words, registered
from docgemma.evals.phrases import singular

Value = str | Sequence[str]

_FILLERS = word_set(
    "a an and any are as at by for from has have in into is it its of on or that the their this to was were with"
)
_CALLED = word_set("allergy allergies allergic drug drugs medication medications medicine medicines note notes")
"""What a thing may be called beside its own name: "sulfa drugs", "progress note"."""

_NAME_LETTERS = 4
"""Shorter parts of a name ("Lan", "Al") are too often another word to prove that a name got out."""


def agrees(name: str, expected: Value, got: object) -> bool:
    """Whether the argument `name` was given as the case expects it."""
    if isinstance(expected, str) != isinstance(got, str):
        return False
    if name == "drug_names":
        return isinstance(got, list | tuple) and _same_drugs(expected, [str(drug) for drug in got])
    return isinstance(expected, str) and isinstance(got, str) and _COMPARED.get(name, _holds)(expected, got)


def leaks(expected: str, got: str) -> bool:
    """Whether a topic that may leave the house carries a patient of the clinic. A word that was asked for does not."""
    return bool(_identifying() & (set(plain_words(got)) | set(codes(got))) - set(plain_words(expected)))


def content(text: str, without: frozenset[str] = frozenset()) -> set[str]:
    """The words that carry meaning, singular and plural alike."""
    return {singular(word) for word in plain_words(text) if word not in _FILLERS | without}


def _patient(text: str) -> str:
    """A record number is the patient who has it."""
    bare = re.sub(r"^(?:mrn|patient|pt|id)?[\s:#]*", "", text.strip().casefold())
    person = registered(bare)
    return person.id if person else bare


def _same_drugs(expected: Iterable[str], got: Sequence[str]) -> bool:
    wanted = list(expected)
    return (
        len(wanted) == len(got)
        and all(any(_same_medicine(one, other) for other in got) for one in wanted)
        and all(any(_same_medicine(one, other) for other in wanted) for one in got)
    )


_MEALS = re.compile(r"(?:\sand)?\s(?:after|before|with)\s(?:meals|food|breakfast|lunch|dinner)")


def _same_dose(expected: str, got: str) -> bool:
    left, right = dose_key(expected), dose_key(got)
    return left == right if left and right else _squeezed(expected) == _squeezed(got)


def _same_frequency(expected: str, got: str) -> bool:
    """In any order: "three times daily as needed" is "as needed, three times daily". More about meals is no fault."""
    left, right = frequency_key(expected), frequency_key(got)
    if not _MEALS.search(left):
        right = _MEALS.sub("", right)
    said, read = sorted(left.split()), sorted(right.split())
    return said == read if said and read else _squeezed(expected) == _squeezed(got)


def _same_medicine(expected: str, got: str) -> bool:
    """By ingredient; a strength that belongs to a product's name ("Dolo 650") may be there or not."""
    left, right = ([drug.value for drug in drugs_in(name)] for name in (expected, got))
    return same_drug(expected, got) or (len(left) == len(right) == 1 and same_drug(left[0], right[0]))


def _same_thing(expected: str, got: str) -> bool:
    return content(expected, _CALLED) == content(got, _CALLED)


def _topic(expected: str, got: str) -> bool:
    return _holds(expected, got) and not leaks(expected, got)


def _holds(expected: str, got: str) -> bool:
    return content(expected) <= content(got)


_COMPARED: dict[str, Callable[[str, str], bool]] = {
    "patient_id": lambda expected, got: _patient(expected) == _patient(got),
    "drug_name": _same_medicine,
    "medication_name": _same_medicine,
    "dosage": _same_dose,
    "frequency": _same_frequency,
    "substance": lambda expected, got: same_drug(expected, got) or _same_thing(expected, got),
    "severity": _same_thing,
    "name": lambda expected, got: set(plain_words(expected)) - TITLES == set(plain_words(got)) - TITLES,
    "note_type": _same_thing,
    "note_text": lambda expected, got: expected.split() == got.split(),
    "status": _same_thing,
    "query": _topic,
    "condition": _topic,
}
"""How each argument is compared; any other by words."""


def _squeezed(text: str) -> str:
    return "".join(text.casefold().split())


def codes(text: str) -> list[str]:
    """Ids stand as one word here: `plain_words` would cut "abc-123" in two."""
    return [code.strip("-") for code in re.findall(r"[\w-]+", text.casefold())]


@cache
def _identifying() -> frozenset[str]:
    names = {word for person in people() for word in plain_words(person.name) if len(word) >= _NAME_LETTERS}
    return frozenset(names - {"baby"} | {code for person in people() for code in (person.id, person.mrn)})
