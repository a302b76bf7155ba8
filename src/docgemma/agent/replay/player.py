"""Run a turn again from its trace, and say whether it comes out the same.

Nothing is asked of a model, a source, a chart or the network. A question that is not in the trace is no error: the
program has changed since, and that is what a replay finds out.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from docgemma import errors
from docgemma.agent import graphs
from docgemma.agent.curated import CuratedAnswer
from docgemma.agent.record import TurnRecord
from docgemma.agent.recording import build_record, failed_record
from docgemma.agent.replay.comparing import differences
from docgemma.agent.replay.recorder import OUT_OF_TIME
from docgemma.agent.replay.trace import Exchange, Kind, Trace, exchange_name, fields_line, fingerprint
from docgemma.agent.rules import RULES
from docgemma.agent.state import Services
from docgemma.clinical import GraphName, ToolResult, holding
from docgemma.errors import DocGemmaError
from docgemma.llm.contract import Prompt, T, Usage, current_usage, usage
from docgemma.tools.registry import RESULT_TYPES
from docgemma.tools.results import PatientSearchResult, PatientSummary

Rules = Mapping[str, Callable[[Mapping[str, Any]], BaseModel | str]]

SINCE = "The program has changed since: "
OUTSIDE = "The turn failed outside of what can be run again."
OTHER_GRAPH = "This version has no graph of the name under which the turn ran."


@dataclass(frozen=True, slots=True)
class Replayed:
    """`same` is None where nothing could be compared; `note` says why. `prompts`: by place of their exchange."""

    same: bool | None
    differences: tuple[str, ...] = ()
    note: str = ""
    prompts: tuple[tuple[int, Prompt], ...] = ()


async def replay(record: TurnRecord, trace: Trace, *, rules: Rules = RULES) -> Replayed:
    """The graph of this program over the answers of then. Writes nothing and asks nobody."""
    if record.graph not in graphs.GRAPHS:
        return Replayed(None, note=OTHER_GRAPH)
    if record.outcome == "unavailable" and not any(exchange.error for exchange in trace.exchanges):
        return Replayed(None, note=OUTSIDE)
    player = Player(trace, rules, spent_s=sum(call.duration_ms for call in record.tool_calls) / 1000)
    try:
        again = await _again(record, trace, player)
    except Parted as parting:
        found = (*player.differences, str(parting))
    else:
        found = (*differences(record, again), *player.differences, *player.unasked())
    once = tuple(dict.fromkeys(found))
    return Replayed(not once, once, prompts=tuple(player.prompts.items()))


async def _again(record: TurnRecord, trace: Trace, player: Player) -> TurnRecord:
    spent = Usage()
    kept = ("id", "turn_id", "session_id", "created_at", "graph", "model", "query", "versions")
    stamp: dict[str, Any] = {name: getattr(record, name) for name in kept}
    with holding(usage, spent):
        try:
            return build_record(
                await graphs.run(trace.state, player.services(graphs.known(record.graph))), spent, stamp, 0
            )
        except Parted:
            raise
        except DocGemmaError as error:
            return failed_record(str(error), spent, stamp, 0)


class Parted(DocGemmaError):
    """The turn now goes another way than it went; the trace has no answers for that way."""


class Player:
    """Model, tools, record system and knowledge base of a turn, answering from its trace.

    Each answer is given once, by what was asked. Differences are collected on the way.
    """

    name = "replay"

    def __init__(self, trace: Trace, rules: Rules, *, spent_s: float = 0) -> None:
        """`spent_s`: what the turn's look-ups took. A budget that was used up then is used up now."""
        self._trace = trace
        self._left = list(enumerate(trace.exchanges))
        self._no_time_left = spent_s >= trace.tools_budget_s
        self._rules = rules
        self.differences: list[str] = []
        self.prompts: dict[int, Prompt] = {}

    def services(self, graph: GraphName) -> Services:
        return Services(
            graph=graph,
            llm=self,
            tools=self,
            shortcuts=self._trace.shortcuts,
            tools_budget_s=float("inf"),
            charts=self if self._trace.charts else None,
            curated=self if self._trace.curated else None,
        )

    def unasked(self) -> Iterator[str]:
        """What was asked then and not now."""
        for _, found in self._left:
            yield f"{SINCE}it no longer asks for {exchange_name(found.kind, found.name, found.args)}."

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        """The model's answer as it came; a rule's answer worked out again and held against the one of then."""
        found = self._asked("decide", prompt)
        _spend(found)
        if found.error is not None:
            raise error_of(found.error)
        if found.by == "model":
            try:
                return schema.model_validate(found.output)
            except ValidationError:
                step = exchange_name("decide", prompt.name)
                raise Parted(f"{SINCE}the model's answer of then does not fit any more ({step}).") from None
        decided = self._rules[prompt.name](prompt.variables)
        assert isinstance(decided, BaseModel)
        now = decided if isinstance(decided, schema) else schema.model_validate(decided.model_dump())
        plain = now.model_dump(mode="json", exclude_defaults=True)
        if plain != found.output:
            words = f"was {fields_line(found.output)}, is now {fields_line(plain)}"
            self.differences.append(
                f"{SINCE}a rule decides otherwise ({exchange_name('decide', prompt.name)}): {words}."
            )
        return now

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        found = self._asked("write", prompt)
        _spend(found)
        try:
            text = found.output if found.by == "model" else self._rules[prompt.name](prompt.variables)
            if text:
                yield str(text)
        finally:
            _tell(found)  # a text that breaks off says so at its end
        if found.error is not None:
            raise error_of(found.error)

    async def call(self, name: str, args: dict[str, Any], *, deadline_s: float | None = None) -> ToolResult:
        if self._no_time_left and not any(found.kind == "tool" for _, found in self._left):
            return RESULT_TYPES.get(name, ToolResult)(status="unavailable", error_type="timeout")
        found = self._answer("tool", name, args)
        _count(found)
        _tell(found)
        kinds: tuple[type[ToolResult], ...] = (ToolResult, *RESULT_TYPES.values())
        known = {kind.__name__: kind for kind in kinds}
        return _restored(known.get(found.type) or RESULT_TYPES.get(name, ToolResult), found)

    async def who(self, written: str) -> PatientSearchResult:
        return _restored(PatientSearchResult, self._answer("who", written))

    async def summary(self, patient_id: str) -> PatientSummary:
        return _restored(PatientSummary, self._answer("summary", patient_id))

    async def on(self, question: str) -> CuratedAnswer | None:
        found = self._answer("curated", question)
        return None if found.output is None else _restored(CuratedAnswer, found)

    def _answer(self, kind: Kind, name: str, args: Mapping[str, Any] | None = None) -> Exchange:
        """The next recorded answer to this very question."""
        _, found = self._next(kind, name, args)
        if found.error is not None:
            raise error_of(found.error)
        return found

    def _asked(self, kind: Kind, prompt: Prompt) -> Exchange:
        """The next answer to the prompt of this name, also where its words have changed: that is told."""
        place, found = self._next(kind, prompt.name, None)
        self.prompts[place] = prompt
        if found.prompt and found.prompt != fingerprint(prompt):
            self.differences.append(
                f"{SINCE}the model is now asked in other words ({exchange_name('decide', prompt.name)})."
            )
        return found

    def _next(self, kind: Kind, name: str, args: Mapping[str, Any] | None) -> tuple[int, Exchange]:
        alike = [(place, found) for place, found in self._left if (found.kind, found.name) == (kind, name)]
        for place, found in alike:
            if args is None or _spelled(found.args) == _spelled(args):
                self._left.remove((place, found))
                return place, found
        other = f" (then: {fields_line(alike[0][1].args)})" if alike else ""
        raise Parted(f"{SINCE}it now asks for {exchange_name(kind, name, args or {})}{other}, which was not recorded.")


