"""Times around a criterion: "within 6 months prior to screening", "for at least 3 months", "in the past year"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docgemma.grounding.attributes.terms import Term
from docgemma.grounding.attributes.units import TIME
from docgemma.grounding.contract import Comparator, Window

_RECENT = r"(?:past|last|previous|preceding|prior|most\s{1,2}recent|recent)"
_IN = r"(?:within|in|during|over|for|throughout)"
_LEAD = re.compile(
    rf"(?<![a-z])(?:(?P<near>{_IN}\s{{1,3}}(?:at\s{{1,2}}least\s{{1,2}})?(?:the\s{{1,3}}|their\s{{1,3}})?{_RECENT}|(?:in|during|over)\s{{1,3}}the|within(?:\s{{1,3}}the|\s{{1,3}}a)?|(?:the\s{{1,2}})?{_RECENT})"
    r"|(?P<span>for(?:\s{1,3}(?:a|the))?(?:\s{1,3}(?:period|minimum|total|duration)\s{1,3}of)?|a|an|of))\s{1,3}$"
)
_EVERY = re.compile(r"(?<![a-z])(?:every|each|per|once\s{1,2}in|in\s{1,2}any)\s{1,3}$")
_STOP = (
    r"and|or|but|with|for|in|who|that|which|unless|except|if|is|are|was|were|at|on|must|should|may|will|whichever|where|"
    r"when|requiring|despite|as|including|excluding|other"
)
_WORD = r"[a-z0-9][\w'/+.-]{0,30}"
_ANCHOR = (
    rf"(?P<anchor>(?:(?:the|their|any|study|first|last)\s{{1,2}})?(?!(?:{_STOP})(?![a-z])){_WORD}"
    rf"(?:\s{{1,2}}(?!(?:{_STOP})(?![a-z])){_WORD}){{0,6}})"
)
_MORE = (
    r"(?P<more>(?:\s{0,2},)?\s{1,2}or\s{1,2}(?:at\s{1,2}least\s{1,2})?(?:\d{1,2}|five|three|two|four)(?:\s{0,2}\(\d\))?"
    r"\s{1,2}half[- ]li(?:fe|ves)(?:\s{0,2}\([^()]{1,40}\))?)?"
)
_BEHIND = re.compile(
    rf"{_MORE}(?:\s{{1,3}}(?:period|interval|duration))?(?:\s{{1,2}}(?:have|has)\s{{1,2}}(?:passed|elapsed))?(?:\s{{0,2}},?\s{{0,2}}(?:immediately\s{{1,2}}|directly\s{{1,2}})?"
    rf"(?P<way>(?:before|prior\s{{1,2}}to)\s{{1,2}}(?:or|and)\s{{1,2}}after|prior\s{{1,2}}to|before|preceding|after|following|from|of|since|post|until|relative\s{{1,2}}to)\s{{1,2}}{_ANCHOR}"
    r"|\s{1,2}(?P<ago>ago|previously|earlier|prior|before|duration|after|history))?"
)
_WHOLE = re.compile(
    rf"(?<![a-z])(?:(?:{_IN}|at\s{{1,2}}any\s{{1,2}}time\s{{1,2}}during)\s{{1,2}})?(?:the\s{{1,2}}|this\s{{1,2}}|a\s{{1,2}})?"
    rf"(?:(?P<recent>{_RECENT})\s{{1,2}}(?P<unit>hour|day|week|month|year)(?![a-z])"
    r"|(?<=\sthe\s)(?P<one>hour|day|week|month|year)(?=\s{1,2}(?:before|prior\s{1,2}to|preceding)(?![a-z]))"
    r"|(?P<course>(?:(?:entire|whole|study|treatment)\s{1,2}){0,2}(?:study|trial|treatment\s{1,2}period|study\s{1,2}period|"
    r"screening\s{1,2}period|course\s{1,2}of\s{1,2}the\s{1,2}(?:study|trial)|duration\s{1,2}of\s{1,2}the\s{1,2}(?:study|trial)))(?![a-z]))"
)
_IN_THE = re.compile(r"(?:within|in|during|over)\s")
_STUDY_LEAD = re.compile(r"(?:during|throughout|for|over|at)\s")
_OF = re.compile(r"\s{1,2}of\s")
_FOR = re.compile(r"for\s")
_LOOK_BACK = 45
_TRAILING = " ,;:.-"


@dataclass(frozen=True, slots=True)
class Timed:
    """A window with its place. `anchor_start`: where the words begin that name what it counts from."""

    start: int
    end: int
    anchor_start: int
    window: Window
    explicit: bool = True
    """False for a bare time such as "6 months": it may be an age or the value of something."""
    counts_on: bool = False
    """A stretch that what follows took, or that has passed since it: "8 weeks of", "2 weeks since"."""


def windows(text: str, raw: str, terms: Sequence[Term]) -> list[Timed]:
    """In order. Terms that are ages or rates make none."""
    found: list[Timed] = []
    for term in terms:
        if term.unit in TIME and not (found and term.start < found[-1].end):
            found += [timed] if (timed := _of_term(text, raw, term)) is not None else []
    return sorted([*found, *_whole(text, raw, found, terms)], key=lambda timed: timed.start)


def _of_term(text: str, raw: str, term: Term) -> Timed | None:
    head = text[max(0, term.start - _LOOK_BACK) : term.start]
    if term.age or term.ordinal or _EVERY.search(head):
        return None
    lead = _LEAD.search(head)
    start = term.start - (len(head) - lead.start()) if lead else term.start
    behind = _BEHIND.match(text, term.end)
    way = behind["way"] if behind else None
    inner = text[term.start : term.number].startswith("within")
    near = bool((lead and lead["near"]) or inner)
    if way == "of" and not near:
        behind, way = None, None
    anchored = bool(behind and (way or behind["ago"]))
    end = behind.end() if behind and (anchored or behind["more"]) else term.end
    end = term.start + len(text[term.start : end].rstrip(_TRAILING))
    anchor_start = behind.start("anchor") if behind and way else end
    comparator: Comparator | None = term.comparator or ("<=" if near else None)
    window = Window(
        text=raw[start:end],
        comparator=comparator,
        value=term.value,
        upper=term.upper,
        unit="minute" if term.unit == "min" else term.unit,
        anchor=raw[anchor_start:end].strip(_TRAILING) if way else "",
    )
    explicit = near or anchored or bool(lead and lead["span"] and lead["span"].startswith("for"))
    goes_on = way == "since" or (not near and not way and _OF.match(text, end) is not None)
    return Timed(start, end, anchor_start, window, explicit, goes_on and not _FOR.match(text, start))


def _whole(text: str, raw: str, known: Sequence[Timed], terms: Sequence[Term]) -> Iterator[Timed]:
    """Without a number: "in the past year", "during the study"."""
    for found in _WHOLE.finditer(text):
        start, end = found.span()
        taken = any(one.start < end and start < one.end for one in known) or any(
            term.start < end and start < term.end for term in terms
        )
        if taken or (found["course"] and not _STUDY_LEAD.match(found.group())):
            continue
        if found["one"] and not _IN_THE.match(found.group()):
            continue
        if found["course"]:
            yield Timed(start, end, end, Window(text=raw[start:end]))
        else:
            window = Window(text=raw[start:end], comparator="<=", value="1", unit=found["unit"] or found["one"])
            yield Timed(start, end, end, window)
