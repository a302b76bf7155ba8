"""A label speaks of its drug's own class most of the time. Here: when it means one more drug of that class."""

from __future__ import annotations

from docgemma.drugs.interactions.cues import TOGETHER, either

_BEFORE = 160

_LIKE = either(
    r"(?:\bas with|\blike|\bsimilar to|\bunlike|\bcommon to|\bin common with|\bshared with|\bassociated with"
    r"|\bincluding|\b(?:seen|observed) with|\breported (?:with|in|for)|\bas (?:is|are|for)|\bas well as with|\buse of)"
    r"\s(?:\w{1,12}\s){0,2}$"
)
_ANOTHER = either(
    r"\b(?:other|another|additional|second|multiple|two or more|more than one|two|several|different)\s"
    r"(?:(?:drugs?|medic\w{1,9}|products?|agents?)\s(?:that\s)?(?:contain\w{0,3}|of|from|in)\s)?(?:[\w-]{1,20},?\s){0,3}$"
)
_ARTICLE = r"(?:an?\s|any\s|other\s|the\s)?"
_BESIDE = either(
    r"(?:concomit|concurren|\bco-?\s?administ|\bcombin|\btogether|simultaneous|\bin addition)[^.;]{0,80}"
    rf"\b(?:with|to|or|and)\s{_ARTICLE}(?:[\w-]{{1,20}}\s){{0,2}}$",
    rf"\b(?:used?|tak(?:e|en|ing)|given|administered)\s(?:[\w-]{{1,20}}\s){{0,3}}with\s{_ARTICLE}$",
    r"\b(?:currently|already|also|now)\s(?:receiving|taking|using|on|treated with)\s[^.;]{0,60}$",
)
_THINGS = either(r"(?:drugs?|agents?|medic\w{1,9}|products?|compounds?|substances?)\s")


def another(text: str, start: int, *, said: bool = False) -> bool:
    """Whether the words for the label's own class mean one more drug of it: "with other NSAIDs".

    `said`: only where it says "other" in so many words.
    """
    before = text[max(0, start - _BEFORE) : start]
    other = _ANOTHER.search(before)
    if other:
        return _LIKE.search(before[: other.start()]) is None or TOGETHER.search(before) is not None
    return not said and _BESIDE.search(before) is not None


def likened(text: str, start: int) -> bool:
    """Whether a class is named for likeness: "as with other antipsychotics"."""
    before = text[max(0, start - _BEFORE) : start]
    other = _ANOTHER.search(before)
    return _LIKE.search(before[: other.start()] if other else before) is not None


def told_by_effect(words: str) -> bool:
    """Whether a class is told by what its drugs do: "drugs known to prolong QT"."""
    return _THINGS.match(words) is not None
