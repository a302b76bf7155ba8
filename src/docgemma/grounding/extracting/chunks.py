"""Names that no vocabulary lists, found by their last word: "impaired hepatic function" ends in nothing, "severe
hepatic impairment" ends in a head, so "hepatic impairment" is a Condition.

From the head leftwards every word belongs to the name until a word that cannot: an article, a preposition, a verb, a
word that only grades ("severe", "known"), a number, another entity.
"""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.entities.words import word_set
from docgemma.grounding.extracting.model import Found
from docgemma.grounding.extracting.spelling import corrected
from docgemma.grounding.extracting.tables import Head, heads, listed
from docgemma.terminology.linking.mentions import PREFIXES
from docgemma.terminology.linking.tables import word_list
from docgemma.terminology.linking.words import Word

_REACH = 5
"""Words before the head."""
_VERBAL = ("ing", "ed", "ly")
_SHORTEST_VERBAL = 5
_OVER_BIOMARKERS = word_set("inhibitor agonist antagonist antibody blocker inducer modulator analog analogue")
_OVER_MEDICINES = word_set(
    """vaccine level concentration allergy hypersensitivity intolerance abuse misuse dependence deficiency disorder
    overdose poisoning intoxication toxicity withdrawal addiction"""
)
"""Heads whose name may hold another entity: "CYP3A4 inhibitor", "opioid overdose"."""
_OF_SOMETHING = word_set("level concentration")
_NUMBERED = word_set("type genotype factor")


def headed(words: Sequence[Word], known: Sequence[Found]) -> list[Found]:
    """The names that end in a head. `known` are the entities found by other means: most of them end a name."""
    owner: dict[int, Found] = {place: one for one in known for place in range(one.first, one.last)}
    found = []
    for place, word in enumerate(words):
        head = _head(word)
        if head is None or (place in owner and owner[place].type is None):
            continue
        following = words[place + 1].key if place + 1 < len(words) else ""
        if word.hyphened and (not head.alone or following in word_list("properties")):
            continue
        if word.key in _OF_SOMETHING and (following == "of" or _measured(owner.get(place - 1))):
            continue
        first = _first(words, place, head, owner)
        if first > 0 and words[first - 1].hyphened and words[first - 1].low in PREFIXES:
            continue
        if head.alone or first < place:
            found.append(Found(first, _last(words, place, head), head.type))
    return found


def _measured(before: Found | None) -> bool:
    return before is not None and before.type == "Lab_Value"


def _head(word: Word) -> Head | None:
    return heads().of(word.key) or heads().of(corrected(word.key))


def _first(words: Sequence[Word], place: int, head: Head, owner: dict[int, Found]) -> int:
    """Where the name begins."""
    narrow = head.alone and head.type in {"Medication", "Lab_Value"}
    first = place
    while first > 0 and place - first < _REACH:
        before = words[first - 1]
        if not before.joined or "/" in before.gap or not _belongs(words, first - 1, narrow):
            break
        other = owner.get(first - 1)
        if other is not None and not before.hyphened and not _runs_over(other, words[place].key, head):
            break
        first -= 1
    while first < place and words[first].key.isdigit():
        first += 1
    return first


def _runs_over(other: Found, key: str, head: Head) -> bool:
    """Whether the name may take in another entity: "CYP3A4 inhibitors", "breast cancer surgery"."""
    if other.type is None:
        return False
    if other.type == head.type or other.type == "Condition":
        return True
    if other.type == "Biomarker":
        return key in _OVER_BIOMARKERS
    return key in _OVER_MEDICINES and other.type == "Medication"


def _belongs(words: Sequence[Word], place: int, narrow: bool) -> bool:
    word = words[place]
    if narrow:
        return word.key in listed("loose_modifiers")
    if word.key == "use" and words[place + 1].key == "disorder":
        return True
    if word.key in listed("boundaries") or word.low in listed("boundaries"):
        return False
    before = words[place - 1] if place > 0 else None
    if word.text.isdigit():
        return before is not None and (before.hyphened or before.key in _NUMBERED)
    if corrected(word.key) in listed("boundaries"):
        return False
    verbal = len(word.low) >= _SHORTEST_VERBAL and word.low.endswith(_VERBAL) and word.key not in listed("endings")
    return not verbal or (before is not None and before.hyphened)


def _last(words: Sequence[Word], place: int, head: Head) -> int:
    """A class of medicines may be completed by a noun ("immunosuppressive agents"), a disease by its place."""
    after = place + 1
    if head.type == "Condition" and after < len(words) and words[after].low == "of" and words[place].gap == " ":
        return _through_body(words, after)
    if head.type == "Medication" and after < len(words) and words[place].joined and _adjective(words[place].key):
        return after + 1 if words[after].key in listed("class_endings") else after
    return after


def _through_body(words: Sequence[Word], of: int) -> int:
    """The end of "of the hip" after a disease; the place of "of" where no part of the body follows."""
    last = of + 1
    if last < len(words) and words[last].low == "the":
        last += 1
    start = last
    while (
        last < len(words) and last - start < 3 and words[last - 1].gap == " " and words[last].key in listed("anatomy")
    ):
        last += 1
    return last if last > start else of


def _adjective(key: str) -> bool:
    return key.endswith(("ive", "ic", "al", "ant", "oid", "tory"))
