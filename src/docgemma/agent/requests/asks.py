"""The look-ups a message asks for, part by part: each with its own drugs, topic and status.

`needs` and the arguments of a call are both read from here, so that a tool is never called with what belongs to
another request of the same message.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from docgemma.agent.requests import phrases as say
from docgemma.agent.requests.about_patient import (
    asks_of_patient,
    asks_what_is_kept,
    is_for_patient,
    is_to_be_given,
)
from docgemma.agent.requests.charts import asks_for_chart, masked, needed_beside_drug, with_stand_ins
from docgemma.agent.requests.drug_questions import Around, Asked, Question, drug_question, meant_drugs, mentioned_drugs
from docgemma.agent.requests.open_questions import about_drugs_first, open_question
from docgemma.agent.requests.strange_drugs import strange_drugs
from docgemma.agent.requests.taken_drugs import asked_about, taken
from docgemma.entities.drugs.disguise import Folded
from docgemma.entities.grammar.cue_spelling import respelled
from docgemma.entities.grammar.parts import Part, parts
from docgemma.entities.model import Entities, Mention
from docgemma.entities.searches.topics import Search, find_searches
from docgemma.entities.words import replaced, without_quotes
from docgemma.tools.registry import ToolName

_DEFINED = re.compile(
    r"\W{0,4}(?:(?:hi|hey|hello|ok|so|and|please|pls|can\syou|could\syou|quick\sone)\W{1,3}){0,3}(?:what(?:['’]?s|\sis|\sare)"
    r"|explain|define|describe|tell\sme\s(?:more\s)?about|teach\sme(?:\sabout)?|remind\sme\swhat|talk\sme\sthrough)\s(?:a\s|an\s"
    r"|the\s)?(?P<what>[^?.!,;\n]{2,60}?)(?=\W{0,4}$|[?.!,;\n]|\s(?:is|to\sme|again|please|pls|plz|for\sme|briefly|quickly"
    r"|in\s(?:\w{1,8}\s)?(?:lines?|words?|short|brief|simple|plain))(?!\w))",
    re.IGNORECASE,
)
_POINTED = re.compile(
    r"(?:it|that|this|them|these|those)(?=\s(?:in|for|during|with|after|as|among|near|and|vs)\s)", re.IGNORECASE
)
_MOST_TOLD = 12
"""How many drugs of earlier parts a question may be about."""

_LONGEST_PART = 1500
"""A longer part is pasted text; its beginning says what is asked."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One look-up, where in the message it is asked for, and what it is about."""

    tool: ToolName
    start: int
    drugs: tuple[Mention, ...] = ()
    topic: Mention | None = None
    status: Mention | None = None
    people: tuple[Mention, ...] = ()
    with_taken: bool = False  # together with the medicines of the patient's chart


def asks(message: str, entities: Entities, *, patient_known: bool = False) -> tuple[Ask, ...]:
    """Every look-up in the order in which it is asked for. Looking up who somebody is, is not among them."""
    own = own_words(message, entities)
    people = _here(own, [*entities.patient_ids, *entities.person_names])
    known = _here(own, mentioned_drugs(entities))
    drugs = meant_drugs(own, sorted([*known, *strange_drugs(own, known, people)], key=lambda drug: drug.start))
    spelled = respelled(own, [(name.start, name.end) for name in (*people, *drugs)])
    asked = spelled.text
    people, drugs, labs = (_forth(spelled, found) for found in (people, drugs, _here(own, entities.labs)))
    pieces = parts(asked)
    searches, writes = find_searches(asked, people), bool(entities.writes or entities.undoable)
    reader = _Reader(asked, pieces, drugs, people, labs, searches, patient_known, writes)
    found: list[Ask] = []
    for index in range(len(pieces)):
        found += reader.read(index)
    return tuple(_as_written(ask, message, spelled) for ask in found) if spelled.changed else tuple(found)


def own_words(message: str, entities: Entities) -> str:
    """What is left to look up, place for place: no quotation, no refusal ("don't check"), nothing to be done.

    "Add it to her chart" does not ask to read the chart, and neither does "stop it".
    """
    text = say.REFUSED.sub(lambda match: " " * len(match.group()), without_quotes(message))
    writes = [(write.start, write.end) for write in entities.writes]
    spans = sorted([*writes, *((told.start, told.end) for told in entities.undoable)])
    return replaced(text, ((start, end, " " * (end - start)) for start, end in spans))


_Read = Callable[[str, str, Sequence[Mention], Around], Asked | None]


