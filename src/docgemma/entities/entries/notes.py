"""Clinical notes: which kind, and the user's own words that are to be written.

A note's text runs to the end of the message: its words are the user's, and "Start metformin next week" inside it is
a part of the note. It ends earlier only where nobody could take the words for a part of it: at its closing quotation
mark, or before a sentence that speaks to the assistant ("Can you …", "Show me …"). What follows "document that" is one
statement: it ends before the next sentence that begins with a request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from docgemma.entities.grammar.speech import clauses
from docgemma.entities.grammar.spelling import heard
from docgemma.entities.grammar.verbs import ACTIONS, base_form
from docgemma.entities.model import Mention
from docgemma.entities.words import Word, sentences, word_set, words

_TYPES = {
    "progress": "progress note",
    "consult": "consult note",
    "consultation": "consult note",
    "procedure": "procedure note",
    "operative": "operative note",
    "op": "operative note",
    "admission": "admission note",
    "nursing": "nursing note",
    "nurse": "nursing note",
    "soap": "SOAP note",
    "clinic": "clinic note",
    "clinical": "clinical note",
    "visit": "visit note",
    "telephone": "telephone note",
    "phone": "telephone note",
    "follow-up": "follow-up note",
    "followup": "follow-up note",
    "follow up": "follow-up note",
    "triage": "triage note",
    "transfer": "transfer note",
    "handover": "handover note",
    "ward": "ward round note",
    "ward round": "ward round note",
    "ed": "emergency note",
    "emergency": "emergency note",
    "discharge": "discharge note",
    "physio": "physiotherapy note",
    "physiotherapy": "physiotherapy note",
    "pharmacy": "pharmacy note",
    "event": "event note",
    "h&p": "history and physical note",
}
_KINDS = "|".join(re.escape(kind).replace(r"\ ", r"\s") for kind in sorted(_TYPES, key=len, reverse=True))
_TYPE = re.compile(
    r"(?<![\w-])(?:(?P<kind>[a-z][a-z&/-]{1,24}(?:\s{1,2}[a-z][a-z&/-]{1,24}){0,3})\s{1,2}notes?"
    r"|discharge\s{1,2}summary|history\s{1,2}and\s{1,2}physical)(?![\w-])",
    re.IGNORECASE,
)
_NO_KIND = word_set(
    "a an the this that these those her his their my our your its of for on in to at by with and or but as is was are "
    "new another quick brief short long small little urgent important following same next last latest previous recent "
    "earlier old first second final full formal proper clear good positive patient pt pts case chart file medical side "
    "mental sick fit thank-you sticky post-it please pls plz kindly can could would you u i we me us she he they it "
    "need needs want wants no any some one more also just now today yesterday then ok okay hi hello dr mr mrs ms take "
    "made making writing adding from who what which how when where read see sent did does do has have had wrote about "
    "re via per not don't add'l extra separate single different other lighter personal release "
    "editor's programme what's whats all every each nice longer shorter doctor's"
)
"""Before "note" these say nothing of its kind: grammar, its length, its place or whose it is."""

_HEADS = re.compile(r"\s{0,2}:")
_CLINICAL = re.compile(
    r"(?:ist|ian|logy|therapy|care|natal|iatry|wifery|rics|work|worker|visit|round|review|call|dental|surgical|psych|paeds|peds"
    r"|nutrition|safeguarding|wound|theatre|anaesthetic|anesthetic|oncall|on-call|night|shift|obs|gynae|renal|cardiac|rehab|ics)$"
)
"""A kind that heads a text by itself must sound like the clinic's: "release note: …" is none of ours."""

_MOST_KIND_WORDS = 3
_STANDING = word_set(
    "progress consult consultation procedure operative admission soap discharge triage transfer handover"
)
"""Kinds that stay what they are with a speciality before them: "renal consult note"."""

_BEFORE_KIND = re.compile(r"^(?:(?:just|a|an|the|its|it's|it|make|as|is|in|under|oh|um|erm|as)\s){1,4}", re.IGNORECASE)
_PLACE = (
    r"(?:to|in|into|on|onto|update)\s(?:(?:the|this|my|patient['’]?s?|pt['’]?s?|her|his|their|[^\s:,]{1,40}['’]s)\s){0,2}"
    r"(?:medical\s|clinical\s|nursing\s)?(?:chart|records?|file|notes?|kardex|case\s?sheet|sheet|folder|emr|ehr|journal)"
)
_STATED = (
    r"\s(?:(?:pt|patient)\s)?(?:pt|patient|she|he|they|[a-z]{1,8}-\d{1,8})\s"
    r"(?:\w{2,20}ed|is|was|has|had|fell|feels|felt|went|came|ate|seen|denies|reports|wants|slept)\s"
)
_HEAD = re.compile(
    rf"(?<![\w-])(?:{_PLACE}|notes?(?!\s(?:the|how|her|his|she|he|to\sself)(?![\w-]))|discharge\ssummary"
    r"|(?:document|chart|record|jot\sdown|note\sdown|write\sdown|log)(?=\s(?:(?:for|on)\s\S{1,40}\s)?that\s|(?:\s(?:for|on|in)\s(?:(?:patient|pt)\s)?[^\s:]{1,40})?\s?:)"
    rf"|(?:document|record|note\sdown|jot\sdown)(?={_STATED}))(?![\w-])",
    re.IGNORECASE,
)
"""Where a note may be asked for. "Note that" and "of note" ask for none."""

