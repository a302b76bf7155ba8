"""Everything a label says about safety, taken apart: one statement for each sentence, bullet and row of a table.

Labels repeat themselves: highlights say in short what follows, parts of a section come again as sections of their
own, tables come a second time as a heap of words. Here each is said once, and no word is lost.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docgemma.drugs.labels import boxed
from docgemma.drugs.labels.bounds import bounded
from docgemma.drugs.labels.headings import Block, blocks, split_category, split_heading
from docgemma.drugs.labels.markup import plain_text
from docgemma.drugs.labels.references import MARK, marked
from docgemma.drugs.labels.sameness import Key, gist, key, within
from docgemma.drugs.labels.sentences import parts
from docgemma.drugs.labels.tables import rows
from docgemma.drugs.labels.wording import PARTS, SECTIONS, TABLE, section_name
from docgemma.drugs.model import Statement
from docgemma.sources.contract import Label

_OTHER = "spl_unclassified_section"
_LEAST_LETTERS = 24
"""A table shorter than this may be found where it is not."""
_LONGEST_NAME = 200
_SHORT_WORD = 3
_TOPIC = re.compile(r"([A-Z][^:.;]{2,120}):\s")
_COMPARED = 40
"""Sentences that a line of the highlights is compared with, at most."""


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    heading: str = ""
    brief: bool = False


def statements(label: Label) -> tuple[Statement, ...]:
    """All statements of the sections that safety rests on, section by section, each once."""
    label = bounded(label)
    seen: set[Key] = set()
    found: list[Statement] = []
    for field in SECTIONS:
        said = [_Said(each.text, each.heading) for each in _without_brief(list(_section(label, field)))]
        for each in said:
            same = key(each.text, each.heading)
            if same not in seen:
                seen.add(same)
                found.append(Statement(each.text, field, section_name(field), label, each.heading))
    return tuple(found)


def section_statements(label: Label, field: str) -> tuple[Statement, ...]:
    """The statements of one section, whatever another section repeats of it."""
    label = bounded(label)
    said = dict.fromkeys(_Said(each.text, each.heading) for each in _without_brief(list(_section(label, field))))
    return tuple(Statement(each.text, field, section_name(field), label, each.heading) for each in said)


def _section(label: Label, field: str) -> Iterator[_Said]:
    """What stands in a section. Boxes that warn of nothing are read with the unclassified text."""
    tables = label.sections.get(field + TABLE, ())
    texts = label.sections.get(field, ())
    if field == "boxed_warning":
        texts = tuple(text for text in texts if boxed.is_warning(text))
    elif field == _OTHER:
        texts += tuple(text for text in label.sections.get("boxed_warning", ()) if not boxed.is_warning(text))
    repeated = [plain_text(markup) for markup in tables]
    repeated += [text for part in PARTS.get(field, ()) for text in label.sections.get(part, ())]
    names = _names(label)
    for text in texts:
        line = marked(without(text, repeated))
        if field == "boxed_warning":
            yield from _boxed(line)
            continue
        for block in blocks(line, field, names):
            yield from _brief(block) if block.brief else _block(block)
    for markup in tables:
        yield from (_Said(row.text, row.caption) for row in rows(markup))


def _names(label: Label) -> frozenset[str]:
    """What the product is called, a word at a time: where its name begins a sentence, the heading before it ends."""
    called = " ".join(name[:_LONGEST_NAME] for name in (*label.brands, *label.generics, *label.substances))
    return frozenset(word for word in called.casefold().split() if len(word) > _SHORT_WORD)


def _boxed(line: str) -> Iterator[_Said]:
    heading, rest = boxed.heading_line(line)
    if heading:
        yield _Said(heading)
    yield from _block(Block(heading, rest))


def _brief(block: Block) -> Iterator[_Said]:
    """The highlights: "Topic: one sentence. Another. ( 5.1 )". What follows the first belongs to its topic."""
    topic = ""
    for part in parts(block.text):
        yield _Said(part.text, part.stem or topic, brief=True)
        found = _TOPIC.match(part.text)
        topic = "" if part.refers else found[1] if found else topic


def _block(block: Block) -> Iterator[_Said]:
    """The sentences under one heading; a heading without a sentence is said itself."""
    if block.heading and not any(char.isalnum() for char in block.text):
        yield _Said(block.heading)
        return
    sub = ""
    for part in parts(block.text):
        category, text = split_category(part.text)
        heading, text = split_heading(text)
        if category:
            yield _Said(category, " — ".join(filter(None, (block.heading, sub))))
        sub = heading or sub
        stem = split_heading(part.stem)[1] if part.stem else ""
        yield _Said(text, " — ".join(filter(None, (block.heading, sub, stem))))


def without(text: str, repeated: Sequence[str]) -> str:
    """A section's text without what stands elsewhere too: cells of its tables in one heap, its own sub-sections.

    Blanks do not count, because each place has its own.
    """
    line = text.replace(MARK, " ")
    needles = [needle for each in repeated if len(needle := "".join(each.split())) >= _LEAST_LETTERS]
    if not needles:
        return line
    places = [at for at, char in enumerate(line) if not char.isspace()]
    squeezed = "".join(line.split())
    found = sorted((at, at + len(needle)) for needle in needles if (at := squeezed.find(needle)) >= 0)
    kept: list[str] = []
    done = 0
    for begin, end in found:
        if end > done:
            start = places[begin] if begin >= done else places[done - 1] + 1
            kept.append(line[places[done - 1] + 1 if done else 0 : start])
            done = end
    return f" {MARK} ".join([*kept, line[places[done - 1] + 1 if done else 0 :]])


def _without_brief(said: list[_Said]) -> Iterator[_Said]:
    """Without lines of the highlights that the full text says in the same words and more."""
    index: dict[str, list[Key]] = defaultdict(list)
    if any(each.brief for each in said):
        for each in said:
            if not each.brief:
                words = gist(each.text)
                for word in dict.fromkeys(words):
                    index[word].append(words)
    for each in said:
        if not (each.brief and _told_in_full(gist(each.text), index)):
            yield each


def _told_in_full(words: Key, index: dict[str, list[Key]]) -> bool:
    if not words:
        return False
    rarest = min(words, key=lambda word: len(index.get(word, ())))
    return any(within(words, long) for long in index.get(rarest, ())[:_COMPARED])
