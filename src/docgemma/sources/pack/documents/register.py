"""A built pack as a register of trials."""

from __future__ import annotations

from collections.abc import Callable

from docgemma.entities.words import word_set
from docgemma.sources.contract import SourceError
from docgemma.sources.ctgov.texts import nct_id_of
from docgemma.sources.pack.documents.folding import folded
from docgemma.sources.pack.documents.pack import DocumentPack
from docgemma.sources.pack.documents.search import COMPARED, Hits, Question, all_of, hits, numbered, phrase, within
from docgemma.sources.pack.documents.studies import BETWEEN, COLUMNS, hours, phase_bits
from docgemma.sources.pack.manifest import Place
from docgemma.sources.trials.contract import Sought, Studies, Study
from docgemma.store.database import Value
from docgemma.store.snapshot import Handle

PAGE = 10
"""Trials of one answer, as on a page of the register."""

_MOST_WORDS = 24
_A_DAY = 24
_LITTLE = word_set("a an and at by for from in of on or the to with without")


class CtgovPack:
    def __init__(self, place: Place) -> None:
        self._pack = DocumentPack(place)

    @property
    def name(self) -> str:
        return self._pack.name

    async def search(self, sought: Sought, *, ends_at: float) -> Studies | None:
        first = (max(sought.page, 1) - 1) * PAGE
        found = await self._pack.find(_looking(sought, first), ends_at=ends_at)
        if not found.numbers:
            return None
        studies = await self._pack.read(found.numbers, Study, ends_at=ends_at)
        more = first + PAGE < min(found.total, COMPARED)
        return Studies(studies, self.name, "pack", data_date=self._pack.data_date, total=found.total, more=more)

    async def close(self) -> None:
        await self._pack.close()


def _looking(sought: Sought, first: int) -> Callable[[Handle], Hits]:
    """By the trial's own number, or by what it is about."""
    if number := nct_id_of(sought.condition):
        return lambda handle: _the_one(handle, number, first)
    question = question_for(sought)
    return lambda handle: hits(handle, question, COLUMNS, most=PAGE, from_=first)


def _the_one(handle: Handle, number: str, first: int) -> Hits:
    found = numbered(handle, number)
    return Hits((), 0) if found is None else Hits((found[0],)[first:], 1)


def question_for(sought: Sought) -> Question:
    """All words of the condition and of the intervention, where the register itself would look for them."""
    asked = [
        within(("title", "conditions", "keywords"), every_word(sought.condition)),
        within(("title", "keywords", "interventions"), every_word(sought.intervention)),
    ]
    expression = all_of([*asked, _at(sought.place)] if any(asked) else asked)
    return Question(expression, filters=tuple(_filters(sought)))


def every_word(text: str) -> str:
    """All words in any order. A number or a single letter belongs to the word before it: type 2, vitamin D."""
    groups: list[list[str]] = []
    for word in text[:2000].split():
        pieces = folded(word).split()
        belongs = len(pieces) == 1 and (len(pieces[0]) == 1 or pieces[0].isdigit())
        if belongs and groups:
            groups[-1] += pieces
        elif pieces:
            groups.append(pieces)
    telling = [group for group in groups if len(group) > 1 or group[0] not in _LITTLE] or groups
    if len(telling) > _MOST_WORDS:
        raise SourceError("invalid_args", "That is too long to search for. Use fewer words.")
    return " AND ".join(dict.fromkeys(f'"{" ".join(group)}"' for group in telling))


def _at(place: str) -> str:
    """All words of the place at one and the same site."""
    words = [phrase(word) for word in folded(place).split()[:_MOST_WORDS]]
    return within(("places",), f"NEAR({' '.join(words)}, {BETWEEN - 1})") if words else ""


def _filters(sought: Sought) -> list[tuple[str, tuple[Value, ...]]]:
    """What the record does not tell of age and sex excludes nothing; a status or a phase has to be told."""
    found: list[tuple[str, tuple[Value, ...]]] = []
    if sought.statuses:
        found.append((f"facts.status IN ({', '.join('?' * len(sought.statuses))})", tuple(sought.statuses)))
    if sought.phases:
        found.append(("facts.phases & ? != 0", (phase_bits(sought.phases),)))
    if sought.sex is not None:
        found.append(("facts.sex != ?", ("MALE" if sought.sex == "female" else "FEMALE",)))
    if sought.age_years is not None:
        oldest = sought.age_to if sought.age_to is not None else sought.age_years
        found.append(("(facts.youngest IS NULL OR facts.youngest <= ?)", (hours(oldest) + _A_DAY,)))
        found.append(("(facts.too_old IS NULL OR facts.too_old > ?)", (hours(sought.age_years),)))
    return found
