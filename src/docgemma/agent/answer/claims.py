"""Sentences that say something was done in the world: sent, saved, ordered, told to somebody.

Only a receipt from the ledger may say so. The rule errs on the side of removing: a lost sentence costs a clinician
little, a believed prescription that does not exist may cost a patient much.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from docgemma.agent.answer.claim_excuses import (
    Excuse,
    never_excused,
    unless_a_sentence,
    unless_a_subject,
    unless_quoted,
    unless_waiting,
)
from docgemma.agent.answer.claim_states import STATES
from docgemma.agent.answer.claim_words import (
    ADVERB,
    BE,
    CARE,
    DO,
    DOING,
    DONE,
    END,
    ENTERED,
    HAVE,
    LOOSE,
    OURS,
    PATIENT,
    PERFECT,
    SELF,
    START,
    STRICT,
    THING,
)
from docgemma.agent.answer.evidence import Evidence
from docgemma.agent.answer.wording import readable


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_BY_US: tuple[tuple[re.Pattern[str], Excuse], ...] = (
    # I have sent …, we've saved …, the system recorded …, I stopped …
    (_compiled(rf"{SELF}{HAVE}{ADVERB}(?:{STRICT}|{CARE}|recorded|documented|entered)\b"), never_excused),
    (
        _compiled(
            rf"{SELF}{HAVE}{ADVERB}(?:{LOOSE}|called|wrote|put|gave|let|told|asked|got)\s+.*?"
            rf"(?:\b{THING}\b|\b{PATIENT}|\b(?:dose|dosage)\b)"
        ),
        never_excused,
    ),
    (
        _compiled(
            rf"{SELF}{HAVE}{ADVERB}(?:took\s+care|taken\s+care|reached\s+out|spoken?\s+(?:to|with)|put\s+"
            r"(?:in|through)|"
            r"called\s+in|went\s+ahead|gone\s+ahead)\b"
        ),
        never_excused,
    ),
    # I am sending …, I'll notify …, we are going to order …, let me save …
    (_compiled(rf"{SELF}(?:\s+(?:am|are|is)|['’](?:m|re|s))\s+{ADVERB}{DOING}\b"), unless_waiting),
    (
        _compiled(
            rf"{SELF}(?:\s+(?:will|shall|(?:am|are)\s+going\s+to)|['’]ll|['’](?:m|re)\s+going\s+to)"
            rf"\s+{ADVERB}(?:go\s+ahead\s+and\s+|make\s+sure\s+to\s+)?{DO}\b"
        ),
        unless_waiting,
    ),
    (_compiled(rf"{START}let\s+me\s+{ADVERB}{DO}\b"), unless_waiting),
    # Sending the prescription now …
    (_compiled(rf"{START}(?:now\s+)?{DOING}\b(?=.*\b(?:{THING}|now|{PATIENT}))"), unless_a_subject),
    # the model speaking of a tool that writes
    (
        _compiled(
            r"\b(?:used|called|ran|run|invoked|executed|using)\s+(?:the\s+)?"
            r"(?:prescribe|add|save)[ _](?:medication|allergy|clinical[ _]note)\b"
        ),
        never_excused,
    ),
)

_DONE_TO_A_THING: tuple[tuple[re.Pattern[str], Excuse], ...] = (
    # The prescription has been sent, the chart was updated, your order is placed
    (
        _compiled(
            rf"\b{THING}\b(?:,[^,;:.!?]{{0,50}},)?(?:\s+[^,;:.!?]{{0,60}}?)?\s*\b(?P<be>{PERFECT})\s+"
            rf"{ADVERB}(?P<done>{DONE})\b"
        ),
        unless_quoted,
    ),
    (
        _compiled(
            rf"\b(?:the|your|this|that|her|his|their|these|all)\s+(?:[\w-]+\s+){{0,3}}?{THING}"
            rf"(?:\s+[^,;:.!?]{{0,60}}?)?\s*"
            rf"\b(?P<be>{BE})\s+{ADVERB}(?!prescribed|ordered|dispensed|scheduled)(?P<done>{STRICT})\b"
        ),
        unless_quoted,
    ),
    # Metformin has been prescribed …, it was sent, warfarin was stopped today, this has been documented
    (_compiled(rf"\b(?P<be>{PERFECT})\s+{ADVERB}(?P<done>{STRICT})\b"), unless_quoted),
    (_compiled(rf"\b(?P<be>{PERFECT})\s+{ADVERB}(?P<done>{CARE})(?:{END}|\s+(?:today|now|as)\b)"), unless_quoted),
    (
        _compiled(
            rf"(?:\b(?:this|it|everything|all)|(?:^|[,;:.!])\W*that)\b\s*(?P<be>{PERFECT})\s+"
            rf"{ADVERB}(?P<done>{LOOSE}){END}"
        ),
        unless_quoted,
    ),
    # … has been added to her chart, … was started for the patient, … is documented in the record, … added as an allergy
    (
        _compiled(
            rf"\b(?P<be>{BE})\s+{ADVERB}(?P<done>{DONE})\b[^,;:.!?]{{0,80}}?"
            rf"\b(?:(?:to|in|into|on|from|with|at)\s+{OURS}|(?:for|to|in)\s+{PATIENT}|"
            rf"as\s+(?:an?|the)\s+(?:new\s+)?{THING})"
        ),
        unless_quoted,
    ),
    (
        _compiled(
            rf"\b(?:patient|she|he|they|you)\s+(?P<be>{PERFECT})\s+{ADVERB}"
            rf"(?P<done>{STRICT}|(?:{CARE}|given|put)(?:\s+on|\s+to)?|referred|enrolled)\b"
        ),
        unless_quoted,
    ),
)

_HEADLINES: tuple[tuple[re.Pattern[str], Excuse], ...] = (
    # Prescription sent! Chart updated. Order #12 placed. Metformin 500 mg ordered.
    (
        _compiled(
            rf"{START}(?:(?:the|your|a|new|this|her|his)\s+)?(?:[\w-]+\s+){{0,4}}?{THING}(?P<be>\s+)"
            rf"(?:#?\w*\d\w*\s+)?{ADVERB}"
            rf"(?P<done>{DONE})(?:\s+(?:successfully|to|in|into|for|with|on|by)\b|{END}(?!\s*:))"
        ),
        unless_quoted,
    ),
    (
        _compiled(rf"{START}(?P<be>)(?:[\w/.-]+\s+){{0,6}}?(?<!as )(?<!if )(?<!not )(?<!be )(?P<done>{STRICT})\W*$"),
        unless_a_sentence,
    ),
    # Sent the prescription to the pharmacy. Added to the chart. Prescribed metformin for the patient.
    (
        _compiled(
            rf"{START}{ADVERB}(?P<be>)(?P<done>{DONE})\s+(?:(?:the|a|an|your|her|his|this|that|new)\s+.*\b{THING}\b|"
            rf".*\b(?:to|in|into)\s+(?:(?:the|her|his|your)\s+)?(?:[\w-]+\s+)?{THING}\b|.*\b(?:for|to)\s+{PATIENT})"
        ),
        unless_quoted,
    ),
    (_compiled(rf"\bsuccessfully\s+(?:{STRICT}|{ENTERED})\b|\b(?:{STRICT}|{ENTERED})\s+successfully\b"), never_excused),
    # Done! You're all set. The prescription is on its way. Her chart now includes …
    (_compiled(rf"^\W*(?:done|all\s+(?:set|done)|success|completed|it(?:['’]s|\s+is)\s+done)\b{END}"), never_excused),
    (
        _compiled(r"\byou(?:['’]re|\s+are)\s+all\s+set\b|\bconsider\s+(?:it|the\s+\w+|that)\s+(?:done|placed|sent)\b"),
        never_excused,
    ),
    (_compiled(r"\bconfirmation\s+(?:number|id|code)\b"), never_excused),
    (
        _compiled(
            rf"\b{THING}\b[^,;:.!?]{{0,40}}\b(?:went\s+through|(?:has|have)\s+gone\s+(?:out|through|over|to)|"
            r"(?:is|are)\s+(?:already\s+)?on\s+(?:its|their|the)\s+way|"
            r"(?:is|are)\s+now\s+(?:complete|live|active|in\s+effect|in\s+place|on\s+file|in\s+the))\b"
        ),
        never_excused,
    ),
    (
        _compiled(rf"\b(?:order|prescription|request|note|referral|refill)\s+is\s+(?:complete|in|live)\b{END}"),
        never_excused,
    ),
    (
        _compiled(r"\bpharmacy\s+(?:now\s+has|has\s+(?:now\s+)?(?:received|got)|will\s+(?:receive|get|have))\b"),
        unless_waiting,
    ),
    (
        _compiled(
            rf"\b{THING}\s+(?:now\s+(?:shows?|reflects?|includes?|lists?|has|have|contains?)|reflects?\s+the\s+new)\b"
        ),
        never_excused,
    ),
    (_compiled(rf"(?:\bis|['’]s)\s+(?:now\s+(?:on\s+file|in\s+{OURS})|in\s+{OURS}\s+now)\b"), never_excused),
)

_CLAIMS = _BY_US + _DONE_TO_A_THING + _HEADLINES + STATES


def claims_action(sentence: str, evidence: Evidence) -> bool:
    """Whether the sentence says that something was, is being or will be done that no receipt shows."""
    if evidence.ledger:
        return False
    text = _plain(sentence)
    return any(check(match, text, evidence) for pattern, check in _CLAIMS for match in _matches(pattern, text))


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Also those that overlap: the first may be excused where the second is not."""
    position = 0
    while match := pattern.search(text, position):
        yield match
        position = match.start() + 1


def _plain(sentence: str) -> str:
    """One spelling for typographic variants, one space for many."""
    return re.sub(r"\s+", " ", readable(unicodedata.normalize("NFKC", sentence))).strip()
