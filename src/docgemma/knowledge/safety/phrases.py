"""Phrases of two languages, as a table writes them, found in text as people type it.

Text becomes words, each behind a blank, without apostrophes; "." stands where a sentence ends. A Vietnamese word keeps
its marks, with the tone moved to its end ("hòa" and "hoà" are one), and a word typed without any marks fits every word
that it may stand for.

A phrase of the table is words with blanks between them. `a|b`: one of these; `breath*`: any ending; `old?`: may be
missing; `.3`: up to three words may stand here; `a ~ b`: both near each other in one sentence, in any order; `#fever`:
a number of this kind (`#drug`: a drug's name, by its ending); `=` before a phrase: its marks are
needed, because without them it is an everyday word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from docgemma.knowledge.safety.language import unmarked

_TONES = {"\u0300": "F", "\u0301": "S", "\u0309": "R", "\u0303": "X", "\u0323": "J"}
_PIECE = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+|[.?!;:…,\n]")
_ENDS = frozenset(".?!;…\n")
_APOSTROPHES = str.maketrans("", "", "'’‘`´")
_TENS = "eight|nine|ten|eleven|twelve|dozen|fifteen|sixteen|eighteen|twenty|thirty|forty|fourty|fifty|sixty|hundred"
_MEASURES = (
    "mg|mcg|g|gr|gram|grams|ml|iu|units?|percent|mins?|minutes?|hours?|days?|weeks?|months?|years?|oclock|am|pm|ngay.?"
)
_DRUG_ENDINGS = (
    "pril|olol|dipine|sartan|statin|azepam|azolam|triptyline|oxetine|opram|formin|gliptin|gliflozin|azide|cillin|mycin"
    "|profen|azole|apine|idone|codone|morphine|quine|barbital"
)
_NUMBERS = {
    "#high": r"(?:[2-5]\d(?:\.\d+)?|(?:3[5-9]|[4-9]\d)\d|1\d{3})",
    "#low": r"(?:[0-2](?:\.\d+)?|[1-4]\d)",
    "#ketones": r"(?:1\.[5-9]|[2-9](?:\.\d+)?)",
    "#fever": r"(?:3[89](?:\.\d+)?|4[0-2](?:\.\d+)?|10[0-7](?:\.\d+)?)",
    "#weeks": r"(?:\d|1[0-2]|one|two|three|four|five|six|seven|eight)",
    "#days": r"(?:\d|[1-8]\d|one|two|three|four|five|six|seven|ten)",
    "#preg": r"(?:[4-9]|[1-3]\d|4[0-2])",
    "#year": r"(?:19|20)\d\d",
    "#drug": rf"[a-z]{{2,}}(?:{_DRUG_ENDINGS})s?",
    "#many": rf"(?:[89]|[1-9]\d|[12]\d\d|{_TENS})(?! (?:{_MEASURES})(?: |$))",
}


def normalised(text: str) -> str:
    """The text as phrases are looked for in it."""
    low = unicodedata.normalize("NFC", text).lower().translate(_APOSTROPHES)
    return "".join(f" {_word(piece)}" for piece in _PIECE.findall(low))


def _word(piece: str) -> str:
    if piece in _ENDS:
        return "."
    if piece[0].isdigit():
        return piece.replace(",", ".")
    return piece if piece.isascii() else _tone_last(piece)


def _tone_last(word: str) -> str:
    apart = unicodedata.normalize("NFD", word)
    tones = "".join(_TONES[char] for char in apart if char in _TONES)
    return unicodedata.normalize("NFC", "".join(char for char in apart if char not in _TONES)) + tones


def compiled(phrases: Iterable[str]) -> re.Pattern[str]:
    """One expression for all of these."""
    return re.compile("(?:" + "|".join(pattern(phrase) for phrase in phrases) + r")(?= |$)")


def pattern(phrase: str) -> str:
    """The expression for one phrase; it begins with the blank before its first word."""
    one, both, other = phrase.partition(" ~ ")
    if both:
        return f"{pattern(f'{one} .9 {other}')}|{pattern(f'{other} .9 {one}')}"
    strict = phrase.startswith("=")
    return "".join(_part(part, strict=strict) for part in phrase.removeprefix("=").split())


def _part(part: str, *, strict: bool) -> str:
    if re.fullmatch(r"\.\d", part):
        return rf"(?: [^ .]+){{0,{part[1:]}}}"
    optional = "?" if part.endswith("?") else ""
    forms = {form for word in part.removesuffix("?").split("|") for form in _forms(word, strict=strict)}
    return f"(?: (?:{'|'.join(sorted(forms))})){optional}"


def _forms(word: str, *, strict: bool) -> set[str]:
    if word in _NUMBERS:
        return {_NUMBERS[word]}
    stem = word.removesuffix("*").translate(_APOSTROPHES)
    ending = r"[^ ]*" if word.endswith("*") else ""
    forms = {stem if stem.isascii() else _tone_last(unicodedata.normalize("NFC", stem))}
    if not strict:
        forms.add(unmarked(stem))
    return {re.escape(form) + ending for form in forms}
