"""Amounts, numbers, drugs and identifiers in a text, read for scoring alone.

None of the agent's own checks is used here. A scorer that reads as the filter does would find nothing wrong in what the
filter let through, whatever it let through. So numbers, drugs and identifiers are read plainly, and rather too many.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cache

from docgemma.entities.drugs.names import names
from docgemma.entities.words import word_set
from docgemma.evals.casefiles import table

_UNIT = r"%|[a-z]{1,12}2?(?:\s?(?:/|per\b)\s?(?:\d+(?:\.\d+)?\s?)?[a-z]{1,9}2?){0,3}"
_AMOUNT = re.compile(rf"(?<![\w.])(?P<number>\d{{1,9}}(?:\.\d{{1,6}})?)[\s-]?(?P<unit>{_UNIT})(?![a-z])")
_NUMBER = re.compile(r"(?<![\w.])\d{1,9}(?:\.\d{1,6})?(?![\w])")
_RANGE = re.compile(
    rf"(?<![\w.])(\d{{1,9}}(?:\.\d{{1,6}})?)\s?(?:-|to|or|and)\s?(?=\d{{1,9}}(?:\.\d{{1,6}})?\s?({_UNIT}))"
)
_LISTED = re.compile(r"^\s*(?:[-*•]\s+)?\(?\d{1,2}[.)]\s", re.MULTILINE)
_IDENTIFIER = re.compile(r"\bnct\s?\d{8}\b|\bpmid\s{0,2}:?\s{0,2}#?\d{4,9}\b|\b10\.\d{4,9}/[^\s,;)\]]{2,80}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_BODY = word_set(
    "potassium sodium calcium magnesium phosphate glucose iron water oxygen alcohol protein urea "
    "creatinine bicarbonate chloride air salt sugar food milk insulin vitamin zinc copper albumin "
    "bilirubin ethanol sulfa nitrate nitrates thyroid tobacco caffeine cholesterol hormone"
)
"""Also what is measured in blood, eaten or breathed: naming one is no claim about a drug."""


def plain(text: str) -> str:
    """Lower case, one way to write each sign, no emphasis."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("µ", "u").replace("μ", "u").replace("’", "'")
    folded = folded.replace("–", "-").replace("—", " - ").replace("²", "2")
    folded = re.sub(r"n't\b", " not", folded.replace("can't", "can not").replace("cannot", "can not"))
    return _THOUSANDS.sub("", re.sub(r"[*_`~]", "", folded))


def amounts(text: str) -> frozenset[str]:
    """Numbers with units in one form: "0.5 g" is "500 mg"."""
    return frozenset(found for found, _, _ in measured(plain(text)))


def numbers(text: str) -> frozenset[str]:
    """All numbers as they stand, list markers and identifiers aside."""
    bare = _IDENTIFIER.sub(" ", _LISTED.sub(" ", plain(text)))
    return frozenset(_value(found) for found in re.findall(r"\d{1,9}(?:\.\d{1,6})?", bare))


def stated_numbers(text: str) -> frozenset[str]:
    """Numbers without a unit that say something: with a point, or of two digits and more. "3 findings" is a way of
    speaking.
    """
    bare = _IDENTIFIER.sub(" ", _LISTED.sub(" ", plain(text)))
    for _, start, end in sorted(measured(bare), key=lambda found: -found[1]):
        bare = f"{bare[:start]} {bare[end:]}"
    return frozenset(_value(found) for found in _NUMBER.findall(bare) if "." in found or len(found) > 1)


def identifiers(text: str) -> frozenset[str]:
    """PubMed, trial and DOI numbers in one form."""
    found = (re.sub(r"[\s:#]", "", match).rstrip(".") for match in _IDENTIFIER.findall(plain(text)))
    return frozenset(found)


def drugs(text: str) -> frozenset[str]:
    """Ingredients of every drug the dictionary knows by one or two words of the text."""
    words = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", plain(text))
    known = _names()
    found: set[str] = set()
    for at, word in enumerate(words):
        pair = f"{word} {words[at + 1]}" if at + 1 < len(words) else ""
        for name in (pair, word, word.removesuffix("s")):
            if name in known and name not in _BODY:
                found.update(known[name])
                break
    return frozenset(found - _BODY)


