"""Finding a birth date in a text, in whatever way people write one.

All days that the text can be read to name are collected once, "2/3/55" in both readings: which one was meant does not
matter, as long as it can be the patient's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from docgemma.fetch.folding import fold, word_set

_PIECE = re.compile(r"[0-9]+|[^\W\d_]+")
_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_MONTHS = (
    "jan january januar enero janvier gennaio janeiro januari i",
    "feb february februar febrero fevrier febbraio fevereiro februari ii",
    "mar march marz maerz marzo mars marco maart iii",
    "apr april abril avril aprile iv",
    "may mai mayo maggio maio mei v",
    "jun june juni junio juin giugno junho vi",
    "jul july juli julio juillet luglio julho vii",
    "aug august agosto aout augustus viii",
    "sep sept september septiembre septembre settembre setembro ix",
    "oct october oktober okt octubre octobre ottobre outubro x",
    "nov november noviembre novembre novembro xi",
    "dec december dezember dez diciembre decembre dicembre dezembro xii",
)
"""In the languages of many charts, folded, and as Roman numbers."""

_MONTH_OF = {word: number for number, listed in enumerate(_MONTHS, 1) for word in listed.split()}
_SILENT = word_set("st nd rd th of the in de del den da dag er ngay thang nam 年 月 日")
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
)
_SPOKEN = {word: str(number) for number, word in enumerate(_ORDINALS.split(), 1)} | {"thirtieth": "30"}
_TENS = {"twenty": 20, "thirty": 30}
_BORN = word_set("dob born birthdate b d")
_MARKS = ("/", "-", ".")
_TIMESTAMP = 12
"""Digits of a date with hours and minutes behind it."""

Day = tuple[str, int, int]
"""Year (as written, in four digits or two), month, day."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A run of digits or of letters; `mark` is what stands between the piece before and this one."""

    text: str
    mark: str


class DateSearch:
    """One text, to be asked for many birth dates."""

    def __init__(self, text: str) -> None:
        pieces = _pieces(fold(text))
        self._days = {*_runs(pieces), *_written(pieces)}

    def finds(self, date: str) -> bool:
        """Whether this day (YYYY-MM-DD) stands there. A year alone is nobody's birth date."""
        known = _ISO.fullmatch(date)
        if known is None:
            return False
        year, month, day = known[1], int(known[2]), int(known[3])
        return (year, month, day) in self._days or (year[2:], month, day) in self._days


def _runs(pieces: list[_Piece]) -> Iterator[Day]:
    """Dates as digits without marks: eight of them or six, or more with a time behind.

    Digits right behind letters number something else (a trial, say), unless the letters say "born".
    """
    for place, piece in enumerate(pieces):
        text = piece.text
        if not text.isdecimal() or (place and not piece.mark and pieces[place - 1].text not in _BORN):
            continue
        if len(text) >= _TIMESTAMP:
            yield text[:4], int(text[4:6]), int(text[6:8])
        elif len(text) in (6, 8):
            long = len(text) - 4
            yield text[:long], int(text[long:-2]), int(text[-2:])
            yield text[4:], int(text[2:4]), int(text[:2])
            yield text[4:], int(text[:2]), int(text[2:4])


def _written(pieces: list[_Piece]) -> Iterator[Day]:
    """Dates as three pieces. A year of two digits counts beside the name of a month, or with marks as in a date."""
    spoken = _as_numbers([piece for piece in pieces if piece.text not in _SILENT])
    for one, two, three in zip(spoken, spoken[1:], spoken[2:], strict=False):
        a, b, c = one.text, two.text, three.text
        short = two.mark == three.mark and two.mark in _MARKS
        short = short or a in _MONTH_OF or b in _MONTH_OF
        for year, rest in ((c, (a, b)), (a, (b, c))):
            if year.isdecimal() and (len(year) == 4 or (short and len(year) == 2)):
                yield from ((year, month, day) for month, day in _month_and_day(*rest))


def _as_numbers(pieces: list[_Piece]) -> list[_Piece]:
    """ "twenty-second" as 22."""
    told: list[_Piece] = []
    for piece in pieces:
        number = _SPOKEN.get(piece.text, piece.text)
        if number != piece.text and told and told[-1].text in _TENS:
            number = str(_TENS[told.pop().text] + int(number))
        told.append(_Piece(number, piece.mark))
    return told


def _month_and_day(one: str, two: str) -> Iterator[tuple[int, int]]:
    for month, day in ((one, two), (two, one)):
        number = _MONTH_OF.get(month) or _small(month)
        if number and _small(day):
            yield number, _small(day)


def _small(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) <= 2 else 0


def _pieces(folded: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    end = 0
    for found in _PIECE.finditer(folded):
        pieces.append(_Piece(found.group(), folded[end : found.start()].rstrip("'’")))
        end = found.end()
    return pieces
