"""An eligibility block, line by line: headings give the type, bullets the items, wrapped lines are joined again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from docgemma.entities.words import word_set
from docgemma.grounding.contract import LONGEST_CRITERION, CriterionType
from docgemma.grounding.reading.bullets import Bullet, Node, bullet, parents
from docgemma.grounding.reading.cleaning import cleaned, plain, unescaped, without_tags
from docgemma.grounding.reading.contract import LONGEST_CONTEXT, Piece
from docgemma.grounding.reading.headings import Heading, heading

_UNFINISHED = re.compile(
    r"(?:[,(/&+<>=≥≤]|\b(?:and|or|of|the|a|an|with|than|to|in|by|for|from|at|on|per|is|are|be|who|that|within|prior))$",
    re.IGNORECASE,
)
_ENDED = (".", ";", ":", "!", "?")
_WORD = re.compile(r"[a-z]{1,40}")
_INTRODUCES = re.compile(
    r"(?::|\b(?:following|follows|below|criteria|of|either|all|any|both|include|including))[\s.]*$", re.IGNORECASE
)
_EMPTY = word_set(
    "a all an and any apply are as at be been below both by can condition conditions criteria criterion defined did do "
    "each either eligible enrolled evidence follow following follows for had has have having her his history if in "
    "include included includes including indicated is known least listed may meet meeting meets met more must not of "
    "on one only or other participant participants patient patients prior requirement requirements satisfy should "
    "subject subjects than that the their these they this three to two unless who will with documented present current "
    "fulfil fulfill fulfilled enter trial study volunteers individuals individual people "
    "person persons diagnosed"
)
"""Words that a line may consist of and still name nothing medical."""


def introduces(text: str) -> bool:
    """Whether an item with others below it says nothing by itself: "Patients must meet one of the following:"."""
    return bool(_INTRODUCES.search(text)) and all(word in _EMPTY for word in _WORD.findall(text.lower()))


@dataclass(slots=True)
class _Item:
    line: int
    bullet: Bullet
    above: list[Node]
    parts: list[str]
    size: int
    gap: bool = False
    """A blank line came since."""
    last: str = ""

    def add(self, text: str) -> None:
        """What is far over the limit is not kept: the item will be refused, and memory stays flat."""
        self.last, self.gap = text, False
        if self.size <= LONGEST_CRITERION:
            self.parts.append(text)
        self.size += len(text) + 1

    @property
    def text(self) -> str:
        return plain(" ".join(self.parts))


@dataclass(slots=True)
class Block:
    """Feed it lines; what comes out are the criteria that are complete."""

    type: CriterionType = "unknown"
    width: int = 0
    """How wide the lines of a wrapped text are; 0 where that is unknown."""
    joins: bool = True
    """False for a list of one criterion a line: nothing is joined."""
    _section: str = ""
    _group: str = ""
    _item: _Item | None = field(default=None)

    def feed(self, number: int, raw: str) -> Iterator[Piece]:
        line = cleaned(unescaped(raw))
        if not line.strip():
            if self._item:
                self._item.gap = True
            return
        above = self._open()
        mark = bullet(line, above)
        found = heading(line[mark.body :] if mark else line, bulleted=mark is not None) or (
            heading(line) if mark else None
        )
        if found is not None:
            yield from self._close()
            self._begin(found)
            for part in inline_items(found.rest):
                yield from self._start(number, Bullet(0, "•", 0), part)
        elif mark:
            yield from self._start(number, mark, line[mark.body :])
        elif self._item and self._continues(self._item, line):
            self._item.add(line.strip())
        else:
            indent = len(line) - len(line.lstrip())
            yield from self._start(number, Bullet(indent, "plain", indent), line.strip())

    def end(self) -> Iterator[Piece]:
        yield from self._close()

    def _begin(self, found: Heading) -> None:
        if found.type is None:
            self._group = found.context
        else:
            self.type, self._section, self._group = found.type, found.context, ""

    def _open(self) -> list[Node]:
        if self._item is None:
            return []
        return [*self._item.above, Node(self._item.bullet, self._item.last)]

    def _start(self, number: int, mark: Bullet, text: str) -> Iterator[Piece]:
        above: list[Node] = []
        if self._item:
            whole = self._item.text
            every = [*self._item.above, Node(self._item.bullet, whole)]
            above = [] if mark.kind == "plain" else _hung(every, mark)
            has_children = len(above) == len(every)
            if not (has_children and introduces(whole)):
                yield self._piece(self._item)
        self._item = _Item(number, mark, above, [text], len(text), last=text)

    def _close(self) -> Iterator[Piece]:
        if self._item:
            yield self._piece(self._item)
        self._item = None

    def _piece(self, item: _Item) -> Piece:
        over = [self._section, self._group, *(node.text for node in item.above)]
        context = " > ".join(part[:300] for part in over if part)[:LONGEST_CONTEXT]
        return Piece(item.line, item.text, self.type, context)

    def _continues(self, item: _Item, line: str) -> bool:
        if not self.joins:
            return False
        indent = len(line) - len(line.lstrip())
        bulleted = item.bullet.kind != "plain"
        if bulleted and indent > item.bullet.indent:
            return True
        if item.gap or item.last.endswith(_ENDED):
            return False
        words = line.split(maxsplit=1)
        full = bool(self.width) and item.bullet.body * bulleted + len(item.last) + 1 + len(words[0]) > self.width
        lower = words[0][0].islower() or words[0][0] in ")]%≥≤<>=&"
        if _UNFINISHED.search(item.last):
            return lower or full or bulleted
        return lower and (bulleted or full)


def _hung(every: list[Node], mark: Bullet) -> list[Node]:
    """Under a plain line an item hangs only where that line leads to it."""
    kept = parents(every, mark)
    if kept and kept[0].bullet.kind == "plain" and not _INTRODUCES.search(kept[0].text):
        return []
    return kept


_INLINE = re.compile(r"(?:^|\s)(?:[•▪●◦]\s{0,4}|[-*–]\s{1,4}(?=[A-Z≥≤<>]))")
_INLINE_NUMBER = re.compile(r"(?:^|(?<=[.;:,)\w])\s{1,4})\(?(\d{1,2})[.)]\s{1,4}(?=[A-Z≥≤<>])")


def inline_items(text: str) -> list[str]:
    """The items of a block whose line ends were lost: "Inclusion Criteria: - Adults - Asthma", "1. Adults 2. …"."""
    if not text:
        return []
    numbers = [int(found.group(1)) for found in _INLINE_NUMBER.finditer(text)]
    if len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1)):
        parts = _INLINE_NUMBER.split(text)
        return [part.strip() for part in (parts[0], *parts[2::2]) if part.strip()]
    marks = _INLINE.findall(text)
    if len(marks) > 1 or (marks and _INLINE.match(text)):
        return [part.strip() for part in _INLINE.split(text) if part.strip()]
    return [text]


_FLAT = re.compile(
    r"(?<=\S)\s{1,40}(?=(?:(?:key|main)\s{1,2})?(?:inclusion|exclusion)\s{1,2}criteria\s{0,2}:)", re.IGNORECASE
)


def split_block(text: str, type: CriterionType = "unknown") -> Iterator[Piece]:
    """A whole block that is in memory: the eligibility text of one study. Lines count from 1."""
    text = without_tags(text)
    if "\n" not in text.strip():
        text = _FLAT.sub("\n", text)
    raw = text.splitlines()
    yield from fed(Block(type, measured(raw)), enumerate(raw, 1))


def fed(block: Block, numbered: Iterable[tuple[int, str]]) -> Iterator[Piece]:
    for number, line in numbered:
        yield from block.feed(number, line)
    yield from block.end()


_WIDEST = 130
_AT_LEAST = 40


def measured(sample: Iterable[str]) -> int:
    """The width that lines were wrapped at: several come near it, and none is much longer than a page is wide."""
    sizes = sorted((len(line.rstrip()) for line in sample if line.strip()), reverse=True)
    if not sizes or not _AT_LEAST <= sizes[0] <= _WIDEST:
        return 0
    near = sum(size > sizes[0] * 0.85 for size in sizes)
    return sizes[0] if near >= max(2, len(sizes) // 5) else 0


def looks_like_block(sample: Iterable[str]) -> bool:
    """Whether the first lines of a text show headings or bullets."""
    marked = 0
    for raw in sample:
        line = cleaned(unescaped(raw))
        if not line.strip():
            continue
        mark = bullet(line)
        marked += mark is not None
        if marked >= 2 or heading(line[mark.body :] if mark else line, bulleted=mark is not None):
            return True
    return False
