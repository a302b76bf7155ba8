"""Ordinary words as people type them on a phone, read as the words they stand for.

Only function words and the verbs of requests are read this way. A drug is never corrected: see `drugs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from string import ascii_lowercase

from docgemma.entities.words import Word, word_set

_PHONE = {
    **dict.fromkeys(("pls", "plz", "plse", "pleas", "plese", "pleae", "pl"), "please"),
    **dict.fromkeys(("kindely", "kindy", "kndly"), "kindly"),
    "u": "you",
    "ur": "your",
    "cld": "could",
    "shd": "should",
    "wud": "would",
    "cant": "can't",
    "cannot": "can't",
    "dont": "don't",
    "wont": "won't",
    "didnt": "didn't",
    "doesnt": "doesn't",
    "isnt": "isn't",
    "wasnt": "wasn't",
    "shouldnt": "shouldn't",
    "wouldnt": "wouldn't",
    "couldnt": "couldn't",
    "mustnt": "mustn't",
    "lets": "let's",
    "shes": "she's",
    "hes": "he's",
    "theyre": "they're",
    "im": "i'm",
    "ive": "i've",
    "whats": "what's",
    "hows": "how's",
    "abt": "about",
    "pts": "patients",
    "e-prescribe": "prescribe",
    "eprescribe": "prescribe",
    "re-prescribe": "prescribe",
    "represcribe": "prescribe",
    "re-start": "restart",
    "re-order": "reorder",
    "re-issue": "reissue",
    "re-commence": "restart",
    "recommence": "restart",
    "up-titrate": "titrate",
    "uptitrate": "titrate",
    "down-titrate": "titrate",
    "organise": "organize",
    "double-check": "check",
    "recheck": "check",
    "re-check": "check",
    **dict.fromkeys(("satrt", "statr", "sttart", "startt", "staart", "strt", "strart"), "start"),
    **dict.fromkeys(("ordr", "oder", "odrer", "oredr", "ordder"), "order"),
    **dict.fromkeys(("recrod", "reocrd", "recored", "recod"), "record"),
    **dict.fromkeys(("giv", "gve"), "give"),
    **dict.fromkeys(("refil", "refll", "reffil"), "refill"),
    **dict.fromkeys(("stpo", "sotp", "stopp"), "stop"),
    **dict.fromkeys(("cancle", "cancell", "cacnel"), "cancel"),
    **dict.fromkeys(("perscription", "prescripton", "perscripton", "prescrption", "presciption"), "prescription"),
}
_LONG_VERBS = (
    "prescribe",
    "commence",
    "initiate",
    "restart",
    "administer",
    "dispense",
    "document",
    "discontinue",
    "withhold",
    "increase",
    "decrease",
    "schedule",
    "allergy",
    "allergic",
    "allergies",
    "intolerance",
)
"""Long enough that one slip of the finger gives no other word but those below."""

WORDS_OF_THEIR_OWN = word_set(
    "proscribe prescribed prescribes prescriber commerce commences commenced commencer initiates initiated restarts "
    "administers dispenses dispensed dispenser documents discontinues discontinued increases increased decreases "
    "decreased decease schedules scheduled scheduler intolerances disperse"
)


def heard(tokens: Sequence[Word]) -> list[Word]:
    """The same words at the same places; `low` is the ordinary spelling."""
    return [word if (low := _ordinary(word.low)) == word.low else replace(word, low=low) for word in tokens]


def _ordinary(low: str) -> str:
    return _PHONE.get(low) or _slips().get(low, low)


@cache
def _slips() -> dict[str, str]:
    """Every way to miss one key in a long verb → the verb."""
    known = {*_LONG_VERBS, *WORDS_OF_THEIR_OWN}
    return {slip: verb for verb in _LONG_VERBS for slip in _one_off(verb) if slip not in known}


def _one_off(word: str) -> Iterator[str]:
    """One letter left out, exchanged with its neighbour, doubled or replaced."""
    for place in range(len(word)):
        head, letter, tail = word[:place], word[place], word[place + 1 :]
        yield head + tail
        yield head + letter + letter + tail
        if tail:
            yield head + tail[0] + letter + tail[1:]
        for other in ascii_lowercase:
            yield head + other + tail
