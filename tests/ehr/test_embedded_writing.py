"""The records that come with the program can be written to like any other server's."""

from __future__ import annotations

from contextlib import AsyncExitStack
from decimal import Decimal
from pathlib import Path

from docgemma.ehr.contract import Change, Placed, Writer
from docgemma.wiring.records import EmbeddedEhr

SYSTEM = "urn:docgemma:test-order"


async def test_an_entry_is_written_once_and_found_again(tmp_path: Path) -> None:
    weight = {
        "resourceType": "Observation",
        "identifier": [{"system": SYSTEM, "value": "a1"}],
        "status": "final",
        "code": {"text": "body weight"},
        "valueQuantity": {"value": Decimal("70.50"), "unit": "kg"},
    }
    async with AsyncExitStack() as stack:
        writer: Writer = EmbeddedEhr(tmp_path / "charts.db", stack)
        change = Change(weight, if_none_exist=f"identifier={SYSTEM}|a1")
        (place,) = await writer.transact([change])
        (found,) = await writer.identified("Observation", SYSTEM, "a1")
        assert (await writer.read("Observation", place.id), place.created) == (found, True)
        assert str(found["valueQuantity"]["value"]) == "70.50"
        assert await writer.transact([change]) == (Placed("Observation", place.id, place.version, created=False),)
