"""Whose words they are. A quotation, a pasted letter and what a note shall say are not the user's own request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.model import Mention
from docgemma.entities.words import replaced, without_quotes

_HEADING = re.compile(r"[^\n:.?!;]{1,90}:(?=\s)")
_DASHED = re.compile(
    r"(?:^|(?<=[\n.?!;]))\s{0,4}(?:[\w'’/&]{1,20}\s){0,4}?(?:recs?|reccs|recommendations?|guidance|guidelines?|protocol|algorithm"
    r"|bnf|nice|letter|e-?mail|label|leaflet|transcript|advice)\s{1,2}[-–—]\s",
    re.IGNORECASE,
)
"""The same with a dash: "cardio recs - start …"."""

_SOURCE = re.compile(
    r"(?<![\w-])(?:letters?|discharge|abstract|label|leaflet|guidelines?|guidance|protocol|e-?mail|messages?|plan"
    r"|per(?=\s[a-z])|according|says?|said|reads?|wrote|writes|states|stated|advised|recommended|recommendations?|suggested"
    r"|recs?|exam|quiz|mcq|osce|vignette|questions?|quoted?|article|paper|conclusions?|methods|objectives?|instructions?|summari[sz]e|translate|explain|rephrase"
    r"|paraphrase|proofread|interpret|simplify|rewrite|shorten|example|outside|transcript|excerpt|extract"
    r"|(?:this|below|following|text)(?=\s{0,2}:))(?![\w-])",
    re.IGNORECASE,
)
"""In a heading, these say that what follows was written by somebody, or is a text to work on."""

_ANNOUNCED = re.compile(
    r"(?<![\w-])(?:here(?:['’]?s|\sis|\sare)|this\sis|below\sis|attached|pasted|pasting|see|read|review|check|look\sat)\s"
    r"(?:the|a|my|our|his|her|their|this|that)\s(?:[\w'’-]{1,16}\s){0,3}"
    r"(?:letter|summary|e-?mail|abstract|referral|draft|transcript|text|leaflet|protocol|guideline)(?!\w)[^\n.:?!]{0,80}[\n.:?!]\s",
    re.IGNORECASE,
)
"""A sentence that hands over a text. What follows it is that text."""

_SIGNED = re.compile(r"\W{0,6}dear\s.{1,4000}(?:regards|sincerely|faithfully)(?!\w)", re.IGNORECASE | re.DOTALL)
"""A letter from its greeting to its close, in one line."""

_OWN_HEADING = re.compile(
    r"\W{0,4}(?:(?:please|pls|plz|kindly|also|and|then|ok|can\syou|could\syou)\s){0,4}"
    r"(?:prescribe|start|commence|order|add|save|record|document|update|enter|log|chart|note|new|put|give|issue|refill|renew"
    r"|rx|file|create|make)(?!\w)",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"(?:^|(?<=\n))[ \t>*#-]{0,4}(?:dear\s[^\n]{1,60}|(?:from|sent|subject|to|cc|re):[^\n]{0,200}"
    r"|(?:[a-z]{2,14}\s){0,2}(?:discharge\s(?:summary|letter)|clinic\sletter|referral\sletter|gp\sletter|abstract)"
    r"|-{2,10}\s?(?:original|forwarded)[^\n]{0,60})[ \t]{0,4}(?=\n)",
    re.IGNORECASE,
)
"""Lines that open a letter, a mail or an abstract. What follows them, to the end, is its text."""

_COURTESY = re.compile(
    r"(?<![\w-])(?:when(?:ever)?|if|once)\s(?:you|u)(?:['’]?ve)?\s(?:get|have|got|find)\s(?:(?:got|a|the|five|two|some|free|spare)\s){1,3}"
    r"(?:sec|secs|second|seconds|min|mins|minute|minutes|mo|moment|chance|time)(?![\w-])",
    re.IGNORECASE,
)
""" "When you get a second": neither a condition nor a question."""


def own_words(text: str, note_texts: Sequence[Mention]) -> str:
    """The text without what somebody else wrote and without what a note shall say, place for place."""
    blanked = ((note.start, note.end, _blank(note.text)) for note in note_texts)
    own = without_quotes(replaced(text, blanked))
    own = _COURTESY.sub(lambda match: " " * (match.end() - match.start()), own)
    start = _foreign(own)
    return own[:start] + " " * (len(own) - start)


def _blank(note: str) -> str:
    """As long as the note; its last mark stays, so that what follows is a sentence of its own."""
    return " " * (len(note) - 1) + ("." if note[-1] in ".!?;" else " ")


def _foreign(text: str) -> int:
    """Where a pasted text begins; the end of the message when there is none."""
    if _SIGNED.match(text):
        return 0
    letter = _LETTER.search(text)
    limit = letter.start() if letter else len(text)
    if announced := _ANNOUNCED.search(text, 0, limit):
        limit = announced.end()
    if dashed := _DASHED.search(text, 0, limit):
        limit = dashed.end()
    for heading in _HEADING.finditer(text, 0, limit):
        if _SOURCE.search(heading.group()) and not _OWN_HEADING.match(heading.group()):
            return heading.end()
    return limit
