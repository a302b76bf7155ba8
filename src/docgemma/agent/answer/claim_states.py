"""Claims that name no deed but its outcome: an order number, a list that now holds a drug, a pharmacy that has it."""

from __future__ import annotations

import re

from docgemma.agent.answer.claim_excuses import (
    Excuse,
    never_excused,
    unless_a_sentence,
    unless_a_verb_before,
    unless_charted,
    unless_open,
    unless_quoted,
    unless_waiting,
)
from docgemma.agent.answer.claim_words import ADVERB, DONE, END, ENTERED, HAVE, OURS, PERFECT, SELF, STRICT, THING

_ORDER = r"(?:(?:e-?)?prescriptions?|orders?|rx|scripts?|referrals?|requests?|refills?)"
_STAFF = r"(?:nurse|pharmacist|pharmacy|doctor|physician|provider|pcp|(?:care\s+)?team|cardiologist|specialist)"
_YOUR_WORD = (
    r"(?:your\s+(?:orders?|requests?|instructions?|approval|direction)|"
    r"you\s+(?:asked|requested|ordered|instructed|directed|approved))"
)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_HEADED: tuple[tuple[re.Pattern[str], Excuse], ...] = (
    # Metformin 500 mg BID: ordered. Penicillin allergy: added. Status: order placed.
    (_compiled(rf"^[^:]{{1,80}}:\s*{ADVERB}(?:been\s+)?(?:{STRICT}|added|entered)\W*$"), unless_open),
    (_compiled(rf"^(?P<be>)[^:]{{1,80}}:\s*{ADVERB}(?P<done>recorded|documented)\W*$"), unless_quoted),
    (
        _compiled(rf"^(?P<be>)[^:]{{1,40}}:\s*(?:[\w-]+\s+){{0,3}}?{THING}\s+{ADVERB}(?P<done>{DONE})\W*$"),
        unless_a_sentence,
    ),
    # Prescribed: metformin 500 mg twice daily.
    (
        _compiled(
            rf"^\W*(?:newly\s+)?(?:{STRICT}|added|recorded|documented|entered|started|initiated|confirmed)\s*:\s*"
            r"(?!\d|none\b|no\b|not\b|nothing\b|jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct|nov|dec)\w"
        ),
        unless_open,
    ),
    (_compiled(r"^\W*actions?\s+(?:taken|completed|performed)\s*:\s*(?!none|no\b|nothing|not\b)\w"), never_excused),
    # Allergy to penicillin added.
    (
        _compiled(
            rf"^\W*(?P<before>(?:[\w-]+\s+){{0,3}}?{THING}\s+(?:to|for|of|with|on)\s+(?:[\w/.-]+\s+){{1,6}}?){ADVERB}"
            rf"(?:{STRICT}|{ENTERED})\W*$"
        ),
        unless_a_verb_before,
    ),
    # Order ID: 48213. Order status: active.
    (
        _compiled(rf"\b(?:{_ORDER}|tracking|ticket|reference)\s+(?:id|no\.|number|code)\b\W{{0,3}}(?:is\s+)?[#\w-]*\d"),
        unless_open,
    ),
    (
        _compiled(
            rf"\b{_ORDER}\s+status\b\W{{1,4}}(?:is\s+)?(?!is\b|pending|not\b|waiting|awaiting|draft|proposed|unknown|"
            rf"needs|"
            r"declined|rejected|expired|unsigned|prepared|to\b|can\b|could\b)\w+"
        ),
        unless_open,
    ),
)

_REACHED: tuple[tuple[re.Pattern[str], Excuse], ...] = (
    # The e-prescription is with the pharmacy. The pharmacy has your prescription. The Rx is in.
    (
        _compiled(
            rf"\b{_ORDER}\b[^,;:.!?]{{0,40}}?\b(?:is|are)\s+{ADVERB}(?:(?:with|at)\s+(?:the|your|her|his|their|our)\s+"
            rf"(?:\w+\s+)?pharmac|in\s+the\s+system\b|(?:in|live|active|released|executed|fulfilled|filled)\b{END})"
        ),
        unless_open,
    ),
    (
        _compiled(rf"\bpharmac(?:y|ist)\s+{ADVERB}has\s+(?:the|your|her|his|this|that)\s+(?:\w+\s+)?{_ORDER}\b"),
        unless_open,
    ),
    (
        _compiled(
            rf"\b(?:{_ORDER}\b[^,;:.!?]{{0,40}}\b(?:will\s+be|is|are|should\s+be)\s+{ADVERB}ready\b(?!\s+(?:for|"
            rf"to\s+be)\s+(?:you\s+to\s+|your\s+)?"
            r"(?:approv|review|sign|confirm|check))|"
            r"\bready\s+for\s+(?:pick-?\s?up|collection)\b)"
        ),
        unless_waiting,
    ),
    (
        _compiled(
            r"\b(?:she|he|you|patient)(?:['’]ll|\s+can|\s+may|\s+will)\s+(?:now\s+)?(?:be\s+able\s+to\s+)?"
            r"(?:collect\b|pick\s+(?:\w+\s+){0,3}?up\b)[^.;!?]{0,60}\bpharmac"
        ),
        unless_waiting,
    ),
    # Your approval was received and the order released. All safety checks passed.
    (
        _compiled(
            r"\byour\s+(?:approval|signature|authori[sz]ation|confirmation|order|request)\s+(?:was|has\s+been|is)\s+"
            rf"{ADVERB}(?:received|accepted|recorded|registered|processed|noted)\b"
        ),
        unless_open,
    ),
    (
        _compiled(
            rf"\b(?<!not )(?:(?:all|every|the)\s+(?:[\w-]+\s+){{0,3}}?checks?\s+(?:(?:have|has|were|"
            rf"was)\s+)?{ADVERB}(?:been\s+)?"
            rf"(?:passed|cleared|came\s+back\s+(?:clean|clear|negative))|{_ORDER}\s+(?:has\s+|have\s+)?(?:passed|"
            rf"cleared)\s+"
            r"(?:the|all|every)\s+(?:[\w-]+\s+){0,3}?checks?)\b"
        ),
        unless_open,
    ),
    # The nurse is aware of the change. Her PCP knows about this now.
    (
        _compiled(
            rf"\b{_STAFF}\s+(?:(?:is|are)\s+(?:now\s+aware|aware\s+of\s+(?:this|the\s+(?:change|order|allergy|"
            rf"prescription)))|"
            r"now\s+knows|knows\s+about\s+(?:this|it|the\s+\w+)\s+now)\b"
        ),
        unless_open,
    ),
)

