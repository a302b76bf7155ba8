"""What a word may be in a name: on a list of given or family names, an unknown word, or no name at all.

The lists are written by hand and cannot be complete; names outside them are seen by what stands around them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from docgemma.entities.drugs.names import is_drug
from docgemma.entities.words import word_set

Kind = Literal["sure", "unsure", "unknown", "never"]
"""sure: listed and nothing else. unsure: listed, and an everyday word too. never: no part of a name."""

_MEDICAL_ENDING = re.compile(
    r"(?:itis|osis|oma|omas|emia|aemia|pathy|algia|ectomy|plasty|scopy|uria|rrhea|rrhoea|plegia|paresis|trophy|penia|philia"
    r"|phobia|lysis|stasis|sclerosis|stenosis|pnea|pnoea|dynia|genic|cytic|ology|ologist|cillin|mycin|statin|inib|mab"
    r"|prazole|sartan|olol|pril|azole|dipine|gliptin|gliflozin|inhibitors?|therapy|blockers?|vaccine|ation|ition|ness|ment)$"
)
_NAME_SHAPED = re.compile(r"(?:o'(?!clock)[a-z]{3,20}|d'[a-z]{4,20}|mc[a-z]{4,20}|(?:al|el|abu|ibn)-[a-z]{3,20})")
_SPECIAL = str.maketrans({"đ": "d", "ø": "o", "ł": "l", "ß": "s", "æ": "a", "ı": "i", "’": "'"})
_PARTICLES = word_set("de da do dos del della di du la le van von der den ten ter bin binti ibn al el abu st")
VIETNAMESE = word_set(
    "nguyen nguyễn tran trần le lê pham phạm hoang hoàng huynh huỳnh phan vu vũ vo võ dang đặng bui bùi do đỗ ho hồ "
    "ngo ngô duong dương ly lý truong trương dinh đinh mai cao"
)
MIDDLE_NAMES = word_set("thi thị van văn")
"""Between a Vietnamese family name and the given name."""


class _Lists(NamedTuple):
    sure: frozenset[str]
    unsure: frozenset[str]


class _NotNames(NamedTuple):
    words: frozenset[str]
    eponyms: frozenset[str]
    phrases: frozenset[str]


def plain(text: str) -> str:
    """Lower case, without accents."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKD", text.lower().translate(_SPECIAL))
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


def _lines(name: str) -> list[str]:
    listed = files("docgemma.entities").joinpath(f"data/{name}").read_text(encoding="utf-8").splitlines()
    return [line for line in listed if line and not line.startswith("#")]


@cache
def _listed(name: str) -> _Lists:
    listed = [plain(word) for line in _lines(name) for word in line.split()]
    unsure = frozenset(word[1:] for word in listed if word.startswith("~"))
    return _Lists(frozenset(listed) - unsure, unsure)


@cache
def _not_names() -> _NotNames:
    parts: dict[str, list[str]] = {}
    heading = ""
    for line in _lines("not_names.txt"):
        if line.startswith("["):
            heading = line
        else:
            parts.setdefault(heading, []).append(line)
    words, eponyms = (frozenset(" ".join(parts[part]).split()) for part in ("[words]", "[eponyms]"))
    return _NotNames(words, eponyms, frozenset(parts["[phrases]"]))


def _forms(word: str) -> tuple[str, ...]:
    """The word and, of a double name, its parts."""
    return (word, *word.split("-")) if "-" in word else (word,)


def is_surely_given(word: str) -> bool:
    low = plain(word)
    return any(form in _listed("given_names.txt").sure for form in _forms(low))


def is_surely_family(word: str) -> bool:
    low = plain(word)
    if any(form in _listed("family_names.txt").sure for form in _forms(low)):
        return True
    return _NAME_SHAPED.fullmatch(low) is not None


def is_unsure(word: str) -> bool:
    """On a list, and an everyday word as well."""
    low = plain(word)
    return low in _listed("given_names.txt").unsure or low in _listed("family_names.txt").unsure


def is_particle(word: str) -> bool:
    return word in _PARTICLES


def is_eponym(word: str) -> bool:
    """ "Crohn" or "Parkinson": a disease before it is a person."""
    return plain(word) in _not_names().eponyms


def opens_phrase(first: str, second: str) -> bool:
    """ "Lou Gehrig", "Johns Hopkins": two words that are no person here; also joined by a hyphen."""
    if "-" in first:
        first, _, second = first.partition("-")
    return f"{plain(first)} {plain(second)}" in _not_names().phrases


def kind(word: str) -> Kind:
    """What this word, without its possessive, may be."""
    low = plain(word)
    if not all(letter.isalpha() or letter in "-'" for letter in low) or not low:
        return "never"
    if is_surely_given(low) or is_surely_family(low):
        return "sure"
    if is_unsure(low):
        return "unsure"
    if low in _not_names().words or is_eponym(low) or _MEDICAL_ENDING.search(low[-14:]) or is_drug(low):
        return "never"
    return "unknown"
