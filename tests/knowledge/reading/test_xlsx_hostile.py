import io
import random
import struct
import warnings
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from docgemma.errors import BadInput, DocGemmaError
from docgemma.ingest import workbooks
from tests.knowledge.reading.reading import reading
from tests.knowledge.reading.workbooks import SHEET, added, changed, swapped, without, workbook

LAUGHS = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><worksheet'
CHANGES: dict[str, tuple[Callable[[dict[str, bytes]], None], str]] = {
    "entities": (swapped(SHEET, b"<worksheet", LAUGHS), "DTD"),
    "small letters": (swapped(SHEET, b"<worksheet", b"<!doctype x><worksheet"), "DTD"),
    "entities elsewhere": (added("docProps/core.xml", b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>'), "DTD"),
    "entities in utf-16": (added("xl/theme/theme1.xml", LAUGHS.decode().encode("utf-16")), "DTD"),
    "entities far behind": (
        added("xl/x.xml", b" " * ((1 << 20) - 5) + random.Random(1).randbytes(40_000).replace(b"<", b"") + LAUGHS),
        "DTD",
    ),
    "macros": (added("xl/vbaProject.bin", b"x"), "macros"),
    "macros by name only": (
        swapped("[Content_Types].xml", b"spreadsheetml.sheet.main", b"sheet.macroEnabled.main"),
        "macros",
    ),
    "old macros": (added("xl/macrosheets/sheet1.xml", b"<x/>"), "macros"),
    "links to other workbooks": (added("xl/externalLinks/externalLink1.xml", b"<x/>"), "other workbooks"),
    "one part is a bomb": (added("xl/media/image1.png", b"\0" * 60_000_000), "unpacks to more"),
    "too many parts": (
        lambda parts: parts.update({f"x/{n}": b"" for n in range(workbooks.MOST_PARTS)}),
        "unpacks to more",
    ),
    "broken xml": (swapped(SHEET, b"</sheetData>", b""), "damaged"),
    "no sheet": (without(SHEET), "no visible sheet"),
    "no workbook": (without("xl/workbook.xml"), "damaged"),
    "no list of parts": (without("[Content_Types].xml"), "damaged"),
    "a text that is not there": (
        swapped(SHEET, b't="inlineStr"><is><t>A?</t></is>', b't="s"><v>999</v>'),
        "damaged",
    ),
    "a row far away": (swapped(SHEET, b'<row r="2"', b'<row r="99999999999"'), "damaged"),
    "a row without number": (swapped(SHEET, b'<row r="2"', b'<row r="x"'), "damaged"),
    "a cell that is nowhere": (swapped(SHEET, b'r="A2"', b'r="A0A"'), "damaged"),
}


@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES)
def test_a_hostile_workbook_is_refused(tmp_path: Path, change: Callable[[dict[str, bytes]], None], said: str) -> None:
    path = changed(workbook(tmp_path, ("A?", "B")), change)
    with pytest.raises(BadInput, match=said):
        reading(path)


def test_a_sheet_that_claims_to_be_enormous_is_read_as_it_is(tmp_path: Path) -> None:
    path = changed(workbook(tmp_path, ("A?", "B")), swapped(SHEET, b'ref="A1:B2"', b'ref="A1:XFD1048576"'))
    assert len(reading(path)) == 1


def test_a_bomb_of_many_small_parts_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbooks, "LARGEST", 2_000_000)
    noise = random.Random(1).randbytes(900_000)
    path = changed(workbook(tmp_path, ("A?", "B")), lambda parts: parts.update({f"x/{n}": noise for n in range(3)}))
    with pytest.raises(BadInput, match="unpacks to more"):
        reading(path)


def test_a_size_that_lies_does_not_help(tmp_path: Path) -> None:
    """The list says a part is small; then no more of it is read, and its check sum is wrong."""
    path = changed(workbook(tmp_path, ("A?", "B")), added("xl/x.xml", b"\0" * 3_000_000))
    path.write_bytes(path.read_bytes().replace(struct.pack("<L", 3_000_000), struct.pack("<L", 100)))
    with pytest.raises(BadInput, match="damaged"):
        reading(path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "password"),
        (b"", "damaged"),
        (b"question,answer\n", "damaged"),
        (b"PK\x03\x04", "damaged"),
    ],
    ids=["old or protected", "nothing", "csv", "cut"],
)
def test_what_is_no_workbook_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "kb.xlsx"
    path.write_bytes(data)
    with pytest.raises(BadInput, match=said):
        reading(path)


def test_a_protected_part_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path, ("A?", "B"))
    data = bytearray(path.read_bytes())
    at = data.find(b"PK\x01\x02")
    data[at + 8] |= 1
    path.write_bytes(bytes(data))
    with pytest.raises(BadInput, match="protected by a password"):
        reading(path)


def test_a_part_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path, ("A?", "B"))
    with warnings.catch_warnings(), ZipFile(path, "a", ZIP_DEFLATED) as package:
        warnings.simplefilter("ignore")
        package.writestr(SHEET, b"<x/>")
    with pytest.raises(BadInput, match="damaged"):
        reading(path)


def test_a_plain_zip_is_no_workbook(tmp_path: Path) -> None:
    out = io.BytesIO()
    with ZipFile(out, "w") as package:
        package.writestr("hello.txt", "hello")
    (tmp_path / "kb.xlsx").write_bytes(out.getvalue())
    with pytest.raises(BadInput, match="damaged"):
        reading(tmp_path / "kb.xlsx")


@pytest.mark.parametrize("seed", range(40))
def test_no_damage_brings_the_reader_down(tmp_path: Path, seed: int) -> None:
    """Bytes are changed inside the parts, where the check sums of the zip do not see them."""
    chance = random.Random(seed)

    def spoil(parts: dict[str, bytes]) -> None:
        for name in chance.sample(sorted(parts), 2):
            data = bytearray(parts[name])
            for _ in range(chance.choice((1, 3, 30))):
                data[chance.randrange(len(data))] = chance.choice(b'<>/"0A=& \x00\xff')
            parts[name] = bytes(data)

    path = changed(workbook(tmp_path, ("A?", "B"), ("C?", "=1+1"), merge=["A2:A3"]), spoil)
    try:
        reading(path)
    except DocGemmaError as error:
        assert str(error).isprintable()
