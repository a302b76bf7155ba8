"""What the labels of one drug say that nobody may overlook: few sentences, in the label's words, the gravest first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from docgemma.drugs.labels.composition import composition, folded
from docgemma.drugs.labels.gravity import gravity
from docgemma.drugs.labels.populations import populations
from docgemma.drugs.labels.sameness import alike, gist
from docgemma.drugs.labels.statements import section_statements, statements
from docgemma.drugs.model import Safety, Statement
from docgemma.entities.drugs.names import ingredients
from docgemma.sources.contract import Label

_MOST = 8
_PRODUCTS = 4
"""Products of different content that are read, where none is just the drug."""
_COMPARED = 80
_MOST_BOXED = 20
_MOST_FORBIDDEN = 12
_FORBIDS = 5
"""The gravity of "should not" and "contraindicated"."""
_ROW = " — "
"""Joins the cells of a row. A row of a table is read in the table, or in the check of two drugs."""
_LETTERS = 300
_GRAVE_LETTERS = 700
"""A boxed warning or contraindication is a list more often than not: to cut one short hides what it lists."""
_FALLBACK = 3
"""Sentences of a section that are shown when none of its words stands out."""

_FORBIDDING = ("contraindications", "do_not_use")
_WARNING = (
    "warnings_and_cautions",
    "warnings",
    "precautions",
    "general_precautions",
    "ask_doctor",
    "ask_doctor_or_pharmacist",
    "when_using",
    "stop_use",
    "user_safety_warnings",
    "other_safety_information",
)


_OVER_THE_COUNTER = frozenset(("do_not_use", "ask_doctor", "ask_doctor_or_pharmacist", "when_using", "stop_use"))
"""Lists in plain words, where every line counts."""
_POINTER = re.compile(r"see (?:the )?full prescribing information", re.IGNORECASE)


def safety(labels: Sequence[Label], drug_name: str) -> Safety:
    """The findings of a drug's labels, given with the one to read first in front.

    Each group is of the first label that has it. So a boxed warning that the first one lacks is still shown. Where a
    combination was read as its parts, every part has its say.
    """
    found = [_of_one(same) for same in _drugs(labels, drug_name)]
    return Safety(
        boxed=tuple(each for one in found for each in one.boxed),
        contraindications=tuple(each for one in found for each in one.contraindications),
        warnings=tuple(each for one in found for each in one.warnings),
        populations=tuple(each for one in found for each in one.populations),
        more=sum(one.more for one in found),
    )


def _drugs(labels: Sequence[Label], drug_name: str) -> list[list[Label]]:
    """The labels by what is in the product; only the drug itself where one of them is just that.

    The warnings of a combination may be those of its other part, so it is read when there is nothing else. A label
    that does not say what is in it is read last.
    """
    by_content: dict[frozenset[str], list[Label]] = {}
    for label in labels:
        by_content.setdefault(composition(label), []).append(label)
    unnamed = by_content.pop(frozenset(), [])
    wanted = frozenset(ingredients(drug_name) or folded(drug_name))
    if wanted in by_content:
        return [[*by_content[wanted], *unnamed]]
    simplest = [same for made_of, same in by_content.items() if not any(other < made_of for other in by_content)]
    first, *others = simplest[:_PRODUCTS] or [[]]
    return [each for each in ([*first, *unnamed], *others) if each]


def _of_one(labels: Sequence[Label]) -> Safety:
    boxes = (section_statements(label, "boxed_warning") for label in labels)
    boxed = tuple(each for each in next(filter(None, boxes), ()) if not _POINTER.match(each.text))
    forbids, warns, people = _groups(labels)
    shown_boxed = _once(boxed, ())
    shown_forbids = _once(_forbidding(forbids), shown_boxed)
    shown_warns = _once(_warning(warns), (*shown_boxed, *shown_forbids))
    made = Safety(
        boxed=_short(shown_boxed, _MOST_BOXED, _GRAVE_LETTERS),
        contraindications=_short(shown_forbids, _MOST_FORBIDDEN, _GRAVE_LETTERS),
        warnings=_short(sorted(shown_warns, key=_weight, reverse=True), _MOST, _LETTERS),
        populations=_short(_once(people, ()), _MOST, _LETTERS),
    )
    told = len(made.boxed) + len(made.contraindications) + len(made.warnings)
    return replace(made, more=max(0, len(boxed) + len(forbids) + len(warns) - told))


def _groups(labels: Sequence[Label]) -> tuple[tuple[Statement, ...], tuple[Statement, ...], tuple[Statement, ...]]:
    """What forbids, what warns, and what is about groups of people, each of the first label that has it."""
    forbids: tuple[Statement, ...] = ()
    warns: tuple[Statement, ...] = ()
    people: tuple[Statement, ...] = ()
    for label in labels:
        said = statements(label)
        forbids = forbids or tuple(each for each in said if each.field in _FORBIDDING)
        warns = warns or tuple(each for each in said if each.field in _WARNING)
        people = people or populations(said)
        if forbids and warns and people:
            break
    return forbids, warns, people


def _forbidding(said: Sequence[Statement]) -> list[Statement]:
    """Every line of a list and the first of every sub-heading; then, of the rest, what forbids in so many words."""
    first: list[Statement] = []
    then: list[Statement] = []
    for heading, group in groupby(said, key=lambda each: each.heading):
        under = [each for each in group if not each.text.endswith(":")]
        listed = not heading or heading.endswith(":")
        first += under if listed else under[:1]
        then += [] if listed else [each for each in under[1:] if gravity(each.text) >= _FORBIDS]
    return [*first, *then] or list(said[:_FALLBACK])


def _warning(said: Sequence[Statement]) -> list[Statement]:
    """The lines of lists, one sentence for each sub-heading, and of running text what warns; never nothing."""
    found: list[Statement] = []
    for (field, heading), group in groupby(said, key=lambda each: (each.field, each.heading)):
        under = [each for each in group if not each.text.endswith(":") and _ROW not in each.text]
        if heading.endswith(":") or field in _OVER_THE_COUNTER:
            found += under
        elif heading:
            found += under[:1] if under and gravity(under[0].text) else sorted(under, key=_weight, reverse=True)[:1]
        else:
            found += [each for each in under if gravity(each.text)]
    return found or list(said[:_FALLBACK])


def _once(said: Iterable[Statement], before: Iterable[Statement]) -> list[Statement]:
    """Without what was said before in the same words, more or less."""
    known = [gist(each.text) for each in before]
    kept: list[Statement] = []
    for each in said:
        words = gist(each.text)
        if len(kept) < _COMPARED and not any(alike(words, other) for other in known):
            known.append(words)
            kept.append(each)
    return kept


def _weight(statement: Statement) -> int:
    return gravity(statement.text)


def _short(said: Sequence[Statement], most: int, letters: int) -> tuple[Statement, ...]:
    return tuple(replace(each, text=cut(each.text, letters)) for each in said[:most])


def cut(text: str, letters: int) -> str:
    """At most so many letters, cut where a sentence, a clause or at least a word ends; "…" says that it goes on."""
    if len(text) <= letters:
        return text
    head = text[: letters - 1]
    for end in (". ", "; ", ", ", " "):
        at = head.rfind(end)
        if at > letters // 2:
            return f"{head[: at + 1].rstrip(' ,;')} …"
    return f"{head}…"
