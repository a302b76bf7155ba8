"""Notes: documents and clinical impressions, newest first, with a quoted piece of their text.

The text is whatever somebody wrote. It stays inside quotation marks on one line, and is never more than data.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from docgemma.ehr.chart.model import Entry, Part
from docgemma.ehr.chart.recorded.codeable import concept, first_concept
from docgemma.ehr.chart.recorded.fields import Node, code, identity, joined, node, nodes, plain, quoted
from docgemma.ehr.chart.recorded.when import begun, day, instant, shown, when
from docgemma.ehr.chart.view import View

_GLANCE, _READ = 200, 1_200
"""Characters of a note's text: in a summary, and where notes are asked for."""

_LONGEST, _SEARCHED, _PASSING = 8_000, 200, 3
"""Where something else is asked for: characters of a note that are searched, notes searched, and notes shown."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_VOID = frozenset({"superseded", "entered-in-error"})
_READABLE = ("text/plain", "text/markdown", "")
_SLACK = 4


def notes(view: View) -> Part:
    """Those that the question names come first. Where something else is asked for, only what they say about it."""
    found = [(_written_on(one), identity(one), one) for one in _standing(view)]
    found.sort(key=lambda each: (instant(each[0]), each[1]), reverse=True)
    listed = [one for _, _, one in found]
    void = sum(len(view.record.of(kind)) for kind in ("DocumentReference", "ClinicalImpression")) - len(listed)
    left_out = (f"Notes: {void} superseded or entered in error, not shown.",) if void else ()
    if view.aside("notes"):
        said = [entry for one in listed[:_SEARCHED] if (entry := _passing(one, view))]
        return Part("notes", said[:_PASSING], len(listed), "those that speak of it", left_out)
    if view.ask.stems:
        listed.sort(key=lambda one: not view.ask.names(_kind(one)))
    most = _READ if view.ask.wants("notes") else _GLANCE
    entries = (_entry(one, view, _said(one, most)) for one in listed)
    return Part("notes", entries, len(listed), left_out=left_out)


def _passing(note: Node, view: View) -> Entry | None:
    """The sentences of a note that speak of what is sought."""
    found = [sentence for sentence in _SENTENCE.split(plain(_text(note), _LONGEST)) if view.mentioned(sentence)]
    return _entry(note, view, quoted(" … ".join(found), _READ)) if found else None


def _text(note: Node) -> str:
    if note.get("resourceType") == "ClinicalImpression":
        return joined(plain(note.get("description"), _READ), plain(note.get("summary"), _READ), by=". ")
    attachment = _attachment(note)
    data = attachment.get("data")
    readable = isinstance(data, str) and _media(attachment) in _READABLE
    written = _decoded(data, _LONGEST) if readable and isinstance(data, str) else ""
    return joined(plain(note.get("description"), _READ), written, by=". ")


def _standing(view: View) -> Iterator[Node]:
    for kind in ("DocumentReference", "ClinicalImpression"):
        for one in view.record.of(kind):
            if code(one.get("status")) not in _VOID and code(one.get("docStatus")) != "entered-in-error":
                yield one


def _written_on(note: Node) -> str:
    written = note.get("date")
    if isinstance(written, str) and instant(written):
        return written
    return when(note, "effective") or begun(node(note.get("context")).get("period"))


def _kind(note: Node) -> str:
    title = plain(node(_attachment(note)).get("title"), 80)
    name = concept(note.get("type"), 80) or first_concept(note.get("category"), 80) or concept(note.get("code"), 80)
    if note.get("resourceType") == "ClinicalImpression":
        name = name or "Clinical impression"
    return joined(name or "Note", title if title.casefold() not in name.casefold() else "", by=": ")


def _entry(note: Node, view: View, said: str) -> Entry:
    authors = [view.named(one, note) for one in nodes(note.get("author") or note.get("assessor"))[:2]]
    state = code(note.get("docStatus")) or code(note.get("status"))
    mark = plain(state, 20) if state in ("preliminary", "amended", "in-progress") else ""
    head = joined(_kind(note), shown(_written_on(note), view.today), *(f"by {name}" for name in authors if name), mark)
    return Entry(f"{head}: {said}", day(_written_on(note)), identity(note))


def _said(note: Node, most: int) -> str:
    if note.get("resourceType") == "ClinicalImpression":
        return _impression(note, most)
    description = quoted(note.get("description"), 160)
    return joined(description, _attached(_attachment(note), most), by="; ") or "no text recorded"


def _impression(note: Node, most: int) -> str:
    findings = [
        text
        for one in nodes(note.get("finding"))[:8]
        if (text := concept(one.get("itemCodeableConcept"), 80) or plain(one.get("basis"), 80))
    ]
    free = [quoted(one.get("text"), most) for one in nodes(note.get("note"))[:1]]
    return (
        joined(
            quoted(note.get("description"), 160),
            quoted(note.get("summary"), most),
            f"findings {joined(*findings)}" if findings else "",
            *free,
            by="; ",
        )
        or "no text recorded"
    )


def _attachment(note: Node) -> Node:
    """The first that can be read, else the first."""
    listed = [node(one.get("attachment")) for one in nodes(note.get("content"))]
    readable = (one for one in listed if _media(one) in _READABLE and isinstance(one.get("data"), str))
    return next(readable, listed[0] if listed else {})


def _media(attachment: Node) -> str:
    return code(attachment.get("contentType")).partition(";")[0].strip()


def _attached(attachment: Node, most: int) -> str:
    if not attachment:
        return ""
    data = attachment.get("data")
    if not isinstance(data, str):
        return "its text is not part of the record" if attachment.get("url") else ""
    if _media(attachment) not in _READABLE:
        return f"its text is not shown ({plain(_media(attachment), 40)})"
    return quoted(_decoded(data, most), most) or "its text cannot be read"


def _decoded(data: str, most: int) -> str:
    """The beginning of the text. However long the note is, only this much of it is decoded."""
    length = most * _SLACK * 2 // 4 * 4
    piece = "".join(data[: length * 2].split())[:length]
    try:
        return base64.b64decode(piece[: len(piece) // 4 * 4], validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""
