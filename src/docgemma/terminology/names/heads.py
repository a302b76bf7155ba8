"""General words for something being wrong, which stand for each other at the end of a name: renal dysfunction is
sought among kidney diseases when nothing better is known."""

from __future__ import annotations

from docgemma.terminology.names.keys import word_key
from docgemma.terminology.names.stems import stem

_GENERAL = (
    "disease disorder dysfunction impairment damage injury toxicity abnormality disturbance complication lesion "
    "involvement problem condition illness deficit defect insufficiency failure syndrome manifestation deterioration"
)
_HEADS = frozenset(stem(word_key(word)) for word in _GENERAL.split())
PLAIN = tuple(stem(word) for word in ("disease", "disorder", "syndrome"))
"""The plainest of them: many a name has one, and means the same without."""


def heads_of(word: str) -> tuple[str, ...]:
    """The plainest words that a general word stands for."""
    return tuple(other for other in PLAIN if other != word) if word in _HEADS else ()


_COURSE = (
    "active advanced clinical clinically concomitant concurrent confirmed current documented early end existing "
    "extensive grade history known late locally metastatic mild moderate newly diagnosed ongoing persistent previous "
    "prior progressive recent recurrent refractory relapsed serious severe significant sporadic stable stage suspected "
    "symptomatic uncontrolled unresectable unstable untreated"
)
_MODIFIERS = frozenset(stem(word_key(word)) for word in _COURSE.split())


def modifies(word: str) -> bool:
    """Whether a stem only says how far, how bad or how sure: what criteria add to a name and vocabularies do not."""
    return word in _MODIFIERS
