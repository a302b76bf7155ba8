"""Written to real servers, read back and taken back: nothing of ours is changed on the way, and nothing comes twice."""

from __future__ import annotations

import pytest

from docgemma.orders.model import Draft
from docgemma.orders.resources import ORDER_SYSTEM, changes_of, differences, is_undone, resource_of, undo_changes
from tests.ehr.contract.conftest import server
from tests.orders.resources.made import row
from tests.orders.resources.test_comparing import CHECKS, DECISION, FULL
from tests.support.fhir_servers import FhirServer

__all__ = ["server"]

ANN = {"resourceType": "Patient", "id": "0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"}


@pytest.mark.parametrize("draft", FULL, ids=lambda draft: draft.kind)
async def test_what_is_written_is_read_back_as_it_was_sent(server: FhirServer, draft: Draft) -> None:
    await server.put(ANN)
    made = row(draft.model_copy(update={"patient_id": ANN["id"]}), DECISION, checks=CHECKS)
    writer = server.client
    first = await writer.transact(changes_of(made))
    again = await writer.transact(changes_of(made))
    assert [(one.id, one.created) for one in again] == [(one.id, False) for one in first]
    (found,) = await writer.identified(first[0].kind, ORDER_SYSTEM, made.id)
    assert differences(resource_of(made), found) == ()
    await writer.transact(undo_changes(made, found))
    undone = await writer.read(first[0].kind, first[0].id)
    assert undone is not None and is_undone(undone)
    assert differences(resource_of(made), undone)
