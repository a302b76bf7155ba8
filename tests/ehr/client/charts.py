"""Two fictional patients for the client's tests: one who is asked for, and one of whom nothing may ever be seen."""

from __future__ import annotations

import json
from typing import Any

from docgemma.ehr.contract import CHART, VITAL, Record

ANN = "ann-1"
OTHER = "other-2"
CANARY = "CANARY-OF-SOMEBODY-ELSE"

Resource = dict[str, Any]


def patient(id_: str, family: str) -> Resource:
    return {"resourceType": "Patient", "id": id_, "name": [{"family": family}]}


def about(kind: str, id_: str, who: str, text: str, **more: Any) -> Resource:
    element = "patient" if kind in ("AllergyIntolerance", "Immunization") else "subject"
    return {
        "resourceType": kind,
        "id": id_,
        element: {"reference": f"Patient/{who}"},
        "code": {"text": text},
        **more,
    }


def chart(who: str, text: str, each: int = 3) -> list[Resource]:
    family = CANARY if who == OTHER else "Lee"
    return [patient(who, family)] + [
        about(kind, f"{who}-{kind}-{number}", who, text) for kind in CHART for number in range(each)
    ]


HERS = chart(ANN, "hers")
THEIRS = chart(OTHER, CANARY)


def ids(record: Record, kind: str) -> set[str]:
    return {one["id"] for one in record.of(kind)}


def truth(kind: str, resources: list[Resource] = HERS) -> set[str]:
    return {one["id"] for one in resources if one["resourceType"] == kind}


def assert_safe(record: Record, resources: list[Resource] = HERS) -> None:
    """Nothing of another patient, and every kind is all there or told to be incomplete."""
    assert CANARY not in json.dumps([record.patient, dict(record.resources)], default=str)
    assert record.patient["id"] == ANN
    for kind in CHART:
        whole = ids(record, kind) == truth(kind, resources)
        assert whole or record.missing(kind), f"{kind} was lost without a word"
        assert ids(record, kind) <= truth(kind, resources)


def assert_whole(record: Record, *kinds: str) -> None:
    """These kinds are all there, and nobody doubts it."""
    for kind in kinds or VITAL:
        assert ids(record, kind) == truth(kind)
        assert not record.missing(kind)
