"""What the user may ask next: questions that the base can answer, for this role and in this language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from docgemma.entities.instructions import instructions_in
from docgemma.entities.sentences import split
from docgemma.errors import Unavailable
from docgemma.knowledge.consult.looking import look
from docgemma.knowledge.consult.schemas import LONGEST_SUGGESTION
from docgemma.knowledge.consult.showing import one_line, title
from docgemma.knowledge.consult.state import State, sought
from docgemma.knowledge.contract import Knowledge
from docgemma.knowledge.safety.wording import kept
from docgemma.knowledge.search.found import Found

MOST = 3
_ASKS_EN = re.compile(
    r"\W*(?:what|why|how|when|where|who|whom|whose|which|can|could|should|shall|is|are|am|was|were|do|does|did|will|"
    r"would|may|might|must|has|have)\b",
    re.IGNORECASE,
)
_ASKS_VI = re.compile(
    r"\b(?:gì|sao|thế nào|ra sao|bao (?:nhiêu|lâu|giờ|xa)|khi nào|lúc nào|ở đâu|ai|những ai|nào|mấy|hay không|"
    r"hay chưa|được không|phải không)\b|\bcó\b.*\b(?:không|chưa)\W*$",
    re.IGNORECASE,
)
"""Words that make a question without a question mark."""


async def suggested(
    knowledge: Knowledge, state: State, shown: Sequence[Found], proposed: Sequence[str] = ()
) -> tuple[str, ...]:
    """A model's proposals where the base has an answer to them, then neighbours. Fewer where the base has no more."""
    taken = {each.entry.id for each in shown}
    chosen: list[str] = []
    try:
        for question in proposed:
            if len(chosen) < MOST and (known := await _answered(knowledge, state, question, taken)) is not None:
                taken.add(known.entry.id)
                chosen.append(title(question))
        if len(chosen) < MOST:
            chosen += await _neighbours(knowledge, state, shown, taken, MOST - len(chosen))
    except Unavailable:
        pass  # the answer stands without them
    return tuple(dict.fromkeys(chosen))


async def _answered(knowledge: Knowledge, state: State, question: str, taken: set[str]) -> Found | None:
    """The entry that answers a proposed question, if it is one that was not shown and the wording adds nothing."""
    text = title(question)
    if (
        not asks(text)
        or len(split(text)) > 1
        or instructions_in(text)
        or text.casefold() == one_line(state["query"]).casefold()
    ):
        return None
    found = await look(knowledge, text, state["role"].id, state["language"])
    best = next((each for each in found.found if each.fits), None)
    if best is None or best.entry.id in taken:
        return None
    checked = kept(
        text, [best.entry], audience=state["role"].audience, language=state["language"], question=state["query"]
    )
    return None if checked.dropped else best


async def _neighbours(
    knowledge: Knowledge, state: State, shown: Sequence[Found], taken: set[str], most: int
) -> list[str]:
    """What else was found and fits or is of the same topic, then more of that topic; without an answer what is near."""
    role, language = state["role"].id, state["language"]
    topic = shown[0].entry.topic if shown else ""
    near = [
        each for each in state.get("retrieved_candidates", ()) if each.fits or not topic or each.entry.topic == topic
    ]
    questions = _questions(near, state, taken)
    if topic and len(questions) < most:
        more = await look(knowledge, sought(state), role, language, topic=topic)
        questions += [question for question in _questions(more.found, state, taken) if question not in questions]
    return questions[:most]


def _questions(found: Sequence[Found], state: State, taken: set[str]) -> list[str]:
    role, language = state["role"].id, state["language"]
    return [
        title(each.entry.question)
        for each in found
        if each.entry.id not in taken
        and (each.entry.role, each.entry.language) == (role, language)
        and not instructions_in(each.entry.question)
        and asks(title(each.entry.question))
        and len(each.entry.question) <= LONGEST_SUGGESTION
    ]


def asks(text: str) -> bool:
    """Whether it is a question. A claim among questions to ask would be read as true."""
    return "?" in text or bool(_ASKS_EN.match(text) or _ASKS_VI.search(unicodedata.normalize("NFC", text)))
