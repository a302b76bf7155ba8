"""Whether a model's explanation rests on the entries, and what of them it must not leave out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docgemma.entities.sentences import split
from docgemma.knowledge.consult.meaning import content
from docgemma.knowledge.entry import Entry, Language

_CITED = re.compile(r"[ \t]*\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_LEAST_SHARE: dict[Language, float] = {"en": 0.5, "vi": 0.7}
"""Of its telling words, so many are words of the entries. Vietnamese syllables come up by chance more often."""
_FEWEST_WORDS = 4
_SAID = 0.6
_MOST_WARNINGS = 3
_LONGEST_WARNING = 500
_WARNS: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:emergency|urgent(?:ly)?|immediately|right away|straight away|at once|ambulance|"
        r"seek (?:\w+ )?(?:care|help|"
        r"advice|attention)|(?:see|call|contact|ask) (?:a|your|the) (?:doctor|dentist|nurse|team|pharmacist)|go to "
        r"(?:a |the )?hospital|do not|don't|never|must not|avoid|contraindicated|stop taking|without asking)\b",
        re.IGNORECASE,
    ),
    "vi": re.compile(
        r"cấp cứu|khẩn cấp|ngay lập tức|(?:đi )?khám ngay|(?:đến|tới) (?:bệnh viện|cơ sở y tế)|gọi 115|"
        r"không được|không nên|"
        r"tuyệt đối|chống chỉ định|\bđừng\b|tránh|(?:hỏi|gặp|báo) (?:bác sĩ|nha sĩ|điều dưỡng|dược sĩ)",
        re.IGNORECASE,
    ),
}


def cited(text: str, entries: int) -> tuple[str, tuple[int, ...]]:
    """The text with only numbers that stand for an entry, and which those are."""
    numbers: list[int] = []

    def known(found: re.Match[str]) -> str:
        real = [number for number in map(int, found[1].split(",")) if 1 <= number <= entries]
        numbers.extend(real)
        return "".join(f" [{number}]" for number in real)

    checked = _CITED.sub(known, text).strip()
    return checked, tuple(sorted(set(numbers)))


def carried(text: str, entries: Sequence[Entry], question: str, language: Language) -> bool:
    """Whether enough of the text is the entries' own words. The user's words count, but not for them."""
    said = content(_CITED.sub("", text), language)
    asked = set(content(question, language))
    theirs = {word for entry in entries for word in content(f"{entry.question} {entry.answer}", language)}
    of_entries = sum(word in theirs for word in said)
    own = sum(word in asked and word not in theirs for word in said)
    return of_entries >= _FEWEST_WORDS and of_entries >= _LEAST_SHARE[language] * (len(said) - own)


def warnings_left_out(text: str, entry: Entry, language: Language) -> tuple[str, ...]:
    """What the entry warns of and the text does not say, word for word. A reworded answer must not lose these."""
    said = set(content(text, language))
    found: list[str] = []
    for passage in _passages(entry.answer):
        words = set(content(passage, language))
        if not _WARNS[language].search(passage) or not words:
            continue
        if len(words & said) < _SAID * len(words) and len(passage) <= _LONGEST_WARNING:
            found.append(passage)
    return tuple(found[:_MOST_WARNINGS])


def _passages(answer: str) -> Iterator[str]:
    """Sentences; a line that opens a list comes with the list, since neither says anything alone."""
    held = ""
    for sentence in split(answer):
        plain = sentence.strip()
        item = plain.startswith(("-", "•", "*"))
        if held and not item:
            yield held
            held = ""
        if held or plain.endswith(":"):
            held = f"{held}\n{plain}".strip()
        elif plain:
            yield plain
    if held:
        yield held
