"""The chart for one question: what is always there, what was asked for, and what is left out, said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from docgemma.ehr.chart.gaps import all_not_read, record_warnings
from docgemma.ehr.chart.model import ALWAYS, Entry, Part, Projection, Quote, Section, Topic, headings
from docgemma.ehr.chart.recorded.fields import counted, nodes
from docgemma.ehr.chart.relevance import understand
from docgemma.ehr.chart.sections.allergies import allergies
from docgemma.ehr.chart.sections.computed import computed
from docgemma.ehr.chart.sections.events import encounters, immunisations, procedures
from docgemma.ehr.chart.sections.medications import medications, past_medications
from docgemma.ehr.chart.sections.notes import notes
from docgemma.ehr.chart.sections.pregnancy import pregnancy
from docgemma.ehr.chart.sections.problems import past_problems, problems
from docgemma.ehr.chart.sections.reports import plans, reports
from docgemma.ehr.chart.sections.results import labs, other_observations, social, vitals
from docgemma.ehr.chart.view import View
from docgemma.ehr.contract import Record

_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_BYTES_A_TOKEN = 4


def cost(text: str) -> int:
    """Tokens, roughly: four bytes of prose each, and one for every digit.

    Gemma's tokenizer, like most, averages four characters of English a token but cuts numbers into single digits. A
    chart is half dates and values: counting characters alone would promise twice the room there is.
    """
    digits = len(text) - len(text.translate(_DIGITS))
    return (len(text.encode("utf-8", "replace")) + (_BYTES_A_TOKEN - 1) * digits) // _BYTES_A_TOKEN + 1


@dataclass(frozen=True, slots=True)
class Share:
    """A part, its weight among the others, and whether its first line is shown even when no room is left."""

    part: Part
    weight: int = 1
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Filled:
    """What of a part found room."""

    part: Part
    entries: tuple[Entry, ...]

    @property
    def cost(self) -> int:
        return cost(self.part.heading.title) + sum(cost(entry.text) for entry in self.entries)

    @property
    def shown(self) -> int:
        return sum(not entry.own_words for entry in self.entries)


def whole(part: Part) -> Filled:
    """Every entry, whatever it takes."""
    return Filled(part, tuple(part.entries))


def fill(shares: Sequence[Share], room: int) -> list[Filled]:
    """In order, each part gets its share of what is left; what nobody needed goes once more through all of them."""
    shelves = [_Shelf(share) for share in shares]
    weight = sum(share.weight for share in shares)
    for shelf in shelves:
        room -= shelf.take(max(0, room) * shelf.share.weight // weight)
        weight -= shelf.share.weight
    for shelf in shelves:
        room -= shelf.take(room)
    return [Filled(shelf.share.part, tuple(shelf.taken)) for shelf in shelves]


class _Shelf:
    """A part being filled. It stops at the first entry that does not fit, so that what is shown has no holes."""

    def __init__(self, share: Share) -> None:
        self.share = share
        self.taken: list[Entry] = []
        self._entries = iter(share.part.entries)
        self._next = next(self._entries, None)

    def take(self, room: int) -> int:
        """Takes what fits, and says how much room it took."""
        used = 0
        while self._next is not None:
            needed = cost(self._next.text) + (0 if self.taken else cost(self.share.part.heading.title))
            owed = self.share.asked and not self.taken
            if used + needed > room and not owed:
                break
            used += needed
            self.taken.append(self._next)
            self._next = next(self._entries, None)
        return used


_BUILDERS: dict[Topic, Callable[[View], Part]] = {
    "allergies": allergies,
    "medications": medications,
    "problems": problems,
    "computed": computed,
    "pregnancy": pregnancy,
    "vitals": vitals,
    "labs": labs,
    "past_medications": past_medications,
    "past_problems": past_problems,
    "notes": notes,
    "reports": reports,
    "encounters": encounters,
    "procedures": procedures,
    "immunisations": immunisations,
    "social": social,
    "plans": plans,
    "other": other_observations,
}
_SAYING_SO = 15
"""Tokens that the word on what a section leaves out takes."""

_NAMED: tuple[Topic, ...] = ("past_medications", "past_problems")
"""Shown whenever the question names one of their entries."""

_ASIDE: tuple[Topic, ...] = ("procedures", "reports", "notes")
"""Where what was asked for may stand although nobody would look for it there."""

_KINDS: tuple[tuple[str, frozenset[Topic], str, str], ...] = (
    ("Observation", frozenset({"labs", "vitals", "social", "other", "pregnancy"}), "observation", "observations"),
    ("DiagnosticReport", frozenset({"reports"}), "report", "reports"),
    ("DocumentReference", frozenset({"notes"}), "document", "documents"),
    ("ClinicalImpression", frozenset({"notes"}), "clinical impression", "clinical impressions"),
    ("Encounter", frozenset({"encounters"}), "encounter", "encounters"),
    ("Procedure", frozenset({"procedures"}), "procedure", "procedures"),
    ("Immunization", frozenset({"immunisations"}), "immunisation", "immunisations"),
    ("CarePlan", frozenset({"plans"}), "care plan", "care plans"),
)
BUDGET = 1_500


def project(record: Record, question: str = "", *, today: date, budget: int = BUDGET) -> Projection:
    """What of the record answers the question within about `budget` tokens.

    Allergies, active medications and active problems are always whole, also beyond the budget: everything else yields
    first. Of a section that was asked for at least the first line is there. The same record and question always give
    the same projection.
    """
    view = View(record, today, understand(question, _own_names(record)))
    always = {topic: whole(_BUILDERS[topic](view)) for topic in ALWAYS}
    asked = [topic for topic in view.ask.topics if topic not in ALWAYS]
    aside = [topic for topic in _ASIDE if view.aside(topic) and tuple(_BUILDERS[topic](view).entries)]
    topics = [*asked, *aside, *(topic for topic in _NAMED if topic not in asked)]
    if not view.ask.topics:
        topics += (topic for topic, heading in headings().items() if heading.weight)
    shares = [Share(_BUILDERS[topic](view), int(headings()[topic].weight or 1), topic in asked) for topic in topics]
    room = budget - sum(filled.cost for filled in always.values()) - _SAYING_SO * len(topics)
    yielding = {filled.part.topic: filled for filled in fill(shares, room)}
    order: list[Topic] = [*view.ask.topics, *aside, *ALWAYS, *topics]
    filled = [{**always, **yielding}[topic] for topic in dict.fromkeys(order)]
    quotes = tuple(_quotes(filled))
    return Projection(
        sections=tuple(_sections(filled, view)),
        omitted=tuple(_omitted(filled, view)),
        not_checked=all_not_read(record),
        warnings=(*record_warnings(record), *(warning for one in filled for warning in one.part.warnings)),
        data_date=max((quote.date for quote in quotes if quote.date <= today.isoformat()), default="") or None,
        quotes=quotes,
    )


def _own_names(record: Record) -> list[str]:
    return [
        part
        for name in nodes(record.patient.get("name"))
        for value in name.values()
        for part in (value if isinstance(value, list) else [value])
        if isinstance(part, str)
    ]


def _sections(filled: list[Filled], view: View) -> Iterator[Section]:
    for one in filled:
        topic = one.part.topic
        lines = tuple(entry.text for entry in one.entries)
        if not lines and view.ask.wants(topic) and not one.part.total:
            unread = view.record.missing(*one.part.heading.sources)
            lines = (
                ("Not known: this part of the record could not be read.",) if unread else (one.part.heading.nothing,)
            )
        if lines:
            yield Section(one.part.heading.title, lines)


def _quotes(filled: list[Filled]) -> Iterator[Quote]:
    for one in filled:
        for entry in one.entries:
            if not entry.own_words:
                yield Quote(one.part.heading.title, entry.text, entry.date, entry.reference)


def _omitted(filled: list[Filled], view: View) -> Iterator[str]:
    for one in filled:
        yield from one.part.left_out
        part, shown = one.part, one.shown
        if shown < part.total and part.topic not in ALWAYS:
            whole = counted(part.total, part.heading.noun, part.heading.nouns)
            rest = f"{shown} of {whole} shown, {part.advice}" if shown else f"none of {whole} shown; ask for them"
            yield f"{part.heading.title}: {rest}."
    present = {one.part.topic for one in filled}
    unasked = [
        counted(count, one, several)
        for kind, topics, one, several in _KINDS
        if (count := len(view.record.of(kind))) and topics.isdisjoint(present)
    ]
    if unasked:
        yield f"Not asked for and not shown: {', '.join(unasked)}."
