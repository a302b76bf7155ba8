"""Candidates for the entities of one criterion, by the term that was proposed and by the criterion's own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from docgemma.grounding.contract import Criterion
from docgemma.grounding.locating import Span
from docgemma.grounding.state import Found, Services
from docgemma.terminology.contract import Candidate, Linked


async def look_up(each: Found, criterion: Criterion, services: Services, *, own: bool) -> Found:
    """The entity with its candidates. `own`: the term is a model's, so the words themselves are searched too.

    Otherwise a term that has nothing to do with the text would ground it with full confidence.
    """

    async def search(term: str) -> tuple[Candidate, ...]:
        context = f"{criterion.context}\n{criterion.text}".strip() if _may_be_short_form(term) else ""
        return await services.terminology.search(
            term, max_results=services.max_results, type=each.entity_type, context=context
        )

    term = each.term or each.text
    found = await search(term)
    if not own or same(term, each.text):
        return replace(each, term=term, candidates=found, own=None)
    words = await search(each.text)
    return replace(each, term=term, candidates=merged(found, words)[: services.max_results], own=words)


def merged(*lists: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Each concept once, with its best confidence; the best first."""
    best: dict[tuple[str, ...], Candidate] = {}
    for each in (candidate for candidates in lists for candidate in candidates):
        known = best.get(identity(each))
        if known is None or each.confidence > known.confidence:
            best[identity(each)] = each
    return tuple(sorted(best.values(), key=lambda each: -each.confidence))


def identity(candidate: Candidate) -> tuple[str, ...]:
    """What makes two candidates the same concept."""
    if candidate.cui:
        return ("UMLS", candidate.cui)
    if candidate.snomed_code:
        return ("SNOMEDCT", candidate.snomed_code)
    return (candidate.ontology, candidate.display.casefold())


def already_linked(each: Found, mentions: Mapping[Span, Linked]) -> tuple[Candidate, ...] | None:
    """What linking has found at this very place, if it searched for the same term and type; else None."""
    mention = mentions.get((each.start, each.end))
    if mention is None or mention.type not in (None, each.entity_type):
        return None
    return mention.candidates if same(each.term or each.text, mention.term or mention.text) else None


def by_place(mentions: Sequence[Linked]) -> Mapping[Span, Linked]:
    return {(each.start, each.end): each for each in mentions if each.candidates}


def same(one: str, other: str) -> bool:
    return one.casefold().split() == other.casefold().split()


def _may_be_short_form(term: str) -> bool:
    """Only a short form is explained by the text around it; any other search is the same wherever it is made."""
    return any(sum(letter.isupper() for letter in word) > 1 for word in term.split())
