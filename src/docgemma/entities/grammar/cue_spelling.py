"""Slips of the finger in the words that ask for a look-up ("intraction", "side efects"), read as those words.

Only for reads: nothing is written on the strength of a guess. The read text keeps a map to the places of the original,
because every argument has a source. Hand-written lists; not reviewed by a clinician.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations

from docgemma.entities.drugs.disguise import Folded
from docgemma.entities.words import word_set

_CUES = word_set(
    "effect effects interact interacts interacting interaction interactions contraindication contraindications "
    "contraindicated warning warnings safety adverse precaution precautions toxicity pregnancy pregnant "
    "breastfeeding together alongside combination dangerous recruiting enrolling trials studies research evidence "
    "literature articles publications published allergies allergy medication medications creatinine potassium "
    "haemoglobin hemoglobin laboratory results history patient patients"
)
_OTHER_WORDS = word_set(
    "affect affects intact interest interests interested interesting intersect interactive interactively infraction "
    "introduction warming warring warding wanting safely averse adversely recreating triads tribal studios studied "
    "researched researcher researchers evident evidenced evidences eminence essence literate articled arteries "
    "allergens allergen allegories meditation meditations mediation mediations medicating creatine creating lavatory "
    "resorts result histories historic patent patents patience pregnancies togetherness combinations dangerously "
    "allergic medicated medicates resulted resulting safest potassiums trial trails effected effecting recruitment "
    "enrolment enrolled rolling interacted contraindicate reaction reactions publication publisher publishes publish "
    "lovely literatures article compilation inexact integrating integration integrations interface interfaces "
    "interfacing internet intersecting intersection intersections intersects iterating iteration iterations parents "
    "payments rewriting waning warping tonicity punished polished"
)
"""Words of their own that are spelled almost like one of the above."""

_SHORT = {
    **dict.fromkeys(("waht", "wht", "whta", "hwat"), "what"),
    **dict.fromkeys(("teh", "hte"), "the"),
    **dict.fromkeys(("wich", "whcih", "whihc"), "which"),
    **dict.fromkeys(("saef", "sfae", "seaf", "saffe"), "safe"),
    **dict.fromkeys(("chek", "chekc", "cehck"), "check"),
    **dict.fromkeys(("metds", "mdes"), "meds"),
    **dict.fromkeys(("shld", "shud", "shoud", "sould", "shoudl"), "should"),
    **dict.fromkeys(("cld", "coud", "cud"), "could"),
    **dict.fromkeys(("wld", "woud", "wud"), "would"),
    "tel": "tell",
    "alergic": "allergic",
}
_WORD = re.compile(r"[^\W\d_]{3,24}")
_TRAILS = re.compile(
    r"(?:(?<=clinical\s)|(?<=recruiting\s)|(?<=open\s)|(?<=ongoing\s)|(?<=any\s)|(?<=active\s)|(?<=completed\s)"
    r"|(?<=cancer\s)|(?<=drug\s))trails(?!\w)|(?<!\w)trails(?=\s(?:for|recruiting|enrolling)(?!\w))",
    re.IGNORECASE,
)
_SIDE = re.compile(r"(?<!\w)s(?:i[a-ce-y]e|id|dei?|die|ied|ides)(?=\s{1,2}[ae]ff?[a-z]{2,6}(?!\w))", re.IGNORECASE)
_DOES = re.compile(
    r"(?:^|(?<=[.?!\n]\s))dose(?=\s[\w-]{3,30}\s(?:interact|affect|cause|mix|clash|prolong|go|react|increase|raise)(?!\w))",
    re.IGNORECASE,
)
_SHORTEST, _LONG, _LONGEST = 5, 8, 20
_REACH = 2


def respelled(text: str, skip: Collection[tuple[int, int]] = ()) -> Folded:
    """The text with its slips read as the words they stand for; `skip` are the places of names, which stay."""
    changes = _outside(dict(_changes(text)), sorted(skip))
    if not changes:
        return Folded(text, range(len(text)), changed=False)
    pieces: list[str] = []
    places: list[int] = []
    done = 0
    for (start, end), word in sorted(changes.items()):
        pieces += (text[done:start], word)
        places += range(done, start)
        places += [min(start + place, end - 1) for place in range(len(word) - 1)]
        places.append(end - 1)
        done = end
    places += range(done, len(text))
    return Folded("".join([*pieces, text[done:]]), tuple(places), changed=True)


def _outside(changes: dict[tuple[int, int], str], skip: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    starts = [start for start, _ in skip]
    before = {place: bisect_right(starts, place[0]) - 1 for place in changes}
    return {place: word for place, word in changes.items() if before[place] < 0 or skip[before[place]][1] <= place[0]}


def _changes(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    for match in _WORD.finditer(text):
        word = meant(match.group().lower())
        if word:
            yield match.span(), word
    for pattern, word in ((_TRAILS, "trials"), (_SIDE, "side"), (_DOES, "does")):
        yield from ((match.span(), word) for match in pattern.finditer(text))


@lru_cache(maxsize=8192)
def meant(low: str) -> str:
    """The word that this one was to be; empty when it is a word of its own or too far from any."""
    if low in _SHORT:
        return _SHORT[low]
    if not _SHORTEST <= len(low) <= _LONGEST or low in _CUES or low in _OTHER_WORDS:
        return ""
    near = {cue for form in _forms(low) for cue in _index().get(form, ())}
    best = min(((_slips(low, cue), cue) for cue in near), default=(_REACH + 1, ""))
    return best[1] if best[0] <= (1 if len(best[1]) < _LONG else _REACH) and _begins(low, best[1]) else ""


def _begins(low: str, cue: str) -> bool:
    """The first letter is hardly ever wrong; at most it is swapped with the second."""
    return low[0] == cue[0] or low[:2] == cue[1::-1]


@cache
def _index() -> dict[str, list[str]]:
    """Every word with up to two letters left out → the word."""
    index: dict[str, list[str]] = {}
    for cue in _CUES:
        for form in _forms(cue):
            index.setdefault(form, []).append(cue)
    return index


def _forms(word: str) -> set[str]:
    found = {word}
    for size in range(1, _REACH + 1):
        found.update("".join(kept) for kept in combinations(word, len(word) - size))
    return found


def _slips(one: str, other: str) -> int:
    """Letters added, left out, changed, or swapped with their neighbour."""
    before: list[int] = []
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        current = [row]
        for column, against in enumerate(other, 1):
            cost = min(above[column] + 1, current[-1] + 1, above[column - 1] + (letter != against))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == against:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        before, above = above, current
    return above[-1]
