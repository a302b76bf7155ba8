"""All checks of one entry, the gravest first."""

from __future__ import annotations

from docgemma.drugs.checks import DrugChecks
from docgemma.orders.carding import gravest
from docgemma.orders.checks.allergies import check_allergies
from docgemma.orders.checks.amounts import check_amounts
from docgemma.orders.checks.confirming import check_confirmed
from docgemma.orders.checks.entries import check_new_allergy
from docgemma.orders.checks.interactions import check_interactions
from docgemma.orders.checks.patient import check_forbidden, check_patient, check_unread
from docgemma.orders.checks.taken import check_duplicates
from docgemma.orders.facts import Facts
from docgemma.orders.model import Allergy, Check, Note, Prescription


class OrderChecks:
    """Rules, labels and the chart. The same draft, chart and sources always give the same lines."""

    def __init__(self, drugs: DrugChecks) -> None:
        self._drugs = drugs

    async def prescription(self, draft: Prescription, facts: Facts, *, ends_at: float) -> tuple[Check, ...]:
        """`ends_at`: what there is no time for is not checked."""
        found = [
            *check_patient(facts, gravest="hard_stop"),
            *check_unread(facts),
            *check_forbidden(draft, facts),
            *check_allergies(draft, facts),
            *check_duplicates(draft, facts),
            *await check_interactions(self._drugs, draft, facts, ends_at=ends_at),
            *check_amounts(draft, facts),
            *check_confirmed(draft),
        ]
        return gravest([*dict.fromkeys(found)])

    def allergy(self, draft: Allergy, facts: Facts) -> tuple[Check, ...]:
        return gravest([*dict.fromkeys([*check_patient(facts, gravest="warning"), *check_new_allergy(draft, facts)])])

    def note(self, draft: Note, facts: Facts) -> tuple[Check, ...]:
        """What a note says is not checked; whose chart it goes into is."""
        return gravest([*check_patient(facts, gravest="warning")])
