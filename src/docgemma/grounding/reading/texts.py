"""Plain text: one criterion a line, or an eligibility block as it was pasted. The first lines tell which."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator

from docgemma.grounding.contract import CriterionType
from docgemma.grounding.reading.blocks import Block, looks_like_block, measured
from docgemma.grounding.reading.cleaning import without_tags
from docgemma.grounding.reading.contract import LONGEST_LINE, Piece, Problem, wrong_line
from docgemma.ingest.text import Line, lines

_SAMPLE = 300


def read_text(
    text: io.TextIOWrapper, *, type: CriterionType = "unknown", block: bool = False
) -> Iterator[Piece | Problem]:
    """Headings give the type and bullets come off in both; only in a block are wrapped lines joined."""
    every = lines(text, LONGEST_LINE)
    sample = list(itertools.islice(every, _SAMPLE))
    shown = [line.text for line in sample]
    joins = block or looks_like_block(shown)
    state = Block(type, measured(shown) if joins else 0, joins)
    for line in itertools.chain(sample, every):
        yield from _fed(state, line)
    yield from state.end()


def _fed(state: Block, line: Line) -> Iterator[Piece | Problem]:
    if line.wrong:
        yield from state.end()
        yield wrong_line(line)
        return
    for part in without_tags(line.text).split("\n") if "<" in line.text else (line.text,):
        yield from state.feed(line.number, part)
