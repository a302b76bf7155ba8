"""What code says in its own words: a question to the user, and an entry that waits for approval."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.agent.arguments.sourced import ArgumentSource
from docgemma.agent.record import Approval, Clarification
from docgemma.agent.state import State, ToolRun
from docgemma.entities.drugs.names import same_drug
from docgemma.entities.model import Entities, Mention, Order
from docgemma.entities.words import Word, word_set, words
from docgemma.orders.carding import check_lines, still_needed
from docgemma.tools.results import Proposal

ELSEWHERE = "Please do it in your record system."
NOT_YET = {
    "change_medication": "change or stop medicines",
    "record_vitals": "record measured values",
    "order_service": "order tests, scans or referrals",
    "order_status": "tell what became of an order",
}
SAID: dict[ArgumentSource, str] = {
    "message": "this message",
    "earlier": "an earlier message",
    "pin": "the patient on screen",
    "pick": "a pick",
    "result": "a look-up",
    "model": "the model",
}
"""Where an argument comes from, as the record tells it. An entry's are never of the last two."""

_FILLERS = word_set(
    "a an and as at be by dose each for from give given her him his i in is it its of on once one or oral orally "
    "please pls po pt patient patient's she he start take taken taking tab tabs tablet tablets cap caps capsule "
    "capsules the their them then they this to today now with also plus mr mrs ms miss dr thanks thx cheers born dob "
    "mrn id"
)
"""Words of a request that say nothing that a card would have to show."""

CONDITIONAL = "Nothing was prepared: an order under a condition is not made into a card. Ask again once it holds."
WAITING = "Nothing is in the chart yet: this entry waits for your approval."


def question_with_options(question: Clarification) -> str:
    """The question with its options numbered, word for word as they must reach the user."""
    lines = [f"{number}. {option.label}" for number, option in enumerate(question.options, 1)]
    return "\n".join([question.question, *lines])


def refusal_of_orders(told: Sequence[Mention]) -> str:
    """An order that no tool carries out. Said plainly, so that nobody takes a chart or an answer for its receipt."""
    what = "; ".join(dict.fromkeys(f"“{mention.text[:120].strip()}”" for mention in told))
    yet = " and ".join(dict.fromkeys(NOT_YET.get(mention.value, "do this") for mention in told))
    can = "only prepare new prescriptions, allergies and notes"
    return f"Nothing was done about {what}: I cannot {yet} yet, {can}. {ELSEWHERE}"


def cards_of_turn(state: State) -> tuple[str, tuple[Approval, ...]] | None:
    """The cards of this turn, in order, under what else was looked up; None where there is none."""
    made = [(run, run.result) for run in state["runs"] if isinstance(run.result, Proposal) and is_card(run.result)]
    if not made:
        return None
    reads = [
        f"[{other.label}]\n{other.result.text()}\n"
        for other in state["runs"]
        if other.result.status == "found" and other.tool != "search_patient"
    ]
    texts = [_text(state, run, proposal) for run, proposal in made]
    return "\n".join([*reads, "\n\n".join(texts)]), tuple(_approval(state, run, proposal) for run, proposal in made)


def is_card(proposal: Proposal) -> bool:
    return proposal.status == "proposed" and bool(proposal.approval_id)


def _text(state: State, run: ToolRun, proposal: Proposal) -> str:
    needed = still_needed(proposal.checks)
    return "\n".join(
        [
            proposal.card or f"{run.label}: {proposal.message}",
            *_left_out(state, run, proposal.card),
            *check_lines(proposal.checks),
            " ".join([WAITING, *([needed] if needed else [])]),
        ]
    )


def _left_out(state: State, run: ToolRun, card: str) -> list[str]:
    """Words of the request that are not on the card. Nothing that was said goes missing unseen: "XR", "then stop"."""
    if run.tool != "prescribe_medication" or not card:
        return []
    found, text = state["entities"], state["request"]
    name = str(run.args.get("medication_name", ""))
    order = next((order for order in found.orders if same_drug(order.drug.value, name)), None)
    missing = _unread(text, order, found, {word.low for word in words(card)}) if order else []
    if not missing:
        return []
    quoted = ", ".join(f"“{part}”" for part in missing)
    return [f"NOT ON THE CARD, though it was said: {quoted}. Say it in other words, or reject the card."]


def _unread(text: str, order: Order, found: Entities, shown: set[str]) -> list[str]:
    """Stretches between this drug and the next one, or the end of the request, that no field was made of."""
    named = [*found.drugs, *found.unlisted_drugs]
    told = [write.end for write in found.writes if write.start <= order.drug.start < write.end]
    end = min([*told, *(drug.start for drug in named if drug.start >= order.drug.end)], default=len(text))
    doses = order.doses if len({dose.value for dose in order.doses}) == 1 else ()  # of a taper the card has one step
    read = [*doses, *order.frequencies, *order.routes, *order.durations, *order.reasons]
    read += [*found.person_names, *found.patient_ids, *found.birth_dates]
    stretches: list[list[Word]] = []
    before = True
    for word in words(text[:end]):
        known = word.start < order.drug.end or any(item.start <= word.start < item.end for item in read)
        if known or not word.low[0].isalnum():
            before = known or before
            continue
        stretches = [*stretches, [word]] if before else [*stretches[:-1], [*stretches[-1], word]]
        before = False
    telling = [part for part in stretches if any(word.low not in _FILLERS | shown for word in part)]
    return [text[part[0].start : part[-1].end] for part in telling]


def _approval(state: State, run: ToolRun, proposal: Proposal) -> Approval:
    return Approval(
        id=str(proposal.approval_id),
        tool=run.tool,
        args=proposal.order or dict(run.args),
        checks=tuple(item.model_dump() for item in proposal.checks),
        expires_at=proposal.expires_at,
        card=proposal.card,
        replaces=state.get("replaces", ""),
        sources={name: SAID[sourced.source] for name, sourced in run.sources.items() if name in run.args},
    )
