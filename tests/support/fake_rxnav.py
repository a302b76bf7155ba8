"""RxNav as far as names, spellings and classes go: a small table, in the shapes of the service."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

from tests.support.fake_service import FakeService, Question, Said

BASE = "/REST"

# Ids of ingredients are the service's own; those of everything else are made up.
CONCEPTS = {
    "161": ("acetaminophen", "IN", ()),
    "1191": ("aspirin", "IN", ()),
    "11289": ("warfarin", "IN", ()),
    "5640": ("ibuprofen", "IN", ()),
    "723": ("amoxicillin", "IN", ()),
    "19711": ("clavulanate", "IN", ()),
    "29046": ("lisinopril", "IN", ()),
    "28889": ("loratadine", "IN", ()),
    "7646": ("omeprazole", "IN", ("900100",)),
    "900100": ("esomeprazole", "IN", ()),
    "900001": ("Coumadin", "BN", ("11289",)),
    "900002": ("warfarin sodium", "PIN", ("11289",)),
    "900003": ("amoxicillin / clavulanate", "MIN", ("723", "19711")),
    "900004": ("ibuprofen 200 MG Oral Tablet", "SCD", ("5640",)),
    "900005": ("Twoways", "BN", ("161",)),
    "900006": ("Twoways", "BN", ("1191",)),
}
INACTIVE = {"900009": "Oldname"}
CLASSES = {
    ("11289", "ATC"): [("Vitamin K antagonists", "ATC1-4", "")],
    ("11289", "MEDRT"): [
        ("Vitamin K Epoxide Reductase Inhibitors", "MOA", "has_MoA"),
        ("Pregnancy", "DISEASE", "CI_with"),
        ("Venous Thrombosis", "DISEASE", "may_treat"),
    ],
    ("11289", "FDASPL"): [("vitamin k antagonists", "EPC", "has_EPC"), ("Vitamin K Antagonist", "EPC", "has_EPC")],
}


class FakeRxNav(FakeService):
    def answer(self, question: Question) -> Said:
        path, params = question.path.removeprefix(BASE), question.params
        if path == "/rxcui.json":
            return Said(200, self._ids(params["name"]))
        if path == "/approximateTerm.json":
            return Said(200, self._near(params["term"]))
        if path == "/spellingsuggestions.json":
            return Said(200, self._spelled(params["name"]))
        if path == "/rxclass/class/byRxcui.json":
            return Said(200, self._classes(params["rxcui"], params["relaSource"]))
        _, _, rxcui, call = path.split("/")
        if call == "properties.json":
            return Said(200, {"properties": _properties(rxcui)} if rxcui in CONCEPTS else {})
        return Said(200, self._related(rxcui, params["tty"]))

    def _ids(self, name: str) -> dict[str, Any]:
        found = [rxcui for rxcui, (known, _, _) in CONCEPTS.items() if known.lower() == name.lower()]
        found += [rxcui for rxcui, known in INACTIVE.items() if known.lower() == name.lower()]
        return {"idGroup": {"name": name} | ({"rxnormId": found} if found else {})}

    def _related(self, rxcui: str, tty: str) -> dict[str, Any]:
        rows = [_properties(other) for other in CONCEPTS[rxcui][2] if CONCEPTS[other][1] == tty]
        group = {"tty": tty} | ({"conceptProperties": rows} if rows else {})
        return {"relatedGroup": {"rxcui": rxcui, "termType": [tty], "conceptGroup": [group]}}

    def _near(self, term: str) -> dict[str, Any]:
        names = sorted(CONCEPTS.items(), key=lambda item: -_likeness(term, item[1][0]))[:6]
        rows: list[dict[str, str]] = []
        for place, (rxcui, (name, _, _)) in enumerate(names, start=1):
            row = {"rxcui": rxcui, "rxaui": "1", "score": "9.5", "rank": str(place)}
            rows += [{**row, "source": "LICENSED"}, {**row, "name": name, "source": "RXNORM"}]
        return {"approximateGroup": {"inputTerm": None, "candidate": rows[::-1]}}

    def _spelled(self, name: str) -> dict[str, Any]:
        near = [known for known, _, _ in CONCEPTS.values() if 0.75 < _likeness(name, known) < 1]
        return {"suggestionGroup": {"name": None, "suggestionList": {"suggestion": near} if near else None}}

    def _classes(self, rxcui: str, source: str) -> dict[str, Any]:
        rows = [
            {
                "minConcept": {"rxcui": rxcui, "name": CONCEPTS[rxcui][0], "tty": "IN"},
                "rxclassMinConceptItem": {"classId": "X", "className": name, "classType": kind},
                "rela": rela,
                "relaSource": source,
            }
            for name, kind, rela in CLASSES.get((rxcui, source), [])
        ]
        return {"rxclassDrugInfoList": {"rxclassDrugInfo": rows + rows}} if rows else {}


def _properties(rxcui: str) -> dict[str, str]:
    name, tty, _ = CONCEPTS[rxcui]
    return {"rxcui": rxcui, "name": name, "synonym": "", "tty": tty, "language": "ENG", "suppress": "N", "umlscui": ""}


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower(), other.lower()).ratio()
