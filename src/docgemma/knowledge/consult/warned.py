"""What an entry warns of, word for word, and whether a text still says it. A reworded or cut answer must not lose it.

Found generously: a warning that is told twice costs a line, one that is lost may cost more.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from docgemma.entities.sentences import split
from docgemma.knowledge.consult.meaning import content, numbers
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.search.vietnamese import plain

_WARNS_EN = re.compile(
    r"\b(?:emergenc\w+|urgent\w*|immediate\w*|(?:right|straight) away|at once|without delay|as soon as possible|"
    r"ambulance|hospital\w*|911|112|115|999|call|seek\w*|life[- ]threatening|danger\w*|fatal\w*|deaths?|die|kills?|"
    r"deadly|(?:see|contact|ask|tell|inform|phone) (?:\w+ ){0,2}(?:doctor|dentist|nurse|team|pharmacist|midwife|"
    r"physician|provider)|do(?:es)? not|don['’]t|never|must(?: not|n['’]t)|should(?: not|n['’]t)|may not|can ?not|"
    r"can['’]t|not (?:be )?(?:used?|taken?|given?|recommended|suitable|safe)|avoid\w*|contra-?indicat\w*|stop|stopping|"
    r"withhold|hold off|without asking|allerg\w+|anaphyla\w+|hypersensitiv\w+|pregnan\w+|breast-?feeding|overdos\w+|"
    r"poison\w*|toxic\w*|warnings?|caution\w*|beware|red flags?|unsafe|harmful|refer(?:ral)?)\b",
    re.IGNORECASE,
)
_WARNS_VI = (
    r"cấp cứu|khẩn|ngay lập tức|lập tức|khám ngay|đi khám|(?:đến|gọi|báo|đưa)[^.;]{0,40} ngay|bệnh viện|nhập viện|"
    r"cơ sở y tế|trạm y tế|chuyển viện|chuyển tuyến|gọi 115|\b115\b|không được|không nên|không dùng|không uống|"
    r"không tự|không bao giờ|không cho|không tiêm|tuyệt đối|chống chỉ định|\bđừng\b|\bchớ\b|\bcấm\b|"
    r"tránh|\bngừng\b|\bngưng\b|"
    r"(?:hỏi|gặp|báo|gọi)(?: \w+){0,2} (?:bác sĩ|nha sĩ|điều dưỡng|dược sĩ|nữ hộ sinh)|dị ứng|phản vệ|mang thai|"
    r"có thai|thai kỳ|cho con bú|quá liều|ngộ độc|độc tính|nguy hiểm|nguy kịch|tử vong|chết|đe dọa tính mạng|"
    r"cảnh báo|thận trọng|cờ đỏ"
)
_VIETNAMESE = re.compile(_WARNS_VI, re.IGNORECASE)
_BARE_VIETNAMESE = re.compile(plain(_WARNS_VI).replace(r"|\bdung\b", ""), re.IGNORECASE)
"""For text without marks, where "đừng" (do not) cannot be told from "dùng" (use)."""

_ITEM = re.compile(r"[-•*–—+]|\d{1,2}[.)]|[a-zđ]\)", re.IGNORECASE)
_CITED = re.compile(r"\s*\[\d{1,3}\]")
_TURNS = frozenset(
    {
        *("not", "no", "never", "without", "unless", "except", "only", "until", "before", "after", "avoid", "stop"),
        *("không", "chưa", "đừng", "chớ", "tránh", "cấm", "trừ", "ngừng", "ngưng", "chỉ", "trước", "sau"),
    }
)
"""Words that turn a sentence round. Two sentences with the same words but for these say opposite things."""

_CONTRACTED = re.compile(r"n['’]t\b|cannot\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_SAID = 0.8


@dataclass
class _Passage:
    """A sentence, or a line that opens a list with the list: neither says anything alone."""

    head: str
    items: list[str] = field(default_factory=list)

    def warning(self) -> list[str]:
        """Its lines that are needed to understand the warning; none where there is none."""
        if warns(self.head):
            return [self.head, *self.items]
        found = [item for item in self.items if warns(item)]
        return [self.head, *found] if found else []


@dataclass(frozen=True)
class _Said:
    """What two sentences must share to say the same."""

    words: frozenset[str]
    numbers: frozenset[str]
    turns: frozenset[str]

    @staticmethod
    def of(text: str, language: Language) -> _Said:
        return _Said(frozenset(content(text, language)), numbers(text), _turns(text))


def warns(text: str) -> bool:
    text = unicodedata.normalize("NFC", text)
    bare = _BARE_VIETNAMESE.search(text) if text.isascii() else None
    return bool(_WARNS_EN.search(text) or _VIETNAMESE.search(text) or bare)


def warnings_left_out(text: str, entry: Entry, language: Language) -> tuple[str, ...]:
    """What the entry warns of and a text in other words does not say in one sentence of its own."""
    told = [_Said.of(_CITED.sub("", sentence), language) for sentence in split(text) if sentence.strip()]
    return _missing(entry.answer, lambda line: _among(told, _Said.of(line, language)))


def warnings_cut_off(shown: str, answer: str) -> tuple[str, ...]:
    """What the answer warns of behind where it was cut."""
    told = {sentence.strip() for sentence in split(shown)}
    return _missing(answer, told.__contains__)


def _missing(answer: str, told: Callable[[str], bool]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for passage in _passages(answer):
        lines = passage.warning()
        if not all(told(line) for line in lines):
            found["\n".join(lines)] = None
    return tuple(found)


def _among(told: Sequence[_Said], line: _Said) -> bool:
    return any(
        each.turns == line.turns
        and line.numbers <= each.numbers
        and len(line.words & each.words) >= _SAID * len(line.words)
        for each in told
    )


def _turns(text: str) -> frozenset[str]:
    written = _CONTRACTED.sub(" not", unicodedata.normalize("NFC", text)).lower()
    return _TURNS.intersection(_WORD.findall(written))


def _passages(answer: str) -> Iterator[_Passage]:
    """A list goes on while its items are marked; without marks up to a full stop or an empty line."""
    held: _Passage | None = None
    for plain_line in (sentence.strip() for sentence in split(answer)):
        if held is not None and _belongs(held, plain_line):
            held.items.append(plain_line)
            continue
        if held is not None:
            yield held
        held = _Passage(plain_line) if plain_line.endswith(":") else None
        if held is None and plain_line:
            yield _Passage(plain_line)
    if held is not None:
        yield held


def _belongs(held: _Passage, line: str) -> bool:
    items: Sequence[str] = held.items
    if not line:
        return False
    if _ITEM.match(line):
        return True
    marked = bool(items) and bool(_ITEM.match(items[0]))
    return not marked and not line.endswith(":") and not (items and items[-1].endswith((".", "!", "?")))
