"""Receipts, written by code from what the ledger and the chart say. No model has a word in them."""

from __future__ import annotations

from docgemma.orders.carding import TITLES, title
from docgemma.orders.model import IN_CHART, Receipt, Row, State

_SENTENCES: dict[State, str] = {
    "written": "Written to the chart and read back: {what} for {whom}.",
    "differs": "IN THE CHART, BUT NOT AS APPROVED: {what} for {whom}. Compare and correct it in the record system.",
    "refused": "NOT written: {what} for {whom}.",
    "rejected": "Rejected, nothing was written: {what} for {whom}.",
    "unknown": "Outcome unknown, checking: {what} for {whom}. It may or may not be in the chart. Do not enter it again;"
    " `docgemma orders reconcile` looks it up.",
    "approved": "Approved, NOT in the chart yet: {what} for {whom}. It is tried again at the next start, or by"
    " `docgemma orders reconcile`.",
    "writing": "Being written now: {what} for {whom}. Ask again in a moment.",
    "undoing": "Being marked as entered in error: {what} for {whom}. It still stands in the chart until that is done.",
    "undone": "Marked as entered in error and read back: {what} for {whom}.",
    "expired": "Expired, nothing was written: {what} for {whom}.",
    "withdrawn": "Withdrawn, nothing was written: {what} for {whom}.",
    "proposed": "Waits for a decision, nothing was written: {what} for {whom}.",
}

_GONE = "Not in the chart any more, and so not marked as entered in error: {what} for {whom}."


def receipt(
    row: Row,
    status: State,
    at: str,
    *,
    why: str = "",
    resource: str = "",
    version: str = "",
    differences: tuple[str, ...] = (),
) -> Receipt:
    """What became of the order. `why` is one plain sentence without patient data, where there is a reason."""
    draft, decision = row.card.draft, row.decision
    what = f"{TITLES[draft.kind]}, {title(draft)}"
    gone = status == "undone" and not resource
    sentence = (_GONE if gone else _SENTENCES[status]).format(what=what, whom=row.card.banner)
    lines = [
        sentence,
        *_only_a_draft(row, status),
        *([why] if why else []),
        *(f"Different: {line}" for line in differences),
    ]
    if resource:
        entry = f"Entry {resource}" + (f", version {version}" if version else "")
        lines.append(f"{entry}.")
    if decision is not None:
        lines.append(f"Decided by {decision.who}, {row.decided_at[:16].replace('T', ' ')} UTC (order {row.id}).")
        if decision.reason and status == "undone":
            lines.append(f"Reason: {decision.reason}")
        if decision.override and status not in ("rejected",):
            lines.append(f"Against a stop, because: {decision.override}")
    return Receipt(
        order_id=row.id,
        status=status,
        text="\n".join(lines),
        kind=draft.kind,
        patient=row.card.banner,
        resource=resource,
        version=version,
        by=decision.who if decision else "",
        at=at,
        override=decision.override if decision else "",
        differences=differences,
    )


def _only_a_draft(row: Row, status: State) -> list[str]:
    """Nobody dispenses a draft: who approved it without the right to prescribe must not take it for an order."""
    if row.card.draft.kind != "prescription" or status not in IN_CHART or row.decision is None:
        return []
    return [] if row.decision.may_prescribe else ["Saved as a DRAFT only: it is no order until a prescriber signs it."]
