"""ClinicalTrials.gov's stand-in: its parameters, its search language as far as we use it, its pages and errors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tests.support.fake_service import FakeService, Question, Said

Raw = dict[str, Any]
KNOWN = {
    *(f"query.{name}" for name in ["cond", "term", "intr", "titles", "outc", "spons", "lead", "locn", "id", "patient"]),
    *(f"filter.{name}" for name in ["overallStatus", "geo", "ids", "advanced", "synonyms"]),
    *["fields", "sort", "countTotal", "pageSize", "pageToken", "format", "markupFormat", "aggFilters", "geoDecay"],
}
_PATH = "/studies"
_OPERATORS = re.compile(r"\b(?:AND|NOT|AREA|SEARCH|RANGE|MISSING|COVERAGE|EXPANSION|TILT)\b|[\"\[\]\\]")
_AGES = re.compile(
    r"\(AREA\[(?P<area>MinimumAge|MaximumAge)\]RANGE\[(?P<low>MIN|\d+ \w+), (?P<high>MAX|\d+ \w+)\]"
    r" OR AREA\[(?P=area)\]MISSING\)"
)
_VALUES = re.compile(r"\(?AREA\[(?P<area>Phase|Sex)\](?P<value>\w+)(?: OR AREA\[(?P=area)\]\w+)*\)?")
_UNITS = {"year": 365.25, "month": 365.25 / 12, "week": 7.0, "day": 1.0}


def trial(number: int, title: str, status: str = "RECRUITING", **facts: Any) -> Raw:
    """A fictional record. Facts: conditions, interventions, phases, ages, sex, sites, summary, updated, why."""
    low, high = facts.get("ages", ("18 Years", None))
    eligibility = {"sex": facts.get("sex", "ALL"), "minimumAge": low, "maximumAge": high}
    return {
        "protocolSection": {
            "identificationModule": {"nctId": f"NCT{number:08d}", "briefTitle": title},
            "statusModule": {
                "overallStatus": status,
                **({"whyStopped": facts["why"]} if "why" in facts else {}),
                "lastUpdatePostDateStruct": {"date": facts.get("updated", "2026-05-01")},
            },
            "descriptionModule": {"briefSummary": facts.get("summary", f"{title} is studied.")},
            "conditionsModule": {"conditions": list(facts.get("conditions", [title]))},
            "designModule": {"studyType": "INTERVENTIONAL", "phases": list(facts.get("phases", ["PHASE2"]))},
            "armsInterventionsModule": {"interventions": [{"name": name} for name in facts.get("interventions", ())]},
            "eligibilityModule": {name: value for name, value in eligibility.items() if value is not None},
            "contactsLocationsModule": {
                "locations": [
                    {"facility": f"{city} Hospital", "city": city, "country": country, "status": state}
                    for city, country, state in facts.get("sites", ())
                ]
            },
        },
        "hasResults": False,
    }


class FakeCtGov(FakeService):
    """`misread` counts questions in which a user's word was an operator."""

    def __init__(self, studies: Iterable[Raw] = (), aliases: dict[str, str] | None = None) -> None:
        super().__init__()
        self.studies = list(studies)
        self.aliases = aliases or {}
        self.misread = 0
        self._tokens: dict[str, tuple[tuple[tuple[str, str], ...], int]] = {}

    def forget_tokens(self) -> None:
        """As the register does after a while."""
        self._tokens.clear()

    def answer(self, question: Question) -> Said:
        path, params = question.path.removeprefix("/api/v2"), question.params
        unknown = next((name for name in params if name not in KNOWN), None)
        if unknown:
            return _text(400, f"`{unknown}` is unknown parameter")
        if path.startswith(f"{_PATH}/"):
            return self._one(path.removeprefix(f"{_PATH}/"))
        if path != _PATH:
            return _text(404, "not found")
        return self._page(params)

    def _one(self, number: str) -> Said:
        if not re.fullmatch(r"NCT\d{8}", number):
            return _text(400, "Parameter `nctId` has incorrect format")
        if number in self.aliases:
            return Said(301, b"", {"location": f"/api/v2{_PATH}/{self.aliases[number]}"})
        found = next((study for study in self.studies if _number(study) == number), None)
        return Said(200, found) if found else _text(404, f"NCT number {number} not found")

    def _page(self, params: dict[str, str]) -> Said:
        same = tuple(sorted((name, value) for name, value in params.items() if name != "pageToken"))
        start = 0
        if "pageToken" in params:
            known, start = self._tokens.get(params["pageToken"], ((), -1))
            if known != same:
                return _text(400, "Parameter `pageToken` has incorrect format")
        found = [study for study in self.studies if self._fits(study, params)]
        size = int(params.get("pageSize", "10"))
        body: Raw = {"studies": found[start : start + size]}
        if params.get("countTotal") == "true" and start == 0:
            body["totalCount"] = len(found)
        if start + size < len(found):
            token = f"ZVt07c{self.count}"
            self._tokens[token] = (same, start + size)
            body["nextPageToken"] = token
        return Said(200, body)

    def _fits(self, study: Raw, params: dict[str, str]) -> bool:
        section = study["protocolSection"]
        status = section["statusModule"]["overallStatus"]
        statuses = re.split(r"[|,]", params["filter.overallStatus"]) if "filter.overallStatus" in params else [status]
        about = {
            "query.cond": section["conditionsModule"],
            "query.intr": section["armsInterventionsModule"],
            "query.locn": section["contactsLocationsModule"],
        }
        return (
            status in statuses
            and all(self._matches(params[name], str(texts)) for name, texts in about.items() if name in params)
            and _advanced(params.get("filter.advanced", ""), section)
        )

    def _matches(self, query: str, text: str) -> bool:
        options = (
            re.findall(r"\(([^()]*)\)", query) if re.fullmatch(r"\([^()]*\)(?: OR \([^()]*\))+", query) else [query]
        )
        if any(_OPERATORS.search(option) or re.search(r"\bOR\b|\bALL\b|[()]", option) for option in options):
            self.misread += 1
            return True  # "ALL" gives back every trial there is
        return any(all(word in text.lower() for word in option.lower().split()) for option in options)


def _advanced(expression: str, section: Raw) -> bool:
    if not expression:
        return True
    who, rest, fits = section["eligibilityModule"], expression, True
    for found in [*_AGES.finditer(expression)]:
        rest = rest.replace(found.group(), "")
        days = _days(who.get("minimumAge" if found["area"] == "MinimumAge" else "maximumAge"))
        low, high = _days(found["low"]), _days(found["high"])
        fits &= days is None or ((low is None or low <= days) and (high is None or days <= high))
    for found in [*_VALUES.finditer(rest)]:
        rest = rest.replace(found.group(), "")
        wanted = set(re.findall(r"\](\w+)", found.group()))
        has = section["designModule"]["phases"] if found["area"] == "Phase" else [who.get("sex", "MISSING")]
        fits &= not wanted.isdisjoint(has)
    if rest.replace(" AND ", "").strip():
        raise AssertionError(f"an expression that the register does not know: {rest}")
    return fits


def _days(age: str | None) -> float | None:
    found = re.fullmatch(r"(\d+) (\w+?)s?", age.lower()) if age else None
    return int(found[1]) * _UNITS[found[2]] if found else None


def _number(study: Raw) -> str:
    return str(study["protocolSection"]["identificationModule"]["nctId"])


def _text(status: int, message: str) -> Said:
    return Said(status, message.encode(), {"content-type": "text/plain"})
