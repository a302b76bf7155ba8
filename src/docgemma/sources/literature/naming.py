"""What else a thing is called: short and long forms, everyday and clinical names, brands, both spellings of English.

The table is data/names.txt. Each name leads to all names of its line; a short form with several meanings to all lines
it stands in, because the other words of a search tell which one is meant better than a guess here would.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files

from docgemma.entities.drugs.names import ingredients
from docgemma.entities.words import word_set

MOST = 6
"""Phrasings of one concept: more make a query that no service reads."""

_LONG, _SAME_START = 7, 3
"""Letters of a word that may be misspelt, and of its beginning that may not: "hypo" and "hyper" are no slips."""

_OFTEN_MISSPELT = word_set(
    "steroid steroids withdrawal mortality pneumonia antibiotics psoriasis dialysis diarrhea diarrhoea prophylaxis "
    "hemorrhage haemorrhage arrhythmia cirrhosis pancreatitis cellulitis bronchitis bronchiolitis meningitis vaccine "
    "vaccination osteoporosis fibromyalgia thrombosis anaphylaxis schizophrenia epilepsy migraine tonsillitis"
)

_SHORTEST = 3
"""Letters of a short form that is searched for itself. AF, MS and PE stand for too much else."""

_WORDS_TOO = word_set(
    "mg he all as or it is an am aim arms cap cat die gas had has hit ida ill led mama mash map mom nas nec net pad "
    "pet aids pit poi prep rat rest rop sad sah set spot tips us was who cts gad pid lama"
)
"""Short forms that are also words when they are written in small letters."""

_SEVERITY = word_set("severe acute moderate suspected confirmed recurrent")
"""Behind these a word that may be a short form is one: "severe cap"."""

_ENGLISH = (
    ("aem", "em"),
    ("oedem", "edem"),
    ("oesoph", "esoph"),
    ("oestr", "estr"),
    ("paed", "ped"),
    ("tumour", "tumor"),
    ("rrhoea", "rrhea"),
    ("pnoea", "pnea"),
    ("anaesth", "anesth"),
    ("behaviour", "behavior"),
    ("caesar", "cesar"),
    ("coeliac", "celiac"),
    ("gynaec", "gynec"),
    ("faec", "fec"),
    ("foet", "fet"),
    ("aetiolog", "etiolog"),
    ("sulph", "sulf"),
    ("labour", "labor"),
    ("isation", "ization"),
    ("nebulis", "nebuliz"),
    ("leucocyt", "leukocyt"),
)
_AMERICAN = (
    (re.compile(r"emia(?=s?\b)"), "aemia"),
    (re.compile(r"(?<!o)\bedema"), "oedema"),
    (re.compile(r"\bhemorrh"), "haemorrh"),
    (re.compile(r"\bischemi"), "ischaemi"),
    (re.compile(r"\banemi"), "anaemi"),
    (re.compile(r"\btumor"), "tumour"),
    (re.compile(r"\bpediatr"), "paediatr"),
    (re.compile(r"\bdiarrhea"), "diarrhoea"),
    (re.compile(r"\bapnea"), "apnoea"),
    (re.compile(r"\besophag"), "oesophag"),
    (re.compile(r"\banesth"), "anaesth"),
    (re.compile(r"\bestrogen"), "oestrogen"),
)
_NO_PLURALS = word_set(
    "diabetes herpes scabies rabies caries feces faeces series species measles mumps rickets shingles piles hives"
)
_MANY_SHORT = re.compile(r"\b([A-Z0-9-]{2,})s\b")
_SPLIT = re.compile(r"[^\w'’]+")


def key(name: str) -> str:
    """The name as it is looked up: small letters, one blank between words, without a plural's s."""
    written = _MANY_SHORT.sub(r"\1", name).lower().replace("’", "'")
    words = [word for word in _SPLIT.split(written) if word]
    return " ".join([*words[:-1], _singular(words[-1])]) if words else ""


def is_short_form(name: str) -> bool:
    """Whether it is written as one: few letters in one word, mostly capitals."""
    letters = [letter for letter in name if letter.isalpha()]
    return " " not in name and 0 < len(letters) <= 7 and sum(map(str.isupper, letters)) * 2 >= len(letters) > 1


