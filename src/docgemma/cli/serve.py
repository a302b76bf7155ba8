"""`docgemma serve` and `docgemma demo`: the web page and its API."""

from __future__ import annotations

import asyncio
import os
import socket
from typing import TYPE_CHECKING, Any

import click

from docgemma.cli.options import INTENDED_USE, graph_option, model_options, person, settings_of
from docgemma.errors import BadInput, Unavailable

if TYPE_CHECKING:
    from docgemma.clinical import GraphName
    from docgemma.config import Settings
    from docgemma.server.serving import Plan

PORT = 8600
"""Not one that model servers take by default: both run on one machine."""
_TRIED = 20


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, metavar="N")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, metavar="N", help="Processes.")
@click.option("--name", "names", multiple=True, metavar="HOST", help="A further name that browsers use; repeatable.")
@click.option("--certificate", type=click.Path(exists=True, dir_okay=False), metavar="FILE", help="For https: PEM.")
@click.option("--key", type=click.Path(exists=True, dir_okay=False), metavar="FILE", help="Its private key: PEM.")
@click.option("--open", "show", is_flag=True, help="Open the page in a browser.")
@graph_option
@model_options
def serve(
    host: str,
    port: int,
    workers: int,
    names: tuple[str, ...],
    certificate: str | None,
    key: str | None,
    show: bool,
    **flags: Any,
) -> None:
    """Serve the web page and its API.

    On 127.0.0.1 without accounts, whoever sits at this machine is the clinician. Any other address is refused until
    there are accounts (`docgemma users add`); from then on everybody signs in, here too. Several workers share the
    store; for more than one machine that is PostgreSQL (DOCGEMMA_DATABASE_URL).

    \b
    Examples:
      docgemma serve --open
      docgemma serve --model-url http://127.0.0.1:8000/v1
      docgemma users add mai --role prescriber
      docgemma serve --host 0.0.0.0 --name clinic.example --certificate cert.pem --key key.pem --workers 4
    """
    from docgemma.config import ENV_PREFIX
    from docgemma.server.serving import Plan

    _check_pair(certificate, key)
    settings = settings_of({**flags})
    if workers > 1:  # worker processes know their environment alone
        os.environ.update({f"{ENV_PREFIX}{name.upper()}": str(given) for name, given in flags.items() if given})
    plan = Plan(person(), host, port, names, certificate or "", key or "")
    _run(settings, plan, workers, show)


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), metavar="N", help=f"Default: the first free one from {PORT}.")
@click.option("--open/--no-open", "show", default=None, help="Whether to open a browser; where there is one, it does.")
@click.option("--terminal", is_flag=True, help="A conversation in the terminal instead of the page.")
@graph_option
def demo(port: int | None, show: bool | None, terminal: bool, graph: GraphName | None) -> None:
    """Try DocGemma out: no model, no internet, nothing to set up.

    It serves the web page on this machine alone, with fictional patients. Answers are composed by rules and say what
    was not looked up. Conversations and charts are kept apart from yours.

    \b
    Examples:
      docgemma demo
      docgemma demo --port 8700 --no-open
      docgemma demo --terminal
    """
    from docgemma.config import Settings

    click.echo("Welcome to DocGemma. This demonstration needs no model and no internet; its patients are fictional.")
    settings = Settings(home=settings_of({}).home / "demo", model="rules", sources="pack", graph=graph or "routed")
    if terminal:
        from docgemma.cli.chat import converse

        converse(settings, None)
        return
    from docgemma.server.serving import Plan

    plan = Plan(person(), port=port or _free(PORT))
    _run(settings, plan, 1, _has_screen() if show is None else show)


def _run(settings: Settings, plan: Plan, workers: int, show: bool) -> None:
    """Say where it is once it answers, and serve until Ctrl-C."""
    from docgemma.server.serving import check_bind
    from docgemma.server.serving import serve as serve_site

    with_accounts = asyncio.run(check_bind(settings, plan))
    _refuse_taken(plan)
    click.echo(INTENDED_USE)
    who = "everybody signs in" if with_accounts else f"for {plan.operator} at this machine; no accounts"
    click.echo(f"DocGemma is at {plan.address} ({who}). Ctrl-C stops it.")
    if show:
        _open_later(plan)
    serve_site(settings, plan, workers=workers)


def _check_pair(certificate: str | None, key: str | None) -> None:
    """Before anything is opened: a server that fails at its first connection is no server."""
    if bool(certificate) != bool(key):
        raise BadInput("https needs both: --certificate FILE and --key FILE.")
    if certificate is None:
        return
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=lambda: "")
    except (ssl.SSLError, OSError):
        raise BadInput(
            "The certificate and the key cannot be used together. Give PEM files of one pair, with no password."
        ) from None


def _refuse_taken(plan: Plan) -> None:
    """Before anything is opened: another server there would be found out only at the end."""
    try:
        family = socket.AF_INET6 if ":" in plan.host else socket.AF_INET
        socket.create_server((plan.host.strip("[]"), plan.port), family=family).close()
    except OSError as error:
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else "it is no address of this machine"
        raise Unavailable(
            f"Cannot listen on {plan.host} port {plan.port}: {why}. Give another one with --port or --host."
        ) from None


def _free(first: int) -> int:
    for port in range(first, first + _TRIED):
        try:
            socket.create_server(("127.0.0.1", port)).close()
            return port
        except OSError:
            continue
    raise Unavailable(f"The ports {first} to {first + _TRIED - 1} are all taken. Give another one with --port.")


def _has_screen() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) or os.uname().sysname == "Darwin"


def _open_later(plan: Plan) -> None:
    """Once the port answers: a browser that comes too early shows an error instead."""
    import threading
    import time
    import webbrowser

    def wait() -> None:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", plan.port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        webbrowser.open(plan.address)

    threading.Thread(target=wait, daemon=True).start()
