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
_LOOKED_AT = 4000
"""Letters of a sentence that are looked at."""
_ANIMALS = re.compile(
    r"\b(?:rats?|mice|mouse|dogs?|rabbits?|monkeys?|rodents?|hamsters?|in vitro|(?:laboratory )?animals"
    r"|animal (?:studies|data|reproduction)|nonclinical|times the (?:maximum )?(?:recommended )?human"
    r"|human (?:plasma|exposure))\b",
    re.IGNORECASE,
)
_REASSURES = re.compile(
    r"\b(?:similar|did not|does not(?! exclude)|not associated|no (?:\w{3,15} ){0,2}"
    r"(?:relevant|significant|evidence|effect|overall|difference|dos\w{1,4} adjustment))\b"
    r"|adjustment\b.{0,60}\bnot necessary",
    re.IGNORECASE,
)
_FIGURES = re.compile(r"\d\s?%|\bp\s?[<=]|\bCI\b|\bn\s?=", re.IGNORECASE)
_UNKNOWN = re.compile(
    r"\bnot (?:been )?(?:adequately |fully |well |systematically )?(?:studied|established|evaluated|determined"
    r"|conducted|performed|characterized|known|clear)\b|\bunknown\b|\bno (?:adequate|data|information|experience"
    r"|controlled|clinical|evidence)\b|\binsufficient (?:to|data|information|evidence)\b|\buncertain\b"
    r"|\bnot (?:include )?sufficient\b|\bunclear\b",
    re.IGNORECASE,
)
_EVIDENCE = re.compile(
    r"\d\s?%|\bplacebo\b|\b(?:clinical|controlled|observational|epidemiologic\w{0,3}) (?:trials?|stud)|\bsubstudy\b"
    r"|\b(?:the|in a|in an|this) [\w -]{0,60}\b(?:trial|study|analysis)\b|\bpost-?hoc\b|\banalys[ei]s of\b|\bpooled\b"
    r"|\bextent to which\b|\bhazard ratio|\brelative risk|\b(?:patient|person|women)-years|\btimes the (?:risk|rate)",
    re.IGNORECASE,
)
_ACTS = re.compile(
    r"\bcontraindicated\b|\bnot (?:be )?(?:recommended|used|given|indicated|approved)\b|\bshould\b|\bmust\b|\bdo not\b"
    r"|\bavoid\b|\bdiscontinue\b|\bstop\b|\bmonitor\b|\badvise\b|\bcaution\b|\bwithhold\b|\binterrupt\b|\bnever\b"
    r"|\b(?:can|may|could) (?:cause|result|lead|harm|increase)\b|\bonly if\b|\bconsider\b|\bcounsel\b",
    re.IGNORECASE,
)


_ADVICE_WEIGHTS = {
    r"contraindicated|should not\b|do not\b|must not\b|not (?:be )?(?:used|recommended|indicated|intended)|avoid"
    r"|discontinu|not to (?:nurse|use)": 6,
    r"(?:starting|initial|lower|reduced?|maximum|lowest|half|adjust\w{0,5}) (?:the )?dos|dos(?:e|es|age|ing)\b.{0,40}"
    r"(?:reduc|adjust|lower|not exceed|considered|halv|cautious)|lower doses|lower than usual|low end of|only if": 4,
    r"caution|monitor|risks?\b|harm|ask a|assess\b|titrate": 3,
    r"not (?:been )?(?:established|known|studied)|no adequate|no well": 2,
}
_ADVICE = tuple((re.compile(rf"\b(?:{words})", re.IGNORECASE), weight) for words, weight in _ADVICE_WEIGHTS.items())


def gravity(text: str) -> int:
    """The more, the graver; 0 warns of nothing. Findings in animals, trial figures and reassurance weigh less."""
    text = text[:_LOOKED_AT]
    score = sum(weight for cue, weight in _CUES if cue.search(text))
    if _ANIMALS.search(text) and not _ACTS.search(text):
        score = max(0, score - 6)
    if _FIGURES.search(text):
        score = (score + 1) // 2
    return score // 4 if _REASSURES.search(text) else score


def advice(text: str) -> int:
    """How clearly a sentence says what to do for a group of people: forbid, change the dose, take care."""
    text = text[:_LOOKED_AT]
    score = sum(weight for cue, weight in _ADVICE if cue.search(text))
    if _REASSURES.search(text) or (_ANIMALS.search(text) and not _ACTS.search(text)):
        return 0
    return min(score, 1) if idle(text) else score


def idle(text: str) -> bool:
    """Whether there is nothing to act on: seen in animals, not studied, no difference. Such a sentence comes last."""
    text = text[:_LOOKED_AT]
    found = _ANIMALS.search(text) or _UNKNOWN.search(text) or _REASSURES.search(text)
    return bool(found) and not _ACTS.search(text)


def evidence(text: str) -> bool:
    """Whether it tells of trials and figures. They are the reason for a warning, and not the warning."""
    return bool(_EVIDENCE.search(text[:_LOOKED_AT]))
