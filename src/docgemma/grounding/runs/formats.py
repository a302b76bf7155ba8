"""What a line looks like in the output. The same line always gives the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from docgemma.grounding.contract import Grounded
from docgemma.grounding.runs import omop

FormatName = Literal["jsonl", "omop"]


@dataclass(frozen=True, slots=True)
class Format:
    """`header` stands once at the beginning."""

    name: FormatName
    header: bytes
    line: Callable[[Grounded], bytes]


def _json(line: Grounded) -> bytes:
    """Keys in the order of the contract."""
    return line.model_dump_json().encode() + b"\n"


def format_of(name: FormatName) -> Format:
    return Format("omop", omop.header(), omop.rows) if name == "omop" else Format("jsonl", b"", _json)
