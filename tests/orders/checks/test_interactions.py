"""An order against what is taken: found, ruled out by full labels, or not checked with the reason."""

from __future__ import annotations

import asyncio

from docgemma.drugs.checks import MOST_OTHERS, NO_TIME, DrugChecks
from docgemma.entities.drugs.names import names
from docgemma.orders.checks import OrderChecks
from docgemma.sources.contract import Label, Labels
from docgemma.sources.row import Chain
from docgemma.sources.starter import StarterPack
from tests.orders.checks.given import checked, facts, lines, order
from tests.support import chart_records as chart

SAYS = {
    "loratadine": "Erythromycin raises the levels of loratadine. "
    + "More is said in the section on clinical use. " * 12,
    "simvastatin": "Concomitant administration with itraconazole is contraindicated.",
}
MISSING = ("bexarotene", "anastrozole", "letrozole")


class Shelf:
    """Full labels that say what a test needs."""

    name = "a shelf"

    async def labels(self, drug: str, *, ends_at: float) -> Labels | None:
        if drug in MISSING:
            return None
        text = SAYS.get(drug, "Take it with water.")
        field = "contraindications" if "contraindicated" in text else "drug_interactions"
        label = Label(f"{drug} label", {field: (text,)}, generics=(drug,), substances=(drug,), effective="2026-01-01")
        return Labels((label,), self.name, "pack")


FULL = OrderChecks(DrugChecks(Chain((), (Shelf(),))))


async def test_a_contraindicated_pair_is_a_stop_with_record_and_source() -> None:
    (found,) = await lines(
        "interaction", order("simvastatin"), facts(chart.order("Itraconazole 100 mg", id="m1")), FULL
    )
    assert found.outcome == "hard_stop"
    assert "Itraconazole 100 mg" in found.detail and "contraindicated" in found.detail
    assert "MedicationRequest/m1" in found.basis and "simvastatin label" in found.basis


async def test_a_major_one_is_a_warning_that_says_so() -> None:
    found = await lines("interaction", order("ibuprofen"), facts(chart.order("Warfarin 5 mg tablet", id="m1")))
    (warning,) = [check for check in found if check.outcome == "warning"]
    assert warning.detail.startswith("Major interaction of ibuprofen with Warfarin 5 mg tablet")
    assert "MedicationRequest/m1" in warning.basis and "not reviewed by a clinician" in warning.basis


async def test_a_long_quote_is_cut() -> None:
    (found,) = await lines("interaction", order("loratadine"), facts(chart.order("Erythromycin 250 mg tablet")), FULL)
    assert found.outcome == "warning" and "Erythromycin raises" in found.detail
    assert len(found.detail) < 600


async def test_full_labels_that_say_nothing_pass() -> None:
    (found,) = await lines("interaction", order("loratadine"), facts(chart.order("Amoxicillin 500 mg capsule")), FULL)
    assert found.outcome == "passed" and "amoxicillin" in found.detail


async def test_nothing_else_taken_passes_and_says_what_it_cannot_know() -> None:
    (found,) = await lines("interaction", order("loratadine"), facts(), FULL)
    assert found.outcome == "passed" and "without prescription" in found.detail


async def test_pairs_that_cannot_be_checked_share_a_line_for_each_reason() -> None:
    taken = [chart.order(f"{name} tablet") for name in ("Bexarotene", "Anastrozole", "Letrozole", "Zorglub", "Blurg")]
    found = await lines("interaction", order("metformin"), facts(*taken))
    assert {check.outcome for check in found} == {"not_checked"}
    by_name = [check for check in found if "Zorglub" in check.detail]
    assert len(by_name) == 1 and "Blurg" in by_name[0].detail
    assert len(found) <= 3


async def test_labels_that_are_missing_are_one_line_though_each_has_its_own_name() -> None:
    taken = facts(*(chart.order(f"{name} tablet") for name in MISSING))
    (found,) = await lines("interaction", order("metformin"), taken, FULL)
    assert found.outcome == "not_checked" and all(name in found.detail for name in MISSING)
    assert "no label of the other medicine was found" in found.detail


async def test_a_combination_has_no_interaction_with_its_own_part() -> None:
    found = await lines("interaction", order("co-amoxiclav"), facts(chart.order("Amoxicillin 500 mg capsule")))
    assert [check.outcome for check in found] == ["passed"]


async def test_each_part_of_a_combination_that_is_taken_counts() -> None:
    taken = facts(chart.order("Sacubitril 49 mg / valsartan 51 mg tablet", id="m1"))
    found = await lines("interaction", order("spironolactone"), taken)
    warned = [check for check in found if check.outcome in ("warning", "hard_stop")]
    assert warned and all("Sacubitril 49 mg / valsartan 51 mg tablet" in check.detail for check in warned)


async def test_the_same_chart_and_order_give_the_same_lines() -> None:
    of = facts(chart.order("Warfarin 5 mg tablet"), chart.order("Digoxin 125 mcg tablet"), chart.allergy("Penicillin"))
    assert await checked(order("amiodarone", "200 mg"), of) == await checked(order("amiodarone", "200 mg"), of)


async def test_only_the_orders_own_pairs_are_looked_at_and_too_many_are_told() -> None:
    others = [name for name, parts in names().items() if parts == (name,)][: MOST_OTHERS + 5]
    checks = DrugChecks(Chain((), (StarterPack(),)))
    ends_at = asyncio.get_running_loop().time() + 60
    found = await checks.against("metformin", ("metformin",), others, ends_at=ends_at)
    assert {pair.drugs[0] for pair in found.pairs} == {"metformin"}
    assert [pair.drugs[1] for pair in found.pairs] == [name for name in others if name != "metformin"]
    assert all(pair.why for pair in found.pairs[MOST_OTHERS:])


async def test_without_time_nothing_is_ruled_out() -> None:
    of = facts(chart.order("Amoxicillin 500 mg capsule"))
    ends_at = asyncio.get_running_loop().time() - 1
    found = [
        each for each in await FULL.prescription(order("loratadine"), of, ends_at=ends_at) if each.name == "interaction"
    ]
    assert [check.outcome for check in found] == ["not_checked"]
    assert NO_TIME in found[0].detail


async def test_a_name_of_its_own_for_known_ingredients_is_looked_up_by_these() -> None:
    checks = DrugChecks(Chain((), (Shelf(),)))
    ends_at = asyncio.get_running_loop().time() + 60
    found = await checks.against("our own mixture", ("simvastatin",), ("itraconazole",), ends_at=ends_at)
    assert [each.severity for pair in found.pairs for each in pair.found][:1] == ["contraindicated"]
