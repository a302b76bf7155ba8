"""What a running turn tells, as pieces of HTML: a step, a sentence, and in the end the whole turn in its place."""

from __future__ import annotations

from typing import Literal

from docgemma.accounts.model import Identity
from docgemma.clinical import TimelineStep
from docgemma.server.context import Site
from docgemma.server.pages.conversation import rows_of, utc_now
from docgemma.server.pages.language import Lang
from docgemma.server.pages.turn import TurnView, step_view, turn_view, unanswered
from docgemma.server.runs.model import RunEvent, RunInfo


async def render_event(site: Site, lang: Lang, who: Identity, run: RunInfo, event: RunEvent) -> tuple[str, str] | None:
    """Its name for the script, and what to put into the page; None for what nobody needs to see."""
    match event.kind:
        case "step":
            step = step_view(TimelineStep.model_validate(event.body))
            return "step", site.pages.part("part/step.html", lang, who, step=step)
        case "text":
            return "text", site.pages.part("part/sentence.html", lang, who, text=str(event.body.get("text", "")))
        case "done":
            turn = await site.app.store.get_turn(run.id)
            view = turn_view(turn, await rows_of([turn], site.app.orders), utc_now(), last=True)
            return "turn", site.pages.part("part/turn.html", lang, who, turn=view)
        case "failed" | "stopped" | "interrupted":
            view = await _ended(site, run, event.kind, str(event.body.get("error", "")))
            return event.kind, site.pages.part("part/turn.html", lang, who, turn=view)
        case _:
            return None


async def _ended(site: Site, run: RunInfo, how: Literal["failed", "stopped", "interrupted"], why: str) -> TurnView:
    """A turn that failed may have a record that says why; one that was cut off has none."""
    turn = await site.app.store.get_turn(run.id)
    if turn.record is not None:
        return turn_view(turn, await rows_of([turn], site.app.orders), utc_now(), last=True)
    return unanswered(turn, how, last=True, why=why)
