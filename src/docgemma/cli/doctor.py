"""`docgemma doctor`: what is set up, what is missing, what is broken, and what mends it."""

from __future__ import annotations

import asyncio
import json
import platform
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import click

from docgemma import __version__
from docgemma.cli.options import INTENDED_USE, model_options, unwrapped
from docgemma.errors import DocGemmaError, Unavailable

if TYPE_CHECKING:
    from docgemma.cli.render import Line, Style
    from docgemma.config import Finding, Settings

MODEL_NOTICE = (
    "HAI-DEF is provided under and subject to the Health AI Developer Foundations Terms of Use found at "
    "https://developers.google.com/health-ai-developer-foundations/terms"
)
STYLES: dict[Literal["ok", "missing", "broken", "off"], Style] = {
    "ok": "plain",
    "missing": "warning",
    "broken": "warning",
    "off": "dim",
}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one line of JSON.")
@model_options
def doctor(as_json: bool, **flags: Any) -> int:
    """What is configured, what can be reached, what is missing, and the command or setting that mends it.

    Exit codes: 0 when DocGemma can be used (it can without a model), 4 when something configured is broken.
    """
    findings = _examine(flags)
    broken = any(finding.state == "broken" for finding in findings)
    if as_json:
        click.echo(json.dumps(_report(findings, usable=not broken), ensure_ascii=False))
    else:
        from docgemma.cli.screen import screen

        screen().lines(_lines(findings, broken=broken))
    return Unavailable.exit_code if broken else 0


def _examine(flags: dict[str, Any]) -> list[Finding]:
    """Everything that can be found out, also when settings or store keep the application from opening."""
    from docgemma.config import Finding, config_file, load_settings

    python = Finding("installation", "ok", f"DocGemma {__version__} on Python {platform.python_version()}.")
    try:
        settings = load_settings(**flags)
    except DocGemmaError as error:
        return [python, Finding("settings", "broken", str(error), "Correct it and run `docgemma doctor` again.")]
    file = config_file()
    told = f"Read from {file}." if file.exists() else f"Defaults; {file} may hold others."
    known = [python, Finding("settings", "ok", told)]
    try:
        return [*known, *asyncio.run(_diagnose(settings))]
    except (DocGemmaError, ExceptionGroup) as error:
        cause = unwrapped(error)
        if not isinstance(cause, DocGemmaError):
            raise
        return [*known, Finding("start", "broken", str(cause))]


async def _diagnose(settings: Settings) -> list[Finding]:
    from docgemma.wiring.app import open_app

    async with open_app(settings) as app:
        return await app.diagnose()


def _report(findings: list[Finding], *, usable: bool) -> dict[str, Any]:
    return {
        "version": __version__,
        "usable": usable,
        "findings": [asdict(finding) for finding in findings],
        "intended_use": INTENDED_USE,
        "notice": MODEL_NOTICE,
    }


def _lines(findings: list[Finding], *, broken: bool) -> list[Line]:
    from docgemma.cli.render import Line, one_line

    lines: list[Line] = []
    width = max(len(finding.area) for finding in findings)
    for finding in findings:
        lines.append(
            Line(f"{finding.state:<8}{finding.area:<{width}}  {one_line(finding.text)}", STYLES[finding.state])
        )
        if finding.mend:
            verb = "mend" if finding.state in ("missing", "broken") else "change"
            lines.append(Line(f"{'':<{width + 10}}To {verb} it: {one_line(finding.mend)}", "dim"))
    verdict = "Something that was configured is broken." if broken else "DocGemma can be used."
    return [*lines, Line(), Line(verdict, "strong"), Line(), Line(INTENDED_USE), Line(MODEL_NOTICE, "dim")]