class _Reader:
    """Walks over the parts and remembers the drugs that were told or asked about before."""

    def __init__(
        self,
        asked: str,
        pieces: Sequence[Part],
        drugs: Sequence[Mention],
        people: Sequence[Mention],
        labs: Sequence[Mention],
        searches: Sequence[Search],
        on_screen: bool,
        writes: bool,
    ) -> None:
        self._asked, self._pieces, self._on_screen = asked, pieces, on_screen
        self._patient_known, self._writes = on_screen or bool(people), writes
        self._drugs = {index: asked_about(pieces[index], own) for index, own in _grouped(pieces, drugs).items()}
        self._people = _grouped(pieces, people)
        self._labs = _grouped(pieces, labs)
        self._searches: dict[int, list[Search]] = {}
        for place, search in zip(_places(pieces, [s.start for s in searches]), searches, strict=True):
            self._searches.setdefault(place, []).append(search)
        self._told: tuple[Mention, ...] = ()
        self._last: tuple[Mention, ...] = ()
        self._topic: Mention | None = None
        self._question: Question | None = None
        self._joint: frozenset[str] = frozenset()

    def read(self, index: int) -> list[Ask]:
        part = self._pieces[index]
        if index in self._searches:
            return self._searched(index)
        text = self._asked[part.start : min(part.end, part.start + _LONGEST_PART)]
        own = self._drugs.get(index, [])
        people, labs = self._people.get(index, []), self._labs.get(index, [])
        here = _moved(people, -part.start)
        named = with_stand_ins(text, here, _moved(labs, -part.start))
        plain = masked(text, here)
        kept = self._on_screen and asks_what_is_kept(named, part.mark)
        question = None if kept else self._about_drugs(index, plain)
        refused = say.ENTRY_REFUSED.match(text) is not None
        chart = question is None and not refused and self._asks_for_chart(named, part.mark)
        if not (question or chart or refused):
            question = self._unless_judged(self._drug_question(index, plain, open_question))
        if question is None:
            self._remember(own, asked=False, taken=taken(text, own, part.start))
            self._topic = defined(text, part.start) or self._topic
            return [Ask("get_patient_chart", part.start, people=tuple(people))] if chart else []
        self._remember(question.drugs, asked=True)
        self._question = question.question
        if question.question == "together":
            self._joint |= {drug.value for drug in question.drugs}
        alone = self._on_screen and question.question == "together" and len(question.drugs) == 1
        alone = alone and say.WITH_ANYTHING.search(plain) is not None
        about_someone = question.chart or alone or needed_beside_drug(named) or bool(people)
        about_someone = about_someone or (self._on_screen and is_for_patient(named))
        chart_ask = [Ask("get_patient_chart", part.start, people=tuple(people))] if about_someone else []
        given = alone or (bool(chart_ask) and self._patient_known and is_to_be_given(named))
        return [*chart_ask, *_checks(question, part, with_taken=question.chart or given)]

    def _asks_for_chart(self, named: str, mark: str) -> bool:
        """Where something is to be written, what else is said of the patient is the reason for it."""
        if asks_for_chart(named, mark, patient_known=self._patient_known):
            return True
        return self._patient_known and not self._writes and asks_of_patient(named, mark)

    def _about_drugs(self, index: int, plain: str) -> Asked | None:
        """What is asked about drugs before anybody's data."""
        return self._drug_question(index, plain, drug_question) or self._drug_question(index, plain, about_drugs_first)

    def _drug_question(self, index: int, text: str, read: _Read) -> Asked | None:
        """Places are those of the part while it is read, and those of the message before and after."""
        part, own = self._pieces[index], self._drugs.get(index, [])
        moved = _moved(own, -part.start)
        back = dict(zip(moved, own, strict=True))
        around = Around(self._told or self._told_after(index), self._last, self._question)
        question = read(text, part.mark, moved, around)
        return question and replace(question, drugs=tuple(back.get(drug, drug) for drug in question.drugs))

    def _unless_judged(self, question: Asked | None) -> Asked | None:
        """ "X with Y? Stop the X?": what was asked about both covers the one."""
        known = question is not None and self._joint.issuperset(drug.value for drug in question.drugs)
        return None if known else question

    def _told_after(self, index: int) -> tuple[Mention, ...]:
        """ "Does X interact with anything? She's on Y": what is taken may be told afterwards."""
        following = index + 1
        if following >= len(self._pieces) or following in self._searches:
            return ()
        part, drugs = self._pieces[following], self._drugs.get(following, [])
        text = self._asked[part.start : min(part.end, part.start + _LONGEST_PART)]
        return tuple(drugs) if part.mark != "?" and _is_taken(text, _moved(drugs, -part.start)) else ()

    def _remember(self, drugs: Sequence[Mention], *, asked: bool, taken: Sequence[Mention] = ()) -> None:
        """A question uses up what was told before it. What she is allergic to, or was taken off, is not taken."""
        if not drugs:
            return
        self._last = tuple(drugs[-_MOST_TOLD:])
        if asked:
            self._told = ()
        else:
            self._told = (*self._told, *taken)[-_MOST_TOLD:]

    def _searched(self, index: int) -> list[Ask]:
        found: list[Ask] = []
        for search in self._searches[index]:
            tool: ToolName = "find_clinical_trials" if search.kind == "trials" else "search_medical_literature"
            about = self._topic or _named_together(self._last)
            topics = tuple(_resolved(topic, about) for topic in search.topics) or (about,)
            found += [Ask(tool, search.start, topic=topic, status=search.status) for topic in topics]
            self._topic = topics[-1]
        self._last = tuple(self._drugs.get(index, [])) or self._last
        return found


