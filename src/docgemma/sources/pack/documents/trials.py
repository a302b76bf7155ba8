"""Trials in a pack: out of the register's own records, and as a register that is searched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from docgemma.entities.words import word_set
from docgemma.sources.contract import SourceError
from docgemma.sources.ctgov.record import nct_id_of, study_of
from docgemma.sources.pack.content import packed, unpacked
from docgemma.sources.pack.documents.database import Entry, Indexed, Skipped, TakenBack
from docgemma.sources.pack.documents.inputs import refuse_others
from docgemma.sources.pack.documents.pack import DocumentPack
from docgemma.sources.pack.documents.search import (
    COMPARED,
    Hits,
    Question,
    all_of,
    folded,
    folded_row,
    hits,
    numbered,
    phrase,
    within,
)
from docgemma.sources.pack.manifest import Kind
from docgemma.sources.trials.contract import Phase, Sought, Studies, Study
from docgemma.sources.trials.fitting import years_of
from docgemma.store.database import Value
from docgemma.store.snapshot import Handle

PHASES: tuple[Phase, ...] = get_args(Phase)
COLUMNS: Mapping[str, float] = {"title": 5.0, "conditions": 8.0, "keywords": 3.0, "interventions": 5.0, "places": 0.0}
FACTS: tuple[str, ...] = (
    "status TEXT NOT NULL",
    "phases INTEGER NOT NULL",
    "sex TEXT NOT NULL",
    "youngest INTEGER",
    "too_old INTEGER",
)
BETWEEN = 21
"""Words that stand between two sites in the index, so that what is near to each other is at one site."""

_HOURS_A_YEAR = 8766


def phase_bits(phases: tuple[str, ...]) -> int:
    """Several at once as one number."""
    return sum(1 << place for place, phase in enumerate(PHASES) if phase in phases)


def hours(years: float) -> int:
    """An age as it is compared: whole numbers, so that eighteen is not a hair less than eighteen."""
    return round(years * _HOURS_A_YEAR)


_OPEN = frozenset({"RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION", "AVAILABLE"})
_LAST = 99_999_999


class Trials:
    kind: Kind = "ctgov"
    page: tuple[str, ...] = ("studies",)
    columns = COLUMNS
    facts = FACTS

    def read(self, record: Any) -> Iterator[Entry | TakenBack | Skipped]:
        if not isinstance(record, Mapping):
            yield Skipped("not a record")
            return
        refuse_others(record, self.kind)
        study = study_of(record)
        if study is None:
            yield Skipped("no number of the register")
        else:
            yield Entry(study.nct_id, study.updated, _order(study), packed(study), study.updated)

    def indexed(self, body: bytes) -> Indexed:
        study = unpacked(body, Study)
        texts = (
            folded(study.title),
            folded_row(study.conditions),
            folded_row(study.keywords),
            folded_row(study.interventions),
            folded_row((site.address for site in study.sites), BETWEEN),
        )
        youngest = years_of(study.minimum_age)
        facts = (
            study.status,
            phase_bits(study.phases),
            study.sex,
            None if youngest is None else hours(youngest),
            _too_old(study),
        )
        return Indexed((study.nct_id,), texts, facts)


def _too_old(study: Study) -> int | None:
    """The first age that is above the limit: "up to 17 years" ends on the eighteenth birthday."""
    most = years_of(study.maximum_age)
    unit = years_of(f"1 {study.maximum_age.split()[-1]}") if most is not None else None
    return None if most is None else hours(most + (unit or 0.0))


def _order(study: Study) -> str:
    """Those that somebody may join first, and of them what was told last."""
    told = int(f"{study.updated.replace('-', ''):0<8}"[:8] or 0) if study.updated else 0
    return f"{study.status not in _OPEN:d}{_LAST - told:08}"


PAGE = 10
"""Trials of one answer, as on a page of the register."""

_MOST_WORDS = 24
_A_DAY = 24
_LITTLE = word_set("a an and at by for from in of on or the to with without")


class CtgovPack(DocumentPack):
    async def search(self, sought: Sought, *, ends_at: float) -> Studies | None:
        first = (max(sought.page, 1) - 1) * PAGE
        found = await self.find(_looking(sought, first), ends_at=ends_at)
        if not found.numbers:
            return None
        studies = await self.read(found.numbers, Study, ends_at=ends_at)
        more = first + PAGE < min(found.total, COMPARED)
        return Studies(studies, self.name, "pack", data_date=self.data_date, total=found.total, more=more)


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
