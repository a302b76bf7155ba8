"""Write the answer. Code asks, shows cards and says that nothing was found; the model puts findings into words."""

from __future__ import annotations

from docgemma.agent.answer.asked import told
from docgemma.agent.answer.compose import compose
from docgemma.agent.answer.draft import Draft
from docgemma.agent.answer.evidence import Evidence
from docgemma.agent.answer.gaps import allergy_conflicts, gaps
from docgemma.agent.asking import Live, Variables, prompt_of
from docgemma.agent.cards import CONDITIONAL, cards_of_turn, question_with_options, refusal_of_orders
from docgemma.agent.curated import LABEL as LABEL_OF_BASE
from docgemma.agent.curated import CuratedAnswer
from docgemma.agent.progress import found_patient
from docgemma.agent.shortcuts import shortcut_reason
from docgemma.agent.state import State, patient_banner, patient_context, step, today_of
from docgemma.agent.vision.seen import not_looked_at
from docgemma.entities.drugs.names import drugs_in, ingredients
from docgemma.llm.contract import Prompt, current_usage
from docgemma.tools.registry import ToolName

MAX_TOKENS = 256
TEMPERATURE = 0.5
LABEL = "Writing the answer"
BRIEF: frozenset[ToolName] = frozenset(
    {"check_drug_safety", "check_drug_interactions", "search_medical_literature", "find_clinical_trials"}
)


async def synthesize(state: State, runtime: Live) -> State:
    """The text, and beside it what no text may leave out: an allergy that concerns a drug, a question left open."""
    update = await _written(state, runtime)
    if state.get("clarification") or update.get("approvals") or not state["runs"]:
        return update
    calls = [(run.args, run.result) for run in state["runs"]]
    summary = state.get("summary")
    left = gaps(calls, state["request"], taken=summary.medications if summary else ())
    beside = [*allergy_conflicts(calls, summary.alerts if summary else ()), *left, *update.get("notices", [])]
    # What was asked and not answered keeps the answer from counting as sure.
    return update | {"notices": beside, "marked": update.get("marked", False) or bool(left)}


async def _written(state: State, runtime: Live) -> State:
    """A model that is told of a failed look-up answers from memory; so with nothing found it is not asked."""
    question = state.get("clarification")
    card = cards_of_turn(state)
    if card is not None:
        text = card[0] if question is None else f"{card[0]}\n\n{question_with_options(question)}"
        return _said(runtime, text, "an entry waits for approval") | {"approvals": card[1]}
    if (known := _known_text(state)) is not None:
        return _said(runtime, *known)
    curated = await _curated(state, runtime)
    prompt = _prompt(state, curated)
    if "nothing_found" in runtime.context.shortcuts and state["runs"] and not _found(state):
        return _said(runtime, rule(prompt.variables), f"put together by rule ({shortcut_reason('nothing_found')})")
    draft = Draft(_evidence(state, curated), runtime.context.emit)
    await draft.take(runtime.context.llm.write(prompt, temperature=TEMPERATURE, max_tokens=MAX_TOKENS))
    if not draft.text.strip():
        draft.release(rule(prompt.variables))
        draft.by_rule = True
    update: State = {
        "curated": curated,
        "response": draft.text.strip(),
        "marked": draft.marked,
        "dropped": bool(draft.dropped),
        "timeline": step("synthesize", LABEL, draft.detail(), by="code" if draft.by_rule else "model"),
    }
    if draft.dropped:
        update["notices"] = ["Part of the model's text was withheld: it said what the sources do not support."]
    return update


async def _curated(state: State, runtime: Live) -> CuratedAnswer | None:
    """What the knowledge base says to a question that no look-up was made for."""
    base = runtime.context.curated
    direct = not state["runs"] and state.get("image_findings") is None and not state["entities"].small_talk
    return await base.on(state["request"]) if base is not None and direct else None


def rule(variables: Variables) -> str:
    """Without a model: what was found, word for word. A look-up that failed says so in its own section."""
    return compose(
        variables["message"],
        variables["found"],
        () if variables["found"] else variables["errors"],
        variables["image_findings"].splitlines(),
        direct=not variables["found"],
        small_talk=variables["small_talk"],
        model_available=variables["model_failed"],
    )


def _known_text(state: State) -> tuple[str, str] | None:
    """What code says in the model's place, and why; None where there is something to put into words.

    Of an image that nobody looked at, too: a model that is asked what it sees there would make it up.
    """
    entities, image = state["entities"], state.get("image")
    if question := state.get("clarification"):
        return question_with_options(question), "asks the user"
    if said := state.get("said"):
        return said, "nothing was done"
    if state["runs"]:
        return None
    if entities.withheld:
        return CONDITIONAL, "nothing was prepared"
    if entities.undoable:
        return refusal_of_orders(entities.undoable), "nothing was done"
    if image is not None and state.get("image_findings") is None and not entities.small_talk:
        return not_looked_at(image.facts).text(), "the image was not looked at"
    return None


def _found(state: State) -> bool:
    return state.get("image_findings") is not None or any(run.result.status == "found" for run in state["runs"])


def _prompt(state: State, curated: CuratedAnswer | None) -> Prompt:
    told_by_base = [(LABEL_OF_BASE, curated)] if curated and curated.entries else []
    runs = [run for run in state["runs"] if not run.failed]
    return prompt_of(
        state,
        "synthesize",
        history=state.get("history", ()),
        earlier=state.get("history", ()),
        task_summary=state.get("reasoning") or state.get("task_summary", ""),
        results=[
            *({"label": label, "text": entry.text()} for label, entry in told_by_base),
            *({"label": run.label, "text": told(run.result, state["request"]) or "Nothing was found."} for run in runs),
        ],
        errors=state["errors"],
        brief=len(state["runs"]) == 1 and state["runs"][0].tool in BRIEF,
        found=[*told_by_base, *((run.label, run.result) for run in state["runs"])],
        small_talk=state["entities"].small_talk,
        model_failed=current_usage().calls > 0 and (not state["runs"] or _found(state)),
    )


def _evidence(state: State, curated: CuratedAnswer | None) -> Evidence:
    findings = state.get("image_findings")
    banner = patient_banner(state)
    return Evidence.of(
        [*([curated] if curated else []), *(run.result for run in state["runs"])],
        user=(state["message"], state["request"], *state.get("earlier", ())),
        chart=(patient_context(state),) if banner else (),
        image=(findings.text(),) if findings else (),
        names=_names(state),
        direct=not state["runs"] and findings is None and not (curated and curated.entries),
        today=today_of(state),
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


def _said(runtime: Live, text: str, detail: str) -> State:
    runtime.context.emit(text)
    return {"response": text, "timeline": step("synthesize", LABEL, detail)}
