"""One file on its way into the store, inside its transaction: what is taken, what is refused, what leads nowhere."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import CHART, Resource
from docgemma.ehr.embedded.contract import CARRIERS, FhirFault, Issue, Narrow, Stored
from docgemma.ehr.embedded.rest.references import holders
from docgemma.ehr.embedded.searches.elements import labels, local, tokens
from docgemma.ehr.embedded.searches.indexing import clipped
from docgemma.ehr.embedded.storage.compartment import patient_of
from docgemma.ehr.embedded.storage.unit import Counts, Unit
from docgemma.ehr.folding import fold_words
from docgemma.ehr.transfer.files import Entry, Group, Refusal
from docgemma.ehr.validation import check

_OURS = uuid.UUID("a3c5a9f0-5d5b-5c0e-9c43-3a5a3f0f7c11")
_ABSOLUTE = re.compile(
    r"(https?://\S{1,1000})/([A-Z][A-Za-z]{1,63})/([A-Za-z0-9\-.]{1,64})(?:/_history/[A-Za-z0-9\-.]{1,64})?"
)
_SHARED = ""
"""Two entries go by this address, so it means neither: an allergy must not go to whoever came last."""

_CONDITION = re.compile(r"([A-Z][A-Za-z]{1,63})\?(.{1,2000})", re.DOTALL)

FindByIdentifier = Callable[[str, str], str | None]
"""`Kind/id` of the one stored resource of a kind with this identifier (`system|value`), if there is exactly one."""


@dataclass
class Addresses:
    """The names that the entries of one bundle know each other by."""

    entries: Sequence[Entry]
    find: FindByIdentifier
    unresolved: int = 0
    """Conditional references that led nowhere, or to several."""
    _known: dict[str, str] = field(default_factory=dict)
    _bases: set[str] = field(default_factory=set)

    def settle(self) -> None:
        """Give every entry its id and make every reference plain, in place."""
        for entry in self.entries:
            self._name(entry)
        for entry in self.entries:
            self._link(entry)
            if "id" not in entry.resource:
                entry.resource["id"] = _made(fhir_json.dumps(entry.resource))

    def _name(self, entry: Entry) -> None:
        resource, url = entry.resource, entry.full_url
        kind = resource.get("resourceType")
        if not isinstance(kind, str) or not url:
            return
        absolute = _ABSOLUTE.fullmatch(url)
        at_home = absolute is not None and absolute[2] == kind
        identified = "id" in resource
        if not identified:
            resource["id"] = absolute[3] if at_home and absolute else _uuid(url) or _made(self._digest, url)
        elif at_home and absolute and absolute[3] != resource["id"]:
            at_home = False
        if at_home and absolute:
            self._bases.add(absolute[1])
        place = f"{kind}/{resource['id']}"
        shared = url in self._known and not (identified and self._known[url] == place)
        self._known[url] = _SHARED if shared else place

    def _link(self, entry: Entry) -> None:
        for holder in holders(entry.resource):
            written: str = holder["reference"]
            if written in self._known:
                holder["reference"] = self._known[written] or written
            elif written.startswith("http"):
                absolute = _ABSOLUTE.fullmatch(written)
                if absolute and absolute[1] in self._bases:
                    holder["reference"] = f"{absolute[2]}/{absolute[3]}"
            elif "?" in written:
                holder["reference"] = self._conditional(written)

    def _conditional(self, written: str) -> str:
        condition = _CONDITION.fullmatch(written)
        asked = parse_qsl(condition[2]) if condition else []
        if condition and len(asked) == 1 and asked[0][0] == "identifier":
            kind, value = condition[1], asked[0][1]
            key = value if "|" in value else f"|{value}"
            found = self._by_identifier.get((kind, key)) or self.find(kind, key)
            if found:
                return found
        self.unresolved += 1
        return written

    @cached_property
    def _digest(self) -> str:
        text = fhir_json.dumps([[entry.full_url, entry.resource] for entry in self.entries])
        return sha256(text.encode()).hexdigest()

    @cached_property
    def _by_identifier(self) -> dict[tuple[str, str], str | None]:
        """None where two entries share an identifier."""
        found: dict[tuple[str, str], str | None] = {}
        for kind, key, name in self._identifiers():
            found[kind, key] = None if found.get((kind, key), name) != name else name
        return found

    def _identifiers(self) -> Iterator[tuple[str, str, str]]:
        for entry in self.entries:
            kind, id_, given = (entry.resource.get(name) for name in ("resourceType", "id", "identifier"))
            if not isinstance(kind, str) or not isinstance(id_, str) or not isinstance(given, list):
                continue
            for system, value in (pair for identifier in given for pair in tokens(identifier)):
                for owner in {system or "", ""}:
                    yield kind, f"{owner}|{value}", f"{kind}/{id_}"


def _uuid(url: str) -> str | None:
    """The id in a `urn:uuid:` that really is one."""
    try:
        return str(uuid.UUID(url.removeprefix("urn:uuid:"))) if url.startswith("urn:uuid:") else None
    except ValueError:
        return None


def _made(*parts: str) -> str:
    return str(uuid.uuid5(_OURS, "\0".join(parts)))


_BATCH = 500
_ANOTHER_PATIENT = "This id already belongs to an entry of another patient. Nothing was overwritten."
_ANOTHER_THING = "This id already belongs to something else that charts refer to. Nothing was overwritten."
_ANOTHER_PERSON = "This id already belongs to a person who cannot be told to be the same. Nothing was overwritten."


class Filing:
    """Takes groups of entries and writes them in batches. `finish` says what is still missing around them."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._batch: dict[tuple[str, str], Entry] = {}
        self._provenance: list[Entry] = []
        self._belonging: Counter[str] = Counter()
        self._targets: Counter[str] = Counter()
        self.counts = Counts()
        self.refused: list[Refusal] = []
        self.patients: set[str] = set()
        self.unresolved = 0

    @property
    def seen(self) -> int:
        done = self.counts
        return done.created + done.updated + done.unchanged + len(self.refused)

    @property
    def touched(self) -> set[str]:
        """The patients whose charts are not as they were."""
        return self._unit.touched

    def take(self, group: Group) -> None:
        entries = [piece for piece in group if isinstance(piece, Entry)]
        self.refused += (piece for piece in group if isinstance(piece, Refusal))
        addresses = Addresses(entries, self._by_identifier)
        addresses.settle()
        self.unresolved += addresses.unresolved
        for entry in entries:
            if entry.resource.get("resourceType") == "Provenance":
                self._provenance.append(entry)  # it lies in the chart of what it is about: that comes first
            else:
                self._add(entry)

    def finish(self) -> Missing:
        self._flush()
        for entry in self._provenance:
            self._add(entry)
        self._flush()
        return Missing(self._targets, self._belonging).without_found(self._unit)

    def _add(self, entry: Entry) -> None:
        issues = check(entry.resource)
        if issues:
            self.refused.append(Refusal(entry.place, _sentence(issues)))
            return
        key = (entry.resource["resourceType"], entry.resource["id"])
        if key[0] in CARRIERS:
            self.refused.append(Refusal(entry.place, f"A {key[0]} is no part of a chart."))
            return
        if key in self._batch or len(self._batch) == _BATCH:
            self._flush()
        patient = patient_of(entry.resource, self._home_of)
        conflict = _conflict(self._unit.read(*key), entry.resource, patient)
        if conflict:
            self.refused.append(Refusal(entry.place, conflict))
            return
        self._batch[key] = entry
        self._note(entry.resource, patient)

    def _note(self, resource: Resource, patient: str) -> None:
        kind = resource["resourceType"]
        if kind == "Patient":
            self.patients.add(patient)
        elif patient or kind in CHART:
            self._belonging[patient] += 1
        for holder in holders(resource):
            place = local(holder["reference"])
            if place is not None:
                self._targets[place] += 1
            elif "?" in holder["reference"] or holder["reference"].startswith("urn:uuid:"):
                self._targets[""] += 1

    def _flush(self) -> None:
        entries = list(self._batch.values())
        self._batch = {}
        try:
            self.counts += self._unit.put_many(entry.resource for entry in entries)
        except FhirFault as fault:
            if fault.status >= 500:
                raise
            self._one_by_one(entries)

    def _one_by_one(self, entries: list[Entry]) -> None:
        """The store itself refuses one of them, before anything of the batch was written: find out which."""
        for entry in entries:
            try:
                self.counts += self._unit.put_many([entry.resource])
            except FhirFault as fault:
                if fault.status >= 500:
                    raise
                self.refused.append(Refusal(entry.place, _sentence(list(fault.issues))))

    def _home_of(self, kind: str, id_: str) -> str:
        found = self._unit.read(kind, id_)
        return found.patient if found else ""

    def _by_identifier(self, kind: str, key: str) -> str | None:
        found = self._unit.find(kind, [Narrow("identifier", (clipped(key),))])
        return f"{kind}/{found[0]}" if len(found) == 1 else None


