"""Words of absence and safety: which sentences say that there is no allergy, no interaction, nothing to fear.

Such a sentence ends a clinician's search. The same rules read the sources, so that what they say may be said again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from docgemma.agent.answer.promises import UNCHANGED_DOSE, promises

Topic = Literal[
    "allergy",
    "interaction",
    "contraindication",
    "boxed",
    "warning",
    "harm",
    "dose",
    "safety",
    "state",
    "medication",
    "problem",
]
"""What is said not to be there. The last three are of the patient alone: an organ that works, a list that is empty."""


@dataclass(frozen=True, slots=True)
class Absence:
    """One place where a sentence says so. Without a topic it is a bare "None": of whatever stood above it."""

    topic: Topic | None
    start: int
    end: int
    other: bool = False
    """ "No other interactions": besides those that were named."""


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_TOPICS: dict[Topic, str] = {
    "allergy": r"allerg(?:y|ies|ic\s+reactions?)|hypersensitivit(?:y|ies)|intolerances?",
    "interaction": r"interactions?|conflicts?",
    "contraindication": r"contra-?indications?",
    "boxed": r"(?:boxed|black[\s-]box)\s+warnings?",
    "warning": r"warnings?|precautions?|safety\s+alerts?",
    "harm": (
        r"risks?|(?:adverse|side|harmful|ill|toxic|unwanted)[\s-]+(?:drug\s+)?(?:effects?|events?|reactions?)|"
        r"toxicit(?:y|ies)|dangers?|hazards?|harms?"
    ),
    "safety": (
        r"concerns?|red\s+flags?|safety\s+(?:issues?|problems?|signals?)|"
        r"(?:cause|reason)\s+for\s+(?:concern|alarm|worry)"
    ),
}
_NOUN = "|".join(f"(?P<{topic}>{pattern})" for topic, pattern in _TOPICS.items())
_NO_DATA = (
    r"(?!\s+(?:information|data|checks?|checking|reports?\b|profile|database|screen\w*|stud(?:y|ies)|test\w*|results?|"
    r"section|table|research|trials?|factors?|scores?|assess\w*|signs?|symptoms?|labels?|groups?|categor\w+|class\w*|"
    r"stratif\w+|levels?|doses?|evaluation|alerts?\s+system|terms?|reporting|causes?|management|difference|(?:can|"
    r"could)\s+(?:not\s+)?be|(?:was|were|is|are|has\s+been|have\s+been)\s+(?:not\s+)?(?:checked|evaluated|assessed|"
    r"studied|performed|run|screened|conducted|retrieved|available|entirely|completely|without|free)))"
)
"""What follows the noun may turn it: no interaction *check*, no risk *factors*, no warning *signs*."""

_WORD_BETWEEN = (
    r"(?!(?:the|it|this|of|in|on|for|to|with|from|that|which|who|was|were|is|are|be|been|has|have|had|will|would|may|"
    r"can|could|"
    r"should|longer|more|matter|one|single|doubt|reason|need|than|and|but|if|treatments?|therapy|drugs?|medicines?|"
    r"medications?|vaccines?|tests?|way|cure|studies|study|data|information|effects?\s+on|such)\s)[\w/-]+,?\s+"
)
_MODIFIERS = rf"(?:{_WORD_BETWEEN}|(?:drug|medication|medicine)[\s-]+|(?:and|or)\s+){{0,4}}?"
_SIGN = (
    r"(?:(?:\w+\s+){0,2}(?:evidence|signs?|records?|reports?|indications?|cases|mention|documentation)\s+"
    r"(?:of|for)\s+)?"
)
_ANY = r"(?:(?:any|an?|the|known)\s+)*"

_NO = _compiled(
    rf"(?<![\w-])(?!(?:(?<=with )|(?<=or ))no\s+warning\b)(?:no|(?:not|\w+n['’]t)\s+any|zero|nil|free\s+(?:of|from)|"
    rf"devoid\s+of|lacks?)\s+{_SIGN}{_ANY}"
    rf"(?P<other>(?:other|further|additional|more|new)\s+)?{_MODIFIERS}(?:{_NOUN})\b{_NO_DATA}"
)
_WITHOUT = _compiled(rf"\bwithout\s+(?!(?:\w+\s+)?warning\b){_ANY}{_MODIFIERS}(?:{_NOUN})\b{_NO_DATA}")
_NOT = r"(?:\s+not|n['’]t|\s+never)"
_DOES_NOT = _compiled(
    rf"\b(?:do|does|did|has|have|had|was|were|is|are|will|would){_NOT}\s+(?:\w+ly\s+)?"
    r"(?:have|carry|pose|show|cause|find|found|identif\w+|see|seen|list|reveal|report|detect|present|issued?|indicate|"
    r"suggest|"
    rf"mention|contain|include|raise|increase|produce)\s+{_ANY}{_MODIFIERS}(?:{_NOUN})\b{_NO_DATA}"
)
_NONE_FOUND = _compiled(
    rf"(?:^|[\W_])(?:{_NOUN})\s*(?:\([^)]*\)\s*)?(?::|–|—|=|\s-)\s*(?:none|no|nil|n/?a|negative|absent|"
    rf"nkd?a)\b(?!\s+\w+\s+\w+ed)"
)
_NONE_ALONE = _compiled(
    r"^\W*(?:none|nil|nkd?a)\b(?:\s+(?:known|reported|recorded|documented|identified|found|noted|listed|"
    r"on\s+file))?\W*$"
)

_VERBS: tuple[tuple[Topic, re.Pattern[str]], ...] = (
    ("interaction", _compiled(rf"\b(?:do|does|did|will|would|should){_NOT}\s+(?:\w+\s+){{0,2}}?interact\b")),
    ("interaction", _compiled(r"\b(?:none\s+of|neither)\s+(?:\w+\s+){1,4}interacts?\b")),
    ("safety", _compiled(r"\b(?:is|are)\s+compatible\b")),
    ("interaction", _compiled(r"\bnot\s+(?:known|expected|likely|reported)\s+to\s+interact\b")),
    ("contraindication", _compiled(r"\bnothing\b[^,;:]{0,40}\bcontra-?indicates?\b")),
    ("contraindication", _compiled(rf"(?:\b(?:is|are|was|were)|['’]s){_NOT}\s+(?:\w+\s+){{0,2}}?contra-?indicated\b")),
    ("allergy", _compiled(rf"(?:\b(?:is|are|was)|['’]s){_NOT}\s+(?:known\s+to\s+be\s+)?allergic\b|\bnkda\b")),
    ("allergy", _compiled(r"\bden(?:y|ies|ied)\s+(?:(?:any|known|drug|food)\s+){0,3}allerg")),
    (
        "allergy",
        _compiled(r"\ballerg(?:y|ic|ies)\s+history\s*(?:is|:|–|—)?\s*(?:unremarkable|negative|clear|nil|none)\b"),
    ),
    ("allergy", _compiled(r"\bnever\s+had\s+(?:an?\s+|any\s+)?allergic\b")),
    ("allergy", _compiled(r"\ballerg(?:y|ies)\s+(?:list|section|field)\s+is\s+(?:empty|clear|blank)\b")),
    (
        "harm",
        _compiled(
            r"\brisks?\b[^,;:]{0,40}?\b(?:is|are)\s+(?:negligible|non-?existent|not\s+(?:increased|elevated|raised|"
            r"higher))\b"
        ),
    ),
)

_ORGAN = r"(?:renal|kidney|liver|hepatic|cardiac|heart|thyroid|lung|pulmonary|cognitive)\s+functions?"
_FINE = (
    r"(?:(?:entirely|completely|grossly|otherwise|currently|all)\s+)?"
    r"(?:within\s+(?:the\s+)?normal|normal|intact|preserved|unimpaired|adequate|good|fine|healthy)"
)
_LINKED = r"\s*(?:is|are|was|were|appears?|remains?|seems?|looks?|:|–|—|=)?\s+"
_PATIENT_STATE: tuple[re.Pattern[str], ...] = (
    _compiled(rf"\b{_ORGAN}{_LINKED}{_FINE}\b"),
    _compiled(rf"\b(?:has|have|had|with|shows?|:)\s+(?:an?\s+)?(?:normal|preserved|intact|good|adequate)\s+{_ORGAN}\b"),
    _compiled(
        r"\b(?:labs?|laborator(?:y|ies)|ecg|ekg|qtc?(?:\s+interval)?|e?gfr|potassium|creatinine|inr|vitals?|"
        r"vital\s+signs|everything|(?:lab(?:oratory)?\s+)?(?:results|values|tests)|blood\s+pressure|"
        r"lfts?)\s*(?:is|are|was|were|appears?|remains?|seems?|looks?|:|–|—|=)\s+(?:all\s+)?"
        r"(?:within\s+(?:the\s+)?normal|normal|unremarkable|fine)\b"
    ),
    _compiled(
        r"(?:^\W*|\b(?:there\s+(?:is|are)|has|have|had|with)\s+)no\s+(?:[\w-]+\s+){0,3}?(?:history\s+of|"
        r"risk\s+factors?)\b"
    ),
)


_NONE_THERE = r"\s*(?:list\s*)?(?:is|are|:|–|—|=)\s*(?:none|nil|empty|blank)\b"
_PATIENT_LISTS: tuple[tuple[Topic, re.Pattern[str]], ...] = (
    (
        "medication",
        _compiled(
            r"\b(?:takes?|taking|is\s+on|are\s+on|has|have|with|receives?)\s+no\s+(?:[\w-]+\s+){0,2}?"
            r"(?:medications?|medicines?|meds|drugs)\b|"
            r"\bno\s+(?:current|active|regular|home|ongoing)\s+(?:\w+\s+)?(?:medications?|medicines?|meds)\b|"
            r"\bnot\s+(?:currently\s+)?(?:on|taking)\s+any\s+(?:\w+\s+)?(?:medications?|medicines?|meds)\b|"
            rf"\b(?:medications?|meds|medication\s+list){_NONE_THERE}"
        ),
    ),
    (
        "problem",
        _compiled(
            r"\bno\s+(?:active|known|current|documented|recorded|chronic|ongoing|significant)\s+(?:\w+\s+)?"
            rf"(?:problems?|conditions?|diagnos[ei]s)\b|\bproblems?(?:\s+list)?{_NONE_THERE}"
        ),
    ),
)


def absences(sentence: str, *, patient: bool, drugs: int) -> Iterator[Absence]:
    """Every place where absence or safety is asserted; `patient` and `drugs` say what the sentence is about."""
    for pattern in (_NO, _WITHOUT, _DOES_NOT, _NONE_FOUND):
        for match in pattern.finditer(sentence):
            other = bool(match.groupdict().get("other"))
            yield Absence(_topic(match), match.start(), match.end(), other)
    for topic, pattern in _VERBS:
        yield from _found(pattern, topic, sentence)
    for pattern in promises(sentence, drugs=drugs):
        yield from _found(pattern, "safety", sentence)
    for pattern in UNCHANGED_DOSE:
        yield from _found(pattern, "dose", sentence)
    if patient:
        for pattern in _PATIENT_STATE:
            yield from _found(pattern, "state", sentence)
        for topic, pattern in _PATIENT_LISTS:
            yield from _found(pattern, topic, sentence)
    yield from _found(_NONE_ALONE, None, sentence)


def _found(pattern: re.Pattern[str], topic: Topic | None, sentence: str) -> Iterator[Absence]:
    return (Absence(topic, match.start(), match.end()) for match in pattern.finditer(sentence))


def _topic(match: re.Match[str]) -> Topic:
    return next(topic for topic in _TOPICS if match[topic])
