"""Whether a place that names a drug speaks of taking both.

In doubt it does: a needless quote harms less than silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from docgemma.drugs.interactions.cues import (
    ADDS_UP,
    EFFECT,
    FORBIDS,
    NEAR,
    RISK,
    TAKING,
    TOGETHER,
    WARNS,
    clause,
    near,
)
from docgemma.drugs.interactions.elsewhere import (
    about_something_else,
    describes,
    names_a_condition,
    names_an_effect,
    opens,
    stopped,
)
from docgemma.drugs.interactions.enzymes import of_things
from docgemma.drugs.interactions.mentions import Line, Mention
from docgemma.drugs.interactions.own_class import another, likened, told_by_effect

Place = Literal[
    "forbids",
    "boxed",
    "interactions",
    "warnings",
    "precautions",
    "questions",
    "dosage",
    "people",
    "patients",
    "pharmacology",
]

_PLACES: dict[str, Place] = {
    "contraindications": "forbids",
    "boxed_warning": "boxed",
    "drug_interactions": "interactions",
    "interactions": "interactions",
    "drug_and_or_laboratory_test_interactions": "interactions",
    "warnings_and_cautions": "warnings",
    "warnings": "warnings",
    "user_safety_warnings": "warnings",
    "precautions": "precautions",
    "general_precautions": "precautions",
    "do_not_use": "questions",
    "ask_doctor_or_pharmacist": "questions",
    "ask_doctor": "questions",
    "when_using": "questions",
    "stop_use": "questions",
    "dosage_and_administration": "dosage",
    "information_for_patients": "patients",
    "clinical_pharmacology": "pharmacology",
    "mechanism_of_action": "pharmacology",
    "pharmacodynamics": "pharmacology",
    "pharmacokinetics": "pharmacology",
    "pharmacogenomics": "pharmacology",
}
ORDER: tuple[Place, ...] = get_args(Place)
"""Where a sentence weighs most, first."""

_NAME_IS_ENOUGH: frozenset[Place] = frozenset({"forbids", "interactions", "questions"})
_LONG = 1200
"""Letters of a neighbour that are looked at."""

_FRAGMENT = 4
"""Words that a statement needs to say something; a shorter one is a caption."""

_MOST_ITEMS = 12
"""How many items of a list the sentence that opens it speaks for."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What stands around a statement and may say what it leaves out: heading and opening of its list, neighbours."""

    above: str = ""
    beside: str = ""


def place_of(field: str) -> Place:
    """What kind of section a statement stands in."""
    return _PLACES.get(field.removesuffix("_table"), "people")


def setting(lines: Sequence[Line], index: int) -> Setting:
    """The surroundings of one line, never beyond its section."""
    here = lines[index]
    near_by = [lines[each] for each in (index - 1, index + 1) if 0 <= each < len(lines)]
    beside = " ".join(line.statement.text[:_LONG] for line in near_by if _together(line, here))
    return Setting(f"{here.statement.heading} {_opening(lines, index)}", beside)


def _opening(lines: Sequence[Line], index: int) -> str:
    """The sentence that opens the list in which a line stands."""
    for each in range(index - 1, max(-1, index - _MOST_ITEMS), -1):
        if not _together(lines[each], lines[index]):
            return ""
        if lines[each].statement.text.rstrip().endswith(":"):
            return lines[each].statement.text[-_LONG:]
    return ""


def _together(one: Line, other: Line) -> bool:
    return (
        one.of_label == other.of_label
        and one.statement.field == other.statement.field
        and one.statement.heading == other.statement.heading
    )


def counts(line: Line, mention: Mention, around: Setting) -> bool:
    """Whether this mention is about taking both."""
    where = place_of(line.statement.field)
    text, start, end = mention.text, mention.start, mention.end
    if about_something_else(text, start, end):
        return False
    if not mention.by_name and _not_a_partner(mention, where):
        return False
    if mention.own and not _another(mention, where):
        return False
    if where in _NAME_IS_ENOUGH or opens(text, start, end):
        return True
    said = line.statement.text[:_LONG] if mention.in_heading else clause(text, start, end)
    framed = any(cue.search(around.above) for cue in (TOGETHER, FORBIDS))
    if where == "dosage":
        return RISK.search(said) is not None and (framed or _cue(said))
    if where == "pharmacology" and (mention.in_heading or not mention.by_name):
        told_of_it = not (mention.in_heading or mention.apposed)
        return told_of_it and (framed or TOGETHER.search(said) is not None)
    return framed or _cue(said) or (mention.by_name and TOGETHER.search(around.beside) is not None)


def _not_a_partner(mention: Mention, where: Place) -> bool:
    """For words of a class: where they tell of the drug, of an effect, an illness, or of what was stopped before."""
    text, start, end = mention.text, mention.start, mention.end
    if describes(text, start) or names_an_effect(text, start, end) or names_a_condition(text, start, end):
        return True
    return where != "interactions" and stopped(text, start, end)


def _cue(text: str) -> bool:
    return any(cue.search(text) for cue in (TOGETHER, TAKING, EFFECT, FORBIDS, WARNS))


def _another(mention: Mention, where: Place) -> bool:
    """For words that also mean the label's drug.

    A class by effect is named for what comes on top, as a rule: "drugs known to prolong QT". "Antidepressants" alone
    may be the label's own kind. "Drugs that are metabolized by CYP2D6" are others, though the label's is one too.
    """
    said = near(mention.text, mention.start, mention.end)
    both = where in _NAME_IS_ENOUGH or any(cue.search(said) for cue in (TOGETHER, FORBIDS, ADDS_UP))
    if another(mention.text, mention.start, said=mention.exemplified):
        return both
    if mention.kind == "enzyme" and of_things(mention.text[max(0, mention.start - NEAR) : mention.start]):
        return both
    if mention.exemplified or mention.kind != "effect" or likened(mention.text, mention.start):
        return False
    return both or told_by_effect(mention.text[mention.start : mention.end])


def likeness(mention: Mention) -> int:
    """How sure it is that the drug is meant: by name, by class, by the class of one drug beside it; last by heading."""
    how = 0 if mention.by_name else 2 if mention.apposed else 1
    return how + 3 * mention.in_heading


def advice(text: str) -> int:
    """How well a statement serves as the quote: what to do first, then what happens; a mere caption last."""
    cues = (FORBIDS, EFFECT, TOGETHER)
    if len(text.split(maxsplit=_FRAGMENT)) < _FRAGMENT:
        return len(cues) + 1
    return next((rank for rank, cue in enumerate(cues) if cue.search(text)), len(cues))
