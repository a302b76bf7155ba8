"""Drug names that hide behind look-alike letters or invisible characters.

Nothing here corrects a message. A read may take the drug that a disguised word looks like and say so; a write refuses
the word and asks. The folded text keeps a map to the places of the original, because every argument has a source.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from docgemma.entities.drugs.matcher import find, keys
from docgemma.entities.model import Mention

_LOOKS = str.maketrans(
    "авгдеёзіїјкмнорсѕтухһԁԛԝьАВЕЅІЈКМНОРСТУХαβγεικνορτυχωηΑΒΕΖΗΙΚΜΝΟΡΤΥΧıȷɑɡɩʟ",
    "abrdeeziijkmhopcstyxhdqwbABESIJKMHOPCTYXaByeikvoptuxwnABEZHIKMNOPTYXijagil",
)
"""Cyrillic, Greek and phonetic letters, and the Latin ones that they are taken for."""

_INVISIBLE = frozenset(("Cf", "Co", "Cs", "Cn", "Mn", "Me", "Cc", "Zl", "Zp"))
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_SPACING = frozenset("\t\n\r\f\v")
_WORD = re.compile(r"[^\W_]{4,40}")
_SUSPECT = re.compile(r"[0135]|rn|vv|(?<=[a-z])I")
_SWAPS = (("0", "o"), ("1", "l"), ("1", "i"), ("3", "e"), ("5", "s"), ("rn", "m"), ("vv", "w"), ("I", "l"))
_STRAY = re.compile(r"(?<=[a-z])[0-9](?=[a-z])")
_MAX_VARIANTS = 32


@dataclass(frozen=True, slots=True)
class Folded:
    """A text in plain letters. `places[i]` is where its character `i` stands in the original."""

    text: str
    places: tuple[int, ...] | range
    changed: bool

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that a span of this text stands for."""
        return self.places[start], self.places[end - 1] + 1


def fold(text: str) -> Folded:
    """Without invisible characters, accents and letters of other scripts that look Latin. Never longer than needed."""
    if text.isascii() and text.isprintable():
        return Folded(text, range(len(text)), changed=False)
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        seen = character if character.isascii() and character >= " " else _seen(character)
        letters.append(seen)
        places += [place] * len(seen)
    folded = "".join(letters)
    return Folded(folded, tuple(places), changed=folded != text)


def disguises(text: str) -> tuple[Mention, ...]:
    """Drugs that are there for the eye but not for the dictionary; `value` is the drug that the word looks like."""
    folded = fold(text)
    plain = {start: end for _, start, end in find(text)}
    found: dict[int, Mention] = {}
    if folded.changed:
        for name, start, end in find(folded.text):
            first, last = _whole(text, *folded.origin(start, end))
            if plain.get(first) != last and folded.text[start:end] != text[first:last]:
                found[first] = Mention(text[first:last], first, last, name)
    for word in _WORD.finditer(folded.text):
        first, last = folded.origin(*word.span())
        if first not in plain and first not in found and (name := _behind(word.group())):
            found[first] = Mention(text[first:last], first, last, name)
    return tuple(found[start] for start in sorted(found))


def hidden(text: str) -> tuple[Mention, ...]:
    """Words with characters that nobody sees or that turn the reading direction: never to be written anywhere."""
    if text.isascii() and text.isprintable():
        return ()
    return tuple(Mention(text[start:end], start, end, fold(text[start:end]).text) for start, end in _hiding(text))


def _seen(character: str) -> str:
    """What the eye sees: nothing, a blank, or Latin letters."""
    if character in _SPACING:
        return character
    if character in _BLANK_LETTERS or unicodedata.category(character) in _INVISIBLE:
        return ""
    looks = character.translate(_LOOKS)
    if looks != character:
        return looks
    return "".join(
        part.translate(_LOOKS)
        for part in unicodedata.normalize("NFKD", character)
        if unicodedata.category(part) not in _INVISIBLE
    )


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """With the invisible characters that cling to the word on either side."""
    while end < len(text) and not text[end].isspace() and not _seen(text[end]):
        end += 1
    while start and not text[start - 1].isspace() and not _seen(text[start - 1]):
        start -= 1
    return start, end


def _behind(word: str) -> str:
    """The drug that a word spells once digits and letter pairs are read as the letters they resemble."""
    if _SUSPECT.search(word) is None or sum(letter.isalpha() for letter in word) < 4 or word.lower() in keys():
        return ""
    variants = [word]
    for written, read in _SWAPS:
        variants += [variant.replace(written, read) for variant in variants if written in variant]
        if len(variants) > _MAX_VARIANTS:
            break
    variants.append(_STRAY.sub("", word.lower()))
    return next((keys()[variant.lower()] for variant in variants if variant.lower() in keys()), "")


def _hiding(text: str) -> Iterator[tuple[int, int]]:
    """Stretches without ordinary blanks that hold an invisible character beside or between Latin letters."""
    for stretch in re.finditer(r"[^ \t\n\r\f\v]{1,4000}", text):
        written = stretch.group()
        if written.isascii() and written.isprintable():
            continue
        unseen = any(not _seen(character) and not _accent(character) for character in written)
        if unseen and any("a" <= letter <= "z" or "A" <= letter <= "Z" for letter in written):
            yield stretch.span()


def _accent(character: str) -> bool:
    return unicodedata.category(character) == "Mn"
