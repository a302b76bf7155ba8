"""Spans of the reader as typed values: drugs by the dictionary, amounts, ids and dates by exact code.

Every mention keeps its place: it is the source of whatever is made of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from unicodedata import combining

from docgemma.entities.amounts.durations import parse_duration
from docgemma.entities.amounts.found import find_amounts
from docgemma.entities.amounts.frequencies import parse_frequency
from docgemma.entities.amounts.kidneys import find_kidney_values
from docgemma.entities.amounts.routes import parse_route
from docgemma.entities.amounts.traps import find_traps
from docgemma.entities.amounts.units import COUNTED, canonical_unit
from docgemma.entities.dates import find_dates
from docgemma.entities.drugs.abbreviations import as_written, find_abbreviations
from docgemma.entities.drugs.disguise import disguises
from docgemma.entities.drugs.names import drugs_in
from docgemma.entities.ids import find_patient_ids, without_numbers
from docgemma.entities.model import Mention
from docgemma.entities.name_pairs import find_name_pairs
from docgemma.entities.note_types import named_kind, note_type
from docgemma.entities.person_words import titles
from docgemma.entities.substances import known_substances
from docgemma.entities.trial_status import status_value, told_status
from docgemma.entities.words import words
from docgemma.orders.unclear import has_unseen
from docgemma.reader.contract import Request, Span
from docgemma.reader.labels import SpanType

_ORDER = "prescribe_medication"
TITLE = re.compile(rf"(?<![\w'-])(?:(?:the\s)?(?:{titles()}|patient|pt)\.?\s{{1,2}}){{1,6}}", re.IGNORECASE)
_KIN = (
    r"(?:wife|husband|mother|father|mum|mom|mam|dad|son|daughter|baby|twin|brother|sister|aunt|uncle|cousin|niece|nephew"
    r"|partner|newborn|neighbou?r|grand(?:son|daughter|mother|father|child))"
)
_KIN_OF = re.compile(
    rf"(?<!\w)(?:(?:the\s)?{_KIN}\sof\s(?=\w+-\d|\d|(?:mrs?|ms)\W)|(?<=\d['’]s\s){_KIN}(?!\w)|my\s(?:own\s)?{_KIN}(?!\w)|(?:his|her|their)\s{_KIN}['’]s(?!\w))",
    re.IGNORECASE,
)
_KIN_EDGES = re.compile(r"(?:(?:.{0,200}['’])?s\s)?(?P<kin>.{1,200}?)(?:\sof)?", re.IGNORECASE | re.DOTALL)
_LOOSE_ENDS = re.compile(
    r"^(?:(?:and|or|for|with|in|of|'s|’s)\s|[\s,;]){1,8}|(?:\s(?:and|or|for|with|in|of)|[\s,;]){1,8}$", re.IGNORECASE
)
_NUMBERED = re.compile(r"^[\w-]{0,20}\d[\w-]{0,20}\s{0,2}[/,:-]\s{0,2}")
"""An id before a name that was marked with it: "402 / Mohammed Al-Rashid"."""

_SUFFIX = re.compile(r",?\s(?:sr|jr|snr|jnr|ii|iii)(?!\w)", re.IGNORECASE)
_OWNED = re.compile(r"['’]s?$")
_OWNER_MARK = re.compile(r"['’]s?(?!\w)")
_SENTENCE_END = re.compile(r"[.:!?\n]\s{1,20}")
_ID_WORDS = re.compile(
    r"(?<!\w)(?:(?:the|patients?|pts?|mrn|id|no|nr|num|number|rec(?:ord)?|hosp(?:ital)?|chart|file|case|nhs|hn|uhid|ur|urn|chi)\b\.?[\s:#=-]{0,3}){1,8}|#",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:bed|beds|room|rm|bay|cot|ward|chair|theatre|resus|side\sroom|trolley|cubicle|incubator|crib|station|slot|"
    r"bunk|tent|cell|icu|itu|nicu|hdu|ccu|ed|unit|hall|corridor)\b",
    re.IGNORECASE,
)


_REST_OF_AGE = re.compile(
    r"(?:[\s-]?(?:one|two|three|four|five|six|seven|eight|nine)(?!\w))?[\s-]?(?:weeks?|wks?|months?|mths?|days?|years?|yrs?)?(?!\w)",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\s(?:or|to)\s", re.IGNORECASE)
"""Two amounts of which one is meant: "500 mg or 1000 mg"."""

_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»"}
"""What opens a quotation, and what ends it."""


@dataclass(frozen=True, slots=True)
class Told:
    """A mention and the request that it belongs to, where the reader says so."""

    mention: Mention
    ask: str | None


class Mentions:
    """The typed mentions of one message, by kind of span."""

    def __init__(self, text: str, request: Request) -> None:
        self.text = text
        self._spans = tuple(_with_unseen(text, span) for span in request.spans)
        self._sure = {asked.ask for asked in request.asks if asked.certainty == "sure"}
        self._orders = any(asked.ask == _ORDER for asked in request.asks)
        self.ids_by_code = find_patient_ids(text)
        tokens = words(text)
        self._disguised = disguises(text)
        self._listed = _apart(drugs_in(text), self._disguised)
        self._shorthand = find_abbreviations(tokens)
        unnumbered = without_numbers(text, (*self.ids_by_code, *self.plain("patient_id")))
        self.amounts = find_amounts(unnumbered, (*self._listed, *as_written(self._shorthand)))
        self.traps = find_traps(text, self._listed, self.amounts)

    def spans(self, *kinds: SpanType) -> list[Span]:
        return [span for span in self._spans if span.type in kinds]

    def ids(self) -> tuple[list[Mention], list[Mention]]:
        """Ids as a record system may know them, and places such as a bed, by which it knows nobody."""
        ids: list[Mention] = []
        places: list[Mention] = []
        for span in self.spans("patient_id"):
            exact = touched(self.ids_by_code, span)
            bare = _ID_WORDS.sub("", span.text, count=1).strip(" .,;:#()")
            if _PLACE.search(span.text):
                places.append(_mention(span))
            elif exact:
                ids += exact
            elif any(letter.isdigit() for letter in bare) and not any(_is_word(part) for part in bare.split()):
                ids.append(_mention(span, bare))
            else:
                places.append(_mention(span))
        return ids, places

    def _in_a_note(self, span: Span) -> bool:
        """Whether a name begins what is dictated: "note: John Smith's labs were misfiled" is not about John Smith."""
        noted = next(iter(self.spans("note_text")), None)
        colon = self.text.rfind(": ", 0, span.start + 1)
        return noted is not None and colon >= 0 and colon + 2 == span.start and span.end == noted.start

    def relatives(self) -> list[Mention]:
        """Somebody by kinship to another, marked or in a form that is nothing else: "the son of X", "my dad"."""
        edges = [(span, _KIN_EDGES.fullmatch(span.text)) for span in self.spans("relative")]
        marked = [Mention(m["kin"], s.start + m.start("kin"), s.start + m.end("kin")) for s, m in edges if m]
        noted = self.spans("note_text")
        found = [Mention(one.group(), one.start(), one.end()) for one in _KIN_OF.finditer(self.text)]
        own = [one for one in found if not any(_touch(one, span) for span in noted)]
        return [*marked, *(one for one in own if not any(one.start < m.end and m.start < one.end for m in marked))]

    def people(self) -> list[Mention]:
        """Names without title and possessive; "Smith, John" is one."""
        names: list[Mention] = []
        for span in self.spans("person"):
            suffix = _SUFFIX.match(self.text, span.end)
            whole = self.text[span.start : suffix.end() if suffix else span.end]
            if bare_name(whole) and not self._in_a_note(span):
                names.append(Mention(whole, span.start, span.start + len(whole), bare_name(whole)))
        if len(names) == 2 and not any(" " in name.value for name in names):
            family, given = names
            if self.text[family.start : given.start].rstrip().endswith(",") and given.start - family.end <= 2:
                whole = self.text[family.start : given.end]
                names = [Mention(whole, family.start, given.end, bare_name(whole))]
        return names

    def drugs(self, *, kinds: Sequence[SpanType] = ("drug",), as_written: Collection[str] = ()) -> list[Told]:
        """Drugs as the dictionary spells them, others as they were written.

        Shorthand and disguised names are read as the drug they stand for, but not in what is to be written: there they
        stay as they are, and are asked about.
        """
        found: list[Told] = []
        for span in self.spans(*kinds):
            if canonical_unit(span.text.strip(" .")) in COUNTED:  # "Tab" is a form
                continue
            inside = touched(self._listed, span)
            short = touched(self._shorthand, span)
            hidden = [drug for drug in self._disguised if _touch(drug, span)]
            if span.ask in as_written and (hidden or (short and not inside)):
                found += [Told(Mention(drug.text, drug.start, drug.end), span.ask) for drug in hidden or short]
                continue
            known = hidden or inside or short
            found += [Told(drug, span.ask) for drug in known] or [Told(_mention(span), span.ask)]
        if not found and self._orders:  # the reader does not know the letters; they are asked about
            found = [Told(Mention(drug.text, drug.start, drug.end), None) for drug in self._disguised]
        return found

    def is_known(self, drug: Mention) -> bool:
        """Whether the dictionary says what it is; a name that was left as written is not known."""
        return drug in self._listed or drug in self._shorthand or drug in self._disguised

    def is_disguised(self, drug: Mention) -> bool:
        return any(drug.start == one.start for one in self._disguised)

    @property
    def listed(self) -> Sequence[Mention]:
        """Every drug of the dictionary in the message, marked or not."""
        return self._listed

    def doses(self) -> list[Told]:
        return self._amounts("dose", self.amounts.doses, lambda text: text)

    def frequencies(self) -> list[Told]:
        return self._amounts("frequency", self.amounts.frequencies, _often)

    def routes(self) -> list[Told]:
        return self._amounts("route", self.amounts.routes, lambda text: parse_route(text) or text)

    def durations(self) -> list[Told]:
        return self._amounts(
            "duration", self.amounts.durations, lambda text: parse_duration(f"for {text}") or f"for {text}"
        )

    def reasons(self) -> list[Told]:
        """What it is for; and kidney values, by which an order is checked, whatever they were marked as."""
        kidneys = find_kidney_values(self.text, 0, len(self.text))
        told = [span for span in self.spans("indication") if not touched(kidneys, span)]
        found = [Told(_mention(span, f"for {span.text}"), span.ask) for span in told]
        return [*found, *(Told(value, None) for value in kidneys)]

    def rates(self) -> list[Told]:
        return [Told(_mention(span), span.ask) for span in self.spans("rate")]

    def substances(self) -> list[Mention]:
        """What an allergy is to: a drug, a listed allergen, else as it was written."""
        found: list[Mention] = []
        drugs_said = [span for span in self.spans("drug") if span.ask in ("add_allergy", None)]
        for span in self.spans("substance") or (drugs_said if "add_allergy" in self._sure else []):
            drugs = touched(self._listed, span)
            tokens = words(span.text)
            near = tuple(Mention(d.text, d.start - span.start, d.end - span.start, d.value) for d in drugs)
            known = [one for _, one in known_substances(tokens, near).values()]
            value = known[0].value if len(known) == 1 and len(known[0].text.split()) == len(span.text.split()) else ""
            hidden = touched(self._disguised, span) or not (drugs or span.text.isascii())
            found.append(_mention(span, span.text if hidden else value or span.text))
        return found

    def ages(self) -> list[Mention]:
        """Ages with their whole number and unit, where the mark is shorter: "6" of "6 weeks"."""
        found: list[Mention] = []
        for span in self.spans("age"):
            more = _REST_OF_AGE.match(self.text, span.end)
            end = more.end() if more else span.end
            found.append(Mention(self.text[span.start : end], span.start, end))
        return found

    def plain(self, *kinds: SpanType) -> list[Mention]:
        """Word for word."""
        return [_mention(span) for span in self.spans(*kinds)]

    def topics(self) -> list[Told]:
        """What searches are about, without people and their numbers: a search must not tell who somebody is."""
        spans = [span for span in self.spans("topic", "condition") if not touched(self.ids_by_code, span)]
        names = find_name_pairs(self.text)
        return [Told(left, span.ask) for span in spans if (left := _without_names(_mention(span), names)) is not None]

    def told(self, *kinds: SpanType) -> list[Told]:
        return [Told(_mention(span), span.ask) for span in self.spans(*kinds)]

    def note_texts(self) -> list[Mention]:
        """With the full stop that ends it, and with all behind it that belongs to nothing else that is asked for."""
        found: list[Mention] = []
        alone = self._sure == {"save_clinical_note"}
        others = [
            span
            for span in self._spans
            if span.type in ("patient_id", "person", "note_type") or span.ask in self._sure - {"save_clinical_note"}
        ]
        for span in _joined_texts(self.text, self.spans("note_text")):
            end = span.end + (self.text[span.end : span.end + 1] in tuple(".!?"))
            named = next((one for one in self.spans("person") if self._in_a_note(one)), None)
            start = named.start if named is not None and named.end == span.start else span.start
            dictated = alone or self.text[:start].rstrip().endswith(":")
            quote = self.text[max(0, start - 1) : start]
            closing = _CLOSING.get(quote, "")
            if closing:
                end = end - 1 if self.text[start:end].endswith(closing) else end
            elif dictated and not any(other.start >= span.end for other in others):
                end = len(self.text.rstrip())
            if self.text[start : start + 1] in tuple(",;"):  # no text begins there: what was marked is its end
                start = max((sentence.end() for sentence in _SENTENCE_END.finditer(self.text, 0, start)), default=0)
            if _CLOSING.get(self.text[start : start + 1]) == self.text[end - 1 : end]:
                start, end = start + 1, end - 1
            found.append(Mention(self.text[start:end], start, end))
        return found

    def note_types(self) -> list[Mention]:
        return [_mention(span, _note_type(span.text)) for span in self.spans("note_type")]

    def statuses(self) -> list[Mention]:
        return [_mention(span, told_status(span.text) or status_value(span.text)) for span in self.spans("status")]

    def birth_dates(self) -> list[Mention]:
        """As ISO, as far as certain; a text that is no date is left out. Of a mark that ends too early all is read."""
        found: list[Mention] = []
        for span in self.spans("birth_date"):
            for date in find_dates(self.text[span.start :], short_years=True)[:1]:
                start = span.start + date.start
                if start < span.end:
                    found.append(Mention(date.text, start, start + len(date.text), date.value))
        return found

    def _amounts(self, kind: SpanType, exact: Sequence[Mention], value: Callable[[str], str]) -> list[Told]:
        """What exact code found in the span; where it found nothing, the span's own words.

        A part of "-5 mg" or "Inderal40 mg" is no amount: exact code saw all of it, and asks.
        """
        refused = [trap for trap in self.traps if trap.severity != "warn"]
        found: list[Told] = []
        for span in self.spans(kind):
            inside = touched(exact, span)
            if not inside and any(trap.start < span.end and span.start < trap.end for trap in refused):
                continue
            found += [Told(one, span.ask) for one in inside] or [Told(_mention(span, value(span.text)), span.ask)]
            first = inside[0].start if inside else span.start
            found += [Told(one, span.ask) for one in exact if _EITHER.fullmatch(self.text, one.end, first)]
        return _once(found)


def _joined_texts(text: str, spans: Sequence[Span]) -> list[Span]:
    """Parts of one text that only a mark or a blank divides are one: "seen today; plan: rest"."""
    joined: list[Span] = []
    for span in spans:
        if joined and not any(letter.isalnum() for letter in text[joined[-1].end : span.start]):
            first = joined.pop()
            span = replace(first, end=span.end, text=text[first.start : span.end])
        joined.append(span)
    return joined


def _without_names(topic: Mention, names: Sequence[Mention]) -> Mention | None:
    """A topic without what of a full name got into it; None where nothing else is left."""
    inside = [name for name in names if name.start < topic.end and topic.start < name.end]
    if not inside:
        return topic
    text = topic.text
    for name in reversed(inside):
        start, end = max(0, name.start - topic.start), max(0, name.end - topic.start)
        owned = _OWNER_MARK.match(text, end)
        text = f"{text[:start]} {text[owned.end() if owned else end :]}"
    left = _LOOSE_ENDS.sub("", " ".join(text.split()))
    return Mention(left, topic.start, topic.end, left) if left else None


def _is_word(part: str) -> bool:
    return part.isalpha() and len(part) > 2


def bare_name(text: str) -> str:
    """A name without title and possessive: "Mrs O'Connor's" is "O'Connor"."""
    text = _NUMBERED.sub("", text)
    return _OWNED.sub("", TITLE.sub("", text, count=1).strip(" ,.;:")).strip(" ,.;:")


def _with_unseen(text: str, span: Span) -> Span:
    """With the marks of its last letter, and with characters beside it that nobody sees: for them it is refused."""
    start, end = span.start, span.end
    while start > 0 and not text[start - 1].isspace() and has_unseen(text[start - 1]):
        start -= 1
    while end < len(text) and not text[end].isspace() and (has_unseen(text[end]) or combining(text[end])):
        end += 1
    return span if (start, end) == (span.start, span.end) else replace(span, start=start, end=end, text=text[start:end])


def _often(text: str) -> str:
    often = parse_frequency(text)
    return often.render() if often else text


def _note_type(text: str) -> str:
    known = note_type(text)
    return known.value if known is not None else named_kind(text)


def _mention(span: Span, value: str = "") -> Mention:
    return Mention(span.text, span.start, span.end, value)


_Placed = TypeVar("_Placed", Mention, Span)


def touched(places: Sequence[_Placed], by: Mention | Span) -> list[_Placed]:
    """Those that share a character with it. They come in order and apart; a long message has thousands."""
    first = bisect_right(places, by.start, key=lambda one: one.end)
    return list(places[first : bisect_left(places, by.end, key=lambda one: one.start)])


def _touch(one: Mention, span: Span) -> bool:
    return one.start < span.end and span.start < one.end


def _apart(mentions: Iterable[Mention], others: Iterable[Mention]) -> tuple[Mention, ...]:
    """Without the honest half of a disguised name: "insulin" is not what "insulin glаrgine" asks for."""
    taken = {place for mention in others for place in range(mention.start, mention.end)}
    return tuple(mention for mention in mentions if mention.start not in taken)


def _once(found: Sequence[Told]) -> list[Told]:
    """An amount that two spans touch counts once."""
    seen: dict[tuple[int, int], Told] = {}
    for one in found:
        seen.setdefault((one.mention.start, one.mention.end), one)
    return list(seen.values())
