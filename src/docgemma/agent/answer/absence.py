"""Words of absence and safety: which sentences say that there is no allergy, no interaction, nothing to fear.

Such a sentence ends a clinician's search. The same rules read the sources, so that what they say may be said again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Topic = Literal[
    "allergy", "interaction", "contraindication", "boxed", "warning", "harm", "safety", "state", "medication", "problem"
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
    ("interaction", _compiled(r"\b(?:is|are)\s+compatible\b")),
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
        r"effective\s+and|tolerated\s+and)\s+)*safe\b(?!-|\s*(?:guard|ty|sex|place|storage|handling|deposit|space|"
        r"haven))"
    ),
    _compiled(rf"\b(?:safe|fine|ok|okay|all\s+right|alright)\s+(?:for\s+\w+(?:\s+\w+)?\s+)?to\s+{_ACT}\b"),
    _compiled(r"\bsafe\s+(?:choice|option|alternative|combination)s?\b"),
    _compiled(rf"\bsafely\s+(?:be\s+)?(?:{_ACTED}|{_ACT})\b"),
    _compiled(rf"\b(?:can|may|could)\s+(?:be\s+{_ACTED}|{_ACT}|receive|have)\s+(?:[\w/-]+\s+){{0,6}}?safely\b"),
    _compiled(r"\b(?:is|are)\s+(?:fine|ok|okay)\s+(?:for|with|in)\b|\brisk-free\b"),
    _compiled(r"(?:^|:)\W*(?:yes\W+)?safe\b(?=\W*$)|^\W*yes\W+(?:it\s+is|it['’]s|they\s+are)\s+(?:safe|fine|ok)"),
    _compiled(r"(?:\b(?:nothing|no\s+need)|(?:\bnot|n['’]t)\s+(?:need|have))\s+to\s+(?:worry|be\s+concerned)\b"),
    _compiled(r"\bno\s+(?:reason|need)\s+(?:not\s+to|to\s+avoid)\b"),
    _compiled(
        r"\bno\s+(?:\w+\s+)?(?:problems?|issues?)\s+(?:(?:with\s+)?(?:the\s+)?(?:combin|tak|us|giv|prescrib|start|"
        r"continu)ing|"
        r"(?:(?:were|was|have\s+been)\s+)?(?:found|identified|noted|detected)|with\s+(?:this|that|the|these)\s+\w+)\b|"
        r"\b(?:see|find|found|identified|detected)\s+no\s+(?:\w+\s+)?(?:problems?|issues?)\b|"
        r"\bcheck\s*:\s*(?:clear|clean|negative|ok|okay|passed)\b"
    ),
)
_TOGETHER = _compiled(
    r"\b(?:can|may)\s+(?:\w+ly\s+)?be\s+(?:combined|co-?administered|"
    r"(?:taken|used|given|prescribed|administered)\s+(?:together|concurrently|concomitantly|at\s+the\s+same\s+time))\b"
    r"(?!.*\b(?:caution\w*|careful\w*|monitor\w*|only|unless|but|if|adjust\w*|reduc\w*)\b)"
)
_THESE = _compiled(r"\b(?:these|those|both|the)\s+(?:two|drugs|medic\w+|agents)\b|^\W*(?:they|both)\b")

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
    for pattern in _SAFE:
        yield from _found(pattern, "safety", sentence)
    if drugs > 1 or _THESE.search(sentence):
        yield from _found(_TOGETHER, "interaction", sentence)
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
