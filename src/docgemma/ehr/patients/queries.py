"""What a server is asked, so that everybody who may fit is among what it returns. It is matched again on our side.

Servers differ: some compare words by their beginning, some parts by any piece, most mind accents. A list of values
is an "or", a repeated parameter an "and", so one query holds all spellings of each word. Values consist of letters,
digits and apostrophes, so that nothing in them means anything to a server.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Sequence

from docgemma.ehr.contract import Params
from docgemma.ehr.patients.names import PARTICLES, Reading, Word, is_east_asian, is_initial
from docgemma.ehr.patients.short_forms import short_forms

_MOST_WORDS, _MOST_VALUES, _MOST_ALONE = 4, 64, 3
_ACCENTED = {
    "a": "áàâãäåăąạảấầẩẫậắằẳẵặ", "c": "çćč", "d": "đď", "e": "éèêëęěếềểễệẹẻ", "g": "ğ", "i": "íìîïıịỉĩ", "l": "ł",
    "n": "ñńň", "o": "óòôõöøőọỏốồổỗộơớờởỡợ", "r": "ř", "s": "śšşș", "t": "țťţ", "u": "úùûüűůụủưứừửữự", "y": "ýÿỳỵỷỹ",
    "z": "źżž",
}  # fmt: skip
"""Letters a recorded name may have where none of its marks was typed; the commoner ones first."""

_HEARD_ALIKE = {"c": "k", "k": "cq", "q": "k", "f": "p", "p": "f", "g": "j", "j": "gyh", "y": "ji", "i": "y", "z": "s",
                "s": "zc", "v": "wb", "w": "v", "b": "v", "h": "j", "x": "jsh"}  # fmt: skip


def exact_queries(reading: Reading, *, folds: bool) -> list[Params]:
    """Finds everybody whose name has all these words, however it is accented."""
    words = _sent(reading)
    full = [_anded([_spellings(reading, word) for word in words])]
    if folds:
        return full
    return [*full, _anded([_accented(_beginnings(_spellings(reading, word), 3)) for word in words])]


def near_queries(reading: Reading, *, folds: bool) -> list[Params]:
    """Finds short forms and misspellings, and those who share only one of the words."""
    words = _sent(reading)
    length = 2 if len(words) > 1 else 3
    loose = [_loosened(word.folded, length, folds=folds) for word in words]
    if len(words) == 1:
        return [_anded(loose)]
    longest = sorted(words, key=lambda word: -len(word.folded))[:_MOST_ALONE]
    alone = [_spellings(reading, word) for word in longest]
    return [_anded(loose), *(_anded([values if folds else _accented(values)]) for values in alone)]


def born_queries(birth_date: str) -> list[Params]:
    """Everybody born then: by the date itself and, for servers that refuse that, between its first and last day."""
    year, month, day = (*(int(part) for part in birth_date.split("-")), 0, 0)[:3]
    last = day or monthrange(year, month or 12)[1]
    since, until = f"{year:04}-{month or 1:02}-{day or 1:02}", f"{year:04}-{month or 12:02}-{last:02}"
    between: Params = [("birthdate", f"ge{since}"), ("birthdate", f"le{until}")]
    return [[("birthdate", birth_date)], between] if day else [between]


def _anded(words: Iterable[Sequence[str]]) -> Params:
    return [("name", ",".join(values[:_MOST_VALUES])) for values in words]


def _sent(reading: Reading) -> list[Word]:
    """The words that narrow most. Initials and particles may be recorded otherwise, and are compared on our side."""
    telling = [word for word in reading.words if not is_initial(word.folded) and word.folded not in PARTICLES]
    return sorted(telling or reading.words, key=lambda word: -len(word.folded))[:_MOST_WORDS]


def _spellings(reading: Reading, word: Word) -> list[str]:
    """The word as compared and as written, and as one with its neighbours or apart from its first letters."""
    found = dict.fromkeys((word.folded, word.written.lower()))
    place = reading.words.index(word)
    before = ""
    for other in reversed(reading.folded[:place]):
        if other not in PARTICLES and not is_east_asian(other):
            break
        before = other + before
        found[before + word.folded] = None
        if before in ("o", "d"):
            found[f"{before}'{word.folded}"] = None
    if is_east_asian(word.folded):
        found |= dict.fromkeys(word.folded + other for other in reading.folded[place + 1 : place + 2])
        found |= dict.fromkeys(word.folded[cut:] for cut in (1, 2) if len(word.folded) > cut)
    else:
        found |= dict.fromkeys(_without_particles(word.folded))
    return list(found)


def _without_particles(word: str, depth: int = 3) -> list[str]:
    """ "delacruz" may be recorded as "de la Cruz", "ohara" as "O'Hara"."""
    found: list[str] = []
    for length in (1, 2, 3, 4, 5, 6):
        start, rest = word[:length], word[length:]
        if start in PARTICLES and len(rest) > 2 and depth:
            found += [f"{start}'{rest}", rest] if length == 1 else [rest]
            found += _without_particles(rest, depth - 1)
    return found


def _beginnings(words: Iterable[str], length: int) -> list[str]:
    return list(dict.fromkeys(word[: length + ("'" in word[:length])] for word in words))


def _loosened(word: str, length: int, *, folds: bool) -> list[str]:
    """Its other forms, and everything that begins much like it."""
    start = word[:length]
    heard = [start, *(other + start[1:] for other in _HEARD_ALIKE.get(start[0], ""))]
    starts = heard if folds else _accented(heard, _MOST_VALUES // 2)
    forms = [form for form in sorted(short_forms(word)) if not form.startswith(tuple(starts))]
    return [*starts, *forms]


def _accented(words: Iterable[str], most: int = _MOST_VALUES) -> list[str]:
    """The words with one mark or two on their letters: plain ones first, then the likelier."""
    plain = list(dict.fromkeys(words))
    marked: dict[str, int] = {}
    for word in plain:
        once = _marked(word, 0)
        marked |= {spelling: rank for spelling, rank, _ in once}
        if len(word) <= 3:
            twice = ((rank, _marked(spelling, place + 1)) for spelling, rank, place in once)
            marked |= {spelling: 20 + first + rank for first, more in twice for spelling, rank, _ in more}
    likely = sorted(marked, key=lambda spelling: marked[spelling])
    return list(dict.fromkeys((*plain, *likely)))[:most]


def _marked(word: str, start: int) -> list[tuple[str, int, int]]:
    """The word with one more mark from this place on: the spelling, how uncommon the mark is, and its place."""
    return [
        (word[:place] + mark + word[place + 1 :], rank, place)
        for place in range(start, len(word))
        for rank, mark in enumerate(_ACCENTED.get(word[place], ""))
    ]
