"""Opening the site and serving it: on this machine for whoever sits at it, elsewhere only with accounts."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any

from fastapi import FastAPI

from docgemma.accounts.users import Accounts
from docgemma.config import Settings
from docgemma.errors import BadInput, DocGemmaError
from docgemma.server.app import build
from docgemma.server.context import Site
from docgemma.server.identity.guard import Guard
from docgemma.server.pages.mode import mode_of
from docgemma.server.pages.review import ReviewRoom
from docgemma.server.pages.templating import Pages
from docgemma.server.runs.desk import Runs
from docgemma.store.sessions import open_store
from docgemma.wiring.app import App, open_app

_PLAN = "DOCGEMMA_SERVE"
"""How the plan reaches worker processes: they start from nothing but their environment."""

NO_ACCOUNTS = (
    "This address can be reached from other machines, and there are no accounts yet. "
    "Make one with `docgemma users add NAME --role ROLE`, or serve on 127.0.0.1 without a further name."
)

NO_NAME = "Say by which name or address browsers reach this server: --name HOST. Requests for any other are refused."


@dataclass(frozen=True, slots=True)
class Plan:
    """Where to listen and for whom. `operator` is the person at this machine, where there are no accounts."""

    operator: str
    host: str = "127.0.0.1"
    port: int = 8600
    names: tuple[str, ...] = ()
    """Further host names under which browsers may reach this server."""
    certificate: str = ""
    key: str = ""

    @property
    def address(self) -> str:
        host = f"[{self.host}]" if ":" in self.host and not self.host.startswith("[") else self.host
        shown = self.names[0] if self.names and not is_local(self.host) else host
        return f"{'https' if self.certificate else 'http'}://{shown}:{self.port}/"


def is_local(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def stays_here(plan: Plan) -> bool:
    """Whether it is for this machine alone: a further name is for browsers elsewhere, which a proxy here lets in."""
    return is_local(plan.host) and all(is_local(name) for name in plan.names)


async def check_bind(settings: Settings, plan: Plan) -> bool:
    """Whether accounts are in force. BadInput where others could reach the charts without them."""
    async with open_store(settings.store_address) as store:
        with_accounts = await Accounts(store.database).count() > 0
    if not (with_accounts or stays_here(plan)):
        raise BadInput(NO_ACCOUNTS)
    if not hosts_of(plan):
        raise BadInput(NO_NAME)
    return with_accounts


@asynccontextmanager
async def open_site(settings: Settings, plan: Plan) -> AsyncIterator[Site]:
    """Everything that requests work with, for as long as the server runs."""
    async with open_app(settings) as app, ReviewRoom(settings) as review:
        site = await _site(settings, plan, app, review)
        await app.prepare()
        async with site.runs:
            with contextlib.suppress(DocGemmaError):  # what cannot be finished now is finished at another time
                await app.sessions.settle()
            yield site


async def _site(settings: Settings, plan: Plan, app: App, review: ReviewRoom) -> Site:
    accounts = Accounts(app.store.database)
    local = await accounts.count() == 0
    if local and not stays_here(plan):
        raise BadInput(NO_ACCOUNTS)
    guard = Guard(
        accounts,
        operator=plan.operator,
        local=local,
        prescriber=settings.prescriber,
        hosts=hosts_of(plan),
        secret=await accounts.secret(),
    )
    pages = Pages(guard.csrf, local=local, mode=await mode_of(app))
    return Site(app, accounts, guard, Runs(app.sessions, app.store), pages, review)


def hosts_of(plan: Plan) -> tuple[str, ...]:
    """The values of `Host` that are ours. Another one is a page elsewhere that points its name here."""
    names = {_as_host(name) for name in (plan.host, *plan.names)}
    if is_local(plan.host):
        names |= {"127.0.0.1", "localhost", "[::1]"}
    names -= {"0.0.0.0", "[::]"}  # noqa: S104 - nobody's name
    return tuple(sorted({name if ":" in name.partition("]")[2] else f"{name}:{plan.port}" for name in names} | names))


def _as_host(name: str) -> str:
    """As browsers write it: an address of IPv6 in brackets."""
    try:
        return f"[{name}]" if ipaddress.ip_address(name).version == 6 else name
    except ValueError:
        return name


def application(settings: Settings, plan: Plan) -> FastAPI:
    """The application that opens its site when it starts."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_site(settings, plan) as site:
            app.state.site = site
            yield

    return build(lifespan)


def planned() -> FastAPI:
    """For worker processes: settings and plan as the parent had them."""
    from docgemma.config import load_settings

    told = json.loads(os.environ[_PLAN])
    plan = Plan(**told | {"names": tuple(told["names"])})
    return application(load_settings(), plan)


def serve(settings: Settings, plan: Plan, *, workers: int = 1) -> None:
    """Until it is stopped. Several workers share the store; each follows the runs of the others."""
    import uvicorn

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):  # each open stream holds a file, and so does its model's
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    options: dict[str, Any] = {
        "host": plan.host.strip("[]"),
        "port": plan.port,
        "log_level": "warning",
        "access_log": False,  # addresses in it name sessions and patients
        "server_header": False,
        "timeout_graceful_shutdown": 3,
        "ssl_certfile": plan.certificate or None,
        "ssl_keyfile": plan.key or None,
    }
    if workers == 1:
        uvicorn.run(application(settings, plan), **options)
        return
    os.environ[_PLAN] = json.dumps(asdict(plan))
    uvicorn.run("docgemma.server.serving:planned", factory=True, workers=workers, **options)
