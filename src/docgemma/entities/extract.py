"""One pass over a message: everything the rules can find in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from docgemma.entities.abbreviations import as_written, find_abbreviations
from docgemma.entities.allergies import find_reactions, find_severities, find_substances
from docgemma.entities.allergy_entries import find_allergy_entries
from docgemma.entities.dates import find_birth_dates
from docgemma.entities.doses import find_doses, find_frequencies
from docgemma.entities.drugs import find_drugs
from docgemma.entities.model import Entities, Mention, WriteRequest
from docgemma.entities.notes import find_note_texts, find_note_types
from docgemma.entities.orders import find_orders, within
from docgemma.entities.people import find_patient_ids, find_person_names
from docgemma.entities.requests import find_requests
from docgemma.entities.speech import find_action_verbs, is_small_talk
from docgemma.entities.topics import find_conditions, find_trial_statuses
from docgemma.entities.unlisted import find_unlisted_drugs
from docgemma.entities.words import words


def extract(text: str) -> Entities:
    """Find ids, people, drugs, amounts and requests. Never raises; time grows in line with the text."""
    tokens = words(text)
    drugs, shorthand = find_drugs(tokens), find_abbreviations(tokens)
    typed = as_written(shorthand)
    ids = find_patient_ids(text)
    names = find_person_names(text, tokens)
    doses = find_doses(text)
    reactions, severities = find_reactions(text), find_severities(text)
    unlisted = find_unlisted_drugs(tokens, (*drugs, *typed), doses, names)
    found = Entities(
        patient_ids=ids,
        person_names=names,
        birth_dates=find_birth_dates(text, names),
        drugs=drugs,
        unlisted_drugs=_in_order(unlisted, typed),
        doses=doses,
        frequencies=find_frequencies(text),
        substances=find_substances(tokens, (*drugs, *typed), _in_order(reactions, severities)),
        reactions=reactions,
        severities=severities,
        note_types=find_note_types(text),
        note_texts=find_note_texts(text),
        conditions=find_conditions(text, (*ids, *names)),
        trial_statuses=find_trial_statuses(text),
        action_verbs=find_action_verbs(tokens),
        small_talk=is_small_talk(text),
    )
    writes, undoable = find_requests(text, found)
    read = _outside(shorthand, writes)
    kept = {mention.start for mention in read}
    found = replace(
        found,
        drugs=_in_order(drugs, read),
        unlisted_drugs=tuple(mention for mention in found.unlisted_drugs if mention.start not in kept),
        writes=writes,
        undoable=undoable,
    )
    return replace(found, orders=find_orders(text, found), allergies=find_allergy_entries(text, found))


def _in_order(*kinds: Iterable[Mention]) -> tuple[Mention, ...]:
    return tuple(sorted((mention for kind in kinds for mention in kind), key=lambda mention: mention.start))


def _outside(shorthand: Sequence[Mention], writes: Sequence[WriteRequest]) -> list[Mention]:
    """Shorthand that no chart entry is made from: only there may it be read as the drug."""
    inside = {mention.start for write in writes for mention in within(shorthand, write.start, write.end)}
    return [mention for mention in shorthand if mention.start not in inside]
