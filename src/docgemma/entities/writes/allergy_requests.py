"""An allergy entry asked for without a verb that records: "need an allergy adding - haloperidol, acute dystonia".

Three ways, each with its substance: the entry as a heading ("new allergy for abc-123: kiwi, lips swelled up"), any verb
with a place for it ("whack latex down as an allergy", "get it on her allergies"), and the verb behind ("neem allergy,
abc-123, add please"). Which verb it is does not matter, unless it reads, doubts, removes, treats or asks.
"""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.entities.grammar.speech import Clause, clauses
from docgemma.entities.grammar.verbs import (
    ARRANGING,
    EDITING,
    ENDING,
    LOOKING,
    REACHING,
    RECORDING,
    REMOVING,
    base_form,
)
from docgemma.entities.model import Entities
from docgemma.entities.words import Sentence, Word, word_set

DOCUMENTS = word_set(
    "line email e-mail letter table leaflet slide slides poster sentence section paragraph handout talk teaching quiz "
    "template essay article poem script protocol guideline guidance policy drugs cross-reactivity crossreactivity plan "
    "form forms sticker wristband bracelet spreadsheet question questions teach lecture syllabus curriculum"
)
"""Other things that are written: with one of them the allergy is only what it is about."""

_ENTRY = word_set("allergy adr intolerance")
_PLACE = word_set("allergy allergies allergic adr adrs intolerance intolerances")
_HEAD = word_set(
    "need needs needed new another an a one more please for patient pt to be got have i we there's there is another "
    "quick drug food known ok okay hi hello hey the this my her his their on in chart record file entry required "
    "wanted also and of mr mrs ms dr update adverse allergic chuck would could can you its it's"
)
_WANTED = word_set("need needs needed new another required wanted please")
_FUNCTION = word_set(
    "i we you he she it they the a an this that these those her his their my our your there here what which who how "
    "why when where is are was were be been has have had do does did can could should shall would will may might must "
    "if whether for to of in on at by from with and or but not no so as also because since any some patient pt mr mrs "
    "ms dr old new known possible family need needs someone somebody anyone anybody everyone nobody maybe perhaps"
)
_OTHERWISE = (
    LOOKING - {"set"}
    | ENDING
    | REMOVING
    | EDITING
    | REACHING
    | ARRANGING
    | word_set(
        "see view spot notice know think believe consider treat count class classify regard recognise recognize "
        "expect rule challenge desensitise desensitize take strike cross question doubt mention suspect manage avoid "
        "exclude discuss test define differentiate distinguish assess investigate teach learn discover diagnose "
        "prevent query quote cite repeat move keep leave forget ignore wait state tell say ask hear guess assume "
        "imagine suppose prove clear clarify evaluate prescribe give start order administer use"
    )
)
"""Verbs after which an allergy is read, doubted, treated, removed or talked about."""

_WISHING = word_set("i i'd we we'd would hi hello hey please just id")
_ASKED = word_set("if whether why when who not don't already")
_DOWN = word_set("down in up on over")
_TAIL = word_set(
    "please it that this thanks thank you for to on in the her his their chart record file pt patient ta too now"
)
_ADDING = word_set("add log enter record document save register put update chart note")
_ONTO = word_set("as to on onto in into under")
_ARTICLES = word_set("a an the new this another")
_REMOVED = word_set("off remove removed delete deleted without de-label delabel")
_PASTS = word_set(
    "took got wrote found saw told said thought knew kept left sent did went came began ran heard had made gave "
    "became felt read lost meant brought bought taught caught"
)
_NEAR = 5


def asks_for_entry(sentence: Sentence, found: Entities) -> bool:
    """Whether the sentence, which names a substance and takes nothing back, asks for it to be recorded."""
    named = [item for item in found.substances if sentence.start <= item.start < sentence.end]
    if not named or sentence.mark == "?":
        return False
    spoken = list(sentence.words)
    if not (_REMOVED | DOCUMENTS).isdisjoint(word.low for word in spoken):
        return False
    people = _people(found)
    if _is_heading(spoken, people, named[0].start) or _ends_with_verb(spoken, people) or _wants_recorded(spoken):
        return True
    return any(places_entry(part, found) for part in clauses(sentence))


def _people(found: Entities) -> set[int]:
    return {place for who in (*found.patient_ids, *found.person_names) for place in range(who.start, who.end)}


def _is_heading(spoken: Sequence[Word], people: set[int], substance: int) -> bool:
    """ "Need an allergy adding for abc-123 please - …", "allergy for abc-123 - …": nothing else stands before."""
    cue = next((index for index, word in enumerate(spoken[: _NEAR * 2]) if _is_entry(spoken, index)), None)
    if cue is None or spoken[cue].start > substance:
        return False
    before = [word for word in spoken if word.start < substance]
    marked = before[-1].text in {":", "-", "–", "—", ","} or before[-1].low == "to"
    rest = [word for index, word in enumerate(before) if index != cue and word.start not in people]
    plain = all(_goes_with_heading(word) for word in rest)
    wanted = any(word.low in _WANTED or base_form(word.low) in RECORDING for word in rest)
    return marked and plain and (wanted or len(rest) < len(before) - 1)


