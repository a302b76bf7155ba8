"""Where things were found in a message, asked by range. Sorted starts keep a long message linear."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from docgemma.entities.entries.allergy_statements import affirms_allergy, is_of_another
from docgemma.entities.model import Entities, Mention
from docgemma.entities.words import Word

_KINDS = (
    *("drugs", "unlisted_drugs", "doses", "frequencies", "substances", "reactions", "patient_ids", "person_names"),
    *("note_types", "labs"),
)
_NEAR = 6
"""How far a note's text may begin behind the words that ask for it: ": "."""


class Places:
    """What stands where."""

    def __init__(self, found: Entities) -> None:
        self._starts = {name: sorted(mention.start for mention in getattr(found, name)) for name in _KINDS}
        self._people = sorted((who.start, who.end) for who in (*found.patient_ids, *found.person_names))
        self._spans = {
            name: sorted((m.start, m.end) for m in getattr(found, name)) for name in ("doses", "frequencies")
        }
        self._notes = found.note_texts
        self.someone = bool(self._people)

    def has(self, span: range, *names: str) -> bool:
        """Whether anything of these kinds begins inside."""
        return any(self._count(span, name) for name in names)

    def first_dosed(self, span: range) -> int | None:
        """Where the order begins whose drug a dose follows before another drug does; a single drug may follow it."""
        drugs = sorted((*self._inside(span, "drugs"), *self._inside(span, "unlisted_drugs")))
        doses = self._inside(span, "doses")
        for drug, limit in pairwise((*drugs, span.stop)):
            if bisect_left(doses, limit) > bisect_left(doses, drug):
                return drug
        return min((*drugs, *doses)) if len(drugs) == 1 else None

    def only_drug(self, span: range) -> int | None:
        """Where the one drug stands that is named inside; None for none or several."""
        drugs = (*self._inside(span, "drugs"), *self._inside(span, "unlisted_drugs"))
        return drugs[0] if len(drugs) == 1 else None

    def is_person(self, word: Word) -> bool:
        """Whether the word is part of a name or an id."""
        return _covered(word, self._people)

    def within(self, word: Word, *names: Literal["doses", "frequencies"]) -> bool:
        """Whether the word is part of such a mention."""
        return any(_covered(word, self._spans[name]) for name in names)

    def note_of(self, span: range) -> Mention | None:
        """The note's text that begins in or right behind these words."""
        return next((note for note in self._notes if span.start <= note.start <= span.stop + _NEAR), None)

    def affirms_allergy(self, note: Mention) -> bool:
        """Whether the text states an allergy of the patient."""
        return self.has(range(note.start, note.end), "substances") and affirms_allergy(note.text)

    def is_of_another(self, span: Sequence[Word]) -> bool:
        """Whether the allergy that these words tell to record is not the patient's, or no longer."""
        return is_of_another(" ".join(word.text for word in span))

    def _inside(self, span: range, name: str) -> list[int]:
        starts = self._starts[name]
        return starts[bisect_left(starts, span.start) : bisect_left(starts, span.stop)]

    def _count(self, span: range, name: str) -> int:
        starts = self._starts[name]
        return bisect_left(starts, span.stop) - bisect_left(starts, span.start)


def _covered(word: Word, spans: Sequence[tuple[int, int]]) -> bool:
    place = bisect_left(spans, (word.end, 0)) - 1
    return place >= 0 and word.start < spans[place][1]
