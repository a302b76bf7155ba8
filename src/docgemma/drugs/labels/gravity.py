"""How grave a sentence of a label sounds, so that the gravest is read first. Words only; it judges no medicine."""

from __future__ import annotations

import re

_WEIGHTS = {
    r"deaths?\b|fatal|mortality|life[- ]threatening|lethal": 6,
    r"contraindicated|must not\b|do not\b|should not\b|never\b"
    r"|not (?:be )?(?:used|recommended|indicated|approved|intended)": 5,
    r"serious|severe|irreversible|permanent|suicid|cardiac arrest|respiratory depression|anaphyla": 4,
    r"avoid|stop\b|discontinu|interrupt|withh[eo]ld|emergency|immediate|fetal harm|birth defect|category [dx]\b": 3,
    r"failure|hemorrhag|bleeding|stroke|toxicity|arrhythmia|torsade|seizure|malignan|cancer|overdos|withdrawal": 2,
    r"risks?\b|caution|monitor|reduce the dos|lower(?:ed)? dose|dos(?:e|age) adjust|starting dose|lowest"
    r"|not (?:been )?(?:established|known|studied)|consult|ask a doctor": 1,
}
_CUES = tuple((re.compile(rf"\b(?:{words})", re.IGNORECASE), weight) for words, weight in _WEIGHTS.items())
_ANIMALS = re.compile(
    r"\b(?:rats?|mice|mouse|dogs?|rabbits?|monkeys?|rodents?|hamsters?|in vitro|animal (?:studies|data))\b",
    re.IGNORECASE,
)
_REASSURES = re.compile(
    r"\b(?:similar|did not|does not(?! exclude)|not associated|no (?:clinically |statistically )?"
    r"(?:relevant|significant|evidence|effect|overall|difference|dos\w{1,4} adjustment))\b"
    r"|adjustment\b.{0,60}\bnot necessary",
    re.IGNORECASE,
)
_FIGURES = re.compile(r"\d\s?%|\bp\s?[<=]|\bCI\b|\bn\s?=", re.IGNORECASE)


_ADVICE_WEIGHTS = {
    r"contraindicated|should not\b|do not\b|must not\b|not (?:be )?(?:used|recommended|indicated|intended)|avoid"
    r"|discontinu|not to nurse": 6,
    r"(?:starting|initial|lower|reduced?|maximum|lowest|half|adjust\w{0,5}) (?:the )?dos|dos(?:e|es|age|ing)\b.{0,40}"
    r"(?:reduc|adjust|lower|not exceed|considered|halv)|lower doses|only if": 4,
    r"caution|monitor|risks?\b|harm|ask a": 3,
    r"not (?:been )?(?:established|known|studied)|no adequate|no well": 2,
}
_ADVICE = tuple((re.compile(rf"\b(?:{words})", re.IGNORECASE), weight) for words, weight in _ADVICE_WEIGHTS.items())


def gravity(text: str) -> int:
    """The more, the graver; 0 warns of nothing. Findings in animals, trial figures and reassurance weigh less."""
    score = sum(weight for cue, weight in _CUES if cue.search(text))
    if _ANIMALS.search(text):
        score = max(0, score - 6)
    if _FIGURES.search(text):
        score = (score + 1) // 2
    return score // 4 if _REASSURES.search(text) else score


def advice(text: str) -> int:
    """How clearly a sentence says what to do for a group of people: forbid, change the dose, take care."""
    score = sum(weight for cue, weight in _ADVICE if cue.search(text))
    return 0 if _ANIMALS.search(text) or _REASSURES.search(text) else score
