"""One record as the sections look at it: with the day it is read on, what is asked, and its references followed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from docgemma.ehr.chart.model import Topic
from docgemma.ehr.chart.recorded.fields import Node, node, nodes, plain
from docgemma.ehr.chart.recorded.observations import BUCKETS, Findings, findings
from docgemma.ehr.chart.relevance import Ask
from docgemma.ehr.chart.sections.lab_names import NamedTest
from docgemma.ehr.contract import Record

_HISTORY = "/_history/"


@dataclass(slots=True)
class View:
    """Made for one projection and thrown away. Indexes are built when a section first needs them."""

    record: Record
    today: date
    ask: Ask = field(default_factory=Ask)
    _by_id: dict[str, dict[str, Node]] = field(default_factory=dict)
    _findings: Findings | None = None
    _missing: tuple[NamedTest, ...] | None = None

    @property
    def findings(self) -> Findings:
        if self._findings is None:
            self._findings = findings(self.record)
        return self._findings

    @property
    def missing(self) -> tuple[NamedTest, ...]:
        """Tests that were asked for and are not among the observations."""
        if self._missing is None:
            found = self.findings
            self._missing = tuple(test for test in self.ask.tests if not found.called(test, *BUCKETS))
        return self._missing

    def aside(self, topic: Topic) -> bool:
        """Whether something else is asked for, so that this section has only what the question happens to name."""
        return bool(self.ask.topics) and not self.ask.wants(topic)

    def mentioned(self, text: str) -> bool:
        """Whether this text speaks of what is sought and found no place of its own."""
        return self.ask.may_mean(text) or any(test.named_in(text) for test in self.missing)

    def follow(self, reference: object, kind: str, owner: Node | None = None) -> Node:
        """The resource that is referred to: contained in its owner, or read with the record; empty when neither."""
        target = node(reference).get("reference")
        if not isinstance(target, str):
            return {}
        if target.startswith("#"):
            return next((one for one in nodes((owner or {}).get("contained")) if one.get("id") == target[1:]), {})
        path, _, _ = target.partition(_HISTORY)
        place, _, id_ = path.rpartition("/")
        if place and not place.endswith(kind):
            return {}
        return self._index(kind).get(id_.removeprefix("urn:uuid:"), {})

    def named(self, reference: object, owner: Node | None = None) -> str:
        """Who or what a reference names: its own words, else the person's or the organisation's name."""
        display = plain(node(reference).get("display"), 80)
        if display:
            return display
        for kind in ("Practitioner", "Organization"):
            name = self.follow(reference, kind, owner).get("name")
            text = plain(name, 80) if isinstance(name, str) else _person(name)
            if text:
                return text
        return ""

    def _index(self, kind: str) -> dict[str, Node]:
        index = self._by_id.get(kind)
        if index is None:
            index = {id_: one for one in self.record.of(kind) if isinstance(id_ := one.get("id"), str)}
            self._by_id[kind] = index
        return index


def _person(value: object) -> str:
    name = node(value)
    given = name.get("given")
    parts = [plain(part, 40) for part in (given if isinstance(given, list) else [given])]
    return plain(name.get("text"), 80) or " ".join(part for part in (*parts, plain(name.get("family"), 40)) if part)
