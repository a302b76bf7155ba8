"""Signs of an emergency in a patient's question, in English and Vietnamese, before any answer is looked for.

Words of a table, not a model: the same question gets the same notice, also offline. What is denied, long over or asked
for information only raises nothing; whatever is doubtful raises the notice. It names no diagnosis.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from docgemma.knowledge.entry import Language
from docgemma.knowledge.safety.language import detect
from docgemma.knowledge.safety.misspelt import Speller, seems_vietnamese
from docgemma.knowledge.safety.phrases import compiled, normalised, pattern

UNREVIEWED = "The signs and the notices are an engineering proposal; no clinician has reviewed them."

WINDOW, OVERLAP = 2_000, 500
"""A long message is read in pieces: signs that stand far apart tell of different things, and each piece has its own
language. What stands at a border is in both pieces."""

MOST_NOTICES = 2
_REACH = 400
"""How far before a sign a denial of it may begin."""

_LAST = "fits"
"""Says least: left out where another group already explains the fainting or the fit."""

_BREAKS = "but|because|since|although|though|however|while|so|when|and|vì|nhưng|mà|nên|tại|rồi|thì|do|và|tuy"


@dataclass(frozen=True, slots=True)
class _Concept:
    """`sign` is felt, `name` is an illness that one may also just read about, `context` only says what it is about."""

    kind: str
    found: Mapping[Language, re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class _Group:
    """`when`: any of these, each all of its concepts; one with "-" before it must be missing."""

    id: str
    when: tuple[tuple[str, ...], ...]
    notice: Mapping[Language, str]


@dataclass(frozen=True, slots=True)
class _Table:
    concepts: Mapping[str, _Concept]
    groups: tuple[_Group, ...]
    cues: Mapping[str, re.Pattern[str]]
    denied: re.Pattern[str]
    ignored: re.Pattern[str]
    speller: Speller


def urgent(text: str, language: Language) -> str:
    """The notice to show before any answer, in the question's language; empty when nothing asks for one."""
    raised = flags(text, language)
    notices = {group.id: group.notice[language] for group in _table().groups}
    return "\n\n".join(notices[group] for group in raised[:MOST_NOTICES])


def flags(text: str, language: Language) -> tuple[str, ...]:
    """The groups of signs that the text has, the most pressing first."""
    table = _table()
    found = {group for window in _windows(text) for group in _found(window, language, table)}
    raised = tuple(group.id for group in table.groups if group.id in found)
    return tuple(group for group in raised if group != _LAST) or raised


def _windows(text: str) -> Iterator[str]:
    """Pieces of the text that overlap and are cut at blanks."""
    start = 0
    while True:
        end = start + WINDOW
        if end >= len(text):
            yield text[start:]
            return
        cut = text.rfind(" ", start + WINDOW - OVERLAP, end)
        yield text[start : cut if cut > 0 else end]
        back = text.find(" ", end - OVERLAP, end)
        start = back if back > 0 else end - OVERLAP


def _found(window: str, language: Language, table: _Table) -> set[str]:
    """The groups in one piece, as it is written and as it was perhaps meant."""
    english = language == "en" and detect(window) == "en" and not seems_vietnamese(window)
    languages: tuple[Language, ...] = ("en",) if english else ("en", "vi")
    plain = table.ignored.sub("", normalised(window))
    found = set()
    for version in {plain, table.ignored.sub("", table.speller.mended(plain, vietnamese=not english))}:
        present = frozenset(name for name, each in table.concepts.items() if _has(version, each, languages, table))
        found |= {group.id for group in table.groups if any(_holds(rule, present) for rule in group.when)}
    return found


def _holds(rule: Sequence[str], present: frozenset[str]) -> bool:
    return all((part[1:] not in present) if part.startswith("-") else (part in present) for part in rule)


def _has(plain: str, concept: _Concept, languages: Iterable[Language], table: _Table) -> bool:
    hits = (hit for language in languages for hit in _hits(concept.found[language], plain))
    return any(concept.kind == "context" or _counts(plain, hit.start(), concept.kind, table) for hit in hits)


def _hits(found: re.Pattern[str], plain: str) -> Iterator[re.Match[str]]:
    """Every hit, and what follows a comma inside one by itself: "it does not come out, blood runs" denies no blood."""
    place = 0
    while hit := found.search(plain, place):
        yield hit
        comma = plain.find(" ,", hit.start(), hit.end())
        place = hit.end() if comma < 0 else comma + 2


def _counts(plain: str, place: int, kind: str, table: _Table) -> bool:
    """Whether what is said here is felt now, or may be."""
    start = plain.rfind(" .", 0, place) + 1
    end = plain.find(" .", place)
    sentence = plain[start:] if end < 0 else plain[start:end]
    if table.denied.search(plain[max(start, place - _REACH) : place]):
        return False
    said = {name for name, cue in table.cues.items() if cue.search(sentence)}
    if "now" in said:
        return True
    read_about = "information" in said or "imagined" in said or (kind == "name" and "about_names" in said)
    return "past" not in said and ("personal" in said or not read_about)


def _both(phrases: Mapping[str, Sequence[str]]) -> list[str]:
    return [phrase for language in ("en", "vi") for phrase in phrases[language]]


def _denied(languages: Mapping[str, Mapping[str, Any]]) -> re.Pattern[str]:
    """A denial that reaches the end of the text: "no", fillers, and perhaps other things with "or" between them."""
    every = []
    for parts in languages.values():
        denial = "|".join(pattern(word) for word in parts["words"])
        fill = f"(?:{pattern(parts['fill'])})*"
        listed = rf"(?:(?!{pattern(_BREAKS)} )(?: [^ .]+)){{1,8}}{pattern(parts['join'])}"
        every.append(f"(?:{denial})(?= |$){fill}(?:{listed}{fill})?")
    return re.compile(f"(?:{'|'.join(every)})$")


@cache
def _table() -> _Table:
    data = json.loads(files(__package__).joinpath("data/red_flags.json").read_text("utf-8"))
    concepts = {
        name: _Concept(each["kind"], {"en": compiled(each["en"]), "vi": compiled(each["vi"])})
        for name, each in data["concepts"].items()
    }
    groups = tuple(
        _Group(each["id"], tuple(tuple(rule) for rule in each["when"]), each["notice"]) for each in data["groups"]
    )
    cues = {name: compiled(_both(phrases)) for name, phrases in data["cues"].items()}
    words = data["misspelt"]
    speller = Speller(tuple(words["keys"]), frozenset(words["real"]), data["shorthand"])
    return _Table(concepts, groups, cues, _denied(data["negation"]), compiled(_both(data["ignored"])), speller)
