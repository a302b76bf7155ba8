"""The agent over stand-ins for Europe PMC, PubMed and ClinicalTrials.gov, on real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docgemma.llm.contract import LanguageModel
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.scripted import ScriptedTools
from tests.support.charts import clinic
from tests.support.fake_ctgov import FakeCtGov
from tests.support.fake_europepmc import FakeEuropePmc
from tests.support.fake_pubmed import FakePubMed
from tests.support.fake_service import FakeService
from tests.support.http import serving
from tests.support.pharmacy import CUT_OFF, NOWHERE
from tests.support.turns import Stage

SILENT = CUT_OFF | {"europepmc_url": NOWHERE, "pubmed_url": NOWHERE, "ctgov_url": NOWHERE}
"""Settings of a machine whose network is cut."""


def writing(text: str) -> ScriptedModel:
    """A model that decides as it should, and writes this."""
    intent = {"intent": "TOOL_NEEDED", "task_summary": "A search", "suggested_tool": None}
    quality = {"quality": "success_rich", "brief_summary": "Found."}
    return ScriptedModel.by_prompt({"intent_classify": [intent], "result_classify": [quality], "synthesize": [text]})


@dataclass
class Desk:
    stage: Stage
    europepmc: FakeEuropePmc
    ctgov: FakeCtGov

    @property
    def heard(self) -> str:
        """All that the services were asked, as it was sent."""
        services: tuple[FakeService, ...] = (self.europepmc, self.ctgov)
        return "\n".join(f"{asked.path}?{asked.raw}" for service in services for asked in service.questions)


@asynccontextmanager
async def searching(
    home: Path,
    model: LanguageModel | None = None,
    *,
    articles: Iterable[dict[str, Any]] = (),
    trials: Iterable[dict[str, Any]] = (),
    writes: ScriptedTools | None = None,
    shortcuts: bool = True,
    **given: Any,
) -> AsyncIterator[Desk]:
    """Without any settings `given`, only the live services are asked, and nothing is kept."""
    europepmc, ctgov = FakeEuropePmc(articles), FakeCtGov(trials)
    async with AsyncExitStack() as stack:
        urls = {
            "europepmc_url": await stack.enter_async_context(serving(europepmc)),
            "pubmed_url": await stack.enter_async_context(serving(FakePubMed())),
            "ctgov_url": await stack.enter_async_context(serving(ctgov)),
        }
        settings = SILENT | urls | {"sources": "live"} | given
        stage = await stack.enter_async_context(clinic(home, model, writes=writes, shortcuts=shortcuts, **settings))
        yield Desk(stage, europepmc, ctgov)
