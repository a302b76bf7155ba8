"""Write the answer. Each sentence is shown only after its check, and what was shown is never taken back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from langgraph.runtime import Runtime

from docgemma.agent.answer.check import check
from docgemma.agent.answer.compose import compose
from docgemma.agent.answer.evidence import Evidence
from docgemma.agent.answer.sentences import Repetition, SentenceStream
from docgemma.agent.progress import found_patient
from docgemma.agent.prompts import render
from docgemma.agent.record import Approval, Clarification
from docgemma.agent.state import Services, State, ToolRun, patient_banner, step
from docgemma.entities.drugs import drugs_in, ingredients
from docgemma.llm.contract import Prompt, current_usage
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import Proposal

MAX_TOKENS = 256
TEMPERATURE = 0.5
LABEL = "Writing the answer"
LOOKUPS = frozenset(
    {"check_drug_safety", "check_drug_interactions", "search_medical_literature", "find_clinical_trials"}
)


async def synthesize(state: State, runtime: Runtime[Services]) -> State:
    """Questions and cards are code's words; everything else is the model's, checked, or put together by rule."""
    question = state.get("clarification")
    if question is not None:
        return _said(runtime.context.emit, _asked(question), "asks the user")
    proposal = _proposal(state)
    if proposal is not None:
        text, approval = _card(state, *proposal)
        return _said(runtime.context.emit, text, "an entry waits for approval") | {"approval": approval}
    prompt = _prompt(state)
    draft = Draft(_evidence(state), runtime.context.emit)
    stream = runtime.context.llm.write(prompt, temperature=TEMPERATURE, max_tokens=MAX_TOKENS)
    await draft.take(stream)
    if not draft.text.strip():
        draft.release(rule(prompt.variables))
        draft.by_rule = True
    update: State = {
        "response": draft.text.strip(),
        "marked": draft.marked,
        "dropped": bool(draft.dropped),
        "timeline": step("synthesize", LABEL, draft.detail(), by="code" if draft.by_rule else "model"),
    }
    if draft.dropped:
        update["notices"] = ["Part of the model's text was withheld: it said what the sources do not support."]
    return update


@dataclass(slots=True)
class Draft:
    """The answer as it grows: sentences in, checked sentences out."""

    evidence: Evidence
    show: Callable[[str], None]
    text: str = ""
    marked: bool = False
    by_rule: bool = False
    dropped: list[str] = field(default_factory=list)

    async def take(self, stream: AsyncIterator[str]) -> None:
        """Release the stream sentence by sentence; a model that has begun to loop is cut off."""
        sentences, repetition = SentenceStream(), Repetition()
        async with aclosing(cast(Any, stream)) as pieces:
            async for piece in pieces:
                if current_usage().answered_by == "code":
                    self.by_rule = True
                    self.release(piece)
                elif self._checked(sentences.feed(piece), repetition):
                    return
        self._checked(sentences.flush(), repetition)

    def _checked(self, sentences: list[str], repetition: Repetition) -> bool:
        for sentence in sentences:
            if repetition.stop(sentence):
                current_usage().notice("The model began to repeat itself and was stopped.")
                return True
            outcome = check(sentence, self.evidence)
            self.marked = self.marked or outcome.marked
            if outcome.dropped:
                self.dropped.append(outcome.dropped)
            self.release(outcome.text)
        return False

    def release(self, text: str) -> None:
        if text:
            self.text += text
            self.show(text)

    def detail(self) -> str:
        withheld = f"{len(self.dropped)} sentence(s) withheld" if self.dropped else ""
        marked = "marked: not from the sources" if self.marked else ""
        composed = "put together by rule" if self.by_rule else ""
        return "; ".join(part for part in (composed, withheld, marked) if part)


def rule(variables: Mapping[str, Any]) -> str:
    """Without a model: what was found, word for word. A look-up that failed says so in its own section."""
    return compose(
        variables["message"],
        variables["found"],
        () if variables["found"] else variables["errors"],
        variables["image_findings"].splitlines(),
        direct=not variables["found"],
        small_talk=variables["small_talk"],
        model_available=variables["model_available"],
    )


def _prompt(state: State) -> Prompt:
    runs = [run for run in state["runs"] if not run.failed]
    findings = state.get("image_findings")
    brief = len(state["runs"]) == 1 and state["runs"][0].tool in LOOKUPS
    return render(
        "synthesize",
        history=state.get("history", ()),
        message=state["request"],
        task_summary=state.get("task_summary", ""),
        patient=patient_banner(state),
        image_findings=findings.text() if findings else "",
        results=[{"label": run.label, "text": run.result.text() or "Nothing was found."} for run in runs],
        errors=state["errors"],
        brief=brief,
        found=[(run.label, run.result) for run in state["runs"]],
        small_talk=state["entities"].small_talk,
        model_available=current_usage().calls > 0,
    )


def _evidence(state: State) -> Evidence:
    findings = state.get("image_findings")
    banner = patient_banner(state)
    return Evidence.of(
        [run.result for run in state["runs"]],
        user=(state["message"], state["request"], *state.get("earlier", ())),
        chart=(banner,) if banner else (),
        image=(findings.text(),) if findings else (),
        names=_names(state),
        direct=not state["runs"] and findings is None,
        today=datetime.now(UTC).date(),
        drugs_in=_drugs_in,
    )


def _names(state: State) -> tuple[str, ...]:
    """How the patient is called, so that a value stated by name is checked like one stated of "the patient"."""
    match = found_patient(state)
    banner = match.name if match else patient_banner(state)
    return (banner.partition(",")[0],) if banner else ()


def _drugs_in(text: str) -> tuple[str, ...]:
    """By ingredient, so that a brand name is not taken for a drug that no source speaks of."""
    return tuple(part for mention in drugs_in(text) for part in ingredients(mention.value))


def _asked(question: Clarification) -> str:
    lines = [f"{number}. {option.label}" for number, option in enumerate(question.options, 1)]
    return "\n".join([question.question, *lines])


def _proposal(state: State) -> tuple[ToolRun, Proposal] | None:
    for run in state["runs"]:
        if isinstance(run.result, Proposal) and run.result.status == "proposed" and run.result.approval_id:
            return run, run.result
    return None


def _card(state: State, run: ToolRun, proposal: Proposal) -> tuple[str, Approval]:
    """One card a turn; what else was asked to be written is named as still to do."""
    others = [need.tool for need in state["needs"] if REGISTRY[need.tool].writes and need.tool != run.tool]
    later = [f"Still to do after this: {REGISTRY[tool].label}." for tool in others]
    waiting = "Nothing is in the chart yet: this entry waits for your approval."
    text = "\n".join([f"{run.label}: {proposal.card or proposal.message}", waiting, *later])
    approval = Approval(
        id=str(proposal.approval_id),
        tool=run.tool,
        args=proposal.order or dict(run.args),
        checks=tuple(item.model_dump() for item in proposal.checks),
        expires_at=proposal.expires_at,
        card=proposal.card,
    )
    return text, approval


def _said(show: Callable[[str], None], text: str, detail: str) -> State:
    show(text)
    return {"response": text, "timeline": step("synthesize", LABEL, detail)}
