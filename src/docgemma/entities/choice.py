"""Which of the offered options the user means. A contradiction, two fits or a new request is no pick."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from docgemma.clinical import Option
from docgemma.entities.answers import fill
from docgemma.entities.dates import find_dates
from docgemma.entities.fields import fold
from docgemma.entities.model import Mention
from docgemma.entities.people import find_patient_ids
from docgemma.entities.words import Word, word_set, words

__all__ = ["fill", "pick"]

_LONGEST = 200
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5}
_SHORT_ORDINALS = {"1st": 0, "2nd": 1, "3rd": 2, "4th": 3, "5th": 4, "6th": 5}
_NUMBERS = {"one": 0, "two": 1, "three": 2, "four": 3, "five": 4, "six": 5}
_NUMBERED = re.compile(
    r"(?:(?:it\s?is|it's)\s)?(?:(?:the\s)?(?:option|number|choice|no\.)\s{0,2}|#\s{0,2})?"
    r"(?P<n>\d{1,2}|one|two|three|four|five|six)\s{0,2}[.)!]{0,2}(?:,?\s{1,2}please[.!]?)?",
    re.IGNORECASE,
)
_NUMBER_INSIDE = re.compile(
    r"(?:(?<!\w)(?:option|number|choice)\s{1,2}#?|#\s{0,2})(?P<n>\d{1,2})(?![\w-])", re.IGNORECASE
)
_SEXES = {
    **dict.fromkeys(("male", "man", "boy", "gentleman", "guy"), "male"),
    **dict.fromkeys(("female", "woman", "girl", "lady"), "female"),
}
_PLAIN = word_set(
    "the one i i'd i'm mean meant it is it's that's that this he she who was like want take pick choose "
    "select a an yes please patient option number of for with in on born dob date birth birthday name "
    "named called ok okay use go by id mrn ending ends mr mrs ms year from"
)
_YES = frozenset(
    ("yes", "y", "yes please", "correct", "right", "that's right", "yep", "yeah", "yes that one", "that one")
)


def pick(message: str, options: Sequence[Option]) -> Option | None:
    """The option the message points at, by number, order, id, name, birth date or sex; all that is said must agree."""
    text = message.strip().replace("’", "'")
    if not text or not options or len(text) > _LONGEST or "?" in text:
        return None
    exact = [option for option in options if fold(text) in (fold(option.value), fold(option.label))]
    if len(exact) == 1:
        return exact[0]
    if len(options) == 1 and fold(text).replace(",", "") in _YES:
        return options[0]
    fits = _numbered(text, options) or _described(text, options)
    return options[fits[0]] if len(fits) == 1 else None


def _numbered(text: str, options: Sequence[Option]) -> list[int]:
    """The message is a number and nothing else."""
    match = _NUMBERED.fullmatch(text)
    if match is None:
        return []
    said = match["n"].lower()
    place = _NUMBERS[said] if said in _NUMBERS else int(said) - 1
    return [place] if 0 <= place < len(options) else []


def _described(text: str, options: Sequence[Option]) -> list[int]:
    """Everything the message says, each part narrowing the options; an unexplained word makes it no answer."""
    fits = set(range(len(options)))
    said: list[tuple[int, int]] = []

    def narrow(mention: tuple[int, int], keep: Iterable[int]) -> None:
        said.append(mention)
        fits.intersection_update(keep)

    for match in _NUMBER_INSIDE.finditer(text):
        narrow(match.span(), {int(match["n"]) - 1})
    for mention in find_patient_ids(text):
        narrow((mention.start, mention.end), _with_id(mention.value, options))
    for date in find_dates(text):
        if not _covered(date.start, said):
            narrow((date.start, date.end), _born(date, options))
    rest = [word for word in words(text) if word.low[0].isalnum() and not _covered(word.start, said)]
    for word in list(rest):
        meant = _by_word(word, options)
        if meant is not None:
            narrow((word.start, word.end), meant)
            rest.remove(word)
    names = {_plain(word.low.removesuffix("'s")) for word in rest if word.low not in _PLAIN}
    if names:
        narrow((0, 0), [index for index, option in enumerate(options) if names <= _name_words(option)])
    return sorted(fits) if said else []


def _covered(place: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _by_word(word: Word, options: Sequence[Option]) -> set[int] | None:
    """What a single word says about the options: its place, a sex, an id or the end of a record number."""
    low, count = word.low, len(options)
    if low in _ORDINALS or low in _SHORT_ORDINALS:
        return {_ORDINALS.get(low, _SHORT_ORDINALS.get(low, 0))}
    if low == "last" or (low == "latter" and count == 2):
        return {count - 1}
    if low == "former" and count == 2:
        return {0}
    if low in _SEXES:
        return {i for i, option in enumerate(options) if str(option.facts.get("sex", "")).lower() == _SEXES[low]}
    if any(letter.isdigit() for letter in low):
        return _with_id(word.text, options)
    return None


def _with_id(value: str, options: Sequence[Option]) -> set[int]:
    def has(option: Option) -> bool:
        tail = str(option.facts.get("mrn_tail") or "")
        ids = {fold(option.value), fold(str(option.facts.get("patient_id") or option.value))}
        return fold(value) in ids or bool(len(tail) > 2 and value.endswith(tail))

    return {index for index, option in enumerate(options) if has(option)}


def _born(date: Mention, options: Sequence[Option]) -> set[int]:
    """Born on that date. Of "03/02/1955" either reading may be meant."""
    numbers = {int(number) for number in re.findall(r"\d{1,2}(?!\d)", date.text)} if "/" in date.text else set()

    def fits(option: Option) -> bool:
        born = str(option.facts.get("birth_date") or "")
        if not born.startswith(date.value):
            return False
        if len(date.value) == 4 and "/" in date.text:
            return {int(part) for part in born.split("-")[1:]} == {number for number in numbers if number <= 31}
        return True

    return {index for index, option in enumerate(options) if fits(option)}


def _name_words(option: Option) -> set[str]:
    name = str(option.facts.get("name") or option.label)
    return {_plain(word.low) for word in words(name)} | {_plain(word) for word in re.split(r"[\s-]+", name)}


def _plain(text: str) -> str:
    """Without accents and case."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in folded if not unicodedata.combining(letter))
