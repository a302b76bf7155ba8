"""The drug checks over stand-ins for the public services, on real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from docgemma.config import Settings
from docgemma.fetch.door import Door
from docgemma.tools.arguments import DrugInteractionArgs, DrugSafetyArgs
from docgemma.tools.drugs import Drugs
from docgemma.tools.results import DrugSafetyReport, InteractionReport
from docgemma.wiring.sources import open_sources
from tests.support.fake_dailymed import FakeDailyMed
from tests.support.fake_openfda import FakeOpenFda
from tests.support.fake_rxnav import BASE, FakeRxNav
from tests.support.http import serving
from tests.support.labels import Record

NOWHERE = "http://127.0.0.1:9"
"""A port that nobody listens on."""

CUT_OFF = {"openfda_url": NOWHERE, "dailymed_url": NOWHERE, "rxnav_url": NOWHERE}
"""Settings of a machine whose network is cut."""


@dataclass
class Pharmacy:
    drugs: Drugs
    openfda: FakeOpenFda

    async def safety(self, name: str) -> DrugSafetyReport:
        return await self.drugs.safety(DrugSafetyArgs(drug_name=name))

    async def interactions(self, *names: str) -> InteractionReport:
        return await self.drugs.interactions(DrugInteractionArgs(drug_names=list(names)))


@asynccontextmanager
async def pharmacy(home: Path, records: Iterable[Record], **given: object) -> AsyncIterator[Pharmacy]:
    """Live services with these labels, and whatever settings are given."""
    openfda = FakeOpenFda(records)
    async with (
        serving(openfda) as labels,
        serving(FakeDailyMed({})) as dailymed,
        serving(FakeRxNav()) as names,
        Door() as door,
    ):
        addresses = {"openfda_url": labels, "dailymed_url": dailymed, "rxnav_url": f"{names}{BASE}"}
        settings = Settings.model_validate({"home": home, "sources": "live", **addresses, **given})
        async with open_sources(settings, door) as sources:
            yield Pharmacy(sources.drugs, openfda)