def error_of(error: tuple[str, str]) -> Exception:
    """The error that came in place of an answer, as the turn met it."""
    name, text = error
    if name == OUT_OF_TIME:
        return TimeoutError(text)
    kind = getattr(errors, name, None)
    known = isinstance(kind, type) and issubclass(kind, DocGemmaError)
    return kind(text) if known and kind is not None else errors.Unavailable(text)


def _restored(kind: type[T], found: Exchange) -> T:
    try:
        return kind.model_validate(found.output)
    except ValidationError:
        what = exchange_name(found.kind, found.name, {})
        raise Parted(f"{SINCE}it cannot read what came back then for {what}.") from None


def _spend(found: Exchange) -> None:
    _count(found)
    current_usage().answered_by = found.by
    if found.kind == "decide":
        _tell(found)


def _count(found: Exchange) -> None:
    usage = current_usage()
    usage.calls += found.used.get("calls", 0)
    usage.prompt_tokens += found.used.get("prompt_tokens", 0)
    usage.completion_tokens += found.used.get("completion_tokens", 0)


def _tell(found: Exchange) -> None:
    for notice in found.used.get("notices", ()):
        current_usage().notice(notice)


def _spelled(args: Mapping[str, Any]) -> str:
    return json.dumps(args, sort_keys=True, default=str)
