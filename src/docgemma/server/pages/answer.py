"""The text of an answer for the page: what stands elsewhere on it is left out here, and nothing is lost.

What code put together is shown word for word, line by line: markdown would eat the asterisks of "4.5*10*9/L". What a
model wrote may hold lists and emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from docgemma.agent.answer.check import MARK
from docgemma.agent.cards import WAITING
from docgemma.agent.record import Approval, Clarification, TurnRecord
from docgemma.entities.printable import plain
from docgemma.orders.carding import check_lines
from docgemma.orders.model import Row
from docgemma.server.pages.markdown import SOURCE_MARK, to_html

_LABEL = re.compile(r"\[([^\[\]\n]{1,80})\]")
_ENTRY = re.compile(r"- |\d{1,2}\. ")
_BETWEEN = re.compile(r"(?<=[\w.)])\*(?=[\w.(])")
UNSOURCED = MARK.strip()
_WRITERS = frozenset({"synthesize", "compose"})


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a composed answer: a heading, a smaller heading, the entries of a list, or lines.

    An entry may go on in the next line, which is indented; it stays one entry, of several lines.
    """

    kind: Literal["heading", "part", "list", "lines"]
    lines: tuple[str, ...]


def by_model(record: TurnRecord) -> bool:
    """Whether a language model put the answer into words."""
    return any(step.by == "model" and step.step in _WRITERS for step in record.timeline)


def as_html(text: str, anchor: str, numbers: Collection[str]) -> Markup:
    """A model's text. Source marks become links only where every one of them has a source to lead to."""
    told = set(SOURCE_MARK.findall(text))
    marks = anchor if told and told <= set(numbers) else ""
    html = to_html(_BETWEEN.sub(r"\\*", text), marks=marks)
    return html.replace(UNSOURCED, Markup('<mark class="unsourced">') + UNSOURCED + Markup("</mark>"))


def as_blocks(text: str) -> tuple[Block, ...]:
    """A composed text by its own layout. A heading under which nothing is left goes too."""
    paragraphs = re.split(r"\n\s*\n", plain(text).strip("\n"))
    return tuple(block for paragraph in paragraphs for block in _with_something(tuple(_blocks(paragraph))))


def _with_something(blocks: Sequence[Block]) -> Iterator[Block]:
    """Without headings under which nothing is left."""
    for place, block in enumerate(blocks):
        follows = blocks[place + 1].kind if place + 1 < len(blocks) else ""
        below = {"heading": ("part", "list", "lines"), "part": ("list", "lines")}.get(block.kind)
        if below is None or follows in below:
            yield block


def _blocks(paragraph: str) -> Iterator[Block]:
    lines = [line.rstrip() for line in paragraph.splitlines() if line.strip()]
    pending: list[str] = []
    kind: Literal["list", "lines"] = "lines"
    for place, line in enumerate(lines):
        if pending and kind == "list" and line.startswith("  "):
            pending[-1] += f"\n{line.strip()}"
            continue
        entry = bool(_ENTRY.match(line))
        follows = lines[place + 1] if place + 1 < len(lines) else ""
        title = _LABEL.fullmatch(line)
        alone: Block | None = None
        if title:
            alone = Block("heading", (title[1],))
        elif not entry and line.endswith(":") and follows and not _LABEL.fullmatch(follows):
            alone = Block("part", (line[:-1],))
        if pending and (alone or entry != (kind == "list")):
            yield Block(kind, tuple(pending))
            pending = []
        if alone:
            yield alone
        else:
            kind = "list" if entry else "lines"
            pending.append(line.removeprefix("- ") if entry else line)
    if pending:
        yield Block(kind, tuple(pending))


def remaining(record: TurnRecord, rows: Mapping[str, Row], elsewhere: Collection[str]) -> str:
    """The response without what the page shows in another place: notices, the question, the card, the receipt."""
    text = record.response
    if record.clarification is not None:
        text = _without_question(text, record.clarification)
    for card in record.cards:
        if (row := rows.get(card.id)) is not None:
            text = _without_card(text, card, row)
    if record.receipt is not None:
        text = text.replace(str(record.receipt.get("text") or ""), "", 1)
    return "\n".join(line for line in text.splitlines() if line not in elsewhere).strip("\n")


def _without_question(text: str, asked: Clarification) -> str:
    numbered = {f"{number}. {option.label}" for number, option in enumerate(asked.options, 1)}
    return "\n".join(line for line in text.replace(asked.question, "", 1).splitlines() if line not in numbered)


def _without_card(text: str, approval: Approval, row: Row) -> str:
    """The card and its checks stand on the card, from the ledger. What the ledger does not say stays here."""
    if approval.card and approval.card == row.card.text:
        text = text.replace(approval.card, "", 1)
    told = set(check_lines(row.card.checks))
    return "\n".join(line for line in text.splitlines() if line not in told and not line.startswith(WAITING))


def numbered(ids: Sequence[str]) -> tuple[str, ...]:
    """Source ids as the page counts them: S3 is 3. One without an id has the number of its place."""
    return tuple(id_.removeprefix("S") or str(place) for place, id_ in enumerate(ids, 1))
