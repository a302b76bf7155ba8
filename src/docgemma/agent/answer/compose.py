"""An answer without a model: what was found, word for word, under its clinical labels, and what was not.

It is the rule of the synthesis node: it serves when no model is set up, and when the model wrote nothing usable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from docgemma.agent.answer.asked import told
from docgemma.agent.answer.errors import error_text
from docgemma.agent.answer.notices import DEMONSTRATION, IMAGE
from docgemma.agent.answer.searches import found_lines
from docgemma.clinical import ToolResult
from docgemma.tools.results import (
    ChartSection,
    DrugSafetyReport,
    ImageReport,
    InteractionReport,
    PatientChart,
    PatientSearchResult,
)

MOST_LINES = 40
MOST_CHARACTERS = 4_000
LONGEST_LINE = 1_500
SHORT_ANSWER = 12
"""Lines of a chart that may stand before its allergies: an INR that was asked for, not a page of vital signs."""

_IMAGE_LABEL = "Image Analysis"
_QUOTED = "Put together from the findings above, word for word, without a language model."
_UNQUOTED = "Put together without a language model."
_MODEL_SILENT = "The language model gave no usable answer."
_ASK = (
    "Ask about drug warnings and interactions, medical literature, clinical trials or a patient's record, or for a "
    "prescription, an allergy or a note to be prepared. Where a source is not set up here, I say so."
)
_NO_MODEL = f"The knowledge base has no answer to this, and no language model is set up. {_ASK}"
_NO_ANSWER = f"The language model gave no usable answer to this question, and nothing was looked up. {_ASK}"
_NOTHING = f"Nothing was looked up for this request. {_ASK}"
_WAITING = "Waiting for approval. Nothing has been written to the chart."
_THANKS = re.compile(r"\b(?:thanks?|thank\s+you|thx|ty|cheers|appreciate\w*)\b", re.IGNORECASE)
_BYE = re.compile(r"\b(?:bye|goodbye|good\s+night|see\s+you)\b", re.IGNORECASE)
_HELLO = re.compile(
    r"\b(?:hi|hiya|hello|hey|howdy|greetings|namaste|good\s+(?:morning|afternoon|evening|day))\b", re.IGNORECASE
)
_WHO = re.compile(r"\b(?:who|what|how|are\s+you|help)\b", re.IGNORECASE)
_NEVER_CUT = re.compile(r"allerg|intoleran|medic|drug|prescription|problem|condition|diagnos", re.IGNORECASE)


def compose(
    message: str,
    results: Sequence[tuple[str, ToolResult]],
    errors: Sequence[str],
    image_findings: Sequence[str],
    *,
    direct: bool,
    small_talk: bool,
    model_available: bool,
) -> str:
    """Never empty. `results` come with their clinical labels, `errors` as sentences for the user.

    What was found on drugs comes before the chart that was read for it.
    """
    if small_talk:
        return _small_talk(message)
    told = sorted(results, key=lambda found: not isinstance(found[1], DrugSafetyReport | InteractionReport))
    parts = [_section(label, result, message) for label, result in told if not _shown_by_chart(result, results)]
    if image_findings and not any(isinstance(result, ImageReport) for _, result in results):
        parts.append(
            _headed(_IMAGE_LABEL, [*_shorten([f"- {finding.removeprefix('- ')}" for finding in image_findings]), IMAGE])
        )
    said = "\n".join(parts)
    missed = list(dict.fromkeys(error.strip() for error in errors if error.strip() and error.strip() not in said))
    if missed:
        parts.append("\n".join(missed))
    if not parts:
        return (_NO_ANSWER if model_available else _NO_MODEL) if direct else _NOTHING
    if any(result.demonstration for _, result in results):
        parts.append(DEMONSTRATION)
    how = _QUOTED if results or image_findings else _UNQUOTED
    return "\n\n".join([*parts, f"{_MODEL_SILENT} {how}" if model_available else how])


def _small_talk(message: str) -> str:
    if _THANKS.search(message):
        return "You're welcome. Is there anything else to look up?"
    if _BYE.search(message):
        return "Goodbye."
    if _HELLO.search(message):
        return f"Hello. {_ASK}"
    return (
        f"DocGemma looks things up and prepares chart entries. {_ASK}" if _WHO.search(message) else f"All right. {_ASK}"
    )


def _section(label: str, result: ToolResult, asked: str) -> str:
    shown = isinstance(result, PatientChart) and result.sections
    lines = _chart_lines(result) if isinstance(result, PatientChart) and shown else _lines(label, result, asked)
    if result.status == "proposed":
        lines = [*lines, _WAITING]
    if isinstance(result, ImageReport) and result.findings:
        lines = [*lines, IMAGE]
    return _headed(label, lines)


def _shown_by_chart(found: ToolResult, results: Sequence[tuple[str, ToolResult]]) -> bool:
    """Whoever was searched for and whose chart follows is named by the chart."""
    if not isinstance(found, PatientSearchResult) or len(found.matches) != 1:
        return False
    return any(
        isinstance(chart, PatientChart) and chart.banner and chart.patient_id == found.matches[0].patient_id
        for _, chart in results
    )


def _headed(label: str, lines: Sequence[str]) -> str:
    return "\n".join([f"[{label}]", *lines])


def _lines(label: str, result: ToolResult, asked: str) -> list[str]:
    if searched := found_lines(result):
        findings, below = searched
        return [*_shorten(findings), *below]
    text = told(result, asked).strip() or result.message.strip()
    if text:
        return _shorten(text.splitlines())
    if result.status == "none":
        return ["Nothing was found in the sources that were read. That does not rule it out."]
    if result.status in ("found", "proposed", "written"):
        return ["Found, but there is no text to show."]
    return [error_text(result, label, "this request", final=True)]


def _chart_lines(chart: PatientChart) -> list[str]:
    """A short answer to what was asked, then allergies, medications and problems whole, then the rest as far as there
    is room.
    """
    asked = list(takewhile(lambda section: not _NEVER_CUT.search(section.title), chart.sections))
    asked = asked if sum(len(section.entries) + 1 for section in asked) <= SHORT_ANSWER else []
    kept = [section for section in chart.sections if _NEVER_CUT.search(section.title)]
    rest = [section for section in chart.sections if section not in asked and section not in kept]
    lines = [chart.banner] if chart.banner else []
    for section in (*asked, *kept):
        lines += _section_lines(section)
    lines += _shorten([line for section in rest for line in _section_lines(section)])
    return [*lines, *(f"Left out: {what}" for what in chart.omitted)]


def _section_lines(section: ChartSection) -> list[str]:
    return [f"{section.title}:", *(f"- {entry}" for entry in section.entries)]


def _shorten(lines: Sequence[str]) -> list[str]:
    """Cut between lines and say how many are missing; only a single endless line is cut inside, at a space."""
    shown: list[str] = []
    room = MOST_CHARACTERS
    for line in lines:
        line = line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE].rsplit(" ", 1)[0] + " …"
        if len(shown) == MOST_LINES or len(line) > room:
            break
        shown.append(line)
        room -= len(line)
    left = len(lines) - len(shown)
    return [*shown, f"… ({left} more line{'s' if left > 1 else ''})"] if left else shown
