"""Names as keys: two spellings of one name give the same key. Index and search must agree, so both use this module."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho",
    "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_OTHER = {"æ": "ae", "œ": "oe", "ø": "o", "ß": "ss", "ł": "l", "’": "'", "‘": "'", "´": "'", "`": "'", "′": "'"}
_LETTERS = str.maketrans({**_GREEK, **_OTHER})
_ROMAN = {
    "i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "x": "10",
    "xi": "11", "xii": "12", "xiii": "13", "xiv": "14",
}  # fmt: skip
_POSSESSIVE = re.compile(r"'s?\b")
_WORD = re.compile(r"[a-z0-9]+")
_BRITISH = (
    ("aemi", "emi"), ("haem", "hem"), ("oede", "ede"), ("oeso", "eso"), ("tumour", "tumor"), ("paed", "ped"),
    ("leuko", "leuco"), ("oestr", "estr"), ("foet", "fet"), ("coeli", "celi"), ("caes", "ces"), ("anaes", "anes"),
    ("gynae", "gyne"), ("orthopae", "orthope"), ("rrhoe", "rrhe"), ("leukae", "leuke"), ("faec", "fec"),
    ("ischae", "ische"), ("colour", "color"), ("sulph", "sulf"), ("aetio", "etio"), ("behaviour", "behavior"),
    ("dyspnoe", "dyspne"), ("apnoe", "apne"), ("isation", "ization"), ("fibre", "fiber"), ("labour", "labor"),
    ("caec", "cec"),
)  # fmt: skip
_KEPT_S = ("ss", "us", "is")
"""Words that end so are not plurals: abscess, lupus, sepsis, toxicosis."""


def folded(text: str) -> str:
    """Lower case without accents, Greek letters by name."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.lower().translate(_LETTERS))
        text = "".join(letter for letter in text if not unicodedata.combining(letter)).translate(_LETTERS)
    return text.lower()


@lru_cache(maxsize=200_000)
def word_key(word: str) -> str:
    """One folded word: British spelling, plural and Roman numerals made one."""
    if word in _ROMAN:
        return _ROMAN[word]
    if len(word) < 4 or not word.isalpha():
        return word
    for british, american in _BRITISH:
        if british in word:
            word = word.replace(british, american)
    return singular(word)


def singular(word: str) -> str:
    """The singular of an English plural; a word that merely ends in s stays."""
    if not word.endswith("s") or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("oses") and len(word) > 6:
        return word[:-2] + "is"
    if word.endswith(_KEPT_S):
        return word
    return word[:-1]


def words(text: str) -> list[str]:
    """The words of a text in order, each in its key form."""
    plain = _POSSESSIVE.sub("", folded(text)) if "'" in text or not text.isascii() else folded(text)
    return [word_key(word) for word in _WORD.findall(plain)]


def key(text: str) -> str:
    """The key of a name: what the index looks up. Joining the keys of words gives the key of the phrase."""
    return " ".join(words(text))
