"""Mentions of a text with what they may stand for: the whole of linking in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from docgemma.terminology.contract import Candidate, EntityType, Linked
from docgemma.terminology.linking.coordination import shared_heads
from docgemma.terminology.linking.lexicon import Lexicon
from docgemma.terminology.linking.mentions import Run, known_runs, longest, modified
from docgemma.terminology.linking.short_forms import Kind, definitions, in_brackets, short_runs
from docgemma.terminology.linking.words import words


@dataclass(frozen=True, slots=True)
class Span:
    """A mention: `text[start:end]`, its type, and the term to search for (the text itself, or what it stands for)."""

    start: int
    end: int
    type: EntityType
    term: str


class Searches(Protocol):
    """What gives candidates for a term."""

    def search(
        self, term: str, max_results: int = 5, type: EntityType | None = None, context: str = ""
    ) -> list[Candidate]: ...


def find(text: str, lexicon: Lexicon, context: str = "") -> list[Span]:
    """The mentions in order, without overlaps. `context` may define abbreviations that the text uses."""
    found = words(text)
    meanings = definitions(text, context)
    skipped = in_brackets(found, text, meanings)
    runs = [run for run in known_runs(found, lexicon) if run.first not in skipped]
    shorts = short_runs(found, meanings, skipped, lambda long: _kind(long, lexicon))
    runs = longest([*shorts, *(run for run in runs if not any(run.overlaps(short) for short in shorts))], len(found))
    runs = shared_heads(found, modified(found, runs), lexicon)
    return [_span(text, found[run.first].start, found[run.last - 1].end, run) for run in runs]


def _kind(long: str, lexicon: Lexicon) -> Kind:
    """What a long form is: the type of the name that it ends in."""
    spelled = words(long)
    ending = [run.type for run in known_runs(spelled, lexicon) if run.last == len(spelled)]
    return ending[0] if ending else None


def _span(text: str, start: int, end: int, run: Run) -> Span:
    return Span(start, end, run.type, run.term or text[start:end])


def link(text: str, lexicon: Lexicon, searches: Searches, *, max_results: int = 5, context: str = "") -> list[Linked]:
    """The mentions, each with its best candidates."""
    linked = []
    for span in find(text, lexicon, context):
        candidates = searches.search(span.term, max_results, span.type, text)
        linked.append(
            Linked(
                text=text[span.start : span.end],
                start=span.start,
                end=span.end,
                type=span.type,
                term=span.term,
                candidates=tuple(candidates),
            )
        )
    return linked
