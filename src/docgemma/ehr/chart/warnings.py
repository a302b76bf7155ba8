"""What a reader must know about a record before anything in it."""

from __future__ import annotations

from collections.abc import Iterator

from docgemma.ehr.chart.recorded.plain import counted
from docgemma.ehr.chart.recorded.shape import code, node, nodes
from docgemma.ehr.chart.recorded.when import day
from docgemma.ehr.contract import Record

_TEST_DATA = "htest"


def record_warnings(record: Record) -> tuple[str, ...]:
    return tuple(_warnings(record))


def _warnings(record: Record) -> Iterator[str]:
    patient = record.patient
    if any(code(tag.get("code")) == _TEST_DATA for tag in nodes(node(patient.get("meta")).get("tag"))):
        yield "This is a fictional record for demonstration and tests."
    died = day(patient.get("deceasedDateTime"))
    if died or patient.get("deceasedBoolean") is True:
        yield f"The record says that this patient has died{f' ({died})' if died else ''}."
    if any(code(link.get("type")) == "replaced-by" for link in nodes(patient.get("link"))):
        yield "This patient's record was merged into another one: newer entries may be there."
    if patient.get("active") is False:
        yield "This patient's record is marked as no longer in use."
    if record.strangers:
        sent = counted(record.strangers, "entry", "entries")
        yield f"The record system also sent {sent} of somebody else; left out."