class Missing:
    """References to what is not there (yet), and entries whose patient is not: a later file may bring both."""

    def __init__(self, targets: Counter[str] | None = None, belonging: Counter[str] | None = None) -> None:
        self._targets: Counter[str] = targets if targets is not None else Counter()
        self._belonging: Counter[str] = belonging if belonging is not None else Counter()

    def __iadd__(self, other: Missing) -> Missing:
        self._targets += other._targets
        self._belonging += other._belonging
        return self

    def without_found(self, unit: Unit) -> Missing:
        lost = {name: n for name, n in self._targets.items() if not name or not unit.exists(*name.split("/", 1))}
        alone = {id_: n for id_, n in self._belonging.items() if not id_ or not unit.exists("Patient", id_)}
        return Missing(Counter(lost), Counter(alone))

    @property
    def dangling(self) -> int:
        return self._targets.total()

    @property
    def orphans(self) -> int:
        return self._belonging.total()


def _sentence(issues: list[Issue]) -> str:
    first = issues[0]
    where = f"{first.where}: " if first.where not in first.text else ""
    more = f" (and {len(issues) - 1} more)" if len(issues) > 1 else ""
    return f"{where}{first.text}{more}"


def _conflict(old: Stored | None, new: Resource, patient: str) -> str:
    """Why this must not replace what is there, if so."""
    if old is None or old.deleted:
        return ""
    if old.patient and old.kind != "Patient":
        return _ANOTHER_PATIENT if old.patient != patient else ""
    before = fhir_json.loads(old.body)
    if old.kind == "Patient":
        return "" if _same_person(before, new) else _ANOTHER_PERSON
    return "" if _same_thing(before, new) else _ANOTHER_THING


