"""Workbooks for the tests: good ones by the library, hostile ones by changing the parts of the zip."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl

SHEET = "xl/worksheets/sheet1.xml"
_MAIN = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OVERRIDE = (
    b'<Override PartName="/xl/sharedStrings.xml" '
    b'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>'
)


def workbook(folder: Path, *rows: Sequence[Any], merge: Sequence[str] = (), name: str = "kb.xlsx") -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (("question", "answer"), *rows) if not rows or rows[0][0] != "HEADER" else (rows[0][1], *rows[1:]):
        sheet.append(list(row))
    for place in merge:
        sheet.merge_cells(place)
    path = folder / name
    book.save(path)
    return path


def changed(path: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """The same workbook with some of its parts made otherwise."""
    with ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    change(parts)
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)
    path.write_bytes(out.getvalue())
    return path


def swapped(part: str, old: bytes, new: bytes) -> Callable[[dict[str, bytes]], None]:
    def change(parts: dict[str, bytes]) -> None:
        assert old in parts[part]
        parts[part] = parts[part].replace(old, new, 1)

    return change


def added(part: str, data: bytes) -> Callable[[dict[str, bytes]], None]:
    return lambda parts: parts.update({part: data})


def without(part: str) -> Callable[[dict[str, bytes]], None]:
    def change(parts: dict[str, bytes]) -> None:
        del parts[part]

    return change


def shared(*extra: bytes) -> Callable[[dict[str, bytes]], None]:
    """As Excel writes it: the cells hold numbers, and the texts stand in a part of their own, `extra` behind them."""

    def change(parts: dict[str, bytes]) -> None:
        texts: list[bytes] = []

        def numbered(found: re.Match[bytes]) -> bytes:
            texts.append(b"<si>" + found[1] + b"</si>")
            return b't="s"><v>%d</v>' % (len(texts) - 1)

        parts[SHEET] = re.sub(rb't="inlineStr"><is>(.*?)</is>', numbered, parts[SHEET])
        parts["xl/sharedStrings.xml"] = b'<sst xmlns="%s">%s</sst>' % (_MAIN, b"".join((*texts, *extra)))
        swapped("[Content_Types].xml", b"</Types>", _OVERRIDE + b"</Types>")(parts)

    return change
