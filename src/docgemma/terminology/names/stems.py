"""Words reduced to what adjective, noun and plural share: hypotensive and hypotension, psychotic and psychosis.

Coarser than a key: two words with one stem need not mean the same, so the search weighs what it finds by stems lower.
"""

from __future__ import annotations

from functools import lru_cache

from docgemma.terminology.names.keys import words

_SMALL = (
    "a an and as at by caused due during for from in is like nos of on or related the their to type unspecified with"
)
SMALL_WORDS = frozenset(_SMALL.split())
"""Words that say nothing about what a name names."""

_ENDINGS = (
    ("toxicity", "tox"), ("toxic", "tox"), ("toxicities", "tox"), ("sclerotic", "scleros"),
    ("sclerosis", "scleros"), ("sclerosi", "scleros"), ("ically", "ic"), ("otic", "os"), ("osis", "os"),
    ("osi", "os"), ("leptic", "lep"), ("lepsy", "lep"), ("lytic", "lys"), ("lysis", "lys"), ("lyzed", "lys"),
    ("phrenic", "phren"), ("phrenia", "phren"), ("pathic", "path"), ("pathy", "path"), ("pathies", "path"),
    ("trophic", "troph"), ("trophy", "troph"), ("plegic", "pleg"), ("plegia", "pleg"), ("plastic", "plas"),
    ("plasia", "plas"), ("plasm", "plas"), ("emic", "em"), ("emia", "em"), ("uric", "ur"), ("uria", "ur"),
    ("itic", "it"), ("itis", "it"), ("itide", "it"), ("xia", "x"), ("xic", "x"), ("ectic", "ex"), ("istic", "is"),
    ("ism", "is"), ("ist", "is"), ("rrhagic", "rrhag"), ("rrhage", "rrhag"), ("rrhaging", "rrhag"),
    ("tensive", "tens"), ("tension", "tens"), ("essive", "ess"), ("ession", "ess"), ("essed", "ess"),
    ("ulsive", "uls"), ("ulsion", "uls"), ("usion", "us"), ("usive", "us"), ("ization", "iz"), ("ized", "iz"),
    ("izing", "iz"), ("ification", "if"), ("ified", "if"), ("ation", "at"), ("ated", "at"), ("ating", "at"),
    ("ative", "at"), ("ction", "ct"), ("cted", "ct"), ("ctive", "ct"), ("ctious", "ct"), ("cting", "ct"),
    ("tion", "t"), ("ted", "t"), ("tive", "t"), ("ting", "t"), ("iency", "ien"), ("ient", "ien"), ("ency", "en"),
    ("ent", "en"), ("ence", "en"), ("ance", "an"), ("ancy", "an"), ("ant", "an"), ("ement", ""), ("ment", ""),
    ("ness", ""), ("ility", "il"), ("ity", ""), ("ities", ""), ("ical", "ic"), ("ious", ""), ("ous", ""),
    ("ial", ""), ("al", ""), ("ular", "ul"), ("ary", "ar"), ("ic", ""), ("ia", ""), ("ies", ""), ("iac", ""),
    ("y", ""), ("ly", ""), ("ing", ""), ("ed", ""), ("es", ""), ("ae", ""), ("a", ""), ("um", ""), ("e", ""),
    ("is", ""),
)  # fmt: skip
_BY_ENDING = tuple(sorted(_ENDINGS, key=lambda pair: -len(pair[0])))
_LEAST = 4
"""What must be left of a word before its ending."""


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The stem of one word that is already in key form."""
    if len(word) < 5 or not word.isalpha():
        return word
    for ending, rest in _BY_ENDING:
        if word.endswith(ending) and len(word) - len(ending) + len(rest) >= _LEAST:
            return word[: len(word) - len(ending)] + rest
    return word


def stems(text: str) -> list[str]:
    """The stems of a name in order, without the small words unless nothing else is left."""
    every = words(text)
    return [stem(word) for word in every if word not in SMALL_WORDS] or every


def bag_of(parts: list[str]) -> tuple[str, ...]:
    """The stems of words that are already in key form, each once, in alphabetical order."""
    return tuple(sorted({stem(part) for part in parts if part not in SMALL_WORDS} or set(parts)))


def bag(text: str) -> str:
    """The same for every order of the words."""
    return " ".join(bag_of(words(text)))
