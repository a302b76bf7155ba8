"""The whole program in front of a fake vision server: real store, real tools, real decoder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question
from docgemma.config import Settings
from docgemma.wiring.app import App, open_app
from tests.support.model_server import ModelServer
from tests.support.vision_server import Eyes, Shown


@dataclass
class Clinic:
    """Ask it; then look at what the vision model was shown."""

    app: App
    eyes: Eyes
    session_id: str | None = None

    async def ask(self, text: str, **more: Any) -> TurnRecord:
        """In the same session, once there is one."""
        record = await self.app.sessions.ask(Question(text, session_id=self.session_id, owner="ann", **more))
        self.session_id = record.session_id
        return record

    @property
    def shown(self) -> list[Shown]:
        return self.eyes.shown


@asynccontextmanager
async def with_eyes(home: Path, eyes: Eyes | None = None, **settings: Any) -> AsyncIterator[Clinic]:
    seer = eyes or Eyes()
    async with ModelServer(seer) as server:
        given: dict[str, Any] = {"home": home, "sources": "pack", "model_url": server.url, "model_name": "medgemma"}
        async with open_app(Settings(**(given | settings))) as app:
            yield Clinic(app, seer)
