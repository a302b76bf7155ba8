"""Mentions in a text: the longest runs of words that the lexicon knows, with the modifiers that belong to them.

Every run of up to eight words that crosses no comma or bracket is asked for by its key. What survives is what a
reader would call a term: no ordinary words ("history", "treatment"), no lower-case words that only share their letters
with an abbreviation ("all", "met"). The work grows with the number of words, not with the size of the vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.terminology.contract import EntityType
from docgemma.terminology.linking.lexicon import Known, Lexicon
from docgemma.terminology.linking.tables import word_list
from docgemma.terminology.linking.words import Word, phrase_key
from docgemma.terminology.names.clinical import clinical
from docgemma.terminology.names.senses import meant, senses

LONGEST = 8
"""Words in the longest run that is looked up."""
_SHORT = 4
_SHORT_FORM = 6
_LONG_WORD = 8
"""In a shorter word one wrong letter may make another word."""
_VERBAL = ("ed", "ing", "ly")
_DERIVED = ("tion", "ate", "able", "ic", "al", "ity", "ment", "ness", "ous", "ive", "esis", "ance", "ence", "ology")
_PARTS = 3
_SAMPLES = frozenset({"serum", "plasma", "urinary", "total"})
"""What a measurement is taken from belongs to its name."""
_NUMBERED = re.compile(r"\d{1,2}[A-Fa-f]?|[IVX]{1,4}[A-Fa-f]?|[A-F]")
PREFIXES = frozenset({"post", "pre", "peri", "inter", "intra", "sub", "supra", "trans", "x"})
"""A compound with one of these means something else than its second half."""


@dataclass(frozen=True, slots=True)
class Run:
    """Words `first` up to and without `last`, and what they are looked up as where that differs from the text."""

    first: int
    last: int
    type: EntityType
    term: str = ""

    @property
    def size(self) -> int:
        return self.last - self.first

    def overlaps(self, other: Run) -> bool:
        return self.first < other.last and other.first < self.last


def known_runs(words: Sequence[Word], lexicon: Lexicon) -> list[Run]:
    """Every run of words that is a name, the longest first and without overlaps, in order."""
    open_forms, none = _ambiguous(words)
    hits = [run for run in [*_abbreviated(words), *_hits(words, lexicon)] if run.size > 1 or run.first not in none]
    runs = longest([*open_forms, *hits], len(words))
    return sorted([*runs, *_misspelt(words, runs, lexicon)], key=lambda run: run.first)


def longest(runs: Sequence[Run], count: int) -> list[Run]:
    """The runs that remain when longer ones take their words first; of equal ones the earlier."""
    taken = bytearray(count)
    kept = []
    for run in sorted(runs, key=lambda one: (-one.size, one.first)):
        if not any(taken[run.first : run.last]):
            taken[run.first : run.last] = b"\x01" * run.size
            kept.append(run)
    return sorted(kept, key=lambda one: one.first)


def _ambiguous(words: Sequence[Word]) -> tuple[list[Run], frozenset[int]]:
    """Short forms of several senses in the one that the text speaks for, and the places where they are no entity.

    Where the text does not say, the form itself is looked up, and whoever grounds it asks an expert.
    """
    found, none = [], set()
    low = [word.low for word in words]
    for place, word in enumerate(words):
        possible = senses(word.text)
        if not possible or not _whole(words, place, place):
            continue
        sense = meant(word.text, low[:place], low[place + 1 :])
        if sense is None:
            found.append(Run(place, place + 1, next(one.type for one in possible if one.type)))
        elif sense.type is None:
            none.add(place)
        else:
            found.append(Run(place, place + 1, sense.type, sense.long))
    return found, frozenset(none)


def _abbreviated(words: Sequence[Word]) -> list[Run]:
    """Abbreviations that clinicians write without defining them, as they write them: "MI", "5-FU"."""
    found = []
    for first in range(len(words)):
        written = ""
        for last in range(first, min(first + _PARTS, len(words))):
            written += words[last].text
            senses = clinical(written) if any(letter.isupper() for letter in written) else ()
            if senses and _whole(words, first, last):
                found.append(Run(first, last + 1, *senses[0]))
            if not words[last].hyphened:
                break
            written += words[last].gap
    return found


def _misspelt(words: Sequence[Word], runs: Sequence[Run], lexicon: Lexicon) -> list[Run]:
    """Long words that no list and no vocabulary has, and that one name is near to."""
    taken = {place for run in runs for place in range(run.first, run.last)}
    ordinary, edge = word_list("ordinary"), word_list("function_words")
    found = []
    for place, word in enumerate(words):
        if place in taken or len(word.key) < _LONG_WORD or not word.key.isalpha() or word.low.endswith(_VERBAL):
            continue
        if word.key in ordinary or word.key in edge:
            continue
        if lexicon.known(word.key) is not None:
            continue
        proper = place > 0 and word.text[0].isupper() and words[place - 1].gap != ". "
        name = lexicon.meant(word.key, proper=proper)
        if name is not None and _derived(word.key, name):
            continue
        known = lexicon.known(phrase_key(name)) if name is not None else None
        if known is not None and known.types[0] in {"Condition", "Medication"}:
            found.append(Run(place, place + 1, known.types[0], name or ""))
    return found


def _derived(key: str, name: str) -> bool:
    """An ending that English makes words with, and the name has not: "connection" is no slip of "connectin"."""
    plain = phrase_key(name)
    return any(key.endswith(ending) and not plain.endswith(ending) for ending in _DERIVED)


def _hits(words: Sequence[Word], lexicon: Lexicon) -> list[Run]:
    edge, ordinary = word_list("function_words"), word_list("ordinary")
    found = []
    for first, begin in enumerate(words):
        if begin.key in edge:
            continue
        key = ""
        for last in range(first, min(first + LONGEST, len(words))):
            word = words[last]
            key = f"{key} {word.key}" if key else word.key
            if word.key not in edge or (word.text == "A" and last > first):
                known = lexicon.known(key)
                if (
                    known is not None
                    and _whole(words, first, last)
                    and _means_it(words[first : last + 1], key, known, ordinary)
                ):
                    found.append(Run(first, last + 1, known.type_of(word.text) if last == first else known.types[0]))
            if not word.joined:
                break
    return found


def _whole(words: Sequence[Word], first: int, last: int) -> bool:
    """No half of a compound: "PD" in "PD-1", "RT" in "RT-PCR", "platinum" in "platinum-resistant"."""
    if first > 0 and words[first - 1].hyphened and words[first - 1].low in PREFIXES:
        return False
    if not words[last].hyphened or last + 1 == len(words):
        return True
    after = words[last + 1]
    if after.key in word_list("properties"):
        return False
    short = first == last and len(words[last].text) <= _SHORT
    return not short or not (after.text.isdigit() or after.text.isupper())


def _means_it(run: Sequence[Word], key: str, known: Known, ordinary: frozenset[str]) -> bool:
    """Whether the words are this name, or merely look like it."""
    if not any(letter.isalpha() for letter in key):
        return False
    if key in ordinary and not (run[0].text.isupper() and run[0].text in known.names):
        return False
    if len(run) > 1:
        plain = all(word.key in ordinary or word.key.isdigit() for word in run)
        return known.core or known.types[0] == "Condition" or not plain
    text = run[0].text
    if len(text) < 2 or (len(text) == 2 and not known.core):
        return False
    if len(text) > _SHORT_FORM:
        return True
    if known.core and not (len(text) <= _SHORT and _mixed(text)):
        return True
    return _same_case(text, known)


def _mixed(text: str) -> bool:
    """Capitals and small letters on purpose: "PsA" is not "PSA"."""
    return any(letter.isupper() for letter in text[1:]) and any(letter.islower() for letter in text)


def _same_case(text: str, known: Known) -> bool:
    """A short word is a name only as the vocabulary writes it: "MET" is a gene, "met" a verb, "gout" a disease."""
    if any(letter.isupper() for letter in text[1:]):
        return text in known.names
    return any(not any(letter.isupper() for letter in name[1:]) for name in known.names)


def modified(words: Sequence[Word], runs: Sequence[Run]) -> list[Run]:
    """The same runs with the modifiers before them that change which concept is meant ("metastatic", "acute")."""
    modifiers = word_list("modifiers")
    listed: dict[EntityType, frozenset[str]] = {"Condition": modifiers, "Procedure": modifiers, "Lab_Value": _SAMPLES}
    floor = 0
    grown = []
    for number, run in enumerate(runs):
        first = run.first
        ceiling = runs[number + 1].first if number + 1 < len(runs) else len(words)
        while (step := _modifier_before(words, first, floor, listed.get(run.type, frozenset()))) > 0:
            first -= step
        if run.type == "Condition":
            first -= _stage_before(words, first, floor)
        last = run.last + (_type_after(words, run.last, ceiling) if run.type == "Condition" else 0)
        term = run.term if last == run.last or not run.term else f"{run.term} type {words[last - 1].text}"
        if term:
            kept = [word.low for word in words[first : run.first] if word.key not in word_list("course")]
            term = " ".join([*kept, term])
        grown.append(Run(first, last, run.type, term))
        floor = last
    return grown


def _modifier_before(words: Sequence[Word], first: int, floor: int, modifiers: frozenset[str]) -> int:
    """How many words before `first` are one modifier: up to three in a compound."""
    for size in (3, 2, 1):
        start = first - size
        if start < floor or not all(word.joined for word in words[start:first]):
            continue
        if " ".join(word.key for word in words[start:first]) in modifiers and "/" not in words[first - 1].gap:
            return size + (start > floor and words[start - 1].low == "non" and words[start - 1].hyphened)
    return 0


def _type_after(words: Sequence[Word], last: int, ceiling: int) -> int:
    """ "type 1" after a disease belongs to it."""
    if last + 2 > ceiling or words[last].low != "type" or words[last - 1].gap != " " or words[last].gap != " ":
        return 0
    return 2 if _NUMBERED.fullmatch(words[last + 1].text) else 0


def _stage_before(words: Sequence[Word], first: int, floor: int) -> int:
    """ "stage III" before a disease belongs to it."""
    if first - 2 >= floor and words[first - 2].key == "stage" and words[first - 2].joined and words[first - 1].joined:
        return 2 if len(words[first - 1].text) <= 4 else 0
    return 0
