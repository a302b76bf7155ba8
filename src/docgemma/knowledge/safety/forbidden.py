"""What no explanation may say, whoever wrote it, and what a patient may be told only in the words of an entry.

The expressions look for ways of speaking in both languages, never for one illness or drug. They are an engineering
proposal, reviewed by no clinician.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from docgemma.entities.instructions import instructions_in
from docgemma.entities.printable import printable
from docgemma.knowledge.entry import Language
from docgemma.knowledge.safety.content import without_citations
from docgemma.knowledge.safety.language import detect

_MARKUP = re.compile(
    r"https?:|www\.|\b[\w-]+\.(?:com|org|net|info|io|vn|gov|edu)\b|</?[a-z!]|!\[|\]\(|javascript:|\w@\w|```|"
    r"&(?:lt|gt|#\d+);",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[A-Za-zÀ-ɏḀ-ỿªºµμα-ωΑ-Ω]")
_NAME = re.compile(r"(?P<name>\w+) = (?P<way>\S.*)")
_USED = re.compile(r"\$(\w+)")


def unfit(sentence: str, language: Language) -> bool:
    """What nobody may be shown, wherever it is from: links, orders to a program, another script or language."""
    if printable(sentence) != sentence or _MARKUP.search(without_citations(sentence)):
        return True
    if any(char.isalpha() and not _LATIN.match(char) for char in unicodedata.normalize("NFC", sentence)):
        return True
    return bool(instructions_in(sentence)) or detect(sentence) not in (language, None)


def pretends(sentence: str) -> bool:
    """Whether it speaks of the program, plays a clinician or claims that something was done."""
    return _ways()["pretends"].search(_low(sentence)) is not None


def diagnoses(sentence: str) -> str:
    """The words after a claim on what the reader has; "?" when nothing follows; empty when it claims nothing."""
    low = _low(sentence)
    found = _ways()["diagnoses"].search(low)
    return (low[found.end() :].strip() or "?") if found else ""


def calms(sentence: str) -> str:
    """The reassuring words; empty when there are none."""
    found = _ways()["calms"].search(_low(sentence))
    return found.group() if found else ""


def _low(sentence: str) -> str:
    return " ".join(unicodedata.normalize("NFC", sentence).lower().split())


def parsed(text: str) -> dict[str, re.Pattern[str]]:
    """The table: each section as one expression. A line that is no expression is a fault of ours."""
    named: dict[str, str] = {}
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]") and line[1:-1].isalpha():
            lines = sections.setdefault(line[1:-1], [])
        elif (definition := _NAME.fullmatch(line)) and not sections:
            named[definition["name"]] = definition["way"]
        else:
            lines.append(_USED.sub(lambda used: named[used[1]], line))
    return {name: re.compile("|".join(f"(?:{way})" for way in ways)) for name, ways in sections.items()}


@cache
def _ways() -> Mapping[str, re.Pattern[str]]:
    return parsed(files(__package__).joinpath("data/forbidden.txt").read_text("utf-8"))
