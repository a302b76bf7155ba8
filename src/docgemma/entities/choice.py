"""Which of the offered options the user means. A contradiction, two fits or a new request is no pick."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import date as day_of

from docgemma.clinical import Option
from docgemma.entities.dates import find_birth_dates, find_dates
from docgemma.entities.fields import fold
from docgemma.entities.ids import find_patient_ids
from docgemma.entities.model import Mention
from docgemma.entities.words import Word, word_set, words

_LONGEST = 200
_ORDINALS = {
    **{word: place for place, word in enumerate(("first", "second", "third", "fourth", "fifth", "sixth"))},
    **{word: place for place, word in enumerate(("1st", "2nd", "3rd", "4th", "5th", "6th"))},
    "top": 0,
}
_NUMBERS = {"one": 0, "two": 1, "three": 2, "four": 3, "five": 4, "six": 5}
_LETTERS = "abcdef"
_SAYING = r"(?:(?:it\s?is|it's|its|i'?ll\stake|take|pick|go\swith|choose)\s)?"
_THANKS = r"(?:,?\s{1,2}(?:please|pls|plz|thanks|thx|ta|cheers|one|it\sis)){0,2}[.!]?"
_NUMBERED = re.compile(
    rf"{_SAYING}(?:(?:the\s)?(?:option|number|choice|no\.?|nr\.?|num|patient|answer)\s{{0,2}}|#\s{{0,2}})?"
    rf"\(?(?P<n>[0-9]{{1,2}}|one|two|three|four|five|six)\s{{0,2}}[.)!]{{0,2}}{_THANKS}",
    re.IGNORECASE,
)
_LETTERED = re.compile(
    rf"{_SAYING}(?:(?:option|letter|choice|answer)\s)?\(?(?P<letter>[a-f])[.)]{{0,2}}{_THANKS}", re.IGNORECASE
)
_NUMBER_INSIDE = re.compile(
    r"(?:(?<!\w)(?:option|number|choice)\s{1,2}#?|#\s{0,2})(?P<n>[0-9]{1,2})(?![\w-])", re.IGNORECASE
)
_AGE = re.compile(
    r"(?<!\w)(?:(?P<age>[0-9]{1,3})\s?-?(?:years?(?:[\s-]olds?)?|yrs?(?:\sold)?|yo|y/o|y\.o\.)|aged?\s(?P<aged>[0-9]{1,3}))(?!\w)",
    re.IGNORECASE,
)
_PART_OF_NAME = re.compile(r"(?<!\w)(?:first|last|second|middle)\sname(?!\w)", re.IGNORECASE)
_SEXES = {
    **dict.fromkeys(("male", "man", "boy", "gentleman", "gent", "guy", "bloke", "m"), "male"),
    **dict.fromkeys(("female", "woman", "girl", "lady", "f"), "female"),
}
_GENERATIONS = {"junior": "jr", "senior": "sr"}
_OLDER = word_set("older elder oldest eldest")
_YOUNGER = word_set("younger youngest")
_OF_TWO = word_set("older elder younger")
_PLAIN = word_set(
    "the one i i'd i'm i'll ill mean meant it is it's its that's thats that this he she who was like want take pick "
    "choose select a an yes please pls plz thanks thx ta cheers patient pt option number of for with in on born dob "
    "date birth birthday name named called ok okay use go let's lets by id mrn ending ends end mr mrs ms miss year "
    "from b just s"
)
_YES = re.compile(
    r"(?:(?:yes|yep|yeah|yup|ya|aye|y|correct|right|sure|ok|okay|exactly|indeed|please|pls|thanks|thx|ta"
    r"|that'?s\s(?:right|correct|her|him|them|it|the\s(?:one|patient|lady|man|guy|pt)|my\s(?:patient|pt))"
    r"|(?:that|this)\s(?:is|one)(?:\s(?:her|him|them|right|correct|the\s(?:one|patient)))?|(?:it'?s|its)\s(?:her|him|them)"
    r"|her|him|that\sone|the\sone|go\sahead|go\sfor\sit|proceed|confirmed?|carry\son|same\s(?:one|person|patient))"
    r"(?:\s{1,2}|$)){1,5}",
    re.IGNORECASE,
)
"""Says yes to the only one offered, in up to a few of these phrases and with nothing else."""

_NO_YES = re.compile(r"(?:please|pls|thanks|thx|ta|ok|okay|\s){1,8}", re.IGNORECASE)
"""Thanks alone confirm nobody."""


def pick(message: str, options: Sequence[Option]) -> Option | None:
    """The option that is meant, by number, order, id, name, birth date, age or sex; all that is said must agree."""
    text = message.strip().replace("’", "'")
    if not text or not options or len(text) > _LONGEST or "?" in text:
        return None
    exact = [option for option in options if fold(text) in (fold(option.value), fold(option.label))]
    if len(exact) == 1:
        return exact[0]
    if len(options) == 1 and _says_yes(text):
        return options[0]
    fits = _numbered(text, options) or _described(_PART_OF_NAME.sub(_blank, text), options)
    return options[fits[0]] if len(fits) == 1 else None


def speaks_against(message: str, option: Option, options: Sequence[Option]) -> bool:
    """Whether a place, an id or a date of the message means another of the options than this one."""
    place = options.index(option)
    by_word = (_by_word(word, options) for word in words(message) if word.low[0].isalnum())
    told = (*(meant for _, meant in _places(message, options)), *by_word)
    return any(meant and place not in meant for meant in told)


def _says_yes(text: str) -> bool:
    said = " ".join(re.sub(r"[,.!;-]", " ", fold(text)).split())
    return bool(_YES.fullmatch(said)) and not _NO_YES.fullmatch(said)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _numbered(text: str, options: Sequence[Option]) -> list[int]:
    """The message is a number or a letter and nothing else. An id that is a number is an id."""
    if match := _NUMBERED.fullmatch(text):
        said = match["n"].lower()
        place = _NUMBERS[said] if said in _NUMBERS else int(said) - 1
        known = _with_id(said, options) - {place}
        return [place] if 0 <= place < len(options) and not known else []
    if match := _LETTERED.fullmatch(text):
        place = _LETTERS.index(match["letter"].lower())
        return [place] if place < len(options) else []
    return []


def _described(text: str, options: Sequence[Option]) -> list[int]:
    """Everything the message says, each part narrowing the options; an unexplained word makes it no answer."""
    fits = set(range(len(options)))
    said: list[tuple[int, int]] = []

    def narrow(mention: tuple[int, int], keep: Iterable[int]) -> None:
        said.append(mention)
        fits.intersection_update(keep)

    for span, meant in _places(text, options):
        if not _covered(span[0], said):
            narrow(span, meant)
    rest = [word for word in words(text) if word.low[0].isalnum() and not _covered(word.start, said)]
    ages = [word for word in rest if word.low in _OLDER | _YOUNGER]
    for word in list(rest):
        meant_by = _by_word(word, options)
        if meant_by is not None:
            narrow((word.start, word.end), meant_by)
            rest.remove(word)
    names = {plain(word.low.removesuffix("'s")) for word in rest if word not in ages and word.low not in _PLAIN}
    if names:
        narrow((0, 0), [index for index, option in enumerate(options) if names <= _name_words(option)])
    for word in ages:
        narrow((word.start, word.end), _by_age(word.low, fits, options))
    return sorted(fits) if said else []


def _places(text: str, options: Sequence[Option]) -> Iterator[tuple[tuple[int, int], set[int]]]:
    """Numbers, ids, ages and dates of the message with the options that each may mean."""
    for match in _NUMBER_INSIDE.finditer(text):
        yield match.span(), {int(match["n"]) - 1}
    for mention in find_patient_ids(text):
        yield (mention.start, mention.end), _with_id(mention.value, options)
    for match in _AGE.finditer(text):
        yield match.span(), _aged(int(match["age"] or match["aged"]), options)
    for date in (*find_dates(text, short_years=True), *find_birth_dates(text, ())):
        tails = _with_id(date.text, options) if date.text.isdigit() else set()
        yield (date.start, date.end), _born(date, options) | tails


def _covered(place: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _by_word(word: Word, options: Sequence[Option]) -> set[int] | None:
    """What a single word says about the options: its place, a sex, an id or the end of a record number."""
    low, count = word.low, len(options)
    if low in _ORDINALS:
        return {_ORDINALS[low]}
    if low in ("last", "bottom") or (low == "latter" and count == 2):
        return {count - 1}
    if low == "former" and count == 2:
        return {0}
    if low == "middle" and count == 3:
        return {1}
    if low in _SEXES:
        return {i for i, option in enumerate(options) if str(option.facts.get("sex", "")).lower() == _SEXES[low]}
    if low in _GENERATIONS:
        return {i for i, option in enumerate(options) if {low, _GENERATIONS[low]} & _name_words(option)}
    if any(letter.isdigit() for letter in low):
        return _with_id(word.text, options)
    return None


def _by_age(low: str, fits: set[int], options: Sequence[Option]) -> set[int]:
    """The oldest or youngest of those left. "The older one" compares two; an unknown birth date compares with none."""
    born = {index: str(options[index].facts.get("birth_date") or "") for index in fits}
    if len(fits) < 2 or not all(len(date) == 10 for date in born.values()) or (low in _OF_TWO and len(fits) != 2):
        return set()
    extreme = min(born.values()) if low in _OLDER else max(born.values())
    return {index for index, date in born.items() if date == extreme}


def _with_id(value: str, options: Sequence[Option]) -> set[int]:
    def has(option: Option) -> bool:
        tail = str(option.facts.get("mrn_tail") or "")
        ids = {fold(option.value), fold(str(option.facts.get("patient_id") or option.value))}
        ending = len(value) > 2 and value.isdigit() and tail.endswith(value)
        return fold(value) in ids or ending or bool(len(tail) > 2 and value.endswith(tail))

    return {index for index, option in enumerate(options) if has(option)}


def _aged(years: int, options: Sequence[Option]) -> set[int]:
    """Those who are so old today; who has no full birth date is none of them."""
    today = day_of.today()

    def age(option: Option) -> int | None:
        parts = str(option.facts.get("birth_date") or "").split("-")
        if len(parts) != 3 or not all(part.isdecimal() for part in parts):
            return None
        year, month, day = map(int, parts)
        return today.year - year - ((today.month, today.day) < (month, day))

    return {index for index, option in enumerate(options) if age(option) == years}


def _born(date: Mention, options: Sequence[Option]) -> set[int]:
    """Born on that date. Of "03/02/1955" either reading may be meant, of "55" either century."""
    parts = re.split(r"[/.-]", date.text)
    either = len(date.value) == 4 and len(parts) == 3 and all(part.isdecimal() for part in parts)
    century = date.value[:4] not in date.text

    def fits(option: Option) -> bool:
        born = str(option.facts.get("birth_date") or "")
        if not (born[2:] if century else born).startswith(date.value[2:] if century else date.value) or len(born) < 4:
            return False
        return not either or sorted(int(part) for part in born.split("-")[1:]) == sorted(
            int(part) for part in parts[:2]
        )

    return {index for index, option in enumerate(options) if fits(option)}


def _name_words(option: Option) -> set[str]:
    name = str(option.facts.get("name") or option.label)
    return {plain(word.low) for word in words(name)} | {plain(word) for word in re.split(r"[\s-]+", name)}


def plain(text: str) -> str:
    """Lower case, without accents."""
    folded = unicodedata.normalize("NFKD", text.lower())
    return "".join(letter for letter in folded if not unicodedata.combining(letter))
