"""Names as they are asked for and as they are recorded, taken apart into folded words. Nothing is compared here."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from docgemma.ehr.contract import Resource
from docgemma.ehr.folding import fold_words
from docgemma.ehr.patients.shapes import part, parts, text, texts
from docgemma.entities.words import word_set
from docgemma.errors import BadInput

Use = Literal["current", "nickname", "earlier"]

_MOST_TEXT, _MOST_WORDS, _LONGEST_WORD = 200, 12, 60
_APOSTROPHES = frozenset("'’ʼ‘`´ʻ")
_COMMAS = frozenset(",،、，;")
_EAST_ASIAN = (("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uac00", "\ud7af"))

_TITLES = word_set(
    "mr mrs ms miss mx mister missus dr doctor prof professor sir madam mdm mme mlle monsieur madame herr frau senor "
    "senora senorita sr sra srta smt shri sri shrimati kumari mst rev reverend father sister brother master capt "
    "captain col colonel lt sgt hon"
)
"""Left out where they open a name or follow its comma. A surname that equals one stands elsewhere, and stays."""

_GENERATIONS = {
    **dict.fromkeys(("jr", "jnr", "junior"), "jr"),
    **dict.fromkeys(("sr", "snr", "senior"), "sr"),
    **dict.fromkeys(("ii", "2nd"), "2"),
    **dict.fromkeys(("iii", "3rd"), "3"),
    **dict.fromkeys(("iv", "4th"), "4"),
}
_ALSO_SURNAMES = word_set("junior senior")
_COURTESY = word_set("ji saheb sahib")
_HALF_GIVEN = word_set("thi van abdul abdel abd abu")
"""First words that name nobody without the next: half of all Vietnamese women are called Thị."""

PARTICLES = word_set(
    "al el bin ibn bint abu abd abdul de del la las los le les da das do dos di du des van von vander der den mc mac "
    "o d st saint san santa fitz"
)
"""Words that are written apart from the next one or together with it: "de la Cruz", "Delacruz"."""


class Word(NamedTuple):
    """One word of a name that was asked for: as it is compared, and as it was written."""

    folded: str
    written: str


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand what was asked for: the words of the name, and Jr, Sr or a number where one was given."""

    words: tuple[Word, ...]
    generation: str = ""

    @property
    def folded(self) -> tuple[str, ...]:
        return tuple(word.folded for word in self.words)


@dataclass(frozen=True, slots=True)
class Name:
    """A recorded name. The core is what tells who is meant: first given name and whole family name."""

    core: tuple[str, ...]
    middle: tuple[str, ...] = ()
    generation: str = ""
    use: Use = "current"
    initialled: bool = False
    """Given or family name is recorded as an initial only, so that it may stand for many."""


def is_initial(word: str) -> bool:
    """A single letter of a script that has initials: 王 is a whole name."""
    return len(word) == 1 and word.upper() != word


def is_east_asian(word: str) -> bool:
    return any(first <= letter <= last for letter in word[:4] for first, last in _EAST_ASIAN)


def readings(written: str) -> tuple[Reading, ...]:
    """How the name may be meant, the likeliest first: without titles and Jr, then every word as a word of the name."""
    tokens = _tokens(written)
    plain = tuple(token for token in tokens if token is not None)
    if len(written) > _MOST_TEXT or len(plain) > _MOST_WORDS:
        raise BadInput("This is too long for a name. Give the given name and the family name.")
    reduced = _reduced(tokens)
    whole = Reading(plain)
    return tuple(dict.fromkeys((reduced, whole))) if reduced.words else (whole,)


def names_of(patient: Resource) -> tuple[Name, ...]:
    """Every name on record that has words in it."""
    recorded = parts(patient.get("name"))
    lasting = any(not part(name.get("period")).get("end") for name in recorded)
    found = (_name(name, ended=lasting and bool(part(name.get("period")).get("end"))) for name in recorded)
    return tuple(name for name in found if name.core)


