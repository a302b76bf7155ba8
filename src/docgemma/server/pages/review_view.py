"""What the review page shows of an item, and how its filter stands in addresses."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from docgemma.errors import BadInput
from docgemma.grounding.locating import fold, locate
from docgemma.grounding.review.decision import Decision, Example, Item
from docgemma.grounding.review.queue import SHOWN, Queue, Wanted
from docgemma.terminology.contract import ENTITY_TYPES

PAGE = 50
NOT_SEEN = "none"
"""Stands in forms for an item that nobody had decided on: an empty field would not be sent."""

_MOST_MARKS = 5
_SHORT = 4
"""Up to here a word with another ending is another word."""
_LONGEST_FILTER = 200
_COLUMNS = (
    "item", "text", "entity_type", "action", "before_cui", "before_snomed", "before_term", "cui", "snomed", "term",
    "known", "reason", "who", "at", "bulk", "holds",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A criterion in pieces; those that are the entity are marked."""

    example: Example
    pieces: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class ItemView:
    """The item in the pane."""

    item: Item
    sentences: tuple[Sentence, ...]
    before: str | None
    after: str | None
    history: tuple[Decision, ...]

    @property
    def seen(self) -> str:
        """What the forms send back, so that a decision that somebody else made meanwhile is noticed."""
        return self.item.decision.at if self.item.decision else NOT_SEEN

    @property
    def first(self) -> int:
        """The number of the first candidate that can be accepted; 0: none has a code."""
        numbers = (number for number, each in enumerate(self.item.candidates, 1) if each.cui or each.snomed_code)
        return next(numbers, 0)


@dataclass(frozen=True, slots=True)
class Done:
    """What was just decided, and how it is taken back: one item's decision, or the name of many."""

    decision: Decision | None = None
    bulk: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class Bulk:
    """How many would be accepted at once. `names` stands for exactly these."""

    at_least: float
    count: int
    names: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Room:
    """The whole page: queue, filter, the item in the pane, and what was just done."""

    queue: Queue
    wanted: Wanted
    skip: int
    threshold: float
    shown: ItemView | None = None
    done: Done | None = None
    bulk: Bulk | None = None

    @property
    def filter(self) -> dict[str, str]:
        """The filter as fields of a form; only what is set."""
        return filter_of(self.wanted, self.skip)

    @property
    def query(self) -> str:
        return query_of(self.filter)

    def page(self, skip: int) -> str:
        return query_of(filter_of(self.wanted, max(skip, 0)))

    @property
    def more(self) -> bool:
        return self.skip + PAGE < self.queue.total

    @property
    def reviewed(self) -> int:
        """How far the review has come, in percent, rounded down: only all is all."""
        whole = self.queue.waiting + self.queue.decided
        return self.queue.decided * 100 // whole if whole else 0


def wanted_of(type: str, q: str, show: str) -> Wanted:
    """The filter of an address or a form. BadInput for words that are none of ours."""
    kind = next((each for each in ENTITY_TYPES if each == type), None)
    what = next((each for each in SHOWN if each == show), None)
    if (type and kind is None) or what is None:
        raise BadInput("This filter is not known. Choose one of those on the review page.")
    return Wanted(show=what, entity_type=kind, text=q.strip()[:_LONGEST_FILTER])


def filter_of(wanted: Wanted, skip: int) -> dict[str, str]:
    given = {
        "type": wanted.entity_type or "",
        "q": wanted.text,
        "show": "" if wanted.show == "waiting" else wanted.show,
        "skip": str(skip) if skip else "",
    }
    return {name: value for name, value in given.items() if value}


def query_of(fields: dict[str, str]) -> str:
    return f"?{urlencode(fields)}" if fields else ""


def sentence(example: Example, words: str) -> Sentence:
    """The criterion with the entity marked wherever it stands; unmarked where it is written in another way."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, end in _spans(example.text, words):
        if start < at:
            continue
        pieces += [(example.text[at:start], False), (example.text[start:end], True)]
        at = end
    pieces.append((example.text[at:], False))
    return Sentence(example, tuple(piece for piece in pieces if piece[0]))


def _spans(text: str, words: str) -> list[tuple[int, int]]:
    """Where exactly these words stand; of a longer word also another ending, where it stands in no other way."""
    found = sorted({span for span in locate(text, [(words, 0, 0)] * _MOST_MARKS) if span is not None})
    exact = [(start, end) for start, end in found if fold(text[start:end]).text == fold(words).text]
    return exact or (found if len(words) > _SHORT else [])


def exported(decisions: Sequence[Decision], kind: str) -> Iterator[str]:
    """Every decision on its own line, oldest first; `holds` says which one counts now."""
    last = {each.item: each for each in decisions}
    if kind == "jsonl":
        for each in decisions:
            yield json.dumps({**each.model_dump(mode="json"), "holds": _holds(each, last)}, ensure_ascii=False) + "\n"
        return
    yield _csv_line(_COLUMNS)
    for each in decisions:
        before, after = each.before, each.after
        yield _csv_line(
            (
                each.item, each.text, each.entity_type, each.action,
                before.umls_cui, before.snomed_code, before.preferred_term,
                after.umls_cui, after.snomed_code, after.preferred_term,
                str(each.known).lower(), each.reason, each.who, each.at, each.bulk, str(_holds(each, last)).lower(),
            )
        )  # fmt: skip


def _holds(decision: Decision, last: dict[str, Decision]) -> bool:
    return decision.action != "undo" and last[decision.item] is decision


def _csv_line(values: Sequence[str | None]) -> str:
    """A cell that a spreadsheet would run as a formula is text."""
    out = io.StringIO()
    csv.writer(out).writerow([f"'{each}" if each and each.startswith(_FORMULA) else each or "" for each in values])
    return out.getvalue()
