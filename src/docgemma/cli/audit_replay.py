"""`docgemma audit replay`: one turn as it was recorded, run again from what it was given then, and shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from docgemma.agent.record import TurnRecord, Versions, versions_of
from docgemma.agent.replay.player import Replayed, replay
from docgemma.agent.replay.trace import Exchange, Trace, exchange_name, fields_line, fingerprint, read
from docgemma.audit.entries import Access, known_id
from docgemma.audit.log import AuditLog
from docgemma.cli import turn_output
from docgemma.cli.options import person
from docgemma.cli.render import Line, one_line
from docgemma.clinical import Purpose, acting
from docgemma.entities.printable import plain
from docgemma.errors import Conflict
from docgemma.store.turns import DAMAGED

if TYPE_CHECKING:
    from docgemma.llm.contract import Prompt
    from docgemma.store.rows import Turn
    from docgemma.store.sessions import Store

NO_TRACE = "No trace was kept of this turn, so it cannot be run again. It is shown as it was recorded."
BY_PERSON = "A person did this; there is nothing to run again. It is shown as it was recorded."
SAME, DIFFERS = "Replayed: the same answer.", "Replayed: not the same."
_ANSWER = 300
UNFINISHED = "This turn was never finished, so there is nothing to replay. `docgemma ask --retry` runs it."


@dataclass(frozen=True, slots=True)
class Told:
    """A turn with what its replay gave. `record` is None where it has another form than this program's."""

    turn: Turn
    record: TurnRecord | None
    trace: Trace | None
    replayed: Replayed

    def facts(self) -> Iterator[str]:
        """One line of JSON, of letters that no terminal mistakes; made when it is asked for."""
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
        yield json.dumps(found)


def _now(record: Mapping[str, Any]) -> dict[str, Any]:
    """What would answer such a turn now."""
    graph = str(record.get("graph") or "routed")
    return versions_of(str(record.get("model", "")), graph).model_dump()


async def told(store: Store, turn_id: str) -> Told:
    """The turn, once its seal was found whole and the look at it is in the audit log. Without that nothing is shown."""
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


def lines(told: Told, *, full: bool) -> Iterator[Line]:
    """`full`: with the words of every prompt and everything that came back."""
    yield Line(f"Turn {told.turn.id} of session {told.turn.session_id}, {told.turn.created_at[:19]} UTC", "strong")
    record = told.record
    if record is None:
        yield from (Line(line) for line in plain(json.dumps(told.turn.record, indent=2)).splitlines())
    else:
        yield from _versions(record) if told.turn.by == "agent" else ()
        yield from _block(
            "Asked", [one_line(f"About: {record.patient.banner}")] if record.patient else [], record.query
        )
        yield from _exchanges(told, full=full)
        yield Line()
        yield from turn_output.timeline(record.timeline)
        yield from _block("Answered", [], record.response)
        yield from turn_output.details(record)
    yield Line()
    yield from _verdict(told)


def _versions(record: TurnRecord) -> Iterator[Line]:
    then, now = record.versions, versions_of(record.model, record.graph)
    yield Line(f"Answered by {_program(then)}" if then.docgemma else "The versions of then were not noted.", "dim")
    if then.docgemma and then != now:
        yield Line(f"Run again by {_program(now)}", "warning")


def _program(versions: Versions) -> str:
    return one_line(
        f"DocGemma {versions.docgemma}, graph {versions.graph}, model {versions.model}, prompts {versions.prompts}"
    )


def _block(title: str, before: list[str], text: str) -> Iterator[Line]:
    yield Line()
    yield Line(title, "strong")
    yield from (Line(f"  {line}") for line in (*before, *plain(text).splitlines()))


def _exchanges(told: Told, *, full: bool) -> Iterator[Line]:
    if told.trace is None:
        return
    yield Line()
    yield Line("Asked on the way", "strong")
    prompts = dict(told.replayed.prompts)
    for place, exchange in enumerate(told.trace.exchanges):
        yield Line(f"  {place + 1}. {one_line(_exchange(exchange))}", hang=5)
        if full:
            yield from _whole(exchange, prompts.get(place))


def _exchange(exchange: Exchange) -> str:
    what = exchange_name(exchange.kind, exchange.name, exchange.args)
    if exchange.error:
        return f"{what}: no answer. {exchange.error[1]}".rstrip()
    if exchange.kind in ("decide", "write"):
        answer = one_line(fields_line(exchange.output), _ANSWER) if exchange.output else "see the answer"
        return f"{what}: {'a rule' if exchange.by == 'code' else 'the model'} answered: {answer}"
    if exchange.kind == "vote":
        return f"{what}: {fields_line(exchange.output) if exchange.output else 'nothing known'}"
    output: dict[str, Any] = exchange.output or {}
    return f"{what}: {output.get('status', '')} {output.get('error_type') or ''}".rstrip()


def _whole(exchange: Exchange, prompt: Prompt | None) -> Iterator[Line]:
    """A prompt is kept as its fingerprint: its words are shown where rendering it again gave the very same."""
    if exchange.prompt and prompt is not None and fingerprint(prompt) == exchange.prompt:
        for message in prompt.messages:
            yield from (Line(f"     > {line}", "dim", hang=7) for line in plain(message.text).splitlines())
    elif exchange.prompt:
        yield Line(f"     > The words were not kept, only their hash: {exchange.prompt}", "dim", hang=7)
    if isinstance(exchange.output, str):
        yield from (Line(f"     {line}", hang=5) for line in plain(exchange.output).splitlines())
    elif exchange.output is not None:
        text = json.dumps(exchange.output, indent=1, ensure_ascii=False)
        yield from (Line(f"     {line}", hang=5) for line in plain(text).splitlines())


def _verdict(told: Told) -> Iterator[Line]:
    replayed = told.replayed
    if replayed.same is None:
        yield Line(replayed.note, "strong")
    elif replayed.same:
        yield Line(SAME, "strong")
    else:
        yield Line(DIFFERS, "warning")
        yield from (Line(f"  - {one_line(one)}", "warning", hang=4) for one in replayed.differences)
