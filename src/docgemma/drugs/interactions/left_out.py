"""What a sentence leaves out because other words of it, or of the one before, say it.

"Alpha- and beta-blockers" names two classes and writes one in full; "inhibitors of these isoenzymes" names none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from docgemma.drugs.classes import Named, folded
from docgemma.drugs.interactions.enzymes import Part, Played, Role, enzymes_in, of_things

_MOST = 3
"""Names in a row that share the last words of one, and words that each of them has."""

_WINDOW = 120
_FAR = 600
"""Letters within which an enzyme was named that "these isoenzymes" points at."""

_WORD = re.compile(r"[^\W_]{1,40}")
_LISTED = re.compile(r"[^\W_](?:[\w-]{0,29}[^\W_])?")
_AND = re.compile(r"-?(?:\s?,\s?(?:and\s|or\s)?|\s?/\s?|\s(?:and/or|and|or)\s)(?:other\s)?$", re.IGNORECASE)

_ANY = folded("drugs")
"""Shared by everything: "diabetes or potassium-raising drugs" does not speak of drugs for diabetes."""

_Keys = Mapping[str, tuple[str, ...]]


def elided(text: str, named: Iterable[Named], keys: _Keys) -> Iterator[Named]:
    """Classes whose last words stand only at a later one: the loop diuretics in "loop and thiazide diuretics"."""
    for found in named:
        for word in list(_WORD.finditer(text, found.start, found.end))[1:]:
            last_words = text[word.start() : found.end]
            names = [] if folded(last_words) == _ANY else list(_before(text, found.start, last_words, keys))
            if names:
                yield from (Named(ids, start, found.end) for ids, start in names)
                break


def _before(text: str, start: int, last_words: str, keys: _Keys) -> Iterator[tuple[tuple[str, ...], int]]:
    """From right to left, as long as what is listed makes a name with the last words."""
    for _ in range(_MOST):
        first = max(0, start - _WINDOW)
        joined = _AND.search(text[first:start])
        if joined is None:
            return
        end = first + joined.start()
        words = list(_LISTED.finditer(text, first, end))[-_MOST:]
        whole = [word.start() for word in words if _LISTED_WORDS.fullmatch(text, word.start(), end)]
        start = next((at for at in whole if folded(f"{text[at:end]} {last_words}") in keys), -1)
        if start < 0:
            return
        yield keys[folded(f"{text[start:end]} {last_words}")], start


_LISTED_WORDS = re.compile(r"[\w-]{1,30}(?:\s[\w-]{1,30}){0,2}")

_THESE = re.compile(
    r"\b(?:(?:either|both) of )?(?:these|those|this|both|either|the same)\s(?:[\w-]{1,20}\s){0,2}"
    r"(?:(?:iso)?(?:en)?zymes?|isoforms?|cytochromes?|transporters?|pathways?)\b",
    re.IGNORECASE,
)
_ROLE = r"(?:inhibitors?|inducers?|substrates?)"
_DOES = r"(?:inhibit|induce)"
_OF = re.compile(
    rf"\b(?:(?P<noun>{_ROLE}(?:\s(?:and/or|and|or)\s{_ROLE})?\sof)"
    rf"|{_DOES}(?:\s(?:and/or|and|or)\s{_DOES})?|metaboli[sz]ed\s(?:by|via|through))\s$",
    re.IGNORECASE,
)
_PART = re.compile(r"inhibit|induc|substrate|metabol", re.IGNORECASE)
_PARTS: dict[str, Part] = {"inhibit": "inhibitor", "induc": "inducer", "substrate": "substrate", "metabol": "substrate"}


def pointed_at(text: str, before: str) -> Iterator[Played]:
    """Roles at enzymes that were named earlier: "It is broken down by CYP3A4. Inhibitors of this enzyme raise levels."

    `before`: the sentence before this one, where it belongs to it.
    """
    for these in _THESE.finditer(text):
        said = text[max(0, these.start() - _WINDOW) : these.start()]
        role = _OF.search(said)
        if role is None or not (role["noun"] or of_things(said[: role.start()])):
            continue
        start = these.start() - len(role.group())
        named = enzymes_in(text[max(0, start - _FAR) : start]) or enzymes_in(before[-_FAR:])
        for word in _PART.finditer(role.group()):
            for name in named:
                yield Played(Role(name, _PARTS[word.group().lower()]), start, these.end())
