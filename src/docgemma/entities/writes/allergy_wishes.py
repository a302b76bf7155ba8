"""An entry that is wished for rather than told: "kiwi needs adding to her allergies", "I want it on his allergy list".

The thing may have been named a sentence before. Nothing here looks for doubt or negation in it: the caller does.
"""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.entities.grammar.speech import opening_length
from docgemma.entities.grammar.verbs import base_form
from docgemma.entities.model import Entities
from docgemma.entities.words import Sentence, Word, word_set

_ADDING = word_set("add record document log enter put register flag save tag pop stick mark file list")
_NEEDING = word_set("need needs wants")
_WISHING = word_set("want like need")
_PLACE = word_set("allergy allergies allergic adr adrs intolerance intolerances")
_ONTO = word_set("to on onto in into as under")
_WOULD = word_set("i'd id we'd would")
_POINTERS = word_set("it that this both them these")
_DOUBTED = word_set(
    "does do did if whether may might what who think thinks why how when nothing nobody would should could not no "
    "never don't didn't doesn't nor already says said asked asks wanted told reckons else by clinic band bracelet "
    "form wristband letter"
)
"""Before or behind it these ask, deny, report, or name another place than the chart."""

_KEYED = word_set("in down up on")
_LISTS = word_set("list lists record records section")
_COURTESY = word_set(
    "please kindly thanks thank you ta cheers ah now today then for on to the her his their my this patient pt lah sir "
    "madam doctor quickly asap urgently chart too also patient's pt's"
)
_REACH = 7
_SHORTEST = 4


def wishes_entry(sentence: Sentence) -> bool:
    """Whether the sentence says that something named is to stand among the allergies."""
    low = [word.low for word in sentence.words]
    said = low[2:] if low[:2] in (["i", "would"], ["we", "would"]) else low
    if sentence.mark == "?" or not _DOUBTED.isdisjoint(said):
        return False
    return _needs_adding(low) or _wishes_listed(low) or _keys_in(low) or may_be_added(low)


def may_be_added(low: Sequence[str]) -> bool:
    """ "…, can this be added as an allergy": what was told just before, and nothing but courtesy behind it."""
    place = next((index for index, word in enumerate(low) if word == "can"), len(low))
    asked = low[place : place + _SHORTEST]
    if len(asked) < _SHORTEST or asked[1] not in _POINTERS or asked[2] != "be" or base_form(asked[3]) not in _ADDING:
        return False
    behind = low[place + _SHORTEST :]
    return _leads_to_place(behind) and all(word in _COURTESY | _PLACE | _LISTS | _ONTO | {"an", "a"} for word in behind)


def _needs_adding(low: Sequence[str]) -> bool:
    """ "Both need adding to allergies", "cefalexin allergy needs adding", "needs to go on her allergies"."""
    place = next((index for index, word in enumerate(low) if word in _NEEDING), None)
    if place is None:
        return False
    following = low[place + 1 : place + 4]
    if following[:2] in (["to", "be"], ["to", "go"]):
        moved = following[1] == "go" or following[2:3] in (["on"], ["in"], ["under"])
        done = moved or base_form("".join(following[2:3])) in _ADDING
    else:
        done = bool(following) and following[0].endswith(("ing", "ed")) and base_form(following[0]) in _ADDING
    return done and (low[place - 1 : place] in (["allergy"], ["intolerance"]) or _leads_to_place(low[place + 1 :]))


def _wishes_listed(low: Sequence[str]) -> bool:
    """ "I'd like it on his allergy list", "we want latex put on her allergies"."""
    place = next((index for index, word in enumerate(low[:6]) if word in _WISHING), None)
    wishing = _WOULD if place is not None and low[place] == "like" else _WOULD | {"i", "we"}
    if place is None or low[max(0, place - 1)] not in wishing:
        return False
    pointed = low[place + 1 : place + 2]
    return bool(pointed) and pointed[0] in _POINTERS and _leads_to_place(low[place + 2 :])


def _keys_in(low: Sequence[str]) -> bool:
    """ "Key in the allergy", "type in as allergy", with nothing but courtesy behind it."""
    head = low[next((index for index, word in enumerate(low) if word not in _COURTESY), 0) :]
    if len(head) < _SHORTEST or head[0] not in _ADDING | {"key", "type"} or head[1] not in _KEYED:
        return False
    named = head[2] in {"the", "this", "as"} and "allergy" in head[3:5]
    return named and all(word in _COURTESY | {"allergy", "an"} or not word.isalpha() for word in head[3:])


def _leads_to_place(low: Sequence[str]) -> bool:
    place = next((index for index, word in enumerate(low[:_REACH]) if word in _PLACE), None)
    return place is not None and not _ONTO.isdisjoint(low[max(0, place - 4) : place])


def asks_to_update(sentence: Sentence, found: Entities) -> bool:
    """ "Update her allergies please": what is to be added was not said, so it must be asked for."""
    people = {place for who in (*found.patient_ids, *found.person_names) for place in range(who.start, who.end)}
    said: list[Word] = [word for word in sentence.words[opening_length(sentence.words) :] if word.start not in people]
    low = [word.low for word in said]
    if (
        low[:1] != ["update"]
        or sentence.mark == "?"
        or low[1:2] in (["on"], ["to"], ["for"])
        or _PLACE.isdisjoint(low[1:4])
    ):
        return False
    return all(word in _COURTESY | _PLACE | _LISTS | {"'s"} for word in low[1:])
