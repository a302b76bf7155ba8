"""The door: a file, a folder or standard input in; criteria and problems out, one at a time."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from docgemma.errors import BadInput
from docgemma.grounding.contract import Criterion, CriterionType
from docgemma.grounding.reading.contract import FORMATS, Format, Piece, Problem
from docgemma.grounding.reading.documents import read_document, read_lines
from docgemma.grounding.reading.naming import Naming
from docgemma.grounding.reading.sources import files_under, format_of, opened, protocol_of, stem_of
from docgemma.grounding.reading.tables import read_table
from docgemma.grounding.reading.texts import read_text
from docgemma.ingest.files import is_folder, stream_of
from docgemma.ingest.problem import shown
from docgemma.ingest.text import decoded, is_utf16, is_utf32

STDIN = "-"


def read(
    path: Path | str,
    *,
    format: Format | None = None,
    protocol_id: str = "",
    type: CriterionType = "unknown",
    stdin: BinaryIO | None = None,
) -> Iterator[Criterion | Problem]:
    """Every criterion of a file, a folder of files, or `-` for standard input, as a stream.

    `protocol_id` and `type` hold where the file itself says nothing. BadInput comes where nothing can be read at all;
    in a folder, a file that cannot be read is a Problem and the others are read.
    """
    if format is not None and format not in FORMATS:
        raise BadInput(f"The format is one of: {', '.join(FORMATS)}.")
    naming = Naming(protocol_id.strip())
    if str(path) == STDIN:
        given = stdin or sys.stdin.buffer
        stream = stream_of(getattr(given, "read1", given.read))
        yield from _named(_pieces(stream, Path(STDIN), format, type), naming, "stdin", "", "")
        return
    path = Path(path)
    if not is_folder(path):
        yield from _file(path, format, type, naming, "")
        return
    for each in files_under(path):
        name = shown(str(each.relative_to(path)))
        try:
            yield from _file(each, format, type, naming, name)
        except BadInput as error:
            yield Problem(name, 0, str(error))


def _file(
    path: Path, format: Format | None, type: CriterionType, naming: Naming, name: str
) -> Iterator[Criterion | Problem]:
    naming.begin()
    with closing(opened(path)) as stream:
        stem = stem_of(name or path.stem)
        yield from _named(_pieces(stream, path, format, type), naming, stem, protocol_of(path), name)


def _pieces(
    stream: io.BufferedReader[Any], path: Path, format: Format | None, type: CriterionType
) -> Iterator[Piece | Problem]:
    name = "Standard input" if str(path) == STDIN else shown(path.name)
    start = stream.peek(4)[:4096]
    if is_utf32(start):
        raise BadInput(f"{name} is text in UTF-32. Save it as UTF-8 and read it again.")
    if b"\0" in start and not is_utf16(start):
        raise BadInput(f"{name} is not text. Export it as text, CSV or JSON in UTF-8 and read that.")
    chosen = format or format_of(path.suffix if str(path) != STDIN else "", start)
    if chosen == "json":
        return read_document(stream, start, name)
    text = decoded(stream, start)
    if chosen == "jsonl":
        return read_lines(text)
    if chosen == "csv":
        return read_table(text, name)
    return read_text(text, type=type, block=chosen == "block")


def _named(
    found: Iterator[Piece | Problem], naming: Naming, stem: str, protocol: str, name: str
) -> Iterator[Criterion | Problem]:
    for each in found:
        if isinstance(each, Problem):
            yield replace(each, file=name)
        else:
            yield naming.name(each if each.protocol else replace(each, protocol=protocol), stem, name)
