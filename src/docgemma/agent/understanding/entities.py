"""A message as the turn works with it: what is asked for, of whom, and with which details.

What the reader marked becomes typed values; what it is unsure of becomes an offer; what speaks against an entry takes
the entry away. Nothing here adds a request that the reader did not find.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from docgemma.agent.understanding.mentions import Mentions, Told, touched
from docgemma.agent.understanding.orders import ORDER, allergy_entries, is_refused, orders_of
from docgemma.entities.model import Ask, Entities, Mention, WriteKind, WriteRequest
from docgemma.entities.small_talk import is_small_talk
from docgemma.entities.words import without_quotes
from docgemma.reader.contract import Asked, Request, Span
from docgemma.reader.labels import NOT_YET, WHO, WRITES

KINDS: dict[str, WriteKind] = {
    "prescribe_medication": "prescribe",
    "add_allergy": "allergy",
    "save_clinical_note": "note",
}
_NO_ALLERGY = re.compile(r"\b(?:ruled\sout|de-?labell?ed|no\slonger)\b", re.IGNORECASE)
"""Closed forms of an allergy that is none: a veto, it turns a card into a question and nothing else."""

_RECORD = re.compile(
    r"(?<!\w)(?:(?P<nct>NCT\s?\d{8})|(?:PMID|PubMed\s(?:id|number))[\s:#]{0,3}\d{5,9})(?!\w)", re.IGNORECASE
)
_APART = re.compile(r"[,;.!?\n]|\s(?:and|also|plus|then)\s", re.IGNORECASE)
_LISTED = re.compile(r"\s{0,2}(?:,|&|\+|/|(?:,\s)?(?:and|or))\s{0,2}", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.;!?\n]\s")
_JOINED = re.compile(r"[^.;!?\n]{0,24}")


def understand(text: str, request: Request, *, agreed: Sequence[str] = ()) -> Entities:
    """The reading of one message. `agreed`: tools that the user was offered and said yes to."""
    found = Mentions(text, request)
    ids, places = found.ids()
    people = found.people()
    drugs = found.drugs(as_written=(ORDER,))
    if small_talk := is_small_talk(text):
        request = replace(request, asks=())
    sure = [asked for asked in request.asks if asked.certainty == "sure" or asked.ask in agreed]
    writes, doubtful = _writes(text, request, sure, agreed)
    dropped = {asked.ask for asked in sure if asked.ask in WRITES} - {asked.ask for asked in writes}
    sure, ids = _numbered_records(text, request, sure, ids)
    undone = [asked for asked in (*writes, *sure) if asked.ask in NOT_YET and asked.ask not in dropped]
    offered = [asked.ask for asked in request.asks if asked.certainty == "offered" and asked.ask not in agreed]
    if not request.asks and request.relation is None and found.spans("substance"):
        offered.append("add_allergy")  # nothing else has a substance
    entries = [asked for asked in writes if asked.ask in KINDS]
    entities = Entities(
        text=text,
        patient_ids=tuple(ids or ([] if people or places else found.ids_by_code)),
        person_names=tuple(people),
        relatives=tuple(found.relatives()),
        places=tuple(places),
        ages=tuple(found.ages()),
        sexes=tuple(found.plain("sex")),
        birth_dates=tuple(found.birth_dates()),
        drugs=tuple(_unique(one.mention for one in drugs if found.is_known(one.mention))),
        unlisted_drugs=tuple(_unique(one.mention for one in drugs if not found.is_known(one.mention))),
        disguised_drugs=tuple(one.mention for one in drugs if found.is_disguised(one.mention)),
        doses=tuple(one.mention for one in found.doses()),
        frequencies=tuple(one.mention for one in found.frequencies()),
        routes=tuple(one.mention for one in found.routes()),
        durations=tuple(one.mention for one in found.durations()),
        traps=found.traps,
        labs=tuple(found.plain("lab")),
        substances=tuple(found.substances()),
        reactions=tuple(found.plain("reaction")),
        severities=tuple(found.plain("severity")),
        note_types=tuple(found.note_types()),
        note_texts=tuple(found.note_texts()),
        conditions=tuple(one.mention for one in found.topics()),
        trial_statuses=tuple(found.statuses()),
        narrowing=tuple(found.plain("year", "study_kind")),
        phases=tuple(found.plain("phase")),
        sites=tuple(found.plain("place")),
        small_talk=small_talk,
        conditional=request.conditional,
        withheld=tuple(
            asked.ask for asked in sure if asked.ask in WRITES and request.conditional and asked not in writes
        ),
        urgent=request.urgent,
        sure=_is_sure(request),
        doubtful=tuple(dict.fromkeys([*doubtful, *offered])),
    )
    entities = replace(
        entities,
        writes=tuple(_write(asked, text, request.spans) for asked in entries),
        asks=tuple(_asks(text, sure, found, drugs, request.spans)),
        undoable=tuple(_undone(asked, text, request.spans) for asked in undone),
    )
    entities = replace(
        entities,
        orders=orders_of(text, found) if any(write.kind == "prescribe" for write in entities.writes) else (),
        allergies=allergy_entries(text, entities) if any(write.kind == "allergy" for write in entities.writes) else (),
    )
    return replace(entities, unaccounted=_unaccounted(found, entities, request.spans)) if entities.writes else entities


def _numbered_records(
    text: str, request: Request, sure: Sequence[Asked], ids: Sequence[Mention]
) -> tuple[list[Asked], list[Mention]]:
    """The number of a trial or an article is no patient's: a chart that is asked for by it alone is that record."""
    numbers = [(match.start(), match.end(), match["nct"] is not None) for match in _RECORD.finditer(text)]
    own = [one for one in ids if not any(start < one.end and one.start < end for start, end, _ in numbers)]
    if not numbers:
        return list(sure), list(ids)
    chart = any(asked.ask == "get_patient_chart" for asked in sure) and not own
    kept = [asked for asked in sure if not (chart and asked.ask == "get_patient_chart")]
    tool: Literal["find_clinical_trials", "search_medical_literature"] = (
        "find_clinical_trials" if numbers[0][2] else "search_medical_literature"
    )
    if (chart or not (kept or own)) and not any(asked.ask == tool for asked in kept):
        kept.append(Asked(tool, 1.0, "sure"))
    return kept, own