_GAP = r"(?:[^.?!\n:\"“]|\.(?!\s)|(?<=\b[DM]r)\.|(?<=\b[Mm]rs)\.|(?<=\bpt)\.){0,160}?"
_OPENING = re.compile(
    rf"(?P<gap>{_GAP})(?:(?<!\w)(?:saying|stating|that\s(?:says|states|reads)|which\s(?:says|states)|to\s(?:say|state)(?:\sthat)?"
    r"|with\sthe\stext|as\sfollows|text|reading)(?!\w)\s{0,2}[:,]?"
    r"|\scolon(?!\s(?:ca|cancer|polyps?|resection|surgery|mass|tumou?r|screening|biopsy|wall|and)(?!\w))(?=\s)|:(?!\d)|\s[-–—]\s(?=[A-Z\"“]))\s{0,3}",
    re.IGNORECASE,
)
_THAT = re.compile(
    r"(?:\s(?:for|on|to|in|into|of)\s(?:patient\s|pt\s)?[^\s,:.]{1,40}(?:\s[A-Z][^\s,:.]{1,40}){0,2})?\sthat(?!\s(?:says|states|reads|as|down|under|please|pls|too|(?:in|on|to|onto|into)\s(?:his|her|their|the))\s)\s{1,3}"
)
_OTHER_ENTRY = re.compile(r"allerg|intoleran|prescri|(?<!\w)(?:script|rx|order)(?!\w)", re.IGNORECASE)
_OF_ANOTHER = re.compile(r"(?:allerg|intoleran)[a-z]{0,6}\s(?:to|for)\s(?:be\s)?$", re.IGNORECASE)
""" "New allergy to log: …" heads no note."""

_ASKS = re.compile(r"(?:how|what|where|who|which|when)\s(?:do|does|should|can|to|shall|must)\s", re.IGNORECASE)
""" "Handover note: how do I write one" asks about notes."""

_DETERMINED = re.compile(
    rf"(?:(?<![\w-])(?:a|an|the|this|new|you|you\splease|quick|brief|short|her|his|their|{_KINDS}|save|write|add|make|file)|['’]s)\s{{1,2}}$",
    re.IGNORECASE,
)
_NEAR = 30
_MOST_HEADS = 40
_PARAGRAPH = re.compile(
    r"(?:[^\n:.?!]{0,80}[:.]?[ \t]{0,4}\n[ \t]{0,4}\n"
    r"|(?:[ \t,-]{1,3}(?:for|on|re|pt|patient|please|pls|[\w-]{0,20}[0-9][\w-]{0,20})){1,5}"
    r"[ \t:.-]{0,4}\n)\s{0,4}(?=\S)",
    re.IGNORECASE,
)
"""A request for a note, an empty line, and then its text; the empty line only where more was said before it."""

_DIRECT = re.compile(_STATED, re.IGNORECASE)
""" "Document pt refused bloods": a statement right after the verb."""

_STATEMENT = 160
_PAIRED = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»"}
_QUOTE = re.compile(r"\"(?P<a>[^\"]{1,20000})\"|“(?P<b>[^“”]{1,20000})”")
_TO_ASSISTANT = re.compile(
    r"(?<=[.;!?\n])\s{1,4}(?:(?:and|then|also|now|next|ok|okay|after\sthat)[,\s]{1,3}){0,2}(?:please\s)?"
    r"(?:(?:can|could|would)\syou\s|(?:show|tell|give|find|get|send)\sme\s)",
    re.IGNORECASE,
)


def find_note_types(text: str) -> tuple[Mention, ...]:
    """The kind of note asked for: whatever names a profession, a place or an occasion. A bare "note" names none."""
    return tuple(found for match in _TYPE.finditer(text) if (found := _kind(text, match)) is not None)


def _kind(text: str, match: re.Match[str]) -> Mention | None:
    if match["kind"] is None:
        return Mention(match.group(), match.start(), match.end(), " ".join(match.group().lower().split()))
    said = words(match["kind"])
    first = len(said)
    while first > 0 and _names_kind(said, first - 1) and len(said) - first < _MOST_KIND_WORDS:
        first -= 1
    if first == len(said):
        return None
    start = match.start() + said[first].start
    low = " ".join(word.low for word in said[first:])
    if _HEADS.match(text, match.end()) and low not in _TYPES and not (_CLINICAL.search(low) or said[-1].text.isupper()):
        return None
    value = _named_kind([word.text for word in said[first:]])
    return Mention(text[start : match.end()], start, match.end(), value)


