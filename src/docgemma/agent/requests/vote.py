"""A vote on paraphrases: a message that no pattern understood may still read like a known way of asking.

It only ever adds a look-up, only one whose arguments the message or the conversation gives, and says so in the
timeline. Patient search and images need no vote: a name or an image in the message is enough for the patterns.
A few words that read like nothing known, said of a patient at hand, ask for that patient's chart.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Literal

from docgemma.agent import arguments
from docgemma.agent.arguments import Found
from docgemma.agent.requests import phrases as say
from docgemma.agent.requests.about_patient import is_telegram
from docgemma.agent.requests.likeness import ByMeaning, ByWords, Likeness
from docgemma.agent.requests.patterns import MOST_TOGETHER, Need
from docgemma.agent.requests.ways import DIRECT, PATIENT, masked, tells, topic, ways
from docgemma.clinical import Patient
from docgemma.embed import Embedder
from docgemma.entities.model import Entities
from docgemma.errors import DocGemmaError
from docgemma.tools.registry import READS, REGISTRY, ToolName

log = logging.getLogger(__name__)

LONGEST, MOST_CHARACTERS = 40, 400
"""In words and characters. A longer message tells a story, and a story is like everything."""

_DRUG_TOOLS: tuple[ToolName, ...] = ("check_drug_safety", "check_drug_interactions")
_OPEN_ARGUMENT = 0.1
"""Any words make a topic, so nothing but the wording holds a search back: it has to be clearer."""

_SEARCHES: tuple[ToolName, ...] = ("search_medical_literature", "find_clinical_trials")


@dataclass(frozen=True, slots=True)
class Asked:
    """A message and the conversation it stands in. `patient`: on screen, or looked up in the last turns."""

    message: str
    entities: Entities
    earlier: Sequence[str] = ()
    patient: Patient | None = None


@dataclass(frozen=True, slots=True)
class Vote:
    """What the message seems to ask for, and how like the nearest exemplar it is."""

    needs: tuple[Need, ...]
    similarity: float
    by: Literal["meaning", "words", "patient"]

    def __str__(self) -> str:
        if self.by == "patient":
            return "a few words, taken as a question about the patient at hand"
        label = REGISTRY[self.needs[0].tool].label.lower()
        return f"reads like: {label} (similarity {self.similarity:.2f}, by {self.by})"


def no_embedder() -> Embedder | None:
    return None


class Voter:
    """Compares by meaning where an embedder can be loaded, else by words. Both are made at the first vote."""

    def __init__(self, load: Callable[[], Embedder | None] = no_embedder) -> None:
        self._load = load
        self._making = Lock()

    def vote(self, asked: Asked) -> Vote | None:
        """The look-up that the message reads like; None when it reads like none, or like one that cannot be made."""
        if not _may_be_voted_on(asked):
            return None
        found = {tool: _found(tool, asked) for tool in (*_DRUG_TOOLS, "get_patient_chart")}
        pointing = any("earlier" in _sources(found[tool]) for tool in _DRUG_TOOLS)
        sentence = masked(asked.message, asked.entities, pointing=pointing)
        possible: dict[ToolName, tuple[Need, ...]] = {
            **{tool: _drug_needs(tool, asked) for tool in _DRUG_TOOLS if not found[tool].missing},
            **({"get_patient_chart": (Need("get_patient_chart"),)} if _about_patient(sentence, found) else {}),
            **_search_needs(asked.message),
        }
        elected = self._elected(sentence, {tool: needs for tool, needs in possible.items() if needs})
        return elected or _of_patient_at_hand(asked)

    def _elected(self, sentence: str, possible: dict[ToolName, tuple[Need, ...]]) -> Vote | None:
        if not possible or tells(sentence):
            return None
        with self._making:
            likeness = self._likeness
        scores = likeness.scores(sentence)
        tool = max(possible, key=lambda name: scores[name].support)
        best, rival = scores[tool], scores[DIRECT]
        needed = likeness.least_support + (_OPEN_ARGUMENT if tool in _SEARCHES else 0)
        clear = best.support >= needed and best.support - rival.support >= likeness.least_lead
        if not clear or best.similarity < likeness.least_similarity:
            return None
        return Vote(possible[tool], best.similarity, likeness.by)

    @cached_property
    def _likeness(self) -> Likeness:
        try:
            embedder = self._load()
        except DocGemmaError as error:
            log.warning("Paraphrases are compared by words: %s", error)
            embedder = None
        return ByMeaning(embedder, ways()) if embedder else ByWords(ways())


def _may_be_voted_on(asked: Asked) -> bool:
    """Never on what is to be written or cannot be done, on small talk, on a refusal, or beside an image."""
    entities = asked.entities
    if entities.small_talk or entities.writes or entities.undoable or entities.has_image:
        return False
    if len(asked.message) > MOST_CHARACTERS or len(asked.message.split()) > LONGEST:
        return False
    return not (say.REFUSED.search(asked.message) or say.ENTRY_REFUSED.match(asked.message))


def _of_patient_at_hand(asked: Asked) -> Vote | None:
    """ "ECOG", "any bleeding", with a patient on screen. A dose is the rest of an order, and asks for nothing."""
    said = asked.message.strip()
    mark = "?" if said.endswith("?") else ""
    drugs = len(asked.entities.drugs) + len(asked.entities.unlisted_drugs)
    if asked.patient is None or asked.entities.doses or not is_telegram(said, mark, drugs=drugs):
        return None
    return Vote((Need("get_patient_chart"),), 0.0, "patient")


def _found(tool: ToolName, asked: Asked) -> Found:
    assert tool in READS
    return arguments.find(tool, None, asked.message, asked.entities, earlier=asked.earlier, pinned=asked.patient)


def _sources(found: Found) -> set[str]:
    return {sourced.source for sourced in found.args.values()}


def _about_patient(sentence: str, found: dict[ToolName, Found]) -> bool:
    """Somebody known is spoken of: a chart is never opened for a sentence without a person in it."""
    return PATIENT in sentence and not found["get_patient_chart"].missing


def _drug_needs(tool: ToolName, asked: Asked) -> tuple[Need, ...]:
    """What a vote for this tool asks for. Of several drugs in one question it is the pair that is meant."""
    names = tuple(dict.fromkeys(drug.value for drug in (*asked.entities.drugs, *asked.entities.unlisted_drugs)))
    if len(names) > MOST_TOGETHER:
        return ()
    if tool == "check_drug_interactions" or len(names) > 1:
        return (Need("check_drug_interactions"),)
    return (Need(tool, names[0] if names else None),)


def _search_needs(message: str) -> dict[ToolName, tuple[Need, ...]]:
    about = topic(message)
    return {tool: (Need(tool, about),) for tool in _SEARCHES} if about else {}
