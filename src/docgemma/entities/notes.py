"""Clinical notes: which kind, and the user's own words that are to be written."""

from __future__ import annotations

import re

from docgemma.entities.model import Mention

_TYPES = {
    "progress": "progress note",
    "consult": "consult note",
    "consultation": "consult note",
    "procedure": "procedure note",
    "operative": "operative note",
    "op": "operative note",
    "admission": "admission note",
    "nursing": "nursing note",
    "soap": "SOAP note",
    "clinic": "clinic note",
    "visit": "visit note",
    "telephone": "telephone note",
    "phone": "telephone note",
    "follow-up": "follow-up note",
    "followup": "follow-up note",
    "triage": "triage note",
    "transfer": "transfer note",
    "ed": "emergency note",
    "emergency": "emergency note",
    "discharge": "discharge note",
    "h&p": "history and physical note",
}
_TYPE = re.compile(
    r"(?<![\w-])(?:(?P<kind>" + "|".join(re.escape(kind) for kind in sorted(_TYPES, key=len, reverse=True)) + r")"
    r"\s{1,2}notes?|discharge\s{1,2}summary|history\s{1,2}and\s{1,2}physical)(?![\w-])",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:(?<!\w)(?:saying|stating|that\s(?:says|states|reads)|which\s(?:says|states)|with\sthe\stext|as\sfollows|text"
    r"|(?:document|note|chart|record)\sthat(?!\s(?:says|states|reads)))(?!\w)\s{0,2}[:,]?|:)\s{0,3}",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"(?<!\w)notes?(?!\w)", re.IGNORECASE)
_PAIRED = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»"}
_QUOTE = re.compile(r"\"(?P<a>[^\"]{1,20000})\"|“(?P<b>[^“”]{1,20000})”")
_DOCUMENT_THAT = re.compile(r"(?<!\w)(?:document|chart|record)\sthat(?!\w)", re.IGNORECASE)


def find_note_types(text: str) -> tuple[Mention, ...]:
    """The kind of note asked for. A bare "note" names none."""

    def value(match: re.Match[str]) -> str:
        kind = match.group("kind")
        return _TYPES[kind.lower()] if kind else " ".join(match.group().lower().split())

    return tuple(Mention(m.group(), m.start(), m.end(), value(m)) for m in _TYPE.finditer(text))


def note_type(answer: str) -> Mention | None:
    """A kind named alone, as in an answer: "progress", "SOAP"."""
    word = answer.strip().rstrip(".!")
    value = _TYPES.get(word.lower())
    start = answer.find(word)
    return Mention(word, start, start + len(word), value) if value else None


def find_note_texts(text: str) -> tuple[Mention, ...]:
    """What the note shall say: after "saying" or a colon, or in quotation marks, word for word to the end."""
    about = _ABOUT.search(text) or _TYPE.search(text) or _DOCUMENT_THAT.search(text)
    if about is None:
        return ()
    opening = _OPENING.search(text, about.start())
    if opening is None:
        quoted = _QUOTE.search(text, about.end())
        if quoted is None:
            return ()
        group = "a" if quoted.group("a") else "b"
        return _mention(text, quoted.start(group), quoted.end(group))
    start, end = opening.end(), len(text)
    if start < end and text[start] in _PAIRED:
        closing = text.find(_PAIRED[text[start]], start + 1)
        if closing > start and not text[closing + 1 : closing + 2].isalnum():
            return _mention(text, start + 1, closing)
    return _mention(text, start, end)


def _mention(text: str, start: int, end: int) -> tuple[Mention, ...]:
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    words = words.strip()
    return (Mention(words, start, start + len(words)),) if words else ()