def _is_sure(request: Request) -> bool:
    """No tool stands between "asked for" and "not asked for"."""
    return all(asked.certainty == "sure" for asked in request.asks)


def _writes(text: str, request: Request, sure: Sequence[Asked], agreed: Sequence[str]) -> tuple[list[Asked], list[str]]:
    """The entries that stand, and those that a veto took away: conditional, quoted words alone, each drug refused,
    or an allergy that is said to be none.

    What the user agreed to when it was offered is not taken away again.
    """
    kept: list[Asked] = []
    doubtful: list[str] = []
    own = without_quotes(text)
    for asked in sure:
        if asked.ask not in WRITES:
            continue
        spans = [span for span in request.spans if span.ask == asked.ask and span.type != "note_text"]
        quoted = bool(spans) and not any(own[span.start : span.end].strip() for span in spans)
        named = [span.start for span in spans if span.type in ("drug", "substance")]
        refused = bool(named) and all(is_refused(text, start) for start in named)
        denied = asked.ask == "add_allergy" and _NO_ALLERGY.search(text) is not None
        if asked.ask in agreed or not (request.conditional or quoted or refused or denied):
            kept.append(asked)
        elif not request.conditional:
            doubtful.append(asked.ask)
    return kept, doubtful


def _asks(text: str, sure: Sequence[Asked], found: Mentions, drugs: Sequence[Told], spans: Sequence[Span]) -> list[Ask]:
    """Every look-up with what it is about, in the order in which the message says it.

    Of an interaction check with fewer than two drugs, those of no other request are meant as well.
    """
    look_ups = [asked for asked in sure if asked.ask not in WRITES and asked.ask not in NOT_YET]
    asks: list[Ask] = []
    claimed = {asked.ask for asked in sure}
    for asked in look_ups:
        own = [one.mention for one in drugs if one.ask == asked.ask]
        start, end = _stretch(asked.ask, text, spans)
        if asked.ask == "check_drug_interactions" and len(own) < 2:
            own = [one.mention for one in drugs if one.ask == asked.ask or one.ask not in claimed]
        own = _whole_list(text, own, found.listed)
        if asked.ask == "check_drug_safety":
            own = own or [one.mention for one in drugs if one.ask == "check_drug_interactions"]
            asks += [Ask(asked.ask, drug.start, drug.end, (drug,)) for drug in _unique(own)] or [
                Ask(asked.ask, start, end)
            ]
        elif asked.ask == "check_drug_interactions":
            pair = tuple(_unique(own))
            asks.append(Ask(asked.ask, start, end, pair, with_taken=len(pair) < 2))
        elif asked.ask == "search_medical_literature":
            topics = _numbers(text) or _joined(text, _topics_of(asked.ask, found, claimed))
            asks += _searches(asked.ask, topics or _joined_drugs(text, own), ()) or [Ask(asked.ask, start, end)]
        elif asked.ask == "find_clinical_trials":
            own_topics = [m.mention for m in _topics_of(asked.ask, found, claimed)]
            topics = _numbers(text, trials=True) or _first_of_clause(text, own_topics)
            statuses = found.statuses()
            asks += _searches(asked.ask, topics or _joined_drugs(text, own), statuses) or [
                Ask(asked.ask, start, end, status=statuses[0] if statuses else None)
            ]
        else:
            tool = "get_patient_chart" if asked.ask == "get_observations" else asked.ask
            asks.append(Ask(tool, start, end))
    return sorted(asks, key=lambda ask: ask.start)


def _topics_of(ask: str, found: Mentions, claimed: Collection[str]) -> list[Told]:
    """A search's own topics; where it has none, those of no other request."""
    topics = found.topics()
    return [one for one in topics if one.ask == ask] or [one for one in topics if one.ask not in claimed]


