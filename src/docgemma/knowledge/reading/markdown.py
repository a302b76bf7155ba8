"""Markdown: every `## Question` is an entry, the text below it the answer; the top of the file says what holds for all.

What a person who looks at the page does not see must not become an entry: headings in a comment or in a code block are
no questions, and an entry with a comment in it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from docgemma.knowledge.reading.columns import columns, ignored
from docgemma.knowledge.reading.contract import Cell, Field, Note, Options, Problem, Raw, Tell
from docgemma.knowledge.reading.files import Source
from docgemma.knowledge.reading.text import whole

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})(.*)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*")
_NO_PARAGRAPH = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]|$)|\t| {4}")
_KEY = re.compile(r"([^\s:#][^:]{0,60}?)\s*:(?:\s+(.*))?")
_LINE_END = re.compile("\r\n?|\n")
_OF_A_FILE: frozenset[Field] = frozenset({"role", "topic", "subtopic", "language", "source", "reviewed", "url"})

_NO_KEY = (
    "The line is not 'key: value'. Only such lines may stand between the two --- at the top; the file was not read."
)
_NOT_CLOSED = "The block that begins with --- is not closed by another ---. Close it; the file was not read."
_NO_ENTRY = "There is no question in the file. Begin each entry with a line '## Question'."
_UNDERLINED = "A heading is written by underlining it. Write '# Title' or '## Question' instead."
_COMMENT = "There is a comment (<!-- -->) in the entry. Remove it: what nobody sees, nobody reviews."
_OPEN_FENCE = "A block of code that begins in the entry is not closed. Close it, or what follows is part of the answer."


@dataclass
class _Entry:
    """One that is being read."""

    line: int
    question: str
    title: str
    answer: list[str] = field(default_factory=list)
    wrong: str = ""


class _Page:
    """Goes through the lines, and knows whether a line can be a heading."""

    def __init__(self) -> None:
        self.title = ""
        self.entry: _Entry | None = None
        self.stray = False
        self._fence = ""
        self._comment = False
        self._before = ""

    def take(self, number: int, line: str) -> _Entry | None:
        """The entry that this line ends, if it does."""
        was_code = bool(self._fence)
        self._follow_fence(line)
        plain = not (was_code or self._fence or self._comment)
        heading = _HEADING.fullmatch(line) if plain else None
        if heading is None or len(heading[1]) > 2:
            self._add(
                line, code=was_code or bool(self._fence), underline=plain and _UNDERLINE.fullmatch(line) is not None
            )
            return None
        ended, text = self.entry, heading[2] or ""
        self._before = ""
        if len(heading[1]) == 1:
            self.title, self.entry = text, None
        else:
            self.entry = _Entry(number, text, self.title)
        return ended

    def end(self) -> _Entry | None:
        if self.entry is not None and self._fence:
            self.entry.wrong = self.entry.wrong or _OPEN_FENCE
        return self.entry

    def _follow_fence(self, line: str) -> None:
        fence = None if self._comment else _FENCE.fullmatch(line)
        if fence is None:
            return
        if not self._fence:
            self._fence = fence[1]
        elif fence[1].startswith(self._fence) and not fence[2].strip():
            self._fence = ""

    def _add(self, line: str, *, code: bool, underline: bool) -> None:
        commented = not code and (self._comment or "<!--" in line)
        if commented:
            self._comment = line.rfind("-->") < line.rfind("<!--") if "<!--" in line else "-->" not in line
        underlined = underline and _NO_PARAGRAPH.match(self._before) is None
        self._before = "" if code else line
        if self.entry is None:
            self.stray = self.stray or bool(line.strip())
            return
        self.entry.answer.append(line)
        if commented or underlined:
            self.entry.wrong = self.entry.wrong or (_COMMENT if commented else _UNDERLINED)


def read_markdown(source: Source, options: Options, tell: Tell) -> Iterator[Raw | Problem]:
    with source.open() as stream:
        every = _LINE_END.split(whole(stream, source.name))
    top, start = _top(source, every, options, tell)
    if isinstance(top, Problem):
        yield top
        return
    page, found = _Page(), 0
    for number, line in enumerate(every[start:], start + 1):
        if ended := page.take(number, line):
            found += 1
            yield _raw(source, ended, top)
    if last := page.end():
        found += 1
        yield _raw(source, last, top)
    if not found:
        yield Problem(source.name, 1, _NO_ENTRY)
    elif page.stray:
        tell(Note(source.name, "Text that stands under no '## Question' was not read."))


def _raw(source: Source, entry: _Entry, top: dict[Field, Cell]) -> Raw | Problem:
    """The title is the topic where the file names none. A folder's name says less than both."""
    if entry.wrong:
        return Problem(source.name, entry.line, entry.wrong)
    cells: dict[Field, Cell] = {**top, "question": entry.question, "answer": "\n".join(entry.answer)}
    titled = not cells.get("topic") and bool(entry.title)
    if titled:
        cells["topic"] = entry.title
    names = [name.replace("_", " ") for name in source.folders[:2]]
    hints: dict[Field, Cell] = {}
    if names:
        hints["topic"] = names[0]
    if len(names) > 1 and not titled:
        hints["subtopic"] = names[1]
    return Raw(entry.line, cells, hints)


def _top(source: Source, every: list[str], options: Options, tell: Tell) -> tuple[dict[Field, Cell] | Problem, int]:
    """What stands between two `---` at the top, and the line behind it. Simple lines only: no list, no nesting."""
    if every[0].rstrip() != "---":
        return {}, 0
    said: dict[str, str] = {}
    for place, line in enumerate(every[1:], 1):
        if line.rstrip() in ("---", "..."):
            return _named(source, said, options, tell), place + 1
        if not line.strip() or line.startswith("#"):
            continue
        key = _KEY.fullmatch(line.rstrip())
        if key is None:
            return Problem(source.name, place + 1, _NO_KEY), 0
        if key[1] in said:
            return Problem(source.name, place + 1, f"'{key[1]}' stands twice at the top. Keep one of them."), 0
        said[key[1]] = _unquoted(key[2] or "")
    return Problem(source.name, 1, _NOT_CLOSED), 0


def _named(source: Source, said: dict[str, str], options: Options, tell: Tell) -> dict[Field, Cell]:
    keys = tuple(said)
    found = columns(keys, options, source.name)
    used = {place: name for place, name in found.places.items() if name in _OF_A_FILE}
    unused = tuple(key for place, key in enumerate(keys) if place not in used)
    if unused:
        tell(Note(source.name, ignored(unused)))
    return {name: said[keys[place]] for place, name in used.items()}


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
