"""`docgemma doctor`: what is set up, what is missing, what is broken, and what mends it."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from docgemma import __version__
from docgemma.cli import services
from docgemma.cli.main import unwrapped
from docgemma.cli.options import INTENDED_USE, model_options, settings_of
from docgemma.cli.render import Line, Output, Style, one_line, reports
from docgemma.errors import DocGemmaError, Unavailable

if TYPE_CHECKING:
    from docgemma.config import Finding

MODEL_NOTICE = (
    "HAI-DEF is provided under and subject to the Health AI Developer Foundations Terms of Use found at "
    "https://developers.google.com/health-ai-developer-foundations/terms"
)
STYLES: dict[str, Style] = {"ok": "plain", "missing": "warning", "broken": "warning", "off": "dim"}


@click.command()
@reports(None, "Print the findings as one line of JSON.")
@model_options
def doctor(**flags: Any) -> Output:
    """What is configured, what can be reached, what is missing, and the command or setting that mends it.

    Exit codes: 0 when DocGemma can be used (it can without a model), 4 when something configured is broken.
    """
    findings = _examine(flags)
    broken = any(finding.state == "broken" for finding in findings)
    facts = {
        "version": __version__,
        "usable": not broken,
        "findings": findings,
        "intended_use": INTENDED_USE,
        "notice": MODEL_NOTICE,
    }
    return Output(facts, _lines(findings, broken=broken), Unavailable.exit_code if broken else 0)


def _examine(flags: dict[str, Any]) -> list[Finding]:
    """Everything that can be found out, also when settings or store keep the application from services."""
    from docgemma.config import Finding, config_file

    python = Finding("installation", "ok", f"DocGemma {__version__} on Python {platform.python_version()}.")
    try:
        settings = settings_of(flags)
    except DocGemmaError as error:
        return [python, Finding("settings", "broken", str(error), "Correct it and run `docgemma doctor` again.")]
    file = config_file()
    origin = f"Read from {file}." if file.exists() else f"Defaults; {file} may hold others."
    known = [python, Finding("settings", "ok", origin)]
    try:
        return [*known, *services.within(services.app, lambda app: app.diagnose(), settings)]
    except (DocGemmaError, ExceptionGroup) as error:
        cause = unwrapped(error)
        if not isinstance(cause, DocGemmaError):
            raise
        return [*known, Finding("start", "broken", str(cause))]


def _lines(findings: list[Finding], *, broken: bool) -> Iterator[Line]:
    width = max(len(finding.area) for finding in findings)
    for finding in findings:
        text = f"{finding.state:<8}{finding.area:<{width}}  {one_line(finding.text)}"
        yield Line(text, STYLES[finding.state])
        if finding.mend:
            verb = "mend" if finding.state in ("missing", "broken") else "change"
            yield Line(f"{'':<{width + 10}}To {verb} it: {one_line(finding.mend)}", "dim")
    verdict = "Something that was configured is broken." if broken else "DocGemma can be used."
    yield from (Line(), Line(verdict, "strong"), Line(), Line(INTENDED_USE), Line(MODEL_NOTICE, "dim"))