def _names_kind(said: Sequence[Word], place: int) -> bool:
    """Known, or neither grammar nor a verb nor somebody's name."""
    low, text = said[place].low, said[place].text
    if (
        low in _TYPES
        or (place and f"{said[place - 1].low} {low}" in _TYPES)
        or f"{low} {_low(said, place + 1)}" in _TYPES
    ):
        return True
    own = low not in _NO_KIND and base_form(low) not in ACTIONS and len(low) > 1 and not low.endswith("'s")
    return own and (place == 0 or text.isupper() or not text[0].isupper())


def _low(said: Sequence[Word], place: int) -> str:
    return said[place].low if place < len(said) else ""


def _named_kind(said: Sequence[str]) -> str:
    """In standard words where there are some; else as said, abbreviations in capitals."""
    low = " ".join(said).lower()
    if low in _TYPES:
        return _TYPES[low]
    known = _TYPES.get(low.split()[-1]) if low.split()[-1] in _STANDING else None
    return known or " ".join(word if word.isupper() else word.lower() for word in said) + " note"


def note_type(answer: str) -> Mention | None:
    """A kind named alone, as in an answer: "progress", "SOAP pls", "just a ward round one"."""
    word = re.split(
        r"[.,;:!\n]|\s(?:pls|please|plz|i\sthink|thanks|thx|ta|sorry|one|notes?|type)(?!\w)", answer.strip(), maxsplit=1
    )[0]
    word = _BEFORE_KIND.sub("", word.strip()).strip()
    value = _TYPES.get(word.lower())
    start = answer.find(word)
    return Mention(word, start, start + len(word), value) if value else None


def find_note_texts(text: str) -> tuple[Mention, ...]:
    """What the note shall say: after "saying", "that" or a colon, or in quotation marks, word for word."""
    for head in islice(_HEAD.finditer(text), _MOST_HEADS):
        if "note" not in head.group().lower() and _OF_ANOTHER.search(text, max(0, head.start() - _NEAR), head.start()):
            continue
        if that := _THAT.match(text, head.end()):
            if head.group().lower() == "note" and not _is_thing(text, head.start()):  # "note that …" asks for none
                continue
            return _mention(text, that.end(), _end_of_statement(text, that.end()))
        if _DIRECT.match(text, head.end()) and not _OTHER_ENTRY.search(text, head.end(), head.end() + _STATEMENT):
            return _mention(text, head.end(), _end_of_statement(text, head.end()))
        if paragraph := _PARAGRAPH.match(text, head.end()):
            return _after(text, paragraph.end())
        opening = _OPENING.match(text, head.end())
        if opening and not _OTHER_ENTRY.search(opening["gap"]) and not _ASKS.match(text, opening.end()):
            return _after(text, opening.end())
    return _quoted(text)


def _is_thing(text: str, start: int) -> bool:
    """Whether the "note" here is a noun: "make a note that …"."""
    return _DETERMINED.search(text[max(0, start - _NEAR) : start]) is not None


def _quoted(text: str) -> tuple[Mention, ...]:
    """ "Save a note for abc-123 "slept well"": no colon, but a quotation after the word."""
    head = _HEAD.search(text)
    quoted = _QUOTE.search(text, head.end()) if head else None
    if quoted is None:
        return ()
    group = "a" if quoted.group("a") else "b"
    return _mention(text, quoted.start(group), quoted.end(group))


def _after(text: str, start: int) -> tuple[Mention, ...]:
    if start < len(text) and text[start] in _PAIRED:
        closing = text.find(_PAIRED[text[start]], start + 1)
        if closing > start and not text[closing + 1 : closing + 2].isalnum():
            return _mention(text, start + 1, closing)
    following = _TO_ASSISTANT.search(text, start)
    return _mention(text, start, following.start() if following else len(text))


def _end_of_statement(text: str, start: int) -> int:
    """The end of the sentences that go on saying something."""
    said = text[start:]
    end = 0
    for index, sentence in enumerate(sentences(said, heard(words(said)))):
        first = next(iter(clauses(sentence)), None)
        if index and (sentence.mark == "?" or (first and (first.action is not None or first.negated or first.polite))):
            break
        end = sentence.end + (sentence.mark in set(".!?;"))
    return start + end


def _mention(text: str, start: int, end: int) -> tuple[Mention, ...]:
    said = text[start:end]
    start += len(said) - len(said.lstrip())
    said = said.strip()
    return (Mention(said, start, start + len(said)),) if said else ()
