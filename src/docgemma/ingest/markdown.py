"""Markdown pages: every `## Heading` begins a section, and the top of the file holds keys and values.

What a person who looks at the page does not see must not be taken for content: headings in a comment or in a code block
begin nothing, and a section with a comment in it is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})(.*)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*")
_NO_PARAGRAPH = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]|$)|\t| {4}")
_KEY = re.compile(r"([^\s:#][^:]{0,60}?)\s*:(?:\s+(.*))?")
_LINE_END = re.compile("\r\n?|\n")

_NO_KEY = (
    "The line is not 'key: value'. Only such lines may stand between the two --- at the top; the file was not read."
)
_NOT_CLOSED = "The block that begins with --- is not closed by another ---. Close it; the file was not read."
_UNDERLINED = "A heading is written by underlining it. Write '# Title' or '## Question' instead."
_COMMENT = "There is a comment (<!-- -->) in the entry. Remove it: what nobody sees, nobody reviews."
_OPEN_FENCE = "A block of code that begins in the entry is not closed. Close it, or what follows is part of the answer."


@dataclass(slots=True)
class Section:
    """What stands below a `## heading`. `title`: the last `# Title` before it. `wrong`: why it cannot be taken."""

    line: int
    heading: str
    title: str
    lines: list[str] = field(default_factory=list)
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """`top`: the keys and values at the top. `wrong`: why the page cannot be read, at `line`; else empty.

    `stray`: text stands under no heading of a section.
    """

    top: dict[str, str]
    sections: tuple[Section, ...] = ()
    stray: bool = False
    line: int = 0
    wrong: str = ""


def read_page(text: str) -> Page:
    """A page of moderate size, taken apart."""
    every = _LINE_END.split(text)
    top, start, wrong = _top(every)
    if wrong:
        return Page({}, line=start, wrong=wrong)
    sections = _Sections()
    for number, line in enumerate(every[start:], start + 1):
        sections.take(number, line)
    return Page(top, tuple(sections.found()), sections.stray)


def _top(every: list[str]) -> tuple[dict[str, str], int, str]:
    """What stands between two `---` at the top, and the line behind it; or the line that is wrong, and why.

    Simple lines only: no list, no nesting.
    """
    if every[0].rstrip() != "---":
        return {}, 0, ""
    said: dict[str, str] = {}
    for number, line in enumerate(every[1:], 2):
        if line.rstrip() in ("---", "..."):
            return said, number, ""
        if not line.strip() or line.startswith("#"):
            continue
        key = _KEY.fullmatch(line.rstrip())
        if key is None:
            return {}, number, _NO_KEY
        if key[1] in said:
            return {}, number, f"'{key[1]}' stands twice at the top. Keep one of them."
        said[key[1]] = _unquoted(key[2] or "")
    return {}, 1, _NOT_CLOSED


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


class _Sections:
    """Goes through the lines, and knows whether a line can be a heading."""

    def __init__(self) -> None:
        self.stray = False
        self._found: list[Section] = []
        self._title = ""
        self._open: Section | None = None
        self._fence = ""
        self._comment = False
        self._before = ""

    def found(self) -> Iterator[Section]:
        """All of them, when the last line was taken."""
        if self._open is not None and self._fence:
            self._open.wrong = self._open.wrong or _OPEN_FENCE
        yield from self._found

    def take(self, number: int, line: str) -> None:
        was_code = bool(self._fence)
        self._follow_fence(line)
        plain = not (was_code or self._fence or self._comment)
        heading = _HEADING.fullmatch(line) if plain else None
        if heading is None or len(heading[1]) > 2:
            underline = plain and _UNDERLINE.fullmatch(line) is not None
            self._add(line, code=was_code or bool(self._fence), underline=underline)
            return
        self._before = ""
        if len(heading[1]) == 1:
            self._title, self._open = heading[2] or "", None
        else:
            self._open = Section(number, heading[2] or "", self._title)
            self._found.append(self._open)

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
        if self._open is None:
            self.stray = self.stray or bool(line.strip())
            return
        self._open.lines.append(line)
        if commented or underlined:
            self._open.wrong = self._open.wrong or (_COMMENT if commented else _UNDERLINED)
