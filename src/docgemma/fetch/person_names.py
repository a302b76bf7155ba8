"""Finding a person's full name in a text: two of its words near each other, in any order and spelling of them.

Texts are searched without case, accents and what cannot be seen; marks that part ids and dates stay.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import combinations

_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_LOOKS = str.maketrans("авеёіјкмнорсѕтухһԁαβεικμνορτυχ", "abeeijkmhopcstyxhdabeikmvoptux")
"""Cyrillic and Greek letters that look Latin, in lower case. A name written in them alone is folded the same way."""

_APOSTROPHES = str.maketrans({"\u02bc": "'", "\u02bb": "'", "\u02b9": "'", "\ua78c": "'"})
"""Those that count as letters. They part a word like all others."""

_UNSEEN = ("Mn", "Mc", "Me", "Cf")
_WORD = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """ "GARCÍA" is "garcia", also with a Cyrillic "А". Marks that part words stay."""
    if text.isascii():
        return text.lower()
    # The case may bring marks forth, and the marks other letters: apart before and after.
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    seen = (letter for letter in apart if unicodedata.category(letter) not in _UNSEEN)
    plain = (str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in seen)
    return "".join(plain).translate(_LETTERS).translate(_LOOKS).translate(_APOSTROPHES)


def words_of(text: str) -> list[str]:
    """The words of a text, folded. Every mark parts them, an apostrophe and a hyphen too."""
    return _WORD.findall(fold(text))


def word_set(listed: str) -> frozenset[str]:
    """A list of words, written as people read it."""
    return frozenset(listed.split())


_TITLES = word_set("mr mrs ms mx dr prof jr sr phd esq")
_LIGHT = word_set(
    "van von der den de del della di da do dos das du la le los las el al bin ibn bint abu ben ter ten zu y e"
    " ii iii iv md miss sir madam dame rev"
)
"""What stands in names of many people. Some are also the name of one: they count where little else is there."""

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_SPELLED_OUT = re.compile(r"([aou])e")
_WORDS = re.compile(r"[\s,;^_]+")
_PARTS = re.compile(r"[-‐‑–—/]")
_HUMP = re.compile(r"(?<=[^\W\d_])(?=[A-Z])(?<![A-Z])")

_MOST_BETWEEN = 2
"""Words that may stand between first and last name: middle names. Initials and the like come on top."""

_REACH = 6
_MOST_PIECES = 4
"""Into how many words a text may cut one word of a name: "O Brien", "Abd-al-Rahman"."""

_LONGEST_WORD = 60
_DIGITS = "0123456789"
_SHORTEST_PIECE = 3
_SHORTEST_GLUED = 8
""" "johnbaker" is a name; shorter ones are words too often ("An Other")."""

Spellings = frozenset[str]


def humps_apart(text: str) -> str:
    """ "AnnLee" as two words, whatever their length."""
    return _HUMP.sub(" ", text)


class NameSearch:
    """One text, to be asked for many names."""

    def __init__(self, text: str) -> None:
        self._words = words_of(text)
        self._squeezed = "".join(self._words)
        self._found = _index(self._words)

    def finds(self, name: str) -> bool:
        if _written_together(name):
            return self._finds_together(name)
        slots = _slots(name)
        if self._finds_squeezed(name):
            return True
        places = [self._places(slot) for slot in slots]
        return any(
            self._near(places[one], places[two])
            or self._near(places[two], places[one])
            or self._glued(slots[one], slots[two])
            for one, two in combinations(range(len(slots)), 2)
        )

    def _places(self, spellings: Spellings) -> dict[int, int]:
        """Where a word of the name begins, and where the word after it."""
        return {start: end for spelling in spellings for start, end in self._found.get(spelling, ())}

    def _near(self, one: dict[int, int], two: dict[int, int]) -> bool:
        """Whether the second word of a name follows the first, with no more than a middle name or two between."""
        for end in one.values():
            between = 0
            for place in range(end, end + _REACH):
                if place in two:
                    return True
                if place >= len(self._words):
                    break
                between += not _is_light(self._words[place])
                if between > _MOST_BETWEEN:
                    break
        return False

    def _glued(self, one: Spellings, two: Spellings) -> bool:
        forms = (form for a in one for b in two for form in (a + b, b + a))
        return any(len(form) >= _SHORTEST_GLUED and form in self._found for form in forms)

    def _finds_squeezed(self, name: str) -> bool:
        """The whole name as one word, or letter by letter: "nguyenvanan", "N g u y e n V a n A n"."""
        words = [word.rstrip(_DIGITS) for word in words_of(name) if word not in _TITLES]
        orders = (words, words[::-1], words[-1:] + words[:-1]) if len(words) > 1 else ()
        squeezed = {"".join(order) for order in orders}
        return any(len(form) >= _SHORTEST_GLUED and form in self._squeezed for form in squeezed)

    def _finds_together(self, name: str) -> bool:
        """Of scripts that put no space between words: "山田太郎" is a full name, the family name first or last."""
        words = words_of(name)
        orders = {"".join(words), "".join(words[::-1])}
        if len(words) == 1:
            orders |= {name[family:] + name[:family] for name in words for family in (1, 2)}
        return any(order in self._squeezed for order in orders)


def _slots(name: str) -> list[Spellings]:
    """The words that make out a name, each with its spellings. Titles are dropped, and what is light if two remain."""
    words = [word for word in _WORDS.split(name) if "".join(words_of(word)) not in {*_TITLES, ""}]
    heavy = [word for word in words if not _is_light("".join(words_of(word)))]
    spellings = [_spellings(word) for word in (heavy if len(heavy) > 1 else words)]
    return [each for each in spellings if each]


def _spellings(word: str) -> Spellings:
    """One word of a name: "Mary-Jane" also goes by Mary, "Müller" by Mueller and the other way round."""
    pieces = [piece for piece in _PARTS.split(word) if len("".join(words_of(piece))) >= _SHORTEST_PIECE]
    written = {part for whole in (word, *pieces) for part in (whole, whole.lower().translate(_UMLAUTS))}
    folded = {"".join(words_of(part)) for part in written}
    folded |= {_SPELLED_OUT.sub(r"\1", part) for part in folded}
    return frozenset(part.rstrip(_DIGITS) or part for part in folded if part)


def _index(words: list[str]) -> dict[str, list[tuple[int, int]]]:
    """Every word and every few words in a row written as one: a text may have cut a word of a name in pieces.

    Digits around a name (made-up charts have them behind it, what is left of "%20" stands before it) and the s of a
    possessive are not part of it.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for start in range(len(words)):
        joined = ""
        for end in range(start + 1, min(start + _MOST_PIECES, len(words)) + 1):
            joined += words[end - 1]
            bare = joined.strip(_DIGITS) or joined
            found.setdefault(bare, []).append((start, end))
            if len(bare) > _SHORTEST_PIECE and bare[-1] == "s":
                found.setdefault(bare[:-1], []).append((start, end))
            if len(joined) > _LONGEST_WORD:
                break
    return found


def _is_light(word: str) -> bool:
    return word in _LIGHT or word in _TITLES or (len(word) == 1 and word.isascii())


def _written_together(name: str) -> bool:
    letters = [letter for letter in name if letter.isalpha()]
    return len(letters) > 1 and all(letter >= "\u0e00" and unicodedata.category(letter) == "Lo" for letter in letters)
