"""Signs of an emergency in a patient's question, in English and Vietnamese, before any answer is looked for.

Words of a table, not a model: the same question gets the same notice, also offline. What is denied, long over or asked
for information only raises nothing; whatever is doubtful raises the notice. It names no diagnosis.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from docgemma.knowledge.entry import Language
from docgemma.knowledge.safety.language import detect
from docgemma.knowledge.safety.phrases import compiled, normalised, pattern

UNREVIEWED = "The signs and the notices are an engineering proposal; no clinician has reviewed them."

LONGEST = 4_000
MOST_NOTICES = 2
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


def urgent(text: str, language: Language) -> str:
    """The notice to show before any answer, in the question's language; empty when nothing asks for one."""
    raised = flags(text, language)
    notices = {group.id: group.notice[language] for group in _table().groups}
    return "\n\n".join(notices[group] for group in raised[:MOST_NOTICES])


def flags(text: str, language: Language) -> tuple[str, ...]:
    """The groups of signs that the text has, the most pressing first."""
    table = _table()
    plain = table.ignored.sub("", normalised(text[:LONGEST]))
    languages: tuple[Language, ...] = ("en",) if language == "en" and detect(text) == "en" else ("en", "vi")
    present = frozenset(name for name, concept in table.concepts.items() if _has(plain, concept, languages, table))
    raised = tuple(group.id for group in table.groups if any(_holds(rule, present) for rule in group.when))
    return tuple(group for group in raised if group != _LAST) or raised


def _holds(rule: Sequence[str], present: frozenset[str]) -> bool:
    return all((part[1:] not in present) if part.startswith("-") else (part in present) for part in rule)


def _has(plain: str, concept: _Concept, languages: Iterable[Language], table: _Table) -> bool:
    hits = (hit for language in languages for hit in concept.found[language].finditer(plain))
    return any(concept.kind == "context" or _counts(plain, hit.start(), concept.kind, table) for hit in hits)


def _counts(plain: str, place: int, kind: str, table: _Table) -> bool:
    """Whether what is said here is felt now, or may be."""
    start = plain.rfind(" .", 0, place) + 1
    end = plain.find(" .", place)
    sentence = plain[start:] if end < 0 else plain[start:end]
    if table.denied.search(plain[start:place]):
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
    return _Table(concepts, groups, cues, _denied(data["negation"]), compiled(_both(data["ignored"])))
