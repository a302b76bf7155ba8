"""One pass over a message: everything the rules can find in it."""

from __future__ import annotations

from dataclasses import replace

from docgemma.entities.allergies import find_reactions, find_severities, find_substances
from docgemma.entities.dates import find_birth_dates
from docgemma.entities.doses import find_doses, find_frequencies
from docgemma.entities.drugs import find_drugs
from docgemma.entities.model import Entities
from docgemma.entities.notes import find_note_texts, find_note_types
from docgemma.entities.people import find_patient_ids, find_person_names
from docgemma.entities.requests import find_requests
from docgemma.entities.speech import find_action_verbs, is_small_talk
from docgemma.entities.topics import find_conditions, find_trial_statuses
from docgemma.entities.unlisted import find_unlisted_drugs
from docgemma.entities.words import words


def extract(text: str) -> Entities:
    """Find ids, people, drugs, amounts and requests. Never raises; time grows in line with the text."""
    tokens = words(text)
    drugs = find_drugs(tokens)
    ids = find_patient_ids(text)
    names = find_person_names(text, tokens)
    substances = find_substances(tokens, drugs)
    doses = find_doses(text)
    note_types, note_texts = find_note_types(text), find_note_texts(text)
    found = Entities(
        patient_ids=ids,
        person_names=names,
        birth_dates=find_birth_dates(text, names),
        drugs=drugs,
        unlisted_drugs=find_unlisted_drugs(tokens, drugs, doses, names),
        doses=doses,
        frequencies=find_frequencies(text),
        substances=substances,
        reactions=find_reactions(text),
        severities=find_severities(text),
        note_types=note_types,
        note_texts=note_texts,
        conditions=find_conditions(text, (*ids, *names)),
        trial_statuses=find_trial_statuses(text),
        action_verbs=find_action_verbs(tokens),
        small_talk=is_small_talk(text),
    )
    writes, undoable = find_requests(text, found)
    return replace(found, writes=writes, undoable=undoable)
