"""What reading gives out beside criteria, and what its parts hand to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from docgemma.grounding.contract import CriterionType
from docgemma.ingest.problem import Problem as Problem
from docgemma.ingest.text import Line

Format = Literal["text", "block", "jsonl", "json", "csv"]
"""`text`: one criterion a line, or a block where headings and bullets show one. `block`: wrapped lines always joined.
`json`: an array of records or of registry studies, or one study."""

FORMATS: tuple[Format, ...] = get_args(Format)

LONGEST_LINE = 1_000_000
"""Characters of one line or one row; what is longer is passed over and named."""

LONGEST_CONTEXT = 1_000
LONGEST_ID = 200


NOT_UTF8 = "The line is not text in UTF-8. Save the file as UTF-8."
TOO_LONG = f"The line has more than {LONGEST_LINE:,} characters. Write one criterion a line."


def wrong_line(line: Line) -> Problem:
    """What to say of a line that could not be read."""
    return Problem("", line.number, TOO_LONG if line.wrong == "too_long" else NOT_UTF8)


@dataclass(frozen=True, slots=True)
class Piece:
    """One criterion before it has an id. `id` is the file's own, or empty."""

    line: int
    text: str
    type: CriterionType = "unknown"
    context: str = ""
    id: str = ""
    protocol: str = ""
    name: str = ""
    """What stands in a made id in place of type and number, where the place in the file has a name."""
    fresh: bool = False
    """The first of a study: numbers begin again, so that its ids do not depend on what was read before."""


class Refused(ValueError):
    """Why one line or record cannot be a criterion; becomes a Problem of that line."""
