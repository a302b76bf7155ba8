"""One pass over a message: everything the rules can find in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from docgemma.entities.amounts.found import find_amounts
from docgemma.entities.amounts.traps import find_traps
from docgemma.entities.drugs.abbreviations import as_written, find_abbreviations
from docgemma.entities.drugs.disguise import disguises
from docgemma.entities.drugs.names import drugs_in
from docgemma.entities.drugs.unlisted import find_misspelt_drugs, find_supplements, find_unlisted_drugs
from docgemma.entities.entries.allergies import find_substances
from docgemma.entities.entries.allergy_entries import find_allergy_entries
from docgemma.entities.entries.notes import find_note_texts, find_note_types
from docgemma.entities.entries.orders import find_orders, within
from docgemma.entities.entries.reactions import find_reactions, find_severities
from docgemma.entities.grammar.small_talk import is_small_talk
from docgemma.entities.grammar.speech import find_action_verbs
from docgemma.entities.labs import find_labs
from docgemma.entities.model import Entities, Mention, WriteRequest
from docgemma.entities.people.dates import find_birth_dates
from docgemma.entities.people.ids import find_patient_ids, without_numbers
from docgemma.entities.people.names import find_person_names
from docgemma.entities.searches.topics import find_conditions, find_trial_statuses
from docgemma.entities.words import Word, words
from docgemma.entities.writes.requests import find_requests


def extract(text: str) -> Entities:
    """Find ids, people, drugs, amounts and requests. Never raises; time grows in line with the text."""
    tokens = words(text)
    disguised = disguises(text)
    drugs = _uncovered(drugs_in(text), disguised)
    shorthand = _in_order(find_abbreviations(tokens), disguised)
    typed = as_written(shorthand)
    ids = find_patient_ids(text)
    names = find_person_names(text, tokens)
    amounts = find_amounts(without_numbers(text, ids), (*drugs, *typed))
    reactions, severities = find_reactions(text, (*drugs, *typed, *ids, *names)), find_severities(text)
    unlisted = find_unlisted_drugs(tokens, (*drugs, *typed), amounts.doses, _in_order(names, ids))
    found = Entities(
        patient_ids=ids,
        person_names=names,
        birth_dates=find_birth_dates(text, names),
        drugs=drugs,
        unlisted_drugs=_in_order(unlisted, typed),
        disguised_drugs=disguised,
        doses=amounts.doses,
        frequencies=amounts.frequencies,
        routes=amounts.routes,
        durations=amounts.durations,
        traps=find_traps(text, (*drugs, *typed), amounts),
        labs=find_labs(text, tokens, names),
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
    found = replace(found, orders=find_orders(text, found), allergies=find_allergy_entries(text, found))
    return found if writes else _with_guesses(found, tokens)


def _with_guesses(found: Entities, tokens: Sequence[Word]) -> Entities:
    """Names that are almost a drug's, and minerals, for look-ups alone: in what is to be written nothing is guessed."""
    known = _in_order(found.drugs, found.unlisted_drugs)
    taken = [(mention.start, mention.end) for mention in (*found.patient_ids, *found.person_names)]
    more = (*find_misspelt_drugs(tokens, known, taken), *find_supplements(tokens, known))
    return replace(found, unlisted_drugs=_in_order(found.unlisted_drugs, more)) if more else found


def _uncovered(drugs: Iterable[Mention], disguised: Iterable[Mention]) -> tuple[Mention, ...]:
    """Without the honest half of a disguised name: "insulin" is not what "insulin glаrgine" asks for."""
    covered = {place for mention in disguised for place in range(mention.start, mention.end)}
    return tuple(drug for drug in drugs if drug.start not in covered)


def _in_order(*kinds: Iterable[Mention]) -> tuple[Mention, ...]:
    return tuple(sorted((mention for kind in kinds for mention in kind), key=lambda mention: mention.start))


def _outside(shorthand: Sequence[Mention], writes: Sequence[WriteRequest]) -> list[Mention]:
    """Shorthand and disguised names that no chart entry is made from: only there may they be read as the drug."""
    inside = {mention.start for write in writes for mention in within(shorthand, write.start, write.end)}
    return [mention for mention in shorthand if mention.start not in inside]
