"""How an answer leaves the consult: the urgent notice first, then the text; and the answers that code gives alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docgemma.entities.instructions import without_instructions
from docgemma.errors import Unavailable
from docgemma.knowledge.consult.asking import Live
from docgemma.knowledge.consult.chat import kind_of
from docgemma.knowledge.consult.phrases import phrase
from docgemma.knowledge.consult.quoting import SEE_ALSO, SURE, nothing_fits, word_for_word
from docgemma.knowledge.consult.state import State
from docgemma.knowledge.consult.suggesting import suggested
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.search.found import Found

BREAK = "\n\n"


def response(state: State) -> str:
    """What the user reads, as it was shown."""
    return BREAK.join(part for part in (state.get("urgent", ""), state.get("explain", "")) if part)


async def current(live: Live, state: State) -> tuple[tuple[Found, ...], list[str]]:
    """The selected entries as they read now, best first, and what to say about them.

    What was withdrawn or handed to another role is left out, and so is a passage that talks to a program: it is meant
    for no reader, and what is left is still the entry's own words.
    """
    known = {each.entry.id: each for each in state.get("retrieved_candidates", ())}
    ids = [id for id in state.get("selected_ids", ()) if id in known]
    if state.get("urgent"):  # under such a notice stands what surely belongs there, or nothing
        ids = [id for id in ids if known[id].relevance >= SURE]
    entries = await live.services.knowledge.entries(ids) if ids else {}
    found: list[Found] = []
    cut = False
    for id in ids:
        entry = entries.get(id)
        if entry is None or entry.role != state["role"].id:
            continue
        clean = _for_readers(entry)
        cut = cut or clean is not entry
        if clean.question and clean.answer:
            found.append(replace(known[id], entry=clean))
    return tuple(found), [phrase("passage_left_out", state["language"])] if cut else []


def _for_readers(entry: Entry) -> Entry:
    texts = {"question": entry.question, "answer": entry.answer, "source": entry.source}
    changed = {name: clean.strip() for name, text in texts.items() if (clean := without_instructions(text)) != text}
    return entry.model_copy(update=changed) if changed else entry


async def quoted(live: Live, state: State, found: Sequence[Found]) -> State:
    """The entries word for word, or that there is none."""
    if not found:
        return await nothing(live, state)
    text = word_for_word(found, state["language"])
    live.services.emit(text)
    shown = tuple(found[: 1 + SEE_ALSO])
    return {
        "explain": text,
        "word_for_word": True,
        "found": shown,
        "suggestion_questions": await suggested(live.services.knowledge, state, shown),
    }


async def nothing(live: Live, state: State) -> State:
    """No entry answers this: says so and names what there is. Nothing is guessed."""
    topics = await live.services.knowledge.topics(state["role"].id, state["language"])
    text = nothing_fits(topics, state["role"].audience, state["language"])
    live.services.emit(text)
    near = () if state.get("urgent") else await suggested(live.services.knowledge, state, ())
    return {"explain": text, "word_for_word": True, "found": (), "suggestion_questions": near}


def closed(live: Live, state: State, failure: Unavailable | None = None) -> State:
    """The base cannot be read: one sentence, after the urgent notice if there is one."""
    patient = state["role"].audience == "patient"
    text = phrase("closed_patient" if patient else "closed", state["language"])
    live.services.emit(text)
    said: State = {"explain": text, "word_for_word": True, "found": (), "suggestion_questions": ()}
    if failure is not None:
        said["notices"] = [str(failure)]
    return said


def small_talk(live: Live, state: State) -> State:
    """A prepared sentence. It needs neither model nor base."""
    role = state["role"].name_vi if state["language"] == "vi" else state["role"].name_en
    text = phrase(kind_of(state["query"]), state["language"], role=role)
    live.services.emit(text)
    return {"explain": text, "word_for_word": True, "found": (), "suggestion_questions": ()}