def _checks(question: Asked, part: Part, *, with_taken: bool) -> list[Ask]:
    """ "Can she have X" asks both how X goes with what she takes and what its label warns of. The first comes first:
    what the look-ups of a turn do not reach is the label that can be read without her."""
    together = Ask("check_drug_interactions", part.start, drugs=question.drugs, with_taken=with_taken)
    if question.question == "together":
        return [together]
    each = [Ask("check_drug_safety", part.start, drugs=(drug,)) for drug in question.drugs]
    return [together, *each] if with_taken else each


def _resolved(topic: Mention, about: Mention | None) -> Mention | None:
    """ "Papers on it in pregnancy": what "it" is stands before; unknown, the topic has to be asked for."""
    pointed = _POINTED.match(topic.text)
    if pointed is None:
        return topic
    return about and Mention(topic.text, topic.start, topic.end, about.value + topic.text[pointed.end() :])


def _named_together(drugs: Sequence[Mention]) -> Mention | None:
    """ "Check X with Y and find papers on it": the drugs of the question before are the topic."""
    if not drugs:
        return None
    name = " and ".join(dict.fromkeys(drug.value for drug in drugs))
    return Mention(name, drugs[0].start, drugs[-1].end)


def defined(text: str, start: int = 0) -> Mention | None:
    """ "What is gout, and are there trials for it?": the thing that is asked about first."""
    match = _DEFINED.match(text)
    return Mention(match["what"], start + match.start("what"), start + match.end("what")) if match else None


def _is_taken(text: str, drugs: Sequence[Mention]) -> bool:
    return any(say.TAKING.search(text[max(0, drug.start - 40) : drug.start]) for drug in drugs)


def _here(asked: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Those of the part that asks, in order: what was blanked belongs to a write or a refusal."""
    ordered = sorted(mentions, key=lambda mention: mention.start)
    return [mention for mention in ordered if asked[mention.start : mention.end].strip()]


def _forth(spelled: Folded, mentions: Sequence[Mention]) -> list[Mention]:
    """Where the mentions stand in the text as it is read."""
    if not spelled.changed:
        return list(mentions)
    places = spelled.places
    return [
        Mention(item.text, bisect_left(places, item.start), bisect_left(places, item.end), item.value)
        for item in mentions
    ]


def _as_written(ask: Ask, message: str, spelled: Folded) -> Ask:
    """The same look-up with the places of the message."""

    def back(item: Mention) -> Mention:
        start, end = spelled.origin(item.start, item.end)
        return Mention(message[start:end], start, end, item.value)

    return Ask(
        ask.tool,
        spelled.places[ask.start],
        tuple(map(back, ask.drugs)),
        back(ask.topic) if ask.topic else None,
        back(ask.status) if ask.status else None,
        tuple(map(back, ask.people)),
        ask.with_taken,
    )


def _grouped(pieces: Sequence[Part], mentions: Sequence[Mention]) -> dict[int, list[Mention]]:
    groups: dict[int, list[Mention]] = {}
    for place, mention in zip(_places(pieces, [item.start for item in mentions]), mentions, strict=True):
        if mention.start - pieces[place].start < _LONGEST_PART:
            groups.setdefault(place, []).append(mention)
    return groups


def _places(pieces: Sequence[Part], starts: Sequence[int]) -> list[int]:
    """The part in which each place lies; places come in order, so one walk is enough."""
    found: list[int] = []
    index = 0
    for start in starts:
        while index + 1 < len(pieces) and pieces[index + 1].start <= start:
            index += 1
        found.append(index)
    return found


def _moved(mentions: Sequence[Mention], offset: int) -> list[Mention]:
    return [Mention(item.text, item.start + offset, item.end + offset, item.value) for item in mentions]
