"""What the labels of one drug say that nobody may overlook: few sentences, in the label's words, the gravest first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from docgemma.drugs.labels.composition import composition, folded
from docgemma.drugs.labels.contraindications import FIELDS as FORBIDDING
from docgemma.drugs.labels.contraindications import contraindications, is_none
from docgemma.drugs.labels.gathered import OVER_THE_COUNTER, Said, gathered
from docgemma.drugs.labels.gravity import evidence, gravity
from docgemma.drugs.labels.populations import FIELDS as PEOPLE
from docgemma.drugs.labels.populations import populations
from docgemma.drugs.labels.sameness import Key, gist, repeats, within
from docgemma.drugs.labels.statements import section_statements, statements
from docgemma.drugs.labels.warnings import FIELDS as WARNING
from docgemma.drugs.labels.warnings import warnings
from docgemma.drugs.model import Safety, Statement
from docgemma.entities.drugs.names import ingredients
from docgemma.sources.contract import Label

_MOST = 8
_PRODUCTS = 4
"""Products of different content that are read, where none is just the drug."""
_COMPARED = 80
_MOST_BOXED = 30
_MOST_FORBIDDEN = 16
_LETTERS = 300
_GRAVE_LETTERS = 700
"""A boxed warning or contraindication is a list more often than not: to cut one short hides what it lists."""
_TWO_SENTENCES = 450
_ENTRY_LETTERS = 10_000
"""An entry written by hand is short, and every sentence of it was chosen."""
_GRAVE = 4

_POINTER = re.compile(r"see (?:the )?full prescribing information(?: for complete boxed warnings?)?\W*", re.IGNORECASE)


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
    if not any(label.full for label in labels) and sum(map(_letters, labels)) <= _ENTRY_LETTERS:
        return _of_entries(labels)
    boxes = (tuple(_without_pointers(section_statements(label, "boxed_warning"))) for label in labels)
    boxed = next(filter(None, boxes), ())
    forbids, warns, people = _groups(labels)
    shown_boxed = _once(_by_weight(boxed), ())
    shown_forbids = _once(contraindications(forbids), ())
    shown_warns = _once(warnings(warns), (*shown_boxed, *shown_forbids))[:_MOST]
    above = [gist(each.text) for each in (*shown_boxed, *shown_forbids, *shown_warns)]
    shown_people = [each for each in people if not any(repeats(gist(each.text), other) for other in above)]
    groups = (
        _short(shown_boxed, _MOST_BOXED, _GRAVE_LETTERS),
        _short(shown_forbids, _MOST_FORBIDDEN, _GRAVE_LETTERS),
        _short(shown_warns, _MOST, _LETTERS),
        _short(shown_people, _MOST, _LETTERS),
    )
    told = sum(each.of for each in (*shown_boxed[:_MOST_BOXED], *shown_forbids[:_MOST_FORBIDDEN], *shown_warns))
    return Safety(*groups, more=max(0, len(boxed) + len(forbids) + len(warns) - told))


def _letters(label: Label) -> int:
    return sum(len(text) for texts in label.sections.values() for text in texts)


def _of_entries(labels: Sequence[Label]) -> Safety:
    """All that entries written by hand say, in the order in which it was written."""
    said = list(dict.fromkeys(each for label in labels for each in statements(label)))
    return Safety(
        boxed=tuple(each for each in said if each.field == "boxed_warning"),
        contraindications=tuple(each for each in said if each.field in FORBIDDING and not is_none(each.text)),
        warnings=tuple(each for each in said if each.field in WARNING),
        populations=tuple(each for each in said if each.field in PEOPLE),
    )


def _without_pointers(said: Iterable[Statement]) -> Iterator[Statement]:
    """Without "See full prescribing information": here it is read."""
    for each in said:
        pointer = _POINTER.match(each.text)
        text = each.text[pointer.end() :] if pointer else each.text
        if text:
            yield replace(each, text=text)


def _by_weight(boxed: Sequence[Statement]) -> list[Said]:
    """All of a box: its headline, what is grave or tells what to do, the rest, and last what trials found."""

    def place(item: Said) -> int:
        if item.statement is boxed[0]:
            return 0
        if item.idle or evidence(item.text):
            return 3
        return 1 if gravity(item.text) >= _GRAVE else 2

    return sorted(gathered(boxed), key=place)


def _groups(labels: Sequence[Label]) -> tuple[tuple[Statement, ...], tuple[Statement, ...], list[Said]]:
    """What forbids, what warns, and what is about groups of people, each of the first label that has it."""
    forbids: tuple[Statement, ...] = ()
    warns: tuple[Statement, ...] = ()
    people: list[Said] = []
    for label in labels:
        said = statements(label)
        forbids = forbids or tuple(each for each in said if each.field in FORBIDDING and not is_none(each.text))
        warns = warns or tuple(each for each in said if each.field in WARNING)
        people = people or populations(said)
        if forbids and warns and people:
            break
    return forbids, warns, people


def _once(said: Iterable[Said], before: Iterable[Said]) -> list[Said]:
    """Without what was said before in the same words, more or less. Of two here, the one that says more is kept."""
    known = [gist(each.text) for each in before]
    kept: list[tuple[Key, Said]] = []
    for each in said:
        words = gist(each.text)
        if len(kept) == _COMPARED or any(repeats(words, other) for other in (*known, *(own for own, _ in kept))):
            continue
        shorter = next((at for at, (own, _) in enumerate(kept) if within(own, words)), None)
        if shorter is None:
            kept.append((words, each))
        else:
            kept[shorter] = (words, replace(each, of=each.of + kept[shorter][1].of))
    return [each for _, each in kept]


def _short(said: Sequence[Said], most: int, letters: int) -> tuple[Statement, ...]:
    return tuple(replace(each.statement, text=cut(each.shown, _allowed(each, letters))) for each in said[:most])


def _allowed(item: Said, letters: int) -> int:
    """More for a list, because what is left out of it is a condition that somebody has, and for two sentences."""
    if item.statement.field in OVER_THE_COUNTER or (item.of > 1 and "; " in item.text):
        return _GRAVE_LETTERS
    return max(letters, _TWO_SENTENCES) if item.of > 1 else letters


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
