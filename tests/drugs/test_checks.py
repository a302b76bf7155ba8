"""Where the checks end: what was found is told, and what there was no time for is not checked."""

from __future__ import annotations

import asyncio

from docgemma.drugs.checks import NO_TIME, DrugChecks
from docgemma.sources.contract import Label, Labels
from docgemma.sources.row import Chain
from docgemma.sources.starter import StarterPack


class Slow:
    """A source whose every answer comes at the last moment."""

    name = "a slow source"

    async def labels(self, drug: str, *, ends_at: float) -> Labels | None:
        await asyncio.sleep(max(0.0, ends_at - asyncio.get_running_loop().time()))
        label = Label(drug, {"warnings": ("Stop at the first rash.",)}, generics=(drug,), substances=(drug,))
        return Labels((label,), self.name, "pack")


async def test_a_pair_that_there_is_no_time_for_is_not_checked() -> None:
    checks = DrugChecks(Chain((), (Slow(),)))
    ends_at = asyncio.get_running_loop().time() + 0.2
    check = await checks.interactions(["loratadine", "amoxicillin", "metformin"], ends_at=ends_at)
    assert [pair.why for pair in check.pairs] == [NO_TIME] * 3
    assert {pair.error_type for pair in check.pairs} == {"timeout"}


async def test_with_time_the_same_labels_say_that_neither_speaks_of_the_other() -> None:
    class Quick(Slow):
        async def labels(self, drug: str, *, ends_at: float) -> Labels | None:
            return await super().labels(drug, ends_at=0)

    checks = DrugChecks(Chain((), (Quick(),)))
    check = await checks.interactions(["loratadine", "amoxicillin"], ends_at=asyncio.get_running_loop().time() + 60)
    assert [(pair.found, pair.why) for pair in check.pairs] == [((), "")]


async def test_two_names_of_one_drug_are_no_pair() -> None:
    checks = DrugChecks(Chain((), (StarterPack(),)))
    check = await checks.interactions(["Coumadin", "warfarin"], ends_at=asyncio.get_running_loop().time() + 60)
    assert check.pairs == ()
    assert check.duplicates
