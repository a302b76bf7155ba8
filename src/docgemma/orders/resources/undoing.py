"""Taking an entry back: it stays in the chart and is marked as entered in error, on the version that was seen."""

from __future__ import annotations

from typing import Any

from docgemma.ehr.contract import Change, Resource
from docgemma.orders.model import Row
from docgemma.orders.resources.allergy_intolerance import VERIFICATION
from docgemma.orders.resources.parts import ORDER_SYSTEM, coded, decided
from docgemma.orders.resources.provenance import undo_tag, undone

ERROR = "entered-in-error"


def undo_changes(row: Row, current: Resource) -> tuple[Change, ...]:
    """The entry as it is now with its status changed alone, and who did that."""
    decision, _ = decided(row)
    marked = dict(current)
    if marked["resourceType"] == "AllergyIntolerance":
        marked.pop("clinicalStatus", None)  # R4's rule ait-2
        marked["verificationStatus"] = coded(VERIFICATION, ERROR)
    else:
        marked["status"] = ERROR
        if decision.reason and marked["resourceType"] == "MedicationRequest":
            marked["statusReason"] = {"text": decision.reason}
    vouched = undone(row, f"{current['resourceType']}/{current['id']}")
    return (
        Change(marked, if_match=_version(current)),
        Change(vouched, if_none_exist=f"_tag={ORDER_SYSTEM}|{undo_tag(row)}"),
    )


def is_undone(resource: Resource) -> bool:
    """Whether the entry is marked as entered in error."""
    if resource.get("status") == ERROR:
        return True
    status = resource.get("verificationStatus")
    listed: Any = status.get("coding") if isinstance(status, dict) else None
    codings = listed if isinstance(listed, list) else []
    return any(isinstance(one, dict) and one.get("code") == ERROR for one in codings)


def _version(current: Resource) -> str:
    meta = current.get("meta")
    version = meta.get("versionId") if isinstance(meta, dict) else None
    if not isinstance(version, str) or not version:
        raise ValueError("what is replaced needs the version that was seen")
    return version