def _whole_list(text: str, own: Sequence[Mention], listed: Sequence[Mention]) -> list[Mention]:
    """With the drugs that stand in one list with those that were marked: none of "X, Y and Z" goes missing."""
    found = sorted(own, key=lambda one: one.start)
    for drug in listed:
        behind = any(_LISTED.fullmatch(text, one.end, drug.start) for one in found if one.end <= drug.start)
        if behind and not any(one.start < drug.end and drug.start < one.end for one in found):
            found.append(drug)
    return found


def _numbers(text: str, *, trials: bool = False) -> list[Mention]:
    """Records that are asked for by their number."""
    found = [match for match in _RECORD.finditer(text) if (match["nct"] is not None) == trials]
    return [Mention(match.group(), match.start(), match.end()) for match in found]


def _searches(tool: str, topics: Sequence[Mention], statuses: Sequence[Mention]) -> list[Ask]:
    """One search a topic; a status belongs to the topic that it stands nearest to, the only one to all."""

    def status_of(topic: Mention) -> Mention | None:
        if len(statuses) < 2:
            near = min(topics, key=lambda one: _distance(statuses[0], one)) if statuses else None
            return statuses[0] if statuses and (len(topics) == 1 or near is topic) else None
        return min(statuses, key=lambda one: _distance(one, topic))

    return [Ask(tool, topic.start, topic.end, topic=topic, status=status_of(topic)) for topic in topics]


def _distance(status: Mention, topic: Mention) -> int:
    """ "Completed trials for ALS": a status stands before its topic rather than behind it."""
    before = topic.start - status.end
    return before if before >= 0 else 2 * (status.start - topic.end) + 8


def _joined(text: str, told: Sequence[Told]) -> list[Mention]:
    """Topics that stand in one clause are one topic: "[colchicine] for [pericarditis]"."""
    joined: list[Mention] = []
    for mention in sorted((one.mention for one in told), key=lambda one: one.start):
        if joined and _JOINED.fullmatch(text[joined[-1].end : mention.start]):
            last = joined.pop()
            mention = Mention(text[last.start : mention.end], last.start, mention.end)
        joined.append(mention)
    return joined


def _first_of_clause(text: str, topics: Sequence[Mention]) -> list[Mention]:
    """Of conditions that stand in one clause the first is searched for; the others narrow the question."""
    kept: list[Mention] = []
    for mention in topics:
        if not kept or _APART.search(text, kept[-1].end, mention.start):
            kept.append(mention)
    return kept


def _joined_drugs(text: str, drugs: Sequence[Mention]) -> list[Mention]:
    if not drugs:
        return []
    first, last = drugs[0], drugs[-1]
    return [Mention(text[first.start : last.end], first.start, last.end)]


def _stretch(ask: str, text: str, spans: Sequence[Span]) -> tuple[int, int]:
    own = [span for span in spans if span.ask == ask]
    if not own:
        return len(text), len(text)
    return min(span.start for span in own), max(span.end for span in own)


def _write(asked: Asked, text: str, spans: Sequence[Span]) -> WriteRequest:
    start, end = _stretch(asked.ask, text, spans)
    return WriteRequest(KINDS[asked.ask], min(start, _first(text)), max(end, len(text)) if start == end else end)


def _first(text: str) -> int:
    return len(text) - len(text.lstrip())


def _undone(asked: Asked, text: str, spans: Sequence[Span]) -> Mention:
    """What was asked for, in the user's words: the sentence in which it stands."""
    start, end = _stretch(asked.ask, text, spans)
    if start == end:
        return Mention(text.strip(), 0, len(text), asked.ask)
    before = [match.end() for match in _SENTENCE_END.finditer(text, 0, start)]
    after = _SENTENCE_END.search(text, end)
    begin, stop = before[-1] if before else 0, after.start() if after else len(text)
    return Mention(text[begin:stop].strip(), begin, stop, asked.ask)


def _unaccounted(found: Mentions, entities: Entities, spans: Sequence[Span]) -> tuple[Mention, ...]:
    """Drugs, doses and ids that exact code sees beside an entry and no span holds. They are asked about.

    A span of who is meant holds no dose: of "abc-123 2 tabs" the tablets are not lost.
    """

    spans = sorted(spans, key=lambda span: span.start)
    ordered = any(write.kind == "prescribe" for write in entities.writes)
    seen: list[Mention] = [one for one in found.ids_by_code if not touched(spans, one)]
    if ordered:
        others = [span for span in spans if span.type not in WHO]
        seen += [one for one in found.listed if not touched(spans, one)]
        seen += [one for one in found.amounts.doses if not touched(others, one)]
    return tuple(sorted(_unique(seen), key=lambda one: one.start))


def _unique(mentions: Iterable[Mention]) -> list[Mention]:
    """Each value once, in order."""
    kept: dict[str, Mention] = {}
    for mention in mentions:
        kept.setdefault(mention.value.casefold(), mention)
    return list(kept.values())