def _is_entry(spoken: Sequence[Word], index: int) -> bool:
    reaction = (
        spoken[index].low in {"reaction", "rxn"} and index > 0 and spoken[index - 1].low in {"adverse", "allergic"}
    )
    return spoken[index].low in _ENTRY or reaction


def _wants_recorded(spoken: Sequence[Word]) -> bool:
    """ "Need abc-123 flagged as allergic to latex", "I want penicillin recorded as an allergy"."""
    low = [word.low for word in spoken]
    wish = next((index for index, word in enumerate(low[:4]) if word in {"need", "want", "like"}), None)
    if wish is None or any(word in _ASKED for word in low) or not all(word in _WISHING for word in low[:wish]):
        return False
    done = next((index for index in range(wish + 1, len(low)) if low[index].endswith("ed")), None)
    if done is None or base_form(low[done]) not in RECORDING:
        return False
    return "as" in low[done : done + 3] and not _PLACE.isdisjoint(low[done : done + 5])


def _goes_with_heading(word: Word) -> bool:
    return word.low in _HEAD or not word.low[0].isalpha() or base_form(word.low) in RECORDING or word.low in _DOWN


def places_entry(part: Clause, found: Entities) -> bool:
    """ "Whack latex down as an allergy", "write down allergy to fish for abc-123": a verb, the thing and its place."""
    people = _people(found)
    spoken = [word for word in part.words if word.start not in people]
    start = _after_opening(part, spoken)
    if part.negated or start >= len(spoken) - 1:
        return False
    verb = spoken[start]
    if not _may_be_verb(verb, found):
        return False
    low = [word.low for word in spoken[start + 1 :]]
    cue = next((index for index, word in enumerate(low) if word in _PLACE), None)
    if cue is None:
        return False
    substances = {item.start for item in found.substances}
    objects = [place for place, word in enumerate(spoken[start + 1 :]) if word.start in substances]
    objects += [place for place, word in enumerate(low[:cue]) if word in {"it", "that", "this"}]
    if not objects:
        return False
    onto = next((place for place in range(cue - 1, max(-1, cue - 4), -1) if low[place] in _ONTO), None)
    if onto is not None:
        return min(objects) < onto and (low[onto] == "as" or low[cue] != "allergic")
    someone = len(spoken) < len(part.words) or bool({"her", "him", "please"} & {*low})
    return (
        someone and low[cue] in _ENTRY and all(word in _DOWN or word in _ARTICLES for word in low[: min(cue, *objects)])
    )


def _after_opening(part: Clause, spoken: Sequence[Word]) -> int:
    """Where the verb stands: the clause's own, or the first word after "can you", "please", "can we"."""
    if part.verb is not None:
        return next((index for index, word in enumerate(spoken) if word is part.words[part.verb or 0]), len(spoken))
    low = [word.low for word in spoken]
    place = 0
    while place < len(low) and low[place] in {"please", "kindly", "just", "so", "and", "ok", "hi", "also", "to"}:
        place += 1
    if low[place : place + 1] and low[place] in {"can", "could"} and low[place + 1 : place + 2] in (["you"], ["we"]):
        place += 2
    return place + (low[place : place + 1] == ["please"])


def _may_be_verb(word: Word, found: Entities) -> bool:
    """Anything but grammar, a form that is no imperative, a name, and a verb that asks for something else."""
    low = word.low
    if (
        not low.isalpha()
        or low in _FUNCTION
        or low in _PLACE
        or low in _OTHERWISE | _PASTS
        or low.endswith(("ing", "ed", "'s"))
    ):
        return False
    if low.endswith("s") and not low.endswith("ss"):
        return False
    named = (*found.drugs, *found.unlisted_drugs, *found.substances, *found.reactions, *found.severities)
    return not any(item.start <= word.start < item.end for item in named)


def _ends_with_verb(spoken: Sequence[Word], people: set[int]) -> bool:
    """ "Neem allergy abc-123 add please": the verb after its object, with nothing but courtesy and a person behind."""
    cue = next((index for index, word in enumerate(spoken) if word.low in _ENTRY), None)
    if cue is None:
        return False
    for index in range(cue + 1, len(spoken)):
        if spoken[index].low not in _ADDING or spoken[index - 1].low in _FUNCTION - {"please"}:
            continue
        if spoken[index - 1].low.endswith("'s"):
            continue
        after = spoken[index + 1 : index + 3]
        if all(word.low in _TAIL or word.start in people or word.text in {",", "-", ":"} for word in after):
            return True
    return False