_HOLDS: tuple[tuple[re.Pattern[str], Excuse], ...] = (
    # Metformin is now on her active medication list. Penicillin is now listed as an allergy.
    (_compiled(rf"\b(?:is|are)\s+now\s+(?:(?:on|in|part\s+of)\s+{OURS})\b"), unless_open),
    (
        _compiled(
            r"\bnow\s+(?:listed|recorded|documented|noted|flagged|shown|registered|appears?|shows?\s+up)\s+"
            rf"(?:as\s+(?:an?|the|her|his)\s+(?:[\w-]+\s+){{0,2}}?{THING}|(?:on|in|under)\s+{OURS})\b"
        ),
        unless_open,
    ),
    (_compiled(rf"\b{THING}\b[^,;:.!?]{{0,30}}\b(?:is|are)\s+{ADVERB}reflected\s+in\s+{OURS}"), unless_open),
    (_compiled(r"\b(?:she|he|patient|they)\s+(?:is|are)\s+now\s+(?:on|taking|receiving)\b"), unless_charted),
    (
        _compiled(
            rf"\b(?:therapy|treatment|medication|infusion|\d+\s?m?c?g(?:\s+\w+)?)\s+has\s+(?:now\s+)?begun\b{END}"
        ),
        unless_open,
    ),
    # Metformin therapy was initiated per your order. It's taken care of. I took the liberty of adding …
    (
        _compiled(rf"\b{PERFECT}\s+{ADVERB}{DONE}\b[^.;!?]{{0,40}}\b(?:per|at|on|following|as)\s+{_YOUR_WORD}\b"),
        unless_open,
    ),
    (
        _compiled(
            r"\b(?:it|this|that|everything|all)\b\s*(?:['’]s|is|are|was)\s+(?:now\s+|all\s+)*(?:taken\s+care\s+of|"
            r"handled|"
            rf"sorted(?:\s+out)?){END}"
        ),
        unless_open,
    ),
    (_compiled(rf"{SELF}{HAVE}(?:took|taken)\s+the\s+liberty\b"), never_excused),
    (_compiled(rf"\bhaving\s+{ADVERB}(?:{STRICT}|{ENTERED})\s+(?:the|your|an?|this|her|his)\b"), unless_open),
)

_CARD = rf"(?:{_ORDER}|entr(?:y|ies)|cards?|notes?|allerg(?:y|ies))"
_DECISION = r"(?:approved|authori[sz]ed|undone|reversed|retracted|voided|(?:counter-?)?signed)"

_DECIDED: tuple[tuple[re.Pattern[str], Excuse], ...] = (
    # The order is approved. I have undone the entry. Approved by Dr Lee. It is signed and submitted.
    (_compiled(rf"\b{_CARD}\b[^,;:.!?]{{0,40}}?\b(?:{PERFECT}|is|are)\s+{ADVERB}{_DECISION}\b"), unless_open),
    (_compiled(rf"{SELF}{HAVE}{ADVERB}(?:{_DECISION}|rejected|declined|withdrawn)\b"), unless_open),
    (_compiled(r"^\W*(?:approved|signed|authori[sz]ed)\s+by\b"), unless_open),
    (
        _compiled(
            rf"\b(?:it|this|that|everything)\s*(?:is|['’]s|was)\s+{ADVERB}(?:{_DECISION}|{STRICT})"
            rf"(?:{END}|\s+and\s+(?:{_DECISION}|{STRICT}|written)\b)"
        ),
        unless_open,
    ),
    # The entry is marked as entered in error. The allergy is on file now. Entry MedicationRequest/abc, version 1.
    (_compiled(r"\b(?:is|are|was|were|been)\s+(?:now\s+)?marked\s+as\s+entered\b"), unless_open),
    (_compiled(r"\bon\s+file\s+now\b"), unless_open),
    (_compiled(r"\b(?:MedicationRequest|AllergyIntolerance|DocumentReference|Provenance)\b"), never_excused),
)

STATES = _HEADED + _REACHED + _HOLDS + _DECIDED
