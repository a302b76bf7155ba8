"""Dangers and gaps are shown whatever the model wrote."""

from __future__ import annotations

from docgemma.agent.answer.notices import DEMONSTRATION, DIRECT, IMAGE, notices, number_sources
from docgemma.clinical import Source, ToolResult
from docgemma.tools.results import DrugSafetyReport, ImageReport, Interaction, InteractionReport

REPORT = DrugSafetyReport(
    status="found",
    drug="dofetilide",
    boxed_warnings=("Torsade de pointes.",),
    contraindications=("Long QT syndrome.",),
    warnings=("Torsade de pointes.", "Allergy conflict: sulfa"),
    demonstration=True,
)


def test_danger_comes_first_and_everything_once() -> None:
    shown = notices(
        [
            ("Literature", ToolResult(status="unavailable", message="The source did not answer in time.")),
            (
                "Drug Interaction Check",
                InteractionReport(status="found", not_checked=("dofetilide with x", "dofetilide with x")),
            ),
            ("Drug Safety Report", REPORT),
            ("Image Analysis", ImageReport(status="found", findings=("opacity",))),
        ]
    )
    assert shown == (
        "Boxed warning (dofetilide): Torsade de pointes.",
        "Contraindicated (dofetilide): Long QT syndrome.",
        "Allergy conflict: sulfa",
        "Not checked: dofetilide with x",
        "The Literature was not available: The source did not answer in time.",
        IMAGE,
        DEMONSTRATION,
    )


def test_a_pair_that_begins_like_another_is_not_lost() -> None:
    report = InteractionReport(status="found", not_checked=("a with b and c", "a with b"))
    assert len(notices([("Drug Interaction Check", report)])) == 2


def test_every_unavailable_source_is_named() -> None:
    shown = notices([("Drug Safety Report", ToolResult(status="unavailable"))])
    assert shown == ("The Drug Safety Report was not available; nothing was checked.",)


def test_an_answer_from_memory_says_so() -> None:
    assert notices([], direct=True) == (DIRECT,)
    assert notices([], direct=True, knowledge=True) == ()
    assert notices([], direct=True, small_talk=True) == ()
    assert notices([], direct=True, model=False) == ()


def test_sources_are_numbered_once_with_their_quotes() -> None:
    label = Source(kind="label", title="dofetilide label", url="https://labels.example/d")
    quoted = label.model_copy(update={"quote": "Torsade de pointes"})
    article = Source(kind="article", title="On falls")
    numbered = number_sources(
        [
            ToolResult(status="found", sources=(label, article)),
            ToolResult(status="found", sources=(quoted, article, quoted)),
        ]
    )
    assert [(source.id, source.title, source.quote) for source in numbered] == [
        ("S1", "On falls", None),
        ("S2", "dofetilide label", "Torsade de pointes"),
    ]


def test_every_interaction_found_is_shown_by_code_the_worst_first() -> None:
    """A small model once wrote that warfarin "can potentially reduce bleeding" above exactly these findings."""
    report = InteractionReport(
        status="found",
        interactions=(
            Interaction(drugs=("aspirin", "ibuprofen"), severity="moderate", significance="less platelet inhibition"),
            Interaction(drugs=("warfarin", "aspirin"), severity="major", significance="more bleeding"),
        ),
    )
    assert notices([("Drug Interaction Check", report)]) == (
        "Interaction: warfarin with aspirin (major): more bleeding.",
        "Interaction: aspirin with ibuprofen (moderate): less platelet inhibition.",
    )
