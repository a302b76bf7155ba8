"""Whether this process lives, and whether it can answer: for load balancers and people who look after servers."""

from __future__ import annotations

from fastapi import APIRouter, Response
from pydantic import BaseModel

from docgemma import __version__
from docgemma.errors import DocGemmaError
from docgemma.server.context import SiteDep

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """`ready` is about what no answer can do without: the store."""

    status: str
    version: str = __version__
    store: str = ""


@router.get("/health")
async def health() -> Health:
    """This process answers."""
    return Health(status="ok")


@router.get("/ready")
async def ready(site: SiteDep, response: Response) -> Health:
    """It can take questions: the store is there. 503 while it is not."""
    try:
        await site.app.store.get_fact("ready")
    except DocGemmaError:
        response.status_code = 503
        return Health(status="not ready", store="unavailable")
    return Health(status="ready", store="ok")
