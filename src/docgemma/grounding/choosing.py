"""What a model's evaluation means for the entities it was shown. Numbers and CUIs count only if they were shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from docgemma.grounding.schemas import Evaluation, GroundingSelection
from docgemma.grounding.state import Found

UNKNOWN_CUI = "The model named a CUI that is not among the candidates."
UNKNOWN_NUMBER = "The model named a candidate that was not shown."
CONTRADICTION = "The model chose two different candidates."
NONE_FITS = "No candidate was found to fit."
NO_CANDIDATES = "The terminology has no candidate for this term."
NOT_CHOSEN = "The model made no choice in the rounds it had."


@dataclass(frozen=True, slots=True)
class Chosen:
    """`settled`: the entities with a decision, by their place among those shown. `terms`: what to search for instead.

    `stray` counts what the answer said of entities that were not shown.
    """

    settled: Mapping[int, Found]
    terms: Mapping[int, str]
    stray: int = 0


def choose(shown: Sequence[Found], answer: Evaluation, *, by_model: bool) -> Chosen:
    """Entities that the answer wants searched again are not settled by it, unless it also chose for them."""
    settled: dict[int, Found] = {}
    terms: dict[int, str] = {}
    stray = 0
    wanted = _wanted(shown, answer) if answer.action_type == "refine" else []
    for place, term in wanted:
        if place is None:
            stray += 1
        elif term:
            terms[place] = term
    for selection in answer.selections:
        place = _place(shown, selection.entity, selection.entity_text)
        if place is None:
            stray += 1
            continue
        decided = _decided(shown[place], selection, by_model=by_model)
        if place in settled:
            if settled[place].chosen != decided.chosen:
                settled[place] = replace(decided, chosen=None, doubt=CONTRADICTION)
        elif decided.chosen is not None or decided.doubt != NONE_FITS or place not in terms:
            settled[place] = decided
    return Chosen(settled, {place: term for place, term in terms.items() if place not in settled}, stray)


def unsettled(each: Found, *, by_model: bool) -> Found:
    """An entity for which nobody chose."""
    doubt = (NOT_CHOSEN if by_model else NONE_FITS) if each.candidates else NO_CANDIDATES
    return replace(each, chosen=None, model_confidence=None, doubt=each.doubt or doubt)


def _wanted(shown: Sequence[Found], answer: Evaluation) -> list[tuple[int | None, str]]:
    by_number = [(_place(shown, each.entity, None), each.search_term.strip()) for each in answer.searches]
    by_text = [(_place(shown, 0, each.text), each.search_term.strip()) for each in answer.entities]
    return by_number + by_text


def _place(shown: Sequence[Found], number: int, text: str | None) -> int | None:
    if 1 <= number <= len(shown):
        return number - 1
    same = [place for place, each in enumerate(shown) if text and _plain(each.text) == _plain(text)]
    return same[0] if len(same) == 1 else None


def _plain(text: str) -> list[str]:
    return text.casefold().split()


def _decided(each: Found, selection: GroundingSelection, *, by_model: bool) -> Found:
    confidence = selection.confidence if by_model else None
    said = (selection.selected_cui or "").strip().upper()
    if 1 <= selection.candidate <= len(each.candidates):
        chosen = each.candidates[selection.candidate - 1]
        if said and said != chosen.cui:
            return replace(each, chosen=None, model_confidence=confidence, doubt=UNKNOWN_CUI)
        return replace(each, chosen=chosen, model_confidence=confidence)
    if selection.candidate:
        return replace(each, model_confidence=confidence, doubt=UNKNOWN_NUMBER)
    if not said:
        doubt = NONE_FITS if each.candidates else NO_CANDIDATES
        return replace(each, model_confidence=confidence, doubt=doubt)
    by_cui = next((candidate for candidate in each.candidates if candidate.cui == said), None)
    return replace(each, chosen=by_cui, model_confidence=confidence, doubt="" if by_cui else UNKNOWN_CUI)
