"""The request that a short message continues: what it asked for, and what it was about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.agent.requests.asks import Ask, defined
from docgemma.agent.requests.drug_questions import mentioned_drugs
from docgemma.entities.model import Entities, Mention
from docgemma.entities.searches.told_conditions import told_condition
from docgemma.tools.registry import ToolName

_TAIL = re.compile(r"\s(?:in|during|for|while|after|with)\s[^?.!,;]{2,60}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Earlier:
    """A message of the user's, what was found in it, and the look-ups it asked for."""

    text: str
    found: Entities
    asked: tuple[Ask, ...]

    @property
    def writes(self) -> bool:
        return bool(self.found.writes)

    def drugs(self) -> list[Mention]:
        return mentioned_drugs(self.found)

    def people(self) -> list[Mention]:
        return sorted((*self.found.patient_ids, *self.found.person_names), key=lambda item: item.start)

    def asked_for(self, *tools: ToolName) -> bool:
        return any(ask.tool in tools for ask in self.asked)

    def about_drugs(self) -> bool:
        return self.asked_for("check_drug_safety", "check_drug_interactions")

    def about_one_or_more(self) -> bool:
        """Drugs were looked up, or one was asked about in general: "tell me about warfarin"."""
        general = not self.asked and len({drug.value for drug in self.drugs()}) == 1 and defined(self.text) is not None
        return bool(self.drugs()) and (self.about_drugs() or general)

    def search(self) -> Ask | None:
        """The last search with its topic."""
        found = [ask for ask in self.asked if ask.topic]
        return found[-1] if found else None

    def subject(self, *, placed: bool = True) -> str:
        """What it was about, in the words of a search: a topic, drugs with where they were asked about, or a thing.

        `placed`: with that place; without it another place can follow.
        """
        search = self.search()
        if search and search.topic:
            return search.topic.value
        told = None if self.asked else told_condition(self.text, len(self.text), of_somebody=True)
        if told:
            return told.value
        drugs = self.drugs()
        if not drugs:
            thing = defined(self.text)
            return thing.text if thing else ""
        tail = _TAIL.match(self.text, drugs[-1].end) or _TAIL.search(self.text, drugs[-1].end)
        place = tail.group().rstrip() if placed and tail and self.asked_for("check_drug_safety") else ""
        return names(drugs) + place


def names(drugs: Sequence[Mention]) -> str:
    """As the user wrote them, each once."""
    return " and ".join(dict.fromkeys(drug.text for drug in drugs))
