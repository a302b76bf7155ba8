"""Other names, drugs, doses and ids in a written message: what a reader must not learn by heart.

Only values inside marks change, and the same words in the context with them. No message is made that nobody wrote.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from docgemma.reader.labels import SPAN_TYPES, TAKES, WHO
from training.marks import Marked, Span

VARIED = ("drug", "person", "patient_id", "dose", "birth_date", "substance")


class Pool:
    """The values that the training messages themselves hold, and the names of a drug list."""

    def __init__(self, messages: Sequence[Marked], drug_names: Sequence[str]) -> None:
        self.values: dict[str, list[str]] = {kind: [] for kind in SPAN_TYPES}
        for message in messages:
            for span in message.spans:
                if span.type in VARIED and span.end - span.start < 40:
                    self.values[span.type].append(message.text[span.start : span.end])
        self.drug_names = drug_names

    def other(self, kind: str, dice: random.Random) -> str:
        """Another value of this kind; a drug half the time from the list."""
        if kind == "drug" and self.drug_names and dice.random() < 0.6:
            return dice.choice(self.drug_names)
        value = dice.choice(self.values[kind])
        if kind == "patient_id" and dice.random() < 0.5:
            value = re.sub(r"\d", lambda _: str(dice.randrange(10)), value)
        return value


def follows(first: Marked, second: Marked, dice: random.Random) -> Marked:
    """Two messages said in one breath: what is asked for in each stays asked for, and told words around it stay told.

    Readers that saw short messages alone lose a plain order in a long dictation. Only for messages without context.
    """
    text = first.text.rstrip()
    text += dice.choice([" ", "\n"]) if text.endswith((".", "!", "?")) else dice.choice([". ", "\n", ", ", " - ", "; "])
    shift = len(text)
    spans = [*_numbered(first, 0), *(_moved(span, shift) for span in _numbered(second, len(first.asks)))]
    return replace(
        first,
        text=text + second.text,
        asks=(*first.asks, *second.asks),
        spans=tuple(spans),
        on_screen=first.on_screen or second.on_screen,
        urgent=first.urgent or second.urgent,
        conditional=first.conditional or second.conditional,
    )


def _numbered(message: Marked, before: int) -> list[Span]:
    """Spans with the place of their request, where the marks or the types tell it."""
    found: list[Span] = []
    for span in message.spans:
        able = [place for place, ask in enumerate(message.asks, 1) if span.type in TAKES[ask]]  # type: ignore[index]
        own = span.request or (able[0] if len({message.asks[place - 1] for place in able}) == 1 else 0)
        found.append(replace(span, request=own + before if own and span.type not in WHO else 0))
    return found


def _moved(span: Span, shift: int) -> Span:
    return replace(span, start=span.start + shift, end=span.end + shift)


def vary(message: Marked, pool: Pool, dice: random.Random, *, share: float = 0.4, slips: float = 0.25) -> Marked:
    """A copy with some values exchanged, and sometimes a slip of the finger outside the marks."""
    text, spans, context = message.text, list(message.spans), (*message.before, *(message.question or ("", ""))[1:])
    swapped: dict[str, str] = {}
    if dice.random() < 0.7:
        for span in message.spans:
            words = message.text[span.start : span.end]
            if span.type in VARIED and pool.values[span.type] and words not in swapped and dice.random() < share:
                swapped[words] = pool.other(span.type, dice)
    if swapped:
        text, spans = _swapped(message, swapped)
    if dice.random() < slips:
        text, spans = _slipped(text, spans, dice)
    context = tuple(_in_context(words, swapped) for words in context)
    question = (message.question[0], context[-1]) if message.question else None
    return replace(message, text=text, spans=tuple(spans), before=context[: len(message.before)], question=question)


def _in_context(text: str, swapped: dict[str, str]) -> str:
    for old, new in swapped.items():
        if len(old) > 2:
            text = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _, new=new: new, text, flags=re.IGNORECASE)  # type: ignore[misc]
    return text


def _swapped(message: Marked, swapped: dict[str, str]) -> tuple[str, list[Span]]:
    parts: list[str] = []
    spans: list[Span] = []
    last = length = 0
    for span in message.spans:
        gap = message.text[last : span.start]
        words = message.text[span.start : span.end]
        words = swapped.get(words, words) if span.type in VARIED else words
        parts += [gap, words]
        start = length + len(gap)
        length = start + len(words)
        spans.append(replace(span, start=start, end=length))
        last = span.end
    parts.append(message.text[last:])
    return "".join(parts), spans


def _slipped(text: str, spans: Sequence[Span], dice: random.Random) -> tuple[str, list[Span]]:
    """One letter dropped, doubled or exchanged with its neighbour, in a word of the message."""
    places = [place for place in range(1, len(text) - 1) if text[place - 1 : place + 2].isalpha()]
    if not places:
        return text, list(spans)
    place = dice.choice(places)
    kind = dice.randrange(3)
    if kind == 0:
        changed, shift = text[:place] + text[place + 1 :], -1
    elif kind == 1:
        changed, shift = text[:place] + text[place] + text[place:], 1
    else:
        changed, shift = text[:place] + text[place + 1] + text[place] + text[place + 2 :], 0
    moved = [
        replace(
            span,
            start=span.start + (shift if span.start > place else 0),
            end=span.end + (shift if span.end > place else 0),
        )
        for span in spans
    ]
    return changed, moved
