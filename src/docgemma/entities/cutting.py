"""Where a text may be cut for a reader: behind a sentence, else behind a clause, never inside what a number or a
denial says. "Take 4" of "take 4 000 mg", or "do" of "do not", reads as something else."""

from __future__ import annotations

import re

from docgemma.entities.sentences import complete, split

MARK = " …"
_NOT_AN_END = (":", "?")
"""A heading says nothing without its list, and a question may be answered with no."""

_CLAUSE = re.compile(r"[,;:)](?=\s)|\s(?=[–—]\s)|\n")
_BLANK = re.compile(r"\s+")
_HOLDS_NEXT = re.compile(
    r"\W*\d\S*|[<>≤≥=~±+×/–-]+|(?:do|does|did|is|are|was|were|must|should|may|can|could|will|would|has|have|not|no|never|"
    r"nor|or|and|if|unless|without|only|more|less|fewer|than|at|least|most|over|under|above|below|about|up|for|to|of|the|"
    r"an?|don['’]t|không|chưa|đừng|chớ|chẳng|được|nên|phải|hoặc|và|nếu|trừ|chỉ|hơn|dưới|trên|khoảng|đến|quá|ít|nhiều|nhất|"
    r"bị)",
    re.IGNORECASE,
)
_HELD_BY_LAST = re.compile(
    r"[\d%°<>≤≥=~±+×/(–-]|(?:not|never|no|unless|except|without|only|but|if|than|[mk]?g|mcg|[µμu]g|m?l|units?|iu|mmol|meq|"
    r"times|hours?|days?|weeks?|tablets?|không|chưa|đừng|trừ|chỉ|nhưng|nếu|hơn|viên|lần|giờ|ngày|tuần)(?![^\W_])",
    re.IGNORECASE,
)
_FULL, _CLOSING = (".", "!", "…"), "\"'”’»)]*_"
_LEAST = 0.5
"""Of the room: a clause that is shorter leaves out too much."""

_NEXT = re.compile(r"(\s*)(\S+)")


def shortened(text: str, most: int) -> str:
    """At most `most` characters of the text, with a mark where something was left out."""
    return text if len(text) <= most else f"{beginning(text, most - len(MARK))}{MARK}".lstrip()


def beginning(text: str, most: int) -> str:
    """The longest beginning that ends well, without blanks behind it."""
    if len(text) <= most:
        return text.rstrip()
    if whole := _sentences(text, most):
        return whole
    clause = _clauses(text, most)
    return clause if len(clause) >= _LEAST * most else max(clause, _words(text, most), key=len)


def _sentences(text: str, most: int) -> str:
    position = end = 0
    for sentence in split(text):
        position += len(sentence)
        body = sentence.rstrip()
        if position - len(sentence) + len(body) > most:
            break
        if body and complete(sentence) and not body.endswith(_NOT_AN_END) and _safe(text, position):
            end = position
    return text[:end].rstrip()


def _clauses(text: str, most: int) -> str:
    ends = [each.end() for each in _CLAUSE.finditer(text, 0, most)]
    return next((text[:end].rstrip() for end in reversed(ends) if _safe(text, end)), "")


def _words(text: str, most: int) -> str:
    """At a blank that parts nothing, or not at all. One long word is cut where it stands, but not within a number."""
    ends = [each.start() for each in _BLANK.finditer(text, 0, most + 1)]
    if not ends:
        return text[:most].rstrip("0123456789.,–-/")
    return next((text[:end].rstrip() for end in reversed(ends) if _safe(text, end)), "")


def _safe(text: str, end: int) -> bool:
    """Whether the words on both sides can be parted."""
    head = text[:end].rstrip()
    after = _NEXT.match(text, len(head))
    if not head or after is None:
        return bool(head)
    last = head[-40:].split()[-1]
    if "\n" in after[1] or last.rstrip(_CLOSING).endswith(_FULL):
        return True
    clause = last.endswith((",", ";", ":", ")"))
    return (clause or not _HOLDS_NEXT.fullmatch(last)) and not _HELD_BY_LAST.match(after[2])
