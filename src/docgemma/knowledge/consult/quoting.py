"""Entries as they are shown when nobody rewords them: word for word, each with its source."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.entities.cutting import MARK, beginning
from docgemma.entities.printable import printable
from docgemma.knowledge.consult.phrases import phrase
from docgemma.knowledge.consult.showing import set_apart, source_name, title
from docgemma.knowledge.consult.warned import warnings_cut_off
from docgemma.knowledge.contract import Topic
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.roles import Audience
from docgemma.knowledge.search.found import Found

LONGEST_QUOTE = 6_000
SURE = 0.8
"""The relevance from which an entry is taken for what was asked. Below it the reader is told to compare."""
SEE_ALSO = 2
_MOST_TOPICS = 12


def word_for_word(found: Sequence[Found], language: Language) -> str:
    """The best entry in full, the next ones by their question."""
    best, *others = found
    further = [f"- {title(each.entry.question)}\n  {source_line(each.entry, language)}" for each in others[:SEE_ALSO]]
    parts = [phrase("nearest", language)] if best.relevance < SURE else []
    parts.append(_quoted(best.entry, language))
    if further:
        parts.append("\n".join((phrase("see_also", language), *further)))
    return "\n\n".join(parts)


def source_line(entry: Entry, language: Language) -> str:
    """Where the words come from, and whether a clinician has read them."""
    reviewed = entry.reviewed and not entry.demonstration
    review = phrase("reviewed", language, date=entry.reviewed) if reviewed else phrase("not_reviewed", language)
    return phrase("source", language, source=source_name(entry.source), review=review)


def source_list(numbered: Sequence[tuple[int, Entry]], language: Language) -> str:
    """What the numbers in a text stand for."""
    lines = [f"[{number}] {title(entry.question)} {source_line(entry, language)}" for number, entry in numbered]
    return "\n".join((phrase("sources", language), *lines))


def nothing_fits(topics: Sequence[Topic], audience: Audience, language: Language) -> str:
    """Says so, names what there is, and sends a patient to a person."""
    names = ", ".join(title(topic.name) for topic in topics[:_MOST_TOPICS])
    covers = phrase("covers", language, topics=names) if names else phrase("empty", language)
    who = (phrase("ask_who", language),) if audience == "patient" else ()
    return " ".join((phrase("nothing_fits", language), covers, *who))


def _quoted(entry: Entry, language: Language) -> str:
    """All of it where a screen can hold it. What is cut off is said, and what it warns of is still told."""
    answer = printable(entry.answer)
    if len(answer) <= LONGEST_QUOTE:
        parts = [set_apart(answer)]
    else:
        shown = beginning(answer, LONGEST_QUOTE)
        warnings = warnings_cut_off(shown, answer)
        note = phrase("cut_off" if warnings else "shortened", language)
        parts = [set_apart(shown) + MARK, note, *map(set_apart, warnings)]
    return "\n".join((title(entry.question), *parts, source_line(entry, language)))
