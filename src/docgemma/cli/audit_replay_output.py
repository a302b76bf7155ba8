"""A replayed turn as lines for a terminal: what was asked, what each step did, what came back, and the verdict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from docgemma.agent.record import TurnRecord, Versions
from docgemma.agent.replay.trace import fingerprint
from docgemma.agent.replay.versions import versions_of
from docgemma.agent.replay.wording import listed, named
from docgemma.cli import render
from docgemma.cli.render import Line, one_line
from docgemma.entities.printable import plain

if TYPE_CHECKING:
    from docgemma.agent.replay.trace import Exchange
    from docgemma.cli.audit_replay import Told
    from docgemma.llm.contract import Prompt

_ANSWER = 300

SAME = "Replayed: the same answer."
DIFFERS = "Replayed: not the same."


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
        yield from render.timeline(record.timeline)
        yield from _block("Answered", [], record.response)
        yield from render.details(record)
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
    what = named(exchange.kind, exchange.name, exchange.args)
    if exchange.error:
        return f"{what}: no answer. {exchange.error[1]}".rstrip()
    if exchange.kind in ("decide", "write"):
        answer = one_line(listed(exchange.output), _ANSWER) if exchange.output else "see the answer"
        return f"{what}: {'a rule' if exchange.by == 'code' else 'the model'} answered: {answer}"
    if exchange.kind == "vote":
        return f"{what}: {listed(exchange.output) if exchange.output else 'nothing known'}"
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
