"""UMLS Terminology Services as far as we ask it: a small table, in the shapes of the service's documentation.

Identifiers of medicines and procedures are those of the core concepts; ids that start with C99 or 9900 are made up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.support.fake_service import FakeService, Question, Said

KEY = "hunter2-uts-key"
BASE = "/rest"
_AT = "https://uts-ws.nlm.nih.gov/rest"


@dataclass(frozen=True)
class One:
    name: str
    types: tuple[str, ...]
    synonyms: tuple[str, ...] = ()
    atoms: tuple[tuple[str, str, bool], ...] = ()
    """SNOMED CT: term type, code, obsolete."""


CONCEPTS = {
    "C0000970": One(
        "acetaminophen",
        ("T109", "T121"),
        ("paracetamol", "Tylenol"),
        (("SY", "990000000", False), ("PT", "387517004", False), ("PT", "990000001", True)),
    ),
    "C0004057": One("aspirin", ("T109", "T121"), ("ASA", "acetylsalicylic acid"), (("PT", "387458008", False),)),
    "C0043031": One("warfarin", ("T109", "T121"), ("Coumadin",)),
    "C0024485": One("Magnetic Resonance Imaging", ("T060",), ("MRI",), (("PT", "113091000", False),)),
    "C9900001": One("Made-up gene", ("T028",), ("MRI",)),
    "C9900002": One("Common cold", ("T047",), ("cold",)),
    "C9900003": One("Cold temperature", ("T070",), ("cold",)),
    "C9900004": One("Twin name", ("T047",)),
    "C9900005": One("twin name", ("T033",)),
}


class FakeUts(FakeService):
    """`many` further concepts answer to a search for `many`, to turn pages."""

    many = 60

    def answer(self, question: Question) -> Said:
        if question.params.get("apiKey") != KEY:
            return Said(401, {"name": "UnauthorizedError", "message": "Unauthorized", "status": 401})
        path = question.path.removeprefix(BASE)
        if path.startswith("/search/"):
            return Said(200, self._search(question.params))
        parts = path.split("/")
        cui = parts[4]
        if parts[-1] == "atoms":
            return self._atoms(cui)
        return Said(200, {"pageSize": 25, "pageNumber": 1, "pageCount": 1, "result": _concept(cui)})

    def _search(self, params: dict[str, str]) -> dict[str, Any]:
        page, size = int(params["pageNumber"]), int(params["pageSize"])
        found = _found(params["string"].casefold(), params["searchType"])
        if params["string"] == "many":
            found = [(f"C99100{number:02}", f"many {number}") for number in range(self.many)]
        rows = [
            {"ui": cui, "rootSource": "MTH", "uri": f"{_AT}/content/2025AA/CUI/{cui}", "name": name}
            for cui, name in found[(page - 1) * size : page * size]
        ]
        nothing = [{"ui": "NONE", "name": "NO RESULTS"}]
        return {
            "pageSize": size,
            "pageNumber": page,
            "result": {"classType": "searchResults", "results": rows or nothing},
        }

    def _atoms(self, cui: str) -> Said:
        atoms = CONCEPTS[cui].atoms if cui in CONCEPTS else ()
        if not atoms:
            return Said(404, {"name": "NotFoundError", "message": "No results", "status": 404})
        rows = [
            {
                "classType": "Atom",
                "ui": "A1",
                "suppressible": "false",
                "obsolete": "true" if obsolete else "false",
                "rootSource": "SNOMEDCT_US",
                "termType": kind,
                "code": f"{_AT}/content/2025AA/source/SNOMEDCT_US/{code}",
                "concept": f"{_AT}/content/2025AA/CUI/{cui}",
                "language": "ENG",
                "name": "name",
            }
            for kind, code, obsolete in atoms
        ]
        return Said(200, {"pageSize": 25, "pageNumber": 1, "pageCount": 1, "result": rows})


def _found(term: str, how: str) -> list[tuple[str, str]]:
    if how == "exact":
        fits = [cui for cui, one in CONCEPTS.items() if term in map(str.casefold, (one.name, *one.synonyms))]
    else:
        fits = [cui for cui, one in CONCEPTS.items() if set(term.split()) & set(one.name.casefold().split())]
    return [(cui, CONCEPTS[cui].name) for cui in fits]


def _concept(cui: str) -> dict[str, Any]:
    known = CONCEPTS.get(cui, One(cui, ("T047",)))
    types = [{"name": "x", "uri": f"{_AT}/semantic-network/2025AA/TUI/{one}"} for one in known.types]
    return {"classType": "Concept", "ui": cui, "semanticTypes": types, "name": known.name, "status": "R"}
