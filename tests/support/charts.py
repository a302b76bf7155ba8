"""The agent on the embedded record system with its fictional patients: rules or a scripted model, real charts."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from docgemma.agent.rules import RULES
from docgemma.agent.session import Sessions
from docgemma.agent.shortcuts import ALL, NONE
from docgemma.agent.state import Services
from docgemma.config import Settings
from docgemma.ehr.demo.loading import load
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.fetch.door import Door
from docgemma.llm.contract import LanguageModel
from docgemma.llm.rules import GuardedModel, RulesModel
from docgemma.store.sessions import open_store
from docgemma.toolbox import Toolbox
from docgemma.tools.charts import Charts
from docgemma.tools.orders import Entries
from docgemma.tools.registry import EXTRAS, READS, RESULT_TYPES, TOOLS, ToolName
from docgemma.tools.scripted import ScriptedTools
from docgemma.tools.server import build_server
from docgemma.wiring.app import clinical_tools
from docgemma.wiring.records import build_orders, open_records
from docgemma.wiring.sources import open_sources
from tests.support.turns import Stage

SEARCHES: tuple[ToolName, ...] = ("search_medical_literature", "find_clinical_trials")


@cache
def _loaded() -> Path:
    """Made once: loading takes a second, copying does not."""
    folder = Path(tempfile.mkdtemp(prefix="docgemma-charts-"))

    async def make() -> None:
        async with FhirStore(folder / "charts.sqlite") as store:
            await load(store)

    asyncio.run(make())
    return folder / "charts.sqlite"


def put_demo_charts(home: Path) -> Path:
    """The embedded store with its fictional patients, in this home."""
    file = Settings(home=home).charts_file
    file.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(_loaded(), file))


@asynccontextmanager
async def clinic(
    home: Path,
    model: LanguageModel | None = None,
    *,
    writes: ScriptedTools | None = None,
    searches: ScriptedTools | None = None,
    shortcuts: bool = True,
    **given: Any,
) -> AsyncIterator[Stage]:
    """As `tests.support.turns.stage`, with the clinical tools themselves instead of scripted ones.

    `writes` plays those that make entries, `searches` those that look up literature and trials; both keep what they
    were called with. What is `given` are settings; without any, labels, articles and trials come from packs.
    """
    settings, rules = Settings(home=home, **{"sources": "pack", **given}), RulesModel(RULES)
    async with (
        open_store(str(home / "docgemma.sqlite")) as store,
        Door() as door,
        open_records(settings, door, store) as records,
        open_sources(settings, door) as sources,
    ):
        charts = Charts(records.ehr)
        orders = build_orders(settings, store, records, sources.drugs, "DocGemma test")
        handlers = clinical_tools(sources, vision=None, charts=charts, entries=Entries(orders)).handlers()
        if writes is not None:
            handlers |= {tool.name: writes.handlers()[tool.name] for tool in TOOLS if tool.writes}
        if searches is not None:
            handlers |= {name: searches.handlers()[name] for name in SEARCHES}
        server = build_server(handlers)
        async with Toolbox(
            {tool.name: server for tool in TOOLS},
            RESULT_TYPES,
            deadline_s=settings.tool_deadline_s,
            reads=READS,
            extras=EXTRAS,
        ) as box:
            guarded = rules if model is None else GuardedModel(model, rules)
            services = Services(
                guarded,
                box,
                charts=charts,
                shortcuts=ALL if shortcuts else NONE,
                tool_deadline_s=settings.tool_deadline_s,
                tools_budget_s=settings.tools_budget_s,
            )
            sessions = Sessions(store, services, orders)
            yield Stage(sessions, store, model or rules, writes or ScriptedTools({}))
