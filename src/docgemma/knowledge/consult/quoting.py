"""Entries as they are shown when nobody rewords them: word for word, each with its source."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.entities.printable import printable
from docgemma.entities.sentences import split
from docgemma.knowledge.consult.phrases import phrase
from docgemma.knowledge.contract import Topic
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.roles import Audience
from docgemma.knowledge.search.found import Found

LONGEST_QUOTE = 1_500
SEE_ALSO = 2
_MOST_TOPICS = 12


def word_for_word(found: Sequence[Found], language: Language) -> str:
    """The best entry in full, the next ones by their question."""
    best, *others = found
    further = [
        f"- {one_line(each.entry.question)}\n  {source_line(each.entry, language)}" for each in others[:SEE_ALSO]
    ]
    parts = [_quoted(best.entry, language)]
    if further:
        parts.append("\n".join((phrase("see_also", language), *further)))
    return "\n\n".join(parts)


def source_line(entry: Entry, language: Language) -> str:
    """Where the words come from, and whether a clinician has read them."""
    reviewed = entry.reviewed and not entry.demonstration
    review = phrase("reviewed", language, date=entry.reviewed) if reviewed else phrase("not_reviewed", language)
    return phrase("source", language, source=one_line(entry.source), review=review)


def source_list(numbered: Sequence[tuple[int, Entry]], language: Language) -> str:
    """What the numbers in a text stand for."""
    lines = [f"[{number}] {one_line(entry.question)} {source_line(entry, language)}" for number, entry in numbered]
    return "\n".join((phrase("sources", language), *lines))


def nothing_fits(topics: Sequence[Topic], audience: Audience, language: Language) -> str:
    """Says so, names what there is, and sends a patient to a person."""
    names = ", ".join(one_line(topic.name) for topic in topics[:_MOST_TOPICS])
    covers = phrase("covers", language, topics=names) if names else phrase("empty", language)
    who = (phrase("ask_who", language),) if audience == "patient" else ()
    return " ".join((phrase("nothing_fits", language), covers, *who))


def shortened(text: str, most: int) -> str:
    """Whole sentences up to `most` characters; the first one is cut only when it is longer alone."""
    if len(text) <= most:
        return text
    kept = ""
    for sentence in split(text):
        if len(kept) + len(sentence.rstrip()) > most:
            break
        kept += sentence
    return kept.rstrip() or text[:most].rstrip() + "…"


def one_line(text: str) -> str:
    return " ".join(printable(text).split())


def _quoted(entry: Entry, language: Language) -> str:
    answer = printable(entry.answer)
    shown = shortened(answer, LONGEST_QUOTE)
    note = (phrase("shortened", language),) if shown != answer else ()
    return "\n".join((one_line(entry.question), shown, *note, source_line(entry, language)))
