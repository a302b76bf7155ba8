"""Whether a text would tell an outsider whom a turn is about.

Pure functions over words, and linear in the text. Where it is in doubt it says yes: a look-up that is not made can be
asked again in other words, a name that went out cannot be called back. A single word of a name is never enough, or
nobody called Baker could be asked about a Baker cyst. All days that a text can be read to name are collected, "2/3/55"
in both readings: which one was meant does not matter, as long as it can be the patient's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from urllib.parse import unquote

from docgemma.clinical import People
from docgemma.fetch.person_names import NameSearch, fold, humps_apart, word_set

_CUES = word_set("patient patients pt id ids identifier mrn record chart person subject case number no nr #")
_FILLERS = word_set("is was number no nr id #")
_AMOUNTS = word_set(
    "mg mcg ug g kg ml l dl iu u unit units tablet tablets mmol meq percent h hr hour hours day days week weeks month"
    " months year years yr yrs y yo"
)
_TOKEN = re.compile(r"[^\W_]+|#")
_GLUED_CUE = re.compile(r"(patient|pt|id|mrn|record|chart|subject|case|no|nr)([0-9].*)")
_SHORT = 4
"""Shorter ids are numbers or words like any other, unless a word before says what they are."""

_LONG = 8
_LONG_DIGITS = 7
_LONG_MIXED = 6
"""From here on an id of letters, of digits, or of both is recognised without its hyphens too."""

_ZEROS = 6
"""From here on a number is the same with other zeros before it."""

_UUID = re.compile(r"([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class IdSearch:
    """One text, to be asked for many ids."""

    def __init__(self, text: str) -> None:
        tokens = list(_tokens(fold(text)))
        self._tokens = [token for token, _ in tokens]
        self._marks = [mark for _, mark in tokens]
        self._squeezed = "".join(self._tokens)
        self._starts = {start: place for place, start in enumerate(_starts(self._tokens))}

    def finds(self, wanted: str) -> bool:
        """Whether this id stands there as a whole, in any case. A short one must be announced: "patient 12"."""
        return any(self._finds(parts) for parts in _forms(wanted))

    def _finds(self, parts: list[str]) -> bool:
        squeezed = "".join(parts)
        if not squeezed:
            return False
        digits, letters = squeezed.isdecimal(), squeezed.isalpha()
        bare = squeezed.lstrip("0")
        if digits and len(bare) >= _ZEROS and any(token.lstrip("0") == bare != token for token in self._tokens):
            return True
        unsure = len(squeezed) < _SHORT or (letters and len(parts) == 1 and len(squeezed) < _LONG)
        loose = len(squeezed) >= (_LONG if letters else _LONG_DIGITS if digits else _LONG_MIXED)
        for start, end in self._places(squeezed):
            if not loose and self._tokens[start:end] != parts:
                continue
            announced = self._announced(start)
            amount = digits and len(squeezed) < _LONG and self._is_unit(end)
            if (announced and not amount) if unsure else (announced or not amount):
                return True
        return False

    def _places(self, squeezed: str) -> Iterator[tuple[int, int]]:
        """From which token to which these characters stand, however they are cut, with nothing of another token."""
        at = self._squeezed.find(squeezed)
        while at >= 0:
            start, end = self._starts.get(at), self._starts.get(at + len(squeezed))
            if start is not None and end is not None:
                yield start, end
            at = self._squeezed.find(squeezed, at + 1)

    def _is_unit(self, place: int) -> bool:
        """Whether the number before is an amount. What stands behind another mark belongs to something else."""
        if place >= len(self._tokens):
            return False
        return self._tokens[place] in _AMOUNTS and self._marks[place].strip() in ("", "+", "-")

    def _announced(self, start: int) -> bool:
        before = self._tokens[max(0, start - 2) : start]
        return bool(before) and (before[-1] in _CUES or (before[-1] in _FILLERS and before[0] in _CUES))


def _forms(wanted: str) -> Iterator[list[str]]:
    """An id as it is known, without the word that says what it is, and the part of it that people write down."""
    folded = fold(wanted)
    known = [token for token, _ in _tokens(folded)]
    yield known
    value = folded.rpartition("|")[2]
    bare = [token for token, _ in _tokens(value)]
    while len(bare) > 1 and bare[0] in _CUES:
        bare = bare[1:]
    if bare != known and len("".join(bare)) >= _SHORT:
        yield bare
    if bare and bare[0].isdecimal() and len(bare) == 1 and bare[0] != bare[0].lstrip("0"):
        yield [bare[0].lstrip("0")]
    written = _UUID.search(value)
    if written:
        yield [written[1]]


def _tokens(folded: str) -> Iterator[tuple[str, str]]:
    """Words and numbers, each with the mark before it. "mrn123" is two: a cue and a number."""
    end = 0
    for found in _TOKEN.finditer(folded):
        glued = _GLUED_CUE.fullmatch(found.group())
        yield (glued[1] if glued else found.group()), folded[end : found.start()]
        if glued:
            yield glued[2], ""
        end = found.end()


def _starts(tokens: list[str]) -> Iterator[int]:
    """Where each begins when they are written as one, and where the last ends."""
    yield 0
    yield from accumulate(map(len, tokens))


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


_MOST_LAYERS = 4
"""How often something may have been percent-encoded over. By mistake it happens twice."""


def reveals(text: str, people: People) -> bool:
    """Whether a full name, an id or a birth date of these people stands in the text, however it is written."""
    if not (people.names or people.ids or people.birth_dates):
        return False
    return any(_tells(reading, people) for reading in _readings(text))


def _tells(text: str, people: People) -> bool:
    ids, dates = IdSearch(text), DateSearch(text)
    spoken = [NameSearch(reading) for reading in {text, humps_apart(text)}]
    return (
        any(names.finds(name) for name in people.names for names in spoken)
        or any(ids.finds(one) for one in people.ids)
        or any(dates.finds(date) for date in people.birth_dates)
    )


def _readings(text: str) -> Iterator[str]:
    """The text as it is and with its percent signs undone, in both encodings that are in use. A plus parts words."""
    seen = {text}
    yield text
    for encoding in ("utf-8", "latin-1"):
        reading = text
        for _ in range(_MOST_LAYERS):
            reading = unquote(reading, encoding=encoding)
            if reading not in seen:
                seen.add(reading)
                yield reading
