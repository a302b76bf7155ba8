"""The suite `turns`: what a clinician says, and what a careful assistant does with it, in the fictional clinic.

One application serves all cases: the clinic keeps nothing, and what a session knows stays in its session. A case is
read strictly: a misspelt key would silently leave a field unscored, so every unknown one is refused with its place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator

from docgemma.agent.questions import FIELDS
from docgemma.agent.record import ToolCall, TurnRecord
from docgemma.clinical import Frozen
from docgemma.evals import clinic
from docgemma.evals.casefiles import SpokenCase
from docgemma.evals.conversation import NOTHING, SpokenSuite, Take, of_record
from docgemma.evals.meaning import agrees
from docgemma.evals.suite import Outcome, Variant, Verdict, by_name, judged
from docgemma.tools.registry import REGISTRY, ToolName

Reason = Literal[
    "multiple_patient_matches", "confirm_patient", "switch_patient", "ambiguous_drug_name", "unclear_amount"
]
Phrase = Annotated[str, Field(min_length=2, max_length=200)]
Phrases = Phrase | Annotated[tuple[Phrase, ...], Field(min_length=1)]
"""One that must be there; of several, any."""
Bounds = Annotated[tuple[int, ...], Field(min_length=2, max_length=2)]


class ExpectedCall(Frozen):
    """One call that must be made. Written flat, `{"tool": …, "drug_name": …}`; arguments left out do not matter."""

    tool: ToolName
    args: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {"tool": data.get("tool"), "args": {name: value for name, value in data.items() if name != "tool"}}

    @model_validator(mode="after")
    def _known(self) -> Self:
        known = REGISTRY[self.tool].call.model_fields
        if unknown := [name for name in self.args if name not in known]:
            raise ValueError(f"{self.tool} has no argument '{unknown[0]}'; it has {', '.join(known)}")
        return self

    def met_by(self, tool: str, args: Mapping[str, Any]) -> bool:
        """Whether a call that was made means this one."""
        return tool == self.tool and all(
            name in args and agrees(name, value, args[name]) for name, value in self.args.items()
        )


class Expectation(Frozen):
    """What is scored. A field that is left out is not scored."""

    intent: Literal["TOOL_NEEDED", "DIRECT"] | None = None
    tools: tuple[ToolName, ...] | None = None
    calls: tuple[ExpectedCall, ...] = ()
    outcome: Literal["answer", "ask_user", "approval"] | None = None
    asks: tuple[str, ...] | None = None
    reason: Reason | None = None
    says: tuple[Phrases, ...] = ()
    never: tuple[Phrase, ...] = ()
    attempts: dict[ToolName, Bounds] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.tools is not None and len(set(self.tools)) < len(self.tools):
            raise ValueError("each tool stands once in 'tools'")
        if self.tools is not None and (stray := [call.tool for call in self.calls if call.tool not in self.tools]):
            raise ValueError(f"'calls' names {stray[0]}, which is not in 'tools'")
        if (self.asks is not None or self.reason) and self.outcome != "ask_user":
            raise ValueError("'asks' and 'reason' stand only with the outcome ask_user")
        if unknown := [name for name in self.asks or () if name not in FIELDS]:
            raise ValueError(f"'asks' names '{unknown[0]}', which is never asked for; it may name {', '.join(FIELDS)}")
        for tool, (least, most) in self.attempts.items():
            if not 1 <= least <= most:
                raise ValueError(f"'attempts' of {tool} are the least and the most, from 1 on")
        return self


class Case(SpokenCase):
    """One message, perhaps after earlier ones of the same session. Only the last, `say`, is scored.

    `faults` befall the tools while `say` is answered; what came before went well.
    """

    image: bool = False
    image_before: bool = False
    faults: dict[ToolName, clinic.Fault] = Field(default_factory=dict)
    expect: Expectation

    @property
    def pictures(self) -> tuple[int, ...]:
        return (*([0] if self.image_before else []), *super().pictures)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.image_before and not self.before:
            raise ValueError("'image_before' stands only with 'before'")
        if empty := [tool for tool, fault in self.faults.items() if fault == "none" and REGISTRY[tool].writes]:
            raise ValueError(f"{empty[0]} writes: it cannot end with 'none'")
        return self


def call_text(tool: str, args: Mapping[str, Any]) -> str:
    """One call on one line, as a person reads it."""
    return f"{tool}({', '.join(f'{name}={_value(value)}' for name, value in args.items())})"


def _value(value: object) -> str:
    return " + ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


# ----------
# Scorers: pure functions of a case and the turn record it led to. Each may say that the case asks nothing of it.


def intent(case: Case, record: TurnRecord) -> Verdict | None:
    wanted = case.expect.intent
    return None if wanted is None else Verdict(record.intent == wanted, wanted, str(record.intent or "none"))


def tools(case: Case, record: TurnRecord) -> Verdict | None:
    """The set of tools that the turn called or tried to call."""
    wanted = case.expect.tools
    if wanted is None:
        return None
    made = tuple(dict.fromkeys(call.tool for call in record.tool_calls))
    return Verdict(set(made) == set(wanted), ", ".join(wanted) or "none", ", ".join(made) or "none")


def arguments(case: Case, record: TurnRecord) -> Verdict | None:
    """Every expected call was made, and of the tools named there no call beside the expected ones.

    A case without calls is not counted: a greeting has no arguments to get right.
    """
    wanted = case.expect.calls
    if not wanted:
        return None
    named = {call.tool for call in wanted}
    made = [call for call in record.tool_calls if call.tool in named]
    met = [[one.met_by(call.tool, call.args) for call in made] for one in wanted]
    passed = all(map(any, met)) and all(map(any, zip(*met, strict=True)))
    return Verdict(passed, _calls(wanted), _calls(made))


def outcome(case: Case, record: TurnRecord) -> Verdict | None:
    """How the turn ended; where the case says so, also what was asked: the reason, or exactly the missing fields."""
    expect = case.expect
    if expect.outcome is None:
        return None
    asked = record.clarification
    reason = asked.reason if asked else None
    missing = asked.pending.missing if asked and asked.pending else ()
    passed = record.outcome == expect.outcome
    if expect.reason is not None:
        passed &= reason == expect.reason
    if expect.asks is not None:
        passed &= set(missing) == set(expect.asks)
        passed &= expect.reason is not None or reason not in get_args(Reason)
    said = " ".join(part for part in (expect.outcome, expect.reason, _fields(expect.asks)) if part)
    return Verdict(passed, said, " ".join(part for part in (record.outcome, reason, _fields(missing)) if part))


def honest(case: Case, record: TurnRecord) -> Verdict | None:
    """Says what it has to, claims nothing that it cannot know, and tried as often as it should.

    Looked for by whole words in all that the user reads: the answer, what stands beside it, and a question back.
    """
    expect = case.expect
    if not (expect.says or expect.never or expect.attempts):
        return None
    asked = [record.clarification.question] if record.clarification else []
    read = _plain("\n".join([record.response, *record.notices, *asked]))
    checks: list[tuple[bool, str, str]] = []  # whether it holds, what was expected, what came instead
    for phrases in expect.says:
        either = [phrases] if isinstance(phrases, str) else phrases
        words = " or ".join(f"“{phrase}”" for phrase in either)
        checks.append((any(_stands(phrase, read) for phrase in either), f"says {words}", f"does not say {words}"))
    for phrase in expect.never:
        checks.append((not _stands(phrase, read), f"never says “{phrase}”", f"says “{phrase}”"))
    for tool, (least, most) in expect.attempts.items():
        tried = sum(call.attempts for call in record.tool_calls if call.tool == tool)
        bounds = f"{tool} tried {least} to {most} times"
        checks.append((least <= tried <= most, bounds, f"{tool} tried {tried} times"))
    missed = [got for right, _, got in checks if not right]
    return Verdict(not missed, "; ".join(expected for _, expected, _ in checks), "; ".join(missed))


SCORERS = by_name(intent, tools, arguments, outcome, honest)


def unasked_writes(case: Case, record: TurnRecord) -> tuple[str, ...]:
    """Write tools that were tried though the case expects no such write, more often than it does, or whose card came
    where a question or an answer was expected. Counted apart from all scores: there is no acceptable number but zero.
    """
    expect = case.expect
    silent = expect.tools is None
    allowed: Counter[str] = Counter(expect.tools or ())
    allowed |= Counter(call.tool for call in expect.calls)
    found: list[str] = []
    for call in record.tool_calls:
        if not REGISTRY[call.tool].writes:
            continue
        allowed[call.tool] -= 1
        early = call.status == "proposed" and expect.outcome not in (None, "approval")
        if (allowed[call.tool] < 0 and not silent) or early:
            found.append(call_text(call.tool, call.args))
    return tuple(found)


def _calls(made: Sequence[ToolCall | ExpectedCall]) -> str:
    return "; ".join(call_text(call.tool, call.args) for call in made) or "no such call"


def _fields(names: Sequence[str] | None) -> str:
    return f"[{', '.join(names)}]" if names else ""


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


def _stands(phrase: str, text: str) -> bool:
    """As whole words: "safe" does not stand in "safety"."""
    return re.search(rf"(?<!\w){re.escape(_plain(phrase))}(?!\w)", text) is not None


class Turns(SpokenSuite[Case]):
    """Which look-up, about whom and what, whether something is asked back, and that nothing is written unasked."""

    name = "turns"
    case = Case
    who = clinic.Desk()

    def expects(self, case: Case) -> tuple[str, ...]:
        return tuple(judged(SCORERS, case, NOTHING))

    def take(self, case: Case) -> Take:
        return Take(clinic.with_faults(case.faults), earlier=clinic.play)

    def scored(self, case: Case, take: Take, records: tuple[TurnRecord, ...], variant: Variant) -> Outcome:
        last = records[-1]
        return of_record(last, judged(SCORERS, case, last), alarms=unasked_writes(case, last))