@cache
def _table() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Key of a name → the lines that it stands in."""
    found: dict[str, list[tuple[str, ...]]] = {}
    text = files("docgemma.sources.literature").joinpath("data/names.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            names = tuple(name.strip() for name in line.split("|"))
            for each in dict.fromkeys(key(name) for name in names):
                found.setdefault(each, []).append(names)
    return {each: tuple(lines) for each, lines in found.items()}


@cache
def _longest() -> int:
    return max(len(each.split()) for each in _table())


def known_at(words: Sequence[str], start: int) -> int:
    """How many of the words from here on are one name of the table; 0 when none is."""
    for count in range(min(_longest(), len(words) - start), 0, -1):
        written = " ".join(words[start : start + count])
        told = start > 0 and words[start - 1].lower() in _SEVERITY
        if key(written) in _table() and (told or count > 1 or not _is_mere_word(written)):
            return count
    return 0


def as_known(words: Sequence[str]) -> str:
    """A name as it is looked up: what `known_at` took for a short form is written as one."""
    name = " ".join(words)
    return name.upper() if _is_mere_word(name) else name


def _is_mere_word(written: str) -> bool:
    """ "all" is acute lymphoblastic leukaemia only in capitals."""
    return written.lower() in _WORDS_TOO and not any(map(str.isupper, written[1:]))


def phrasings(name: str) -> tuple[str, ...]:
    """The name and what else it is called, the name itself first where it may be searched for."""
    lines = _table().get(key(name), ()) if not _is_mere_word(name) else ()
    others = [other for names in lines for other in names]
    if len(lines) > 1:  # the first name of each meaning before the second of any
        others = [*dict.fromkeys([names[0] for names in lines] + others)]
    made = [*_of_drug(name), *others] if lines or ingredients(name) else [name, *_respelled(name)]
    short = any(is_short_form(other) and key(other) == key(name) for other in others)
    first = [*made, name] if short else [name, *made]
    spelled = [spelling for each in first for spelling in _spellings(each)]
    kept = once(each for each in spelled if not (lines and _is_too_short(each)))
    return kept[:MOST] or (name,)


def _respelled(name: str) -> Iterator[str]:
    """A long word with one letter wrong, as the table spells it: one more phrasing, never in place of what was said."""
    words = name.lower().split()
    known = _long_words()
    right = [word if word in known or len(word) < _LONG else _near(word, known) or word for word in words]
    if right != words:
        yield " ".join(right)


@cache
def _long_words() -> frozenset[str]:
    lines = (name for names in _table().values() for line in names for name in line)
    return frozenset(word for name in lines for word in name.lower().split() if len(word) >= _LONG) | _OFTEN_MISSPELT


def _near(word: str, known: frozenset[str]) -> str:
    """The word of the table that two neighbours exchanged, a letter lost or a letter doubled would make of this one."""
    places = range(_SAME_START, len(word))
    made = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in places[:-1]}
    made |= {word[:at] + word[at + 1 :] for at in places}
    made |= {word[:at] + letter + word[at:] for at in (*places, len(word)) for letter in "abcdefghijklmnopqrstuvwxyz"}
    close = {_singular(each) for each in made if each in known or _singular(each) in known}
    return close.pop() if len(close) == 1 and _singular(word) not in known else ""


def once(names: Iterable[str]) -> tuple[str, ...]:
    """Each name as it is first spelled; marks and capitals make no other name of it."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(" ".join(_SPLIT.split(name.lower())), name)
    return tuple(found.values())


def is_known(name: str) -> bool:
    """Whether the name stands in the table or is a drug's."""
    return key(name) in _table() or bool(ingredients(name))


def meaning(name: str) -> str:
    """One word for a thing, whichever of its names is given."""
    parts = ingredients(name)
    lines = _table().get(key(parts[0] if len(parts) == 1 else name), ()) if not _is_mere_word(name) else ()
    return key(lines[0][0]) if lines else " ".join(parts) or key(name)


def _of_drug(name: str) -> Iterator[str]:
    """A brand, and what is in it: together where it is several."""
    parts = ingredients(name)
    if parts and (whole := " ".join(parts)) != name.lower():
        yield whole
        yield from (other for names in _table().get(key(whole), ()) for other in names)


def _is_too_short(name: str) -> bool:
    return sum(map(str.isalnum, name)) < _SHORTEST


def _spellings(name: str) -> Iterator[str]:
    """As written, then as one where it is many, then in the other English."""
    yield name
    low = name.lower()
    last = low.split()[-1:] or [""]
    if len(last[0]) > 4 and (single := _singular(last[0])) != last[0] and not is_short_form(name):
        yield f"{low.removesuffix(last[0])}{single}"
    american = low
    for british, plain in _ENGLISH:
        american = american.replace(british, plain)
    british = low
    for pattern, other in _AMERICAN if american == low else ():
        british = pattern.sub(other, british)
    for other in (american, british):
        if other != low:
            yield other


def fold(name: str) -> str:
    """The name in one English, to see whether two spellings are one name."""
    folded = key(name)
    for british, american in _ENGLISH:
        folded = folded.replace(british, american)
    return folded


def _singular(word: str) -> str:
    if len(word) < 4 or word in _NO_PLURALS or word.endswith(("ss", "us", "is", "as", "os")) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > 5:
        return f"{word[:-3]}y"
    return word[:-1].removesuffix("'")
