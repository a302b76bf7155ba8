"""What keeps a sentence that sounds like a done deed from being a claim: it quotes, asks, denies, advises or waits."""

from __future__ import annotations

import re
from collections.abc import Callable

from docgemma.agent.answer.claim_words import DONE, THING
from docgemma.agent.answer.evidence import Evidence, words
from docgemma.entities.amounts.quantities import bare_numbers

Excuse = Callable[[re.Match[str], str, Evidence], bool]
"""Whether a matched sentence stays a claim after all."""

_NOW = re.compile(
    r"\b(?:now|just|successfully|as\s+(?:you\s+)?(?:requested|asked|instructed|directed|ordered)|today|right\s+away|"
    r"per\s+your\s+(?:request|instructions?)|at\s+your\s+request|your\s+(?:order|request|prescription|note))\b",
    re.IGNORECASE,
)
_ANCHOR = re.compile(
    r"\b(?:(?:19|20)\d\d|previously|earlier|since|originally|historically|in\s+the\s+past|years?\s+ago|months?\s+ago|"
    r"according\s+to|per\s+the\s+(?:chart|record)|(?:chart|record)\s+(?:shows|lists|states|documents|indicates))\b",
    re.IGNORECASE,
)
_APPROVAL = re.compile(
    r"\b(?:once|after|when|if|until|unless|pending|awaiting|before|upon|subject\s+to|as\s+soon\s+as|only)\b.*"
    r"\b(?:approv\w+|confirm\w*|sign\w*|review\w*|agree\w*|accept\w*|go-?ahead|say\s+so)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:^|[,;:(]\s*|\b(?:and|but|that|so|because|since|as)\s+)"
    r"(?:no|nothing|none|neither|not\s+(?:all|every|a))\b[^,;:]*$|"
    r"\bno\s+(?:record|evidence|indication|sign|proof|confirmation)\b[^,;:]*$|"
    r"(?:\bnot|n['’]t|\bcannot)\s+(?:show|say|state|mean|indicate|confirm|know|clear|certain|find|see|"
    r"verify)\b[^,;:]*$",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:patients|subjects|participants|volunteers|providers|physicians|clinicians|prescribers|professionals|nurses|"
    r"doctors|adults|children|women|men|people|who)\s*$",
    re.IGNORECASE,
)
"""Those to whom things happen in studies and guidelines."""

_SUPPOSED = re.compile(
    r"\b(?:if|whether|once|after|when|until|unless|before|in\s+case|as\s+soon\s+as|"
    r"ensur\w+|mak(?:e|ing)\s+sure)\b[^,;:]*$|(?:^\W*|\b(?:please|to)\s+)(?:verify|confirm|check)\s+that\b[^,;:]*$",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\s+(?:for\s+(?:decades|centuries|many|several|years|over|more\s+than)|from\s+the\s+(?:study|trial)|"
    r"in\s+(?:patients|people|adults|children|"
    r"pregnan\w+|stud\w+|trials?|clinical|practice|some|many|several|most|combination|the\s+(?:literature|past|us\b|"
    r"united|eu\b|elderly|treatment|management))|to\s+(?:treat|prevent|control|manage|reduce)\b|by\s+(?:the\s+fda|"
    r"regulators|\w+\s+(?:clinicians|physicians|doctors)))",
    re.IGNORECASE,
)


def never_excused(_match: re.Match[str], _sentence: str, _evidence: Evidence) -> bool:
    return True


def unless_waiting(_match: re.Match[str], sentence: str, _evidence: Evidence) -> bool:
    return not _APPROVAL.search(sentence)


def _asserts_nothing(before: str, sentence: str) -> bool:
    """It asks, denies, supposes, or speaks of people in general."""
    return bool(
        sentence.rstrip(" *_\"'”’)").endswith("?")
        or _DENIED.search(before)
        or _SUPPOSED.search(before)
        or _OTHERS.search(before)
    )


def unless_open(match: re.Match[str], sentence: str, _evidence: Evidence) -> bool:
    """An outcome that no record can vouch for: no claim only while it is open."""
    return not (
        _asserts_nothing(sentence[: match.start()], sentence)
        or _SUPPOSED.search(match[0])
        or _APPROVAL.search(sentence)
    )


def unless_charted(match: re.Match[str], sentence: str, evidence: Evidence) -> bool:
    """What the patient now takes: the chart may say so, unless this very turn wants to change it."""
    drugs = evidence.drugs_in(sentence)
    charted = bool(drugs) and all(words(drug) <= evidence.chart_words for drug in drugs)
    return (evidence.write or not charted) and unless_open(match, sentence, evidence)


def unless_quoted(match: re.Match[str], sentence: str, evidence: Evidence) -> bool:
    """A passive: no claim when it asks, denies, supposes, or says what the record says."""
    if _asserts_nothing(sentence[: match.start("be")], sentence):
        return False
    if "will" in match["be"].lower() and _APPROVAL.search(sentence):
        return False
    if _GENERAL.match(sentence, match.end("done")) and not _NOW.search(sentence):
        return False
    return not _quotes_record(sentence, evidence)


def _quotes_record(sentence: str, evidence: Evidence) -> bool:
    """Whether the chart says it. In a turn that asks for a write only something dated can be a quote."""
    if not evidence.chart or _NOW.search(sentence):
        return False
    if evidence.write and not _ANCHOR.search(sentence):
        return False
    if not bare_numbers(sentence) <= evidence.chart_numbers:
        return False
    if any(not words(drug) <= evidence.chart_words for drug in evidence.drugs_in(sentence)):
        return False
    content = {word for word in words(_FILLER.sub(" ", sentence)) if len(word) > 3 and not word.isdigit()}
    known = {word for word in content if word in evidence.chart_words or word.rstrip("s") in evidence.chart_words}
    return len(known) * 2 >= len(content) and bool(known or bare_numbers(sentence))


_FILLER = re.compile(
    rf"\b(?:{DONE}|{THING}|patients?|patient's|currently|current|with|that|this|from|were|been|have|since|after|"
    r"according|chart|shows?|lists?|states?|indicates?|there|also|their|which|when|previously|earlier|daily|twice|once|"
    r"history|following|originally|years?|months?|january|february|march|april|june|july|august|september|october|"
    r"november|december)\b",
    re.IGNORECASE,
)


def unless_a_subject(match: re.Match[str], sentence: str, _evidence: Evidence) -> bool:
    """ "Adding aspirin raises the risk" speaks of an act in general; "Adding the allergy now." does it."""
    return not _FINITE.search(sentence, match.end())


def unless_a_sentence(match: re.Match[str], sentence: str, evidence: Evidence) -> bool:
    """A headline has no verb but its participle: "Metformin ordered." """
    if _FINITE.search(sentence[: match.start("done")]):
        return False
    return unless_quoted(match, sentence, evidence)


def unless_a_verb_before(match: re.Match[str], sentence: str, evidence: Evidence) -> bool:
    """A headline again, but one that a drug on the chart does not excuse: "Allergy to penicillin added." """
    return not _FINITE.search(match["before"]) and unless_open(match, sentence, evidence)


_FINITE = re.compile(
    r"\b(?:is|are|was|were|may|might|can|could|should|would|will|must|has|have|had|does|do|requires?|needs?|increases?|"
    r"reduces?|decreases?|helps?|carries|raises?|lowers?|improves?|leads?|causes?|allows?|ensures?|remains?|depends?|"
    r"provides?|prevents?|appears?|seems?|puts?|makes?|worsens?|adds?|avoids?|poses?|involves?)\b",
    re.IGNORECASE,
)
