"""Words of absence and safety: which sentences say that there is no allergy, no interaction, nothing to fear.

Such a sentence ends a clinician's search. The same rules read the sources, so that what they say may be said again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Topic = Literal["allergy", "interaction", "contraindication", "warning", "harm", "safety", "state"]
"""What is said not to be there. `state` is of the patient alone: an organ that works, a history that is empty."""


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
    "warning": r"(?:boxed\s+|black[\s-]box\s+)?(?:warnings?|precautions?)|safety\s+alerts?",
    "harm": (
        r"risks?|(?:adverse|side|harmful|ill|toxic|unwanted)[\s-]+(?:drug\s+)?(?:effects?|events?|reactions?)|"
        r"toxicit(?:y|ies)|dangers?|hazards?"
    ),
    "safety": r"concerns?|safety\s+(?:issues?|problems?|signals?)|(?:cause|reason)\s+for\s+(?:concern|alarm|worry)",
}
_NOUN = "|".join(f"(?P<{topic}>{pattern})" for topic, pattern in _TOPICS.items())
_NO_DATA = (
    r"(?!\s+(?:information|data|checks?|checking|reports?\b|profile|database|screen\w*|stud(?:y|ies)|test\w*|results?|"
    r"section|table|research|trials?|factors?|scores?|assess\w*|signs?|symptoms?|labels?|groups?|categor\w+|class\w*|"
    r"stratif\w+|levels?|doses?|evaluation|alerts?\s+system|terms?|reporting|causes?|management|difference|(?:can|could)\s+(?:not\s+)?be|"
    r"(?:was|were|is|are|has\s+been|have\s+been)\s+(?:not\s+)?(?:checked|evaluated|assessed|studied|performed|run|"
    r"screened|conducted|retrieved|available|entirely|completely|without|free)))"
)
"""What follows the noun may turn it: no interaction *check*, no risk *factors*, no warning *signs*."""

_WORD_BETWEEN = (
    r"(?!(?:of|in|on|for|to|with|from|that|which|who|was|were|is|are|be|been|has|have|had|will|would|may|can|could|"
    r"should|longer|more|matter|one|single|doubt|reason|need|than|and|but|if|treatments?|therapy|drugs?|medicines?|"
    r"medications?|vaccines?|tests?|way|cure|studies|study|data|information|effects?\s+on|such)\s)[\w/-]+,?\s+"
)
_MODIFIERS = rf"(?:{_WORD_BETWEEN}|(?:drug|medication|medicine)[\s-]+|(?:and|or)\s+){{0,4}}?"
_SIGN = r"(?:(?:\w+\s+){0,2}(?:evidence|signs?|records?|reports?|indications?|cases|mention|documentation)\s+(?:of|for)\s+)?"
_ANY = r"(?:(?:any|an?|the|known)\s+)*"

_NO = _compiled(
    rf"(?<![\w-])(?:no|not\s+any|zero|nil|free\s+(?:of|from)|devoid\s+of|lacks?)\s+{_SIGN}{_ANY}"
    rf"(?P<other>(?:other|further|additional|more|new)\s+)?{_MODIFIERS}(?:{_NOUN})\b{_NO_DATA}"
)
_WITHOUT = _compiled(
    rf"\bwithout\s+{_ANY}{_MODIFIERS}(?:{_NOUN.replace('(?:warnings?|precautions?)', '(?:precautions)')})\b{_NO_DATA}"
)
_NOT = r"(?:\s+not|n['’]t|\s+never)"
_DOES_NOT = _compiled(
    rf"\b(?:do|does|did|has|have|had|was|were|is|are|will|would){_NOT}\s+(?:\w+ly\s+)?"
    r"(?:have|carry|pose|show|cause|find|found|identif\w+|see|seen|list|reveal|report|detect|present|indicate|suggest|"
    rf"mention|contain|include|raise|increase|produce)\s+{_ANY}{_MODIFIERS}(?:{_NOUN})\b{_NO_DATA}"
)
_NONE_FOUND = _compiled(
    rf"(?:^|[\W_])(?:{_NOUN})\s*(?:\([^)]*\)\s*)?(?::|–|—|=)\s*(?:none|no|nil|n/?a|negative|absent|nkd?a)\b(?!\s+\w+\s+\w+ed)"
)
_NONE_ALONE = _compiled(
    r"^\W*(?:none|nil|nkd?a)\b(?:\s+(?:known|reported|recorded|documented|identified|found|noted|listed|on\s+file))?\W*$"
)

_VERBS: tuple[tuple[Topic, re.Pattern[str]], ...] = (
    ("interaction", _compiled(rf"\b(?:do|does|did|will|would|should){_NOT}\s+(?:\w+\s+){{0,2}}?interact\b")),
    ("interaction", _compiled(r"\bnone\s+of\s+(?:\w+\s+){1,4}interacts?\b")),
    ("interaction", _compiled(r"\bnot\s+(?:known|expected|likely|reported)\s+to\s+interact\b")),
    ("contraindication", _compiled(rf"\b(?:is|are|was|were){_NOT}\s+(?:\w+\s+){{0,2}}?contra-?indicated\b")),
    ("allergy", _compiled(rf"\b(?:is|are|was){_NOT}\s+(?:known\s+to\s+be\s+)?allergic\b|\bnkda\b")),
)

_ACT = (
    r"(?:take|use|combine|give|start|initiate|continue|prescribe|resume|restart|administer|add|proceed|switch|increase|"
    r"co-?administer|co-?prescribe|be\s+(?:used|taken|given|combined|started|continued|prescribed))"
)
_ACTED = (
    r"(?:combined|taken|used|given|co-?administered|continued|started|initiated|prescribed|resumed|restarted|"
    r"administered|added)"
)
_SAFE: tuple[re.Pattern[str], ...] = (
    _compiled(
        r"(?:\b(?:be|is|are|was|were|been|being|considered|deemed|remains?|appears?|seems?|looks?)|['’]s)\s+"
        r"(?:(?:perfectly|generally|relatively|completely|entirely|probably|likely|usually|very|quite|fairly|both|"
        r"reasonably|otherwise|also|still|therefore|considered|deemed|thought|regarded|shown|known|to|be|as|a|an|well|"
        r"effective\s+and|tolerated\s+and)\s+)*safe\b(?!-|\s*(?:guard|ty|sex|place|storage|handling|deposit|space|haven))"
    ),
    _compiled(rf"\b(?:safe|fine|ok|okay|all\s+right|alright)\s+(?:for\s+\w+(?:\s+\w+)?\s+)?to\s+{_ACT}\b"),
    _compiled(r"\bsafe\s+(?:choice|option|alternative|combination)s?\b"),
    _compiled(rf"\bsafely\s+(?:be\s+)?(?:{_ACTED}|{_ACT})\b"),
    _compiled(rf"\b(?:can|may|could)\s+be\s+{_ACTED}\s+(?:\w+\s+){{0,3}}?safely\b"),
    _compiled(r"(?:^|:)\W*(?:yes\W+)?safe\b(?=\W*$)|^\W*yes\W+(?:it\s+is|it['’]s|they\s+are)\s+(?:safe|fine|ok)"),
    _compiled(r"\bnothing\s+to\s+(?:worry|be\s+concerned)\s+about\b|\bno\s+need\s+to\s+(?:worry|be\s+concerned)\b"),
    _compiled(r"\bno\s+(?:reason|need)\s+(?:not\s+to|to\s+avoid)\b"),
    _compiled(
        r"\bno\s+(?:problems?|issues?)\s+(?:with\s+)?(?:the\s+)?(?:combin|tak|us|giv|prescrib|start|continu)ing\b"
    ),
)
_TOGETHER = _compiled(
    r"\b(?:can|may)\s+(?:\w+ly\s+)?be\s+(?:combined|co-?administered|"
    r"(?:taken|used|given|prescribed|administered)\s+(?:together|concurrently|concomitantly|at\s+the\s+same\s+time))\b"
    r"(?!.*\b(?:caution\w*|careful\w*|monitor\w*|only|unless|but|if|adjust\w*|reduc\w*)\b)"
)
_THESE = _compiled(r"\b(?:these|those|both|the\s+(?:two|drugs|medications|medicines))\b|^\W*they\b")

_ORGAN = r"(?:renal|kidney|liver|hepatic|cardiac|heart|thyroid|lung|pulmonary|cognitive)\s+functions?"
_FINE = r"(?:(?:entirely|completely|grossly|otherwise|currently|all)\s+)?(?:within\s+(?:the\s+)?normal|normal|intact|preserved|unimpaired|adequate|good|fine|healthy)"
_LINKED = r"\s*(?:is|are|was|were|appears?|remains?|seems?|looks?|:|–|—|=)?\s+"
_PATIENT_STATE: tuple[re.Pattern[str], ...] = (
    _compiled(rf"\b{_ORGAN}{_LINKED}{_FINE}\b"),
    _compiled(rf"\b(?:has|have|had|with|shows?|:)\s+(?:an?\s+)?(?:normal|preserved|intact|good|adequate)\s+{_ORGAN}\b"),
    _compiled(
        rf"\b(?:labs?|laborator(?:y|ies)|ecg|ekg|qtc?(?:\s+interval)?|e?gfr|potassium|creatinine|inr|vitals?|vital\s+signs|"
        rf"(?:lab(?:oratory)?\s+)?(?:results|values|tests)|blood\s+pressure|lfts?){_LINKED}(?:all\s+)?"
        r"(?:within\s+(?:the\s+)?normal|normal|unremarkable|fine)\b"
    ),
    _compiled(r"(?:^\W*|\b(?:there\s+is|has|have|had|with)\s+)no\s+(?:[\w-]+\s+){0,3}?history\s+of\b"),
)


def absences(sentence: str, *, patient: bool, drugs: int) -> Iterator[Absence]:
    """Every place where absence or safety is asserted; `patient` and `drugs` say what the sentence is about."""
    for pattern in (_NO, _WITHOUT, _DOES_NOT, _NONE_FOUND):
        for match in pattern.finditer(sentence):
            other = bool(match.groupdict().get("other"))
            yield Absence(_topic(match), match.start(), match.end(), other)
    for topic, pattern in _VERBS:
        yield from _found(pattern, topic, sentence)
    for pattern in _SAFE:
        yield from _found(pattern, "safety", sentence)
    if drugs > 1 or _THESE.search(sentence):
        yield from _found(_TOGETHER, "interaction", sentence)
    if patient:
        for pattern in _PATIENT_STATE:
            yield from _found(pattern, "state", sentence)
    yield from _found(_NONE_ALONE, None, sentence)


def _found(pattern: re.Pattern[str], topic: Topic | None, sentence: str) -> Iterator[Absence]:
    return (Absence(topic, match.start(), match.end()) for match in pattern.finditer(sentence))


def _topic(match: re.Match[str]) -> Topic:
    return next(topic for topic in _TOPICS if match[topic])
