"""What code shows beside the text, whatever the model chose to write: dangers, gaps, and where things come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from docgemma.clinical import Source, ToolResult
from docgemma.tools.results import DrugSafetyReport, ImageReport, Interaction, InteractionReport

DIRECT = "General knowledge of the model, not checked against a source."
DEMONSTRATION = "Demonstration data, not reviewed by a clinician."
IMAGE = "Image findings need review by a specialist."


def notices(
    results: Sequence[tuple[str, ToolResult]],
    *,
    direct: bool = False,
    knowledge: bool = False,
    image: bool = False,
    small_talk: bool = False,
    model: bool = True,
) -> tuple[str, ...]:
    """Dangers first, then what was not checked, then what the answer rests on. `results` come with their labels.

    `model` says that a language model wrote the text: what code composed is nobody's general knowledge.
    """
    found = [result for _, result in results]
    lines = [*_dangers(found)]
    lines += [f"Not checked: {_bare(item)}" for result in found for item in result.not_checked]
    lines += [_unavailable(label, result) for label, result in results if result.status == "unavailable"]
    seen = image or any(isinstance(result, ImageReport) and result.findings for result in found)
    reports = [result for result in found if isinstance(result, ImageReport)]
    if seen and not any("specialist" in warning for report in reports for warning in report.warnings):
        lines.append(IMAGE)
    if any(result.demonstration for result in found):
        lines.append(DEMONSTRATION)
    if direct and model and not knowledge and not small_talk:
        lines.append(DIRECT)
    return _once(lines)


def _dangers(results: Sequence[ToolResult]) -> Iterator[str]:
    reports = [result for result in results if isinstance(result, DrugSafetyReport)]
    for report in reports:
        yield from (f"Boxed warning ({report.drug}): {line}" for line in report.boxed_warnings)
    for report in reports:
        yield from (f"Contraindicated ({report.drug}): {line}" for line in report.contraindications)
    for found in results:
        if isinstance(found, InteractionReport):
            yield from (_told(each) for each in sorted(found.interactions, key=_gravity))
    for result in results:
        yield from result.warnings


def _told(interaction: Interaction) -> str:
    what = "The label on this pair" if interaction.no_effect else "Interaction"
    return f"{what}: {interaction.text()}"


def _gravity(interaction: Interaction) -> int:
    """The worst first; one without a stated severity stands before the minor ones."""
    grades = ("contraindicated", "major", "moderate", None, "minor")
    return len(grades) if interaction.no_effect else grades.index(interaction.severity)


def _bare(item: str) -> str:
    """The item without a prefix of its own, so that none is said twice."""
    return item[len("not checked:") :].strip() if item.lower().startswith("not checked:") else item


_SEARCHES = {"Medical Literature": "literature search", "Clinical Trials": "trial search"}


def _unavailable(label: str, result: ToolResult) -> str:
    reason, what = result.message.strip(), f"The {_SEARCHES.get(label, label)} was not available"
    return f"{what}: {reason}" if reason else f"{what}; nothing was checked."


def _once(lines: Iterable[str]) -> tuple[str, ...]:
    """Each thing once, also when a later line repeats an earlier one without its heading."""
    kept: dict[str, str] = {}
    for line in lines:
        key = " ".join(line.casefold().split()).rstrip(".")
        if key and not any(earlier.endswith(key) for earlier in kept):
            kept[key] = line.strip()
    return tuple(kept.values())


def number_sources(results: Iterable[ToolResult]) -> tuple[Source, ...]:
    """The turn's sources as S1, S2 …, each once; one without a quote gives way to the same one with."""
    found = [source for result in results for source in result.sources]
    quoted = {(source.kind, source.title, source.url) for source in found if source.quote}
    kept = dict.fromkeys(
        source.model_copy(update={"id": ""})
        for source in found
        if source.quote or (source.kind, source.title, source.url) not in quoted
    )
    return tuple(source.model_copy(update={"id": f"S{number}"}) for number, source in enumerate(kept, start=1))
