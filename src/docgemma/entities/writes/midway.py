"""An order given inside a clause, as it is dictated: "bp 160/90 start amlodipine 5 mg daily", "… to be started".

English helps: after a singular noun or a number a bare "start" is no statement ("the rate start" says nothing), so it
can only be an imperative. After a subject, an auxiliary, "to" or somebody else's name it is none.
"""

from __future__ import annotations

from dataclasses import replace

from docgemma.entities.grammar.speech import NEGATORS, Clause
from docgemma.entities.grammar.verbs import base_form
from docgemma.entities.words import Word, word_set
from docgemma.entities.writes.places import Places

_VERBS = word_set("prescribe start commence initiate restart give add refill renew")
_BEFORE = word_set(
    "i you he she it we they who that which what there this these those to a an the my your his her its our their of "
    "in on at by for with from into about over under not never no nor or and but if when while once before after "
    "until unless because since as than then so is are was were be been being am do does did has have had will would "
    "shall should can could may might must always often usually ever also only just still already now please didn't "
    "don't doesn't won't can't shouldn't wouldn't couldn't isn't wasn't quick late early head jump kick re false slow "
    "good bad new fresh dose plan aim option idea goal decision advice letter summary label guideline protocol "
    "recommendation staff let make help let's"
)
"""Words after which "start" is a part of a statement, a question, a noun or somebody's advice."""

_OTHERS = word_set(
    "gp gps doctor dr nurse pharmacist pharmacy consultant registrar reg sho micro surgeon team family daughter son "
    "wife husband mother mum mom father dad specialist medics ortho cardio neuro onc psych renal haem icu itu "
    "colleague resident attending physician nice who fda company trial study rec recs patients people everyone nobody "
    "anyone someone everybody somebody those adults children women men doctors nurses"
)
"""Those who may start something themselves, or advise it."""

_SUBORDINATE = word_set(
    "if whether when who which that because why how where what before unless until wants want wanted asked says said "
    "told suggested recommended advised thinks think wonder wondering considering consider planning plans hoping "
    "tried trying refused declined forgot going about decide deciding agreed"
)
_FORMS = word_set("tab tabs tablet cap caps capsule inj injection syp syrup . iv im po oral also and so for patient pt")
_REACH = 5
_MODALS = frozenset({"can", "could"})
_WRITTEN = word_set("prescribed written charted")
_PATIENT = word_set(
    "he she they this that the my our patient pt man woman lady gentleman gent chap boy girl baby child"
)
_TO_BE_DONE = word_set("prescribe start commence initiate restart give add refill renew issue order dispense continue")
_LATER = _SUBORDINATE | word_set("by after once tomorrow next later discharge from pending following monday gp once")
"""After "to be started" these say that another does it, or that it waits for something."""


def told_midway(part: Clause, places: Places) -> Clause:
    """The clause with its verb, when one that orders stands inside and a drug with a dose follows it."""
    if part.verb is not None or part.negated:
        return part
    for place in range(1, len(part.words) - 1):
        before, word = part.words[place - 1], part.words[place]
        if word.low in _SUBORDINATE or word.low in NEGATORS or part.words[0].low in _SUBORDINATE:
            return part
        if _is_others(before):
            return part
        if word.low in _VERBS and _may_end_a_statement(before):
            following = part.words[place + 1 : place + 1 + _REACH]
            drug = any(places.has(range(each.start, each.end), "drugs", "unlisted_drugs") for each in following)
            dosed = places.has(range(word.end, part.words[-1].end), "doses")
            return replace(part, verb=place) if drug and dosed else part
    return part


def told_to_be(part: Clause, places: Places) -> Clause:
    """ "Sertraline 50 mg od to be started for abc-123": the drug first, then what shall be done with it, for whom."""
    if part.verb is not None or part.negated or not _begins_with_drug(part, places):
        return part
    low = [word.low for word in part.words]
    if low[0] in _MODALS:
        return _may_be_done(part, low)
    place = next((index for index in range(1, len(low) - 1) if low[index] == "to"), None)
    if place is None or not _LATER.isdisjoint(low) or not NEGATORS.isdisjoint(low):
        return part
    verb = place + 2 if low[place + 1] == "be" else place + 1
    if verb >= len(low) or base_form(low[verb]) not in _TO_BE_DONE:
        return part
    asks = "please" in low or places.has(range(part.words[0].start, part.words[-1].end), "patient_ids", "person_names")
    return replace(part, verb=verb) if asks else part


def told_may_have(part: Clause) -> Clause:
    """ "Please can he have morphine 5 mg qds written up": without "please" and "written" it asks whether he may."""
    low = [word.low for word in part.words]
    place = next((index for index, word in enumerate(low[:_REACH]) if word in _MODALS | {"may"}), None)
    if part.verb is not None or place is None or "please" not in low or _WRITTEN.isdisjoint(low):
        return part
    have = next((index for index in range(place + 1, min(place + _REACH, len(low))) if low[index] == "have"), None)
    if have is None or have == place + 1 or not _PATIENT.issuperset(low[place + 1 : have]) or _LATER & {*low}:
        return part
    return replace(part, verb=have, polite=True, own=True)


def _may_be_done(part: Clause, low: list[str]) -> Clause:
    """ "Could nifedipine 10 mg tds be prescribed for abc-123 please": without "please" it asks whether it may be."""
    place = next((index + 1 for index, word in enumerate(low[:-1]) if word == "be"), None)
    if place is None or "please" not in low or base_form(low[place]) not in _TO_BE_DONE or not _LATER.isdisjoint(low):
        return part
    return replace(part, verb=place, polite=True, own=True)


def _begins_with_drug(part: Clause, places: Places) -> bool:
    opening = part.words[1 if part.words[0].low in _MODALS else 0 :][:_REACH]
    first = next((word for word in opening if word.low not in _FORMS and not places.is_person(word)), None)
    return first is not None and places.has(range(first.start, first.end), "drugs", "unlisted_drugs")


def _is_others(word: Word) -> bool:
    return word.low in _OTHERS or word.low.endswith(("ology", "iatry", "rics"))


def _may_end_a_statement(word: Word) -> bool:
    """A number, an id or a singular noun that can be nobody who starts anything."""
    if any(letter.isdigit() for letter in word.low):
        return True
    plain = word.low.isalpha() and word.low not in _BEFORE and word.low not in {"patient", "pt"}
    plural = word.low.endswith("s") and not word.low.endswith("ss") and not word.text.isupper()
    endless = word.low != "thing" and word.low.endswith(("ly", "ing", "ist", "ician", "ed"))
    return plain and not plural and not endless