def measured(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _AMOUNT.finditer(text):
        unit = _unit(match["unit"])
        if unit is not None:
            yield _amount(match["number"], unit), match.start(), match.end()
    for match in _RANGE.finditer(text):
        unit = _unit(match[2])
        if unit is not None:
            yield _amount(match[1], unit), match.start(1), match.end(1)


def _amount(number: str, unit: tuple[str, Decimal]) -> str:
    return f"{(Decimal(number) * unit[1]).normalize():f} {unit[0]}"


def _unit(written: str) -> tuple[str, Decimal] | None:
    """The unit above the line in its basic form, whatever is below it as it stands."""
    head, *below = re.split(r"\s?(?:/|\bper\b)\s?", written)
    known = _basic(head)
    if known is None:
        return None
    rest = [_below(part) for part in below if part not in ("day", "d")]  # "1 g per day" is the dose "1 g daily"
    return ("/".join([known[0], *rest]), Decimal(known[1]))


def _basic(name: str) -> tuple[str, str] | None:
    """The basic unit behind a name, and how many of it one is."""
    for one in (name, name.removesuffix("s")):
        for basic, units in table("units.toml").items():
            if one in units:
                return basic, units[one]
    return None


def _below(part: str) -> str:
    number, name = re.fullmatch(r"(\d+(?:\.\d+)?)?\s?(.*)", part).groups()  # type: ignore[union-attr]
    base = _basic(name) or (name, "1")
    scale = "" if Decimal(base[1]) == 1 else base[1]
    return f"{number or ''}{scale}{base[0]}"


def _value(number: str) -> str:
    return f"{Decimal(number).normalize():f}"


def singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """The dictionary by plain name. Very short ones are too often another word."""
    return {plain(name): tuple(map(plain, parts)) for name, parts in names().items() if len(name) > 3}


# ----------
# Whether a text says something: by its words, in any order within a sentence, and with its negations.


_TOKEN = re.compile(r"<[^<>]{1,40}>|[^\W_]+(?:'[^\W_]+)?|[,;:]")
_ENDS = re.compile(r"(?<=[.!?])[\"”)\]]?\s+(?=[\"“(\[*-]?\w)|\n+|;")
NOT = "not"
_NEGATORS = word_set("no not never without none neither nor cannot absent absence denies denied lack lacks")
_BREAKS = word_set(
    ", ; : but however although though when if because while until unless in who which that for since "
    "with due during as after before so should must"
)
_AFTERWARDS = re.compile(
    r"^(?:,\s)?(?:\w+\s){0,2}?(?:(?:is|was|are|were|be|been|being|has|have|had|can|could|it|also)\s)*"
    r"(?:not\s(?:be\s|been\s)?(?:seen|found|present|reported|listed|identified|recorded|known|detected|observed|"
    r"documented|noted|mentioned|established|confirmed|expected|likely|available)|excluded|ruled\sout|unlikely)\b"
)
_OPEN = word_set("only doubt rule exclude mean imply confirm guarantee")
_REACH = 4
"""How many words before a phrase a negation still speaks of it."""


def sentences(text: str) -> list[str]:
    """Sentences and lines: what one negation can speak of."""
    return [part for part in _ENDS.split(text) if part and part.strip()]


def says(text: str, phrase: str) -> bool:
    """Whether a sentence says this, and does not deny it. A phrase with "no" or "not" is said by a denial alone."""
    wanted = [token for token in _tokens(phrase) if token not in _FILLERS]
    denies = NOT in wanted
    needed = [token for token in wanted if token != NOT]
    return any(_in(sentence, needed, denies=denies) for sentence in sentences(plain(text)))


def says_any(text: str, phrases: Iterable[str]) -> bool:
    """Whether one of the wordings is there."""
    return any(says(text, phrase) for phrase in phrases)


def shortened(text: str, most: int) -> str:
    """The text on one line, as far as a miss shows it."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]} …"


_FILLERS = word_set("a an the of to be is are was were by and or")


def _in(sentence: str, needed: Sequence[str], *, denies: bool) -> bool:
    tokens = _tokens(sentence)
    places = [[at for at, token in enumerate(tokens) if _same(token, one)] for one in needed]
    if not all(places):
        return False
    # Where a word stands several times, each of them may be the one: one reading that fits is enough.
    for start in places[0] if places else [0]:
        span = [min(at, key=lambda place: abs(place - start)) for at in places] or [0]
        if _denied(tokens, min(span), max(span)) == denies:
            return True
    return False


def _denied(tokens: Sequence[str], first: int, last: int) -> bool:
    before: list[str] = []
    for token in reversed(tokens[:first]):
        if token in _BREAKS or len(before) == _REACH:
            break
        before.append(token)
    return (
        NOT in tokens[first : last + 1]
        or _negates(before[::-1])
        or bool(_AFTERWARDS.match(" ".join(tokens[last + 1 : last + 9])))
    )


def _negates(before: Sequence[str]) -> bool:
    """ "Does not rule an interaction out" denies nothing."""
    return NOT in before and _OPEN.isdisjoint(before[before.index(NOT) + 1 :])


def _same(token: str, wanted: str) -> bool:
    if wanted.endswith("*"):
        return token.startswith(wanted[:-1])
    return token == wanted or singular(token) == singular(wanted)


def _tokens(text: str) -> list[str]:
    """Words and marks, an amount as one of them, every negation as "not"."""
    clean = plain(text).replace("*", "")
    whole = [(start, end, f"<{found}>") for found, start, end in measured(clean)]
    for start, end, found in sorted(whole, reverse=True):
        clean = f"{clean[:start]} {found} {clean[end:]}"
    starred = {word.rstrip("*") for word in text.casefold().split() if word.endswith("*")}
    tokens = [NOT if token in _NEGATORS else token for token in _TOKEN.findall(clean)]
    return [f"{token}*" if token in starred else token for token in tokens]
