"""What resources are called: ids for those that have none, and references turned into `Kind/id`.

The same file gives the same ids every time, so that importing it again changes nothing. An address that is only
unique inside its own bundle (`urn:uuid:patient-1`) never becomes an id by itself: the next bundle may use it for
somebody else.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from urllib.parse import parse_qsl

from docgemma.ehr import fhir_json
from docgemma.ehr.embedded.rest.references import holders
from docgemma.ehr.embedded.searches.elements import tokens
from docgemma.ehr.transfer.reading import Entry

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
