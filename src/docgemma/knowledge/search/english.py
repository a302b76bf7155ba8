"""English words as they are compared: one form for singular and plural, British and American, hyphen or none."""

from __future__ import annotations

import re
from functools import lru_cache

from docgemma.knowledge.search.tables import stop_words

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*(?:[-‐‑][^\W_]+(?:['’][^\W_]+)*)*")
_HYPHEN = re.compile(r"[-‐‑]")
_OWNER = re.compile(r"['’]s?$")

_NUMBERED = frozenset(
    (
        "type",
        "stage",
        "grade",
        "class",
        "factor",
        "group",
        "phase",
        "category",
        "level",
        "vitamin",
        "hepatitis",
        "covid",
    )
)
"""Words that mean little without what follows them: "type 2", "vitamin D"."""
_SOUND = re.compile(r"ph|ck|c|q|z")
_AS_HEARD = {"ph": "f", "ck": "k", "c": "k", "q": "k", "z": "s"}
_SOFT = re.compile(r"[aeiouyh]")
_TWICE = re.compile(r"(.)\1+")
_JOINING = frozenset(("and", "of", "in", "is", "the", "or"))
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8"}


def words(text: str) -> list[str]:
    """Every word in its compared form, stop words left out; "type II" gives "type2" too, "X-ray" gives "xray" too."""
    found: list[str] = []
    before = ""
    for whole in _WORD.findall(text.lower()):
        if before in _NUMBERED and len(whole) <= 4 and whole not in _JOINING:
            found.append(before + _ROMAN.get(whole, whole))
            if whole.isalpha():
                before = whole
                continue
        before = whole
        found += _forms(whole)
    return found


@lru_cache(maxsize=1 << 16)
def _forms(whole: str) -> tuple[str, ...]:
    """The parts of a hyphenated word, and all of it in one."""
    stop = stop_words("en")
    if whole.isalnum():
        return () if whole in stop else (stem(whole),)
    pieces = [_OWNER.sub("", piece) for piece in _HYPHEN.split(whole)]
    found = [stem(piece) for piece in pieces if piece and piece not in stop]
    joined = "".join(pieces).replace("'", "").replace("’", "")
    return tuple(found) if len(pieces) == 1 or not joined else (*found, stem(joined))


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The form that is compared. It need not be a word; it must be the same for the forms of one word."""
    if len(word) < 4 or not word.isalpha():
        return word
    word = _american(word)
    word = _singular(word)
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and not word.endswith("eed") and _has_vowel(rest):
            word = _undoubled(rest)
            break
    return _end(word)


def _american(word: str) -> str:
    if len(word) > 5:
        word = word.replace("ae", "e").replace("oe", "e").replace("sulph", "sulf")
    if word.endswith(("our", "ours")) and len(word) > 5:
        word = word.replace("our", "or")
    for british, american in (
        ("isation", "ization"),
        ("tre", "ter"),
        ("bre", "ber"),
        ("tres", "ters"),
        ("bres", "bers"),
    ):
        if word.endswith(british) and len(word) > len(british) + 1:
            return word[: -len(british)] + american
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _undoubled(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


def _end(word: str) -> str:
    """Final letters that differ between forms: diagnosis and diagnose, analyze and analyse, allergy and allergies."""
    if word.endswith(("iz", "yz", "ize", "yze")):
        word = word.removesuffix("e")[:-1] + "s"
    for ending in ("is", "es", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if word.endswith("y") and len(word) > 3:
        word = word[:-1] + "i"
    return word


def _has_vowel(word: str) -> bool:
    return any(letter in "aeiouy" for letter in word)


@lru_cache(maxsize=1 << 14)
def skeleton(word: str) -> str:
    """What most misspellings leave alone: the first letter, then consonants in order, none twice in a row.

    Empty for a short word.

    Drugs and diseases that look alike differ in a consonant (hypo- and hyper-, prednisone and prednisolone): they
    have different skeletons. Repairing by counting letters would take one for the other.
    """
    heard = _SOUND.sub(lambda match: _AS_HEARD[match.group()], word)
    bones = _TWICE.sub(r"\1", heard[:1] + _SOFT.sub("", heard[1:]))
    return f"&{bones}" if len(bones) >= 4 and word.isalpha() else ""
