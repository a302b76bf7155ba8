"""The answer as it grows: the model's pieces in, checked sentences out. What was shown is never taken back."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, cast

from docgemma.agent.answer.check import check
from docgemma.agent.answer.evidence import Evidence
from docgemma.entities.sentences import Repetition, SentenceStream, complete
from docgemma.llm.contract import STOPPED_EARLY, current_usage

_WORD = re.compile(r"[^\W\d_]{2,}")
LOOPING = "The model began to repeat itself and was stopped."


@dataclass(slots=True)
class Draft:
    """Takes a stream and releases it sentence by sentence through `show`."""

    evidence: Evidence
    show: Callable[[str], None]
    text: str = ""
    marked: bool = False
    by_rule: bool = False
    dropped: list[str] = field(default_factory=list)
    held: str = ""

    async def take(self, stream: AsyncIterator[str]) -> None:
        """Until the stream ends or begins to loop. A sentence that was cut off is not shown: it may be half a dose."""
        sentences, repetition = SentenceStream(), Repetition()
        async with aclosing(cast(Any, stream)) as pieces:
            async for piece in pieces:
                if current_usage().answered_by == "code":
                    self.by_rule = True
                    self.release(piece)
                elif self._checked(sentences.feed(piece), repetition):
                    return
        rest = sentences.flush()
        if rest and STOPPED_EARLY in current_usage().notices and not complete(rest[-1]):
            rest.pop()
        self._checked(rest, repetition)

    def release(self, text: str) -> None:
        if text:
            self.text += text
            self.show(text)

    def detail(self) -> str:
        """For the timeline: how much of it is not the model's own words as they came."""
        withheld = f"{len(self.dropped)} sentence(s) withheld" if self.dropped else ""
        marked = "marked: not from the sources" if self.marked else ""
        composed = "put together by rule" if self.by_rule else ""
        return "; ".join(part for part in (composed, withheld, marked) if part)

    def _checked(self, sentences: list[str], repetition: Repetition) -> bool:
        for sentence in sentences:
            if repetition.stop(sentence):
                current_usage().notice(LOOPING)
                return True
            outcome = check(sentence, self.evidence)
            self.marked = self.marked or outcome.marked
            if outcome.dropped:
                self.dropped.append(outcome.dropped)
            self._say(outcome.text)
        return False

    def _say(self, text: str) -> None:
        """Shown from the second word on: a lone sign, number or emoji is no answer, and could not be taken back."""
        self.held += text
        if self.text or len(_WORD.findall(self.held)) > 1:
            self.release(self.held)
            self.held = ""
