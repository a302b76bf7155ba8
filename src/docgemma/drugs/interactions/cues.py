"""The words that make a drug's name in a label a matter of taking both.

All patterns are bounded, and they look only at what stands near the name: a label is text from outside.
"""

from __future__ import annotations

import re

NEAR = 600
"""Letters on each side of a name that belong to it."""


def either(*patterns: str) -> re.Pattern[str]:
    """Any of these, in any case."""
    return re.compile("|".join(patterns), re.IGNORECASE)


TOGETHER = either(
    r"concomit|concurren|simultaneous|interact|together\b",
    r"\bco-?\s?(?:administ|prescri|treat|medicat)",
    r"\bcombin(?:ed|ations?|ing|es?)\b",
    r"in addition to|in conjunction with|along with|\b(?:added|adding) to\b|\bplus\b",
    r"\balso (?:taking|receiving|using|on|treated)\b",
    r"\bother (?:drugs?|medic\w{1,9}|products?|agents?)\b",
    r"\b(?:given|administered|taken|used?|dosed|prescribed|start(?:ing|ed)|initiated|mixed)\s(?:\w{1,20}\s){0,2}with\b",
)
"""Says that two drugs are taken at one time."""

TAKING = either(
    r"\b(?:receiv(?:e|es|ed|ing)|tak(?:e|es|ing|en)|using|uses?|used|treated with|therapy|treatment with)\b",
    r"\b(?:while|patients?|women|men|those|children|stable|maintained) on\b",
    r"\b(?:prescribed|given|administ\w{1,9})\b",
)
EFFECT = either(
    r"potentiat|enhanc|augment|additive|synergis|antagoni[sz]|counteract|diminish|attenuat|interfer|displac",
    r"inhibit|induce|bioavailab|absorption|clearance|metaboli[sz]|exposure|refractory|bleeding",
    r"\b(?:increas|decreas|reduc|elevat|rais|lower|prolong|alter|affect|impair|block)(?:e|es|ed|ing|s)?\b",
    r"\b(?:plasma|serum|blood) (?:level|concentration)|\bAUC\b|\btoxicity\b|\b(?:un)?responsive\b",
)
WARNS = either(
    r"\brisk|caution|less effective|effectiveness|\bfailure\b|syndrome",
    r"\b(?:occur\w{0,4}|seen|reported|observed|noted) (?:\w{1,20} ){0,3}(?:with|in patients)\b",
)
ADDS_UP = either(r"potentiat|additive|enhanc|augment|synergis|intensif")
FORBIDS = either(
    r"contraindicat|\bavoid|not recommended|\bnever\b|\bnot to exceed",
    r"\b(?:should|must|may|shall|can) ?not\b",
    r"\bdo not (?:use|take|give|exceed|co-?|administer|combine|start|initiate|prescribe|drink|mix)",
)
FORBIDDEN = either(r"(?<!not )\bcontraindicat", r"\bdo not (?:use|take|give|(?:co-?)?administer)\b", r"\bmust not\b")
"""What, in the section of contraindications, says that the two may not be given together."""

WANTED = either(
    r"\b(?:without|unless|only|always)\s(?:(?:if|when|also|given|used?|taken|administered|combined|combination|together|in|"
    r"along|concomitant|concurrent|use|of|an?|the|with|to|asthma|controller|long-term|such|as|inhaled|additional)\s){0,9}$"
)
"""What makes the other drug one that has to be given: "contraindicated without an inhaled corticosteroid"."""

RISK = either(
    r"avoid|contraindicat|\bnot\b|caution|monitor|\brisk|reduc|lower|increas|decreas|adjust|limit|maximum|discontinu",
    r"stop|toxic|bleed|hypotens|hypoglyc|interact|separate|\bat least \d|\bhours? (?:before|after|apart)",
)
"""What a dosage has to say to be more than the usual way of taking both."""

_CLAUSE = re.compile(r";|\.\s")
_ASIDE = re.compile(r"\([^()]{0,300}\)|\[[^\[\]]{0,600}\]")
"""Asides explain other words: "1-fold = no change" in the head of a table says nothing of its rows."""

_SIZE = r"(?:(?:\w{1,20}ly|apparent|pharmacokinetic|significant|relevant|important|meaningful|known|or)\s){0,4}"
_NONE = either(
    rf"\bno\s(?:evidence of\s)?(?:an?\s)?{_SIZE}(?:\w{{1,20}}\s)?"
    r"(?:interactions?|effects?|changes?|differences?|alterations?|influence|impact)\b",
    rf"\b(?:did|does|do|was|were|has|have|had)\snot\s(?:been\sshown\sto\s|be\s)?{_SIZE}"
    r"(?:affect|alter|chang|influenc|potentiat|modif|interact|increas)\w{0,3}\b",
    r"\b(?:not\s(?:expected|likely)|unlikely)\s(?:to|that\s(?:\w{1,30}\s){1,3}(?:will|would))\s"
    r"(?:affect|alter|change|influence|interact)",
    rf"\bwithout\s(?:any\s)?{_SIZE}(?:interaction|effect)",
)
_BUT = either(
    r"\b(?:but|however|although|though|while|whereas|except|nevertheless|cannot|can not|unknown)\b",
    r"\bnot (?:been )?(?:studied|established|known|excluded)\b|\bno\s(?:\w{1,20}\s){0,2}(?:studies|data|information)\b",
    r"caution|avoid|contraindicat|monitor|\brisk",
    r"\b(?:increased|decreased|reduced|raised|elevated|prolonged|enhanced|potentiated)\b",
)


def near(text: str, start: int, end: int) -> str:
    """A name with what belongs to it."""
    return text[max(0, start - NEAR) : end + NEAR]


def clause_start(text: str, start: int) -> int:
    """Where the part of a long sentence begins that a name stands in."""
    first = max(0, start - NEAR)
    for mark in _CLAUSE.finditer(text, first, start):
        first = mark.end()
    return first


def clause(text: str, start: int, end: int) -> str:
    """The part of a long sentence that a name stands in."""
    first = clause_start(text, start)
    after = _CLAUSE.search(text, end, end + NEAR)
    return text[first : after.start() if after else end + NEAR]


def says_none(text: str) -> bool:
    """Whether a clause says that taking both had no effect that matters, and nothing that takes it back."""
    plain = _ASIDE.sub(" ", text)
    return _NONE.search(plain) is not None and _BUT.search(_NONE.sub(" ", plain)) is None
