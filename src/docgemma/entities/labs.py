"""Laboratory tests and vital signs in a text, under one name each, so that "what was her last K?" is understood.

Many are one or two letters long or everyday words: those count only in their own spelling ("K", "Na") or where the
words around them make them a value ("her last k", "sugar 12.4").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from docgemma.entities.drugs.names import is_drug
from docgemma.entities.model import Mention
from docgemma.entities.words import Word, word_set, words

_VALUED = word_set(
    "last latest recent current previous prior baseline initial repeat repeated first her his their the serum "
    "plasma fasting random today todays yesterdays admission morning am low high raised normal abnormal improving "
    "rising check recheck trend no s"
)
"""Before a doubtful form, these make it a value."""

_VALUES = word_set("level levels reading readings value values result results trend trends today yesterday now is was")
_SALTS = word_set(
    "chloride citrate phosphate carbonate gluconate acetate bicarbonate sulfate sulphate oxide hydroxide valproate "
    "iodide permanganate channel supplement supplements tablets stearate lactate aspartate glycinate nitroprusside "
    "zirconium polystyrene oxybate fluoride picosulfate salt salts diet alginate docusate thiosulfate antagonist "
    "blocker binder"
)
_COMPOUNDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("potassium", "sodium", "calcium", "magnesium", "phosphate"), _SALTS),
    "weight": word_set("loss gain based management bearing lifting watchers"),
    "heart rate": word_set("variability dose doses dosing therapy steroids steroid"),
    "temperature": word_set("job staff agency nurse"),
    "culture": word_set("of change shock"),
    "height": word_set("of"),
    "cholesterol": word_set("lowering medication medications drug drugs"),
    "blood pressure": word_set("medication medications meds pill pills drug drugs tablets cuff"),
}
"""After the form, these make it a part of something else."""

_OTHER_THINGS: dict[str, frozenset[str]] = {
    "K": word_set("vitamin vit vits special type"),
    "BM": word_set("a had no large soft small regular loose normal daily last having passed"),
    "BMs": word_set("had no soft regular loose normal daily having frequent"),
    "culture": word_set("safety team work our workplace pop"),
    "lactate": word_set("ringer's ringers ringer sodium calcium"),
    "chloride": word_set("potassium sodium ammonium calcium magnesium benzalkonium methylthioninium suxamethonium"),
}
"""Before the form, these make it another thing: vitamin K, a bowel movement."""

_CANCER_OF = word_set(
    "breast prostate lung colon cervix ovary ovarian oesophagus esophagus stomach pancreas bladder rectum tongue of "
    "buccal thyroid larynx kidney liver endometrium penis gallbladder mucosa caecum skin"
)
_SHORTEST_PLURAL = 4
_DRUG_LEVELS = word_set("level levels trough troughs peak concentration concentrations")


class _Form(NamedTuple):
    tokens: tuple[str, ...]
    name: str
    mark: str
    written: str


@cache
def _forms() -> dict[str, tuple[_Form, ...]]:
    """Every form by its first word, the longest first."""
    table: dict[str, list[_Form]] = {}
    for line in files("docgemma.entities").joinpath("data/labs.txt").read_text(encoding="utf-8").splitlines():
        name, equals, listed = line.partition(" = ")
        for form in listed.split(", ") if equals and not line.startswith("#") else ():
            mark = form[0] if form[0] in "!?" else ""
            written = form.removeprefix(mark)
            tokens = tuple(word.low for word in words(written))
            table.setdefault(tokens[0], []).append(_Form(tokens, name, mark, written))
    return {first: tuple(sorted(forms, key=lambda form: -len(form.tokens))) for first, forms in table.items()}


def find_labs(text: str, tokens: Sequence[Word], people: Sequence[Mention] = ()) -> tuple[Mention, ...]:
    """Tests and vital signs in order; `value` is the canonical name. Of "Li Na's Na" the first is a person."""
    found: list[Mention] = []
    inside = {place for person in people for place in range(person.start, person.end)}
    index = 0
    while index < len(tokens):
        size, name = lab_at(tokens, index)
        if size and tokens[index].start not in inside:
            start, end = tokens[index].start, tokens[index + size - 1].end
            found.append(Mention(text[start:end], start, end, name))
        index += max(size, 1)
    return tuple(found)


def lab_at(tokens: Sequence[Word], index: int) -> tuple[int, str]:
    """How many words from here name a test, and which; (0, "") for none."""
    for form in _forms().get(tokens[index].low, ()) or _forms().get(_singular(tokens[index].low), ()):
        end = index + len(form.tokens)
        if _spells(tuple(_lows(tokens, index, end)), form) and _means_lab(tokens, index, end, form):
            return len(form.tokens), form.name
    if _low(tokens, index + 1) in _DRUG_LEVELS and is_drug(tokens[index].low):
        return 2, f"{tokens[index].low} level"
    return 0, ""


def _spells(said: tuple[str, ...], form: _Form) -> bool:
    """In the plural too, where the form is no everyday word: "last 3 potassiums"."""
    if said == form.tokens:
        return True
    return not form.mark and bool(said) and (*said[:-1], _singular(said[-1])) == form.tokens


def _singular(low: str) -> str:
    if low.endswith("'s"):
        return low[:-2]
    return low[:-1] if len(low) > _SHORTEST_PLURAL and low.endswith("s") and not low.endswith("ss") else ""


def _lows(tokens: Sequence[Word], start: int, end: int) -> Iterator[str]:
    return (word.low for word in tokens[start:end])


def _low(tokens: Sequence[Word], index: int) -> str:
    return tokens[index].low if 0 <= index < len(tokens) else ""


def _means_lab(tokens: Sequence[Word], start: int, end: int, form: _Form) -> bool:
    before, after = _low(tokens, start - 1), _low(tokens, end)
    if after in _COMPOUNDS.get(form.name, ()) or before in _OTHER_THINGS.get(form.written, ()):
        return False
    if after in _DRUG_LEVELS and form.name in ("potassium", "calcium", "magnesium", "sodium"):
        return True
    if form.name in _COMPOUNDS and is_drug(before) and before not in _forms():
        return False
    if not form.mark:
        return True
    if before[-1:].isdigit():
        return False
    valued = before in _VALUED or before.endswith(("'s", "s'")) or after in _VALUES or after[:1].isdigit()
    if form.mark == "!" and tokens[start].text == form.written:
        return _stands_alone(tokens, start, end, form.written)
    return valued


def _stands_alone(tokens: Sequence[Word], start: int, end: int, written: str) -> bool:
    """A short form that is neither an initial, nor "Ca breast", nor a hazard ratio."""
    before, after = _low(tokens, start - 1), _low(tokens, end)
    if written == "Ca" and after in _CANCER_OF:
        return False
    if len(written) == 1 and ((len(before) == 1 and before.isalpha()) or after == "."):
        return False
    ratio = after in ("0", "1") and _low(tokens, end + 1) == "."
    return not (written in ("HR", "RR") and ratio)
