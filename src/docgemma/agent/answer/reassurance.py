"""Sentences that reassure: they may be released only when a source of this turn says so itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from docgemma.agent.answer.absence import Absence, absences
from docgemma.agent.answer.evidence import Evidence, words
from docgemma.agent.answer.labs import lab_values
from docgemma.agent.answer.patient import about_patient
from docgemma.agent.answer.wording import readable
from docgemma.entities.sentences import split


def reassures(sentence: str, evidence: Evidence) -> bool:
    """Whether the sentence asserts an absence or a safety that nothing in the evidence asserts."""
    asserted = tuple(_asserted(sentence, evidence, patient=about_patient(sentence, evidence) or bool(evidence.chart)))
    if not asserted or (_shows_value(sentence, evidence) and all(one.topic == "state" for one in asserted)):
        return False
    said = tuple(chain.from_iterable(_said(text, evidence) for text in (*evidence.results, *evidence.chart)))
    return any(not (_cleared(one, sentence, evidence) or _repeats(one, sentence, said, evidence)) for one in asserted)


def _asserted(sentence: str, evidence: Evidence, *, patient: bool) -> Iterator[Absence]:
    if _ASKED.search(sentence):
        return
    for one in absences(sentence, patient=patient, drugs=len(set(evidence.drugs_in(sentence)))):
        if not (_UNCHECKED.search(_around(one, sentence)) or _excused(one, sentence)):
            yield one


def _around(one: Absence, sentence: str) -> str:
    """The part of the sentence between semicolons that it stands in."""
    end = sentence.find(";", one.end)
    return sentence[sentence.rfind(";", 0, one.start) + 1 : end if end >= 0 else len(sentence)]


_ASKED = re.compile(r"\?[\s*_\"'”’)]*$")
_UNCHECKED = re.compile(
    r"\b(?:not|never|n['’]t)\s+(?:yet\s+)?(?:be(?:en)?\s+)?(?:checked|verified|confirmed|looked\s+up|established)\b|"
    r"\b(?:unchecked|does\s+not\s+rule\s+(?:it|this|one|them)?\s*out)\b",
    re.IGNORECASE,
)
_PART = re.compile(r"[,;:]")
_CLAUSE = re.compile(
    r"[,;:]|\b(?:and|but|so)\s+(?=(?:there|it|she|he|they|the|this|is|are|has|have|can|no)\b)", re.IGNORECASE
)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|whether|provided|providing|assuming|as\s+long\s+as|so\s+long\s+as|when|until|in\s+case|suppos\w+|"
    r"once(?!\s+(?:daily|a\b|per|weekly|every))|(?:cases?|situations?|patients)\s+where|mak(?:e|ing)\s+sure|myth\w*|"
    r"(?:about|know|decide|determine|tell|see|find\s+out|depends?\s+on)\s+(?:which|what|how))\b|"
    r"(?:^\W*|\b(?:to|please|and|must|should|always|then|also|first|or|by|before|after)\s+|\brecommend\w*\s+)"
    r"(?:ensur(?:e|ing)|verify(?:ing)?|confirm(?:ing)?|check(?:ing)?|assess(?:ing)?|determin(?:e|ing)|ask(?:ing)?|"
    r"consider|choose|prefer|select|seek)\b",
    re.IGNORECASE,
)
_BY_US = re.compile(
    r"\b(?:i|we)\b(?!\s+(?:recommend|suggest|advise|would|cannot|can['’]t|could\s+not|need|should|must|(?:am|was)\s+not))"
    r"[^,;:]{0,30}?\b(?:confirm|verif|check|ensur|determin|assess)",
    re.IGNORECASE,
)
_OF_SOME = re.compile(
    r"(?:\b(?:patients|people|those|adults|children|infants|women|men|individuals|persons|anyone|someone|subjects|"
    r"participants|candidates|volunteers|families|couples|pregnancies|cases)|"
    r"\ban?\s+(?:[\w-]+\s+)?(?:patient|person|child|adult|woman|man|individual))"
    r"\s+(?:[\w-]+\s+){0,4}?(?:with|without|who|whose|having)\b(?:\s+[\w-]+){0,3}\s*$",
    re.IGNORECASE,
)
"""A group that is told apart by what it does not have."""

_PLURAL = re.compile(r"\b(?:people|patients|individuals|adults|children|women|men|families|cases)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"(?:\bnot|n['’]t|\bcannot|\bnever)\s+(?:[\w-]+\s+){0,3}?(?:mean|impl|assum|guarantee|prove|say|show|conclu|"
    r"establish|confirm|certain|clear|known|state|indicat|sure|determin|enough|suggest)|"
    r"\bno\s+(?:evidence|data|information|guarantee|proof|stud\w+)\s+(?:[\w-]+\s+){0,2}?(?:that|to|on|about)\b|"
    r"\b(?:unknown|unclear|uncertain|impossible)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not(?!\s+only)|never|nor|neither|hardly|cannot|unlikely|no(?!\s+(?:doubt|question|problem))|none|nothing|few|"
    r"rarely|less|intended|designed)\b|n['’]t\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"(?:no|not|nothing|n['’]t|see|find|found|identified|detected|check)\b", re.IGNORECASE)
_GROUPED = re.compile(r"with(?:out)?\b", re.IGNORECASE)
_ONLY_AFTER = re.compile(r"[^,;:]{0,40}\bonly\s+(?:if|when|after|in|with|for|under)\b", re.IGNORECASE)


def _excused(one: Absence, sentence: str) -> bool:
    """A condition, a group, an open question or a double negation asserts nothing."""
    lead = _GROUPED.match(sentence, one.start)
    before = sentence[: lead.end() if lead else one.start]
    part, clause = _PART.split(before)[-1], _CLAUSE.split(before)[-1]
    if _OF_SOME.search(part) or (one.topic == "state" and _PLURAL.search(part)):
        return True
    if _SUPPOSED.search(part) and not _BY_US.search(part):
        return True
    if _OPEN.search(clause) or re.search(r"\bunknown\b", before, re.IGNORECASE):
        return True
    within = sentence[one.start : one.end]
    positive = one.topic == "safety" and not _DENIAL.match(within)
    if (positive or within.lower().startswith(("without", "free"))) and _NEGATED.search(clause):
        return True
    return bool(_ONLY_AFTER.match(sentence, one.end))


def _shows_value(sentence: str, evidence: Evidence) -> bool:
    """ "Normal" beside the measured value leaves the judgement to the reader."""
    return any((lab.name, lab.value) in evidence.labs for lab in lab_values(sentence))


def _cleared(one: Absence, sentence: str, evidence: Evidence) -> bool:
    """A look-up that ended with nothing there, on everything it had to read, and was about these drugs."""
    named = {drug.casefold() for drug in evidence.drugs_in(sentence)}
    if not named and not one.other and (one.topic is None or one.topic in evidence.unclear):
        return False
    return any(
        one.topic == clear.topic and (one.other or not clear.besides) and (not clear.drugs or named <= clear.drugs)
        for clear in evidence.cleared
    )


def _said(text: str, evidence: Evidence) -> Iterator[tuple[Absence, str, frozenset[str]]]:
    """What a source asserts, with the sentence that does and the drugs that the source is about."""
    about = frozenset(drug.casefold() for drug in evidence.drugs_in(text))
    for sentence in split(text):
        for one in _asserted(readable(sentence).strip(), evidence, patient=text in evidence.chart):
            yield one, readable(sentence).strip(), about


def _repeats(
    one: Absence, sentence: str, said: tuple[tuple[Absence, str, frozenset[str]], ...], evidence: Evidence
) -> bool:
    """Whether a source says the same: of the same drugs, and with no condition that the sentence leaves out."""
    named, content = _content(sentence, evidence)
    for other, source, about in said:
        if one.topic not in (other.topic, None):
            continue
        source_named, source_content = _content(source, evidence)
        if other.topic == "allergy" and not source_named and not source_content:
            return True
        if not (source_named <= named and len(named - source_named) <= 1 and named <= source_named | about):
            continue
        if _share(content, source_content) >= 0.6 and _share(source_content, content) >= 0.4:
            return True
    return False


_FILLER = re.compile(
    r"no|not|any|none|are|is|was|were|the|there|this|that|these|those|she|he|her|his|has|have|had|been|patient\w*|"
    r"known|drug\w*|medic\w+|with|for|from|and|between|found|find|identified|listed|list|lists|recorded|documented|"
    r"reported|noted|chart|record\w*|label\w*|file|according|also|does|do|did|allerg\w*|interact\w*|contra\w*|"
    r"warning\w*|boxed|risk\w*|adverse|side|effects?|events?|reactions?|safe|safely|safety|clinically|significant|"
    r"relevant|currently|current|seen|observed|given|shown|administered|exists?|yes|nkd?a|nil|when|taken|used|"
    r"together|it|its|by|in|on|of|to|an?|or|may|can|be|other|states?|says?|shows?|sources?|results?",
    re.IGNORECASE,
)


def _content(sentence: str, evidence: Evidence) -> tuple[frozenset[str], frozenset[str]]:
    """The drugs of a sentence, and the stems of its other telling words."""
    named = frozenset(drug.casefold() for drug in evidence.drugs_in(sentence))
    of_drugs = {part for drug in named for part in words(drug)}
    return named, frozenset(
        word[:6] for word in words(sentence) if not (_FILLER.fullmatch(word) or word in of_drugs or word.isdigit())
    )


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part & whole) / len(part) if part else 1.0
