"""`docgemma audit replay`: one turn as it was recorded, run again from what it was given then."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from docgemma.agent.record import TurnRecord
from docgemma.agent.replay.replaying import Replayed, replay
from docgemma.agent.replay.trace import Trace, read
from docgemma.agent.replay.versions import versions_of
from docgemma.audit.entries import Access, known_id
from docgemma.audit.log import AuditLog
from docgemma.cli.options import person
from docgemma.clinical import Purpose, acting
from docgemma.errors import Conflict
from docgemma.store.sessions import open_store
from docgemma.store.traces import DAMAGED

if TYPE_CHECKING:
    from docgemma.store.rows import Turn
    from docgemma.store.sessions import Store

NO_TRACE = "No trace was kept of this turn, so it cannot be run again. It is shown as it was recorded."
BY_PERSON = "A person did this; there is nothing to run again. It is shown as it was recorded."
UNFINISHED = "This turn was never finished, so there is nothing to replay. `docgemma ask --retry` runs it."


@dataclass(frozen=True, slots=True)
class Told:
    """A turn with what its replay gave. `record` is None where it has another form than this program's."""

    turn: Turn
    record: TurnRecord | None
    trace: Trace | None
    replayed: Replayed

    def as_json(self) -> str:
        record = self.turn.record or {}
        exchanges = [asdict(exchange) for exchange in self.trace.exchanges] if self.trace else []
        found: dict[str, Any] = {
            "turn_id": self.turn.id,
            "same": self.replayed.same,
            "differences": self.replayed.differences,
            "note": self.replayed.note,
            "versions": {"then": record.get("versions"), "now": _now(record)},
            "record": record,
            "exchanges": exchanges,
        }
        return json.dumps(found)


def _now(record: Mapping[str, Any]) -> dict[str, Any]:
    """What would answer such a turn now."""
    graph = str(record.get("graph") or "routed")
    return versions_of(str(record.get("model", "")), graph).model_dump()


async def told(store_address: str, turn_id: str) -> Told:
    """The turn, once its seal was found whole and the look at it is in the audit log. Without that nothing is shown."""
    async with open_store(store_address) as store:
        turn, record, trace = await _found(store, turn_id)
        on_behalf = Purpose(who=person(), why="replay", session_id=turn.session_id, turn_id=turn.id)
        patients = tuple(dict.fromkeys(known_id(one) for one in _patients([turn.record, *_outputs(trace)])))
        access = Access("chart", "found" if patients else "none", patients=patients, count=len(patients))
        with acting(on_behalf):
            await AuditLog(store.database).append(access)
    return Told(turn, record, trace, await _replayed(turn, record, trace))


async def _found(store: Store, turn_id: str) -> tuple[Turn, TurnRecord | None, Trace | None]:
    body = await store.get_trace(turn_id)  # first: nothing is parsed that is not what was written
    turn = await store.get_turn(turn_id)
    if turn.record is None:
        raise Conflict(UNFINISHED)
    if body is None and (turn.record.get("versions") or {}).get("docgemma"):
        raise Conflict(DAMAGED)  # since versions are stamped, every turn is sealed
    try:
        record = TurnRecord.model_validate(turn.record)
    except ValidationError:
        record = None
    return turn, record, read(body) if body else None


async def _replayed(turn: Turn, record: TurnRecord | None, trace: Trace | None) -> Replayed:
    if turn.by == "person":
        return Replayed(None, note=BY_PERSON)
    if record is None or trace is None:
        return Replayed(None, note=NO_TRACE)
    return await replay(record, trace)


def _outputs(trace: Trace | None) -> list[object]:
    if trace is None:
        return []
    about = (trace.state.get("pinned"), trace.state.get("bound"), trace.state.get("recent"))
    return [
        *({"patient_id": patient.id} for patient in about if patient),
        *({"patient_id": exchange.name} for exchange in trace.exchanges if exchange.kind == "summary"),
        *(exchange.output for exchange in trace.exchanges if exchange.kind in ("tool", "who", "summary")),
    ]


def _patients(value: object) -> Iterator[str]:
    """Everybody whose data would be shown, by id."""
    if isinstance(value, dict):
        about = value.get("patient")
        if isinstance(about, dict) and about.get("id"):
            yield str(about["id"])
        for name, inner in value.items():
            if name == "patient_id" and isinstance(inner, str) and inner:
                yield inner
            yield from _patients(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _patients(inner)