def _same_person(old: Resource, new: Resource) -> bool:
    """Names, birth dates and identifiers are all corrected now and then, but not two of them at once.

    One of whom nothing is said that could be compared is nobody in particular, and replaces nobody.
    """
    agree = _agreement(old, new, ("birthDate", "identifier", "name"))
    if not agree:
        return not any(_facts(old, what) for what in ("birthDate", "identifier", "name"))
    return agree.count(False) < 2 and True in agree


def _same_thing(old: Resource, new: Resource) -> bool:
    """Charts refer to drugs and clinicians by id: under the same id another drug would be one that nobody gave."""
    agree = _agreement(old, new, ("identifier", "code", "name"))
    return not agree or True in agree


def _agreement(old: Resource, new: Resource, compared: Sequence[str]) -> list[bool]:
    """Of each kind of fact that both state, whether they have one in common."""
    pairs = [(_facts(old, what), _facts(new, what)) for what in compared]
    return [not before.isdisjoint(after) for before, after in pairs if before and after]


def _facts(resource: Resource, what: str) -> set[str]:
    said = resource.get(what, [])
    each = said if isinstance(said, list) else [said]
    if what == "birthDate":
        return set(each)
    if what == "name":
        return {" ".join(sorted(fold_words(_spoken(one)))) for one in each} - {""}
    coded = {f"{system or ''}|{value}" for one in each for system, value in tokens(one)}
    return coded | {" ".join(fold_words(text)) for one in each for text in labels(one)}


def _spoken(name: str | dict[str, Any]) -> str:
    """An organization has a plain name, a person one in parts."""
    if isinstance(name, str):
        return name
    return " ".join([name.get("text", ""), *name.get("given", ()), name.get("family", "")])