def _tokens(written: str) -> list[Word | None]:
    """Words in order; None where a comma stands."""
    kept: list[str] = []
    for letter in unicodedata.normalize("NFC", written[: _MOST_TEXT + 1]):
        if letter.isalnum() or letter in _APOSTROPHES or unicodedata.category(letter)[0] == "M":
            kept.append(letter)
        elif letter in _COMMAS:
            kept.append(" , ")
        elif unicodedata.category(letter) != "Cf":
            kept.append(" ")
    return [word for spelt in "".join(kept).split() for word in _words(spelt)]


def _words(spelt: str) -> list[Word | None]:
    if spelt == ",":
        return [None]
    if spelt[-2:-1] in _APOSTROPHES and spelt[-1] in "sS" and len(spelt) > 3:
        spelt = spelt[:-2]
    folded = fold_words(spelt)
    written = spelt.strip("".join(_APOSTROPHES))
    if len(folded) == 1:
        return [Word(folded[0][:_LONGEST_WORD], written[:_LONGEST_WORD])]
    return [Word(word[:_LONGEST_WORD], word[:_LONGEST_WORD]) for word in folded]


def _reduced(tokens: list[Word | None]) -> Reading:
    words: list[Word] = []
    generation = ""
    opens = True
    count = sum(token is not None for token in tokens)
    for place, token in enumerate(tokens):
        if token is None:
            opens = True
            continue
        closes = place + 1 == len(tokens) or tokens[place + 1] is None
        if opens and token.folded in _TITLES:
            continue
        is_last = closes or token.folded not in _ALSO_SURNAMES
        if token.folded in _GENERATIONS and words and count > 2 and is_last:
            generation = _GENERATIONS[token.folded]
        elif not (closes and words and token.folded in _COURTESY):
            words.append(token)
        opens = False
    return Reading(tuple(words), generation)


def _name(recorded: dict[str, Any], *, ended: bool) -> Name:
    given = [words for one in texts(recorded.get("given")) if (words := _folded(one))]
    family = _folded(text(recorded.get("family")))
    use = _use(recorded, ended=ended)
    if not (given and family) and (spoken := text(recorded.get("text"))):
        return _from_text(spoken, use)
    suffixes = [word for one in texts(recorded.get("suffix")) for word in _folded(one)]
    generation = next((_GENERATIONS[word] for word in suffixes if word in _GENERATIONS), "")
    for words in (family, *given[1:]):
        if not generation and words and words[-1] in _GENERATIONS and (words is not family or len(words) > 1):
            generation = _GENERATIONS[words.pop()]
    if len(given) > 1 and all(is_initial(word) for word in given[0]):
        given = [given[1], given[0], *given[2:]]
    called = _called(given)
    middle = [word for words in given for word in words]
    for word in called:
        middle.remove(word)
    initialled = any(words and all(map(is_initial, words)) for words in (called, family))
    return Name((*called, *family), tuple(middle[:_MOST_WORDS]), generation, use, initialled)


def _called(given: list[list[str]]) -> list[str]:
    """The given name without which nobody would say it is this person."""
    if not given:
        return []
    first = [word for word in given[0] if not is_initial(word)] or given[0]
    more = len(given) > 1 and _HALF_GIVEN.issuperset(first)
    return [*first, *given[1]] if more else first


def _from_text(spoken: str, use: Use) -> Name:
    """A name without parts: nobody can say which of its words may be left out, but initials may."""
    reading = _reduced(_tokens(spoken[:_MOST_TEXT]))
    core = [word for word in reading.folded if not is_initial(word)]
    if len(core) < 2:
        return Name(reading.folded, (), reading.generation, use, initialled=len(reading.words) > len(core))
    return Name(tuple(core), tuple(filter(is_initial, reading.folded)), reading.generation, use)


def _use(recorded: dict[str, Any], *, ended: bool) -> Use:
    if ended or recorded.get("use") in ("old", "maiden"):
        return "earlier"
    return "nickname" if recorded.get("use") == "nickname" else "current"


def _folded(written: str) -> list[str]:
    return [word[:_LONGEST_WORD] for word in fold_words(written[:_MOST_TEXT])[:_MOST_WORDS]]
