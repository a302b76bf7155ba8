"""What each tool returns, and how it reads. `text()` is what the model and a composed answer are given."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import Field

from docgemma.clinical import Frozen, Option, ToolResult
from docgemma.ehr.chart.panel import Line, Listed, Measured
from docgemma.orders.carding import check_lines
from docgemma.orders.model import Check


class DrugSafetyReport(ToolResult):
    drug: str = ""
    boxed_warnings: tuple[str, ...] = ()
    contraindications: tuple[str, ...] = ()
    alerts: tuple[str, ...] = Field(default=(), description="Warnings and precautions")
    populations: tuple[str, ...] = Field(default=(), description="Pregnancy, age, kidney and liver, each with its word")
    read: str = Field(default="", description="What was read, and how old it is")

    def text(self) -> str:
        parts = [
            *(f"Boxed warning: {line}" for line in self.boxed_warnings),
            *(f"Contraindicated: {line}" for line in self.contraindications),
            *(f"Warning: {line}" for line in self.alerts),
            *self.populations,
        ]
        return "\n".join([f"{self.drug}:", *parts, *([self.read] if self.read else [])]) if parts else self.message


class Interaction(Frozen):
    drugs: tuple[str, str]
    severity: Literal["contraindicated", "major", "moderate", "minor"] | None = None
    mechanism: str | None = None
    significance: str | None = None
    quote: str | None = None
    via: str | None = Field(default=None, description="How the pair was recognised when not by name")
    no_effect: bool = Field(default=False, description="The quote says that no relevant effect was seen")

    def text(self) -> str:
        via = f" [{self.via}]" if self.via else ""
        quoted = f"“{self.quote}”{via}" if self.quote else ""
        meant = " ".join(f"{part.rstrip('.')}." for part in (self.mechanism, self.significance) if part)
        own = f"Shipped table, not reviewed: {meant}" if quoted and meant else meant and f"{meant}{via}"
        grade = f" ({self.severity})" if self.severity else ""
        what = " ".join(part for part in (quoted, own) if part) or f"an interaction is described{via}"
        return f"{self.drugs[0]} with {self.drugs[1]}{grade}: {what}"


UNMENTIONED = "neither label speaks of the other. That does not rule an interaction out."


class InteractionReport(ToolResult):
    interactions: tuple[Interaction, ...] = ()
    unmentioned: tuple[str, ...] = Field(
        default=(), description="Pairs whose labels were read in full and do not speak of each other"
    )

    def text(self) -> str:
        lines = [entry.text() for entry in self.interactions]
        lines += [f"{pair}: {UNMENTIONED}" for pair in self.unmentioned]
        return "\n".join(lines) if lines else self.message


class Article(Frozen):
    pmid: str | None = None
    title: str
    journal: str | None = None
    year: int | None = None
    conclusion: str | None = None


class LiteratureResult(ToolResult):
    articles: tuple[Article, ...] = ()

    def text(self) -> str:
        def line(article: Article) -> str:
            where = ", ".join(str(part) for part in (article.journal, article.year) if part)
            ident = f" PMID {article.pmid}." if article.pmid else ""
            return f"- {article.title}{f' ({where})' if where else ''}.{ident} {article.conclusion or ''}".rstrip()

        return "\n".join(map(line, self.articles)) if self.articles else self.message


class Trial(Frozen):
    nct_id: str
    title: str
    status: str | None = None
    phase: str | None = None
    summary: str | None = None


class TrialsResult(ToolResult):
    trials: tuple[Trial, ...] = ()
    total: int | None = None

    def text(self) -> str:
        def line(trial: Trial) -> str:
            facts = ", ".join(part for part in (trial.status, trial.phase) if part)
            return f"- {trial.nct_id}: {trial.title}{f' ({facts})' if facts else ''}. {trial.summary or ''}".rstrip()

        return "\n".join(map(line, self.trials)) if self.trials else self.message


class PatientMatch(Frozen):
    patient_id: str
    name: str
    birth_date: str | None = None
    sex: str | None = None
    mrn_tail: str | None = None
    exact: bool = True
    deceased: bool = False
    fictional: bool = False
    note: str = Field(default="", description="What differs from what was asked for")

    def banner(self) -> str:
        """Name with two identifiers, so that twins in name are told apart."""
        facts = [
            f"born {self.birth_date}" if self.birth_date else None,
            self.sex,
            f"MRN …{self.mrn_tail}" if self.mrn_tail else None,
            "deceased" if self.deceased else None,
            "FICTIONAL" if self.fictional else None,
        ]
        return ", ".join([self.name, *(fact for fact in facts if fact)])


_BANNER = re.compile(
    r"(?P<name>[^,]*(?:, (?!born |male|female|other|unknown|MRN )[^,]*)?)(?:, born (?P<born>[\d-]+))?"
    r"(?:, (?P<sex>male|female|other|unknown))?(?:, MRN …(?P<tail>\w+))?.*"
)


def match_in(banner: str, patient_id: str) -> PatientMatch:
    """Back from a banner to what it tells, so that an offer can be answered by birth date or record number."""
    told = _BANNER.fullmatch(banner)
    if told is None or not told["name"]:
        return PatientMatch(patient_id=patient_id, name=banner or patient_id)
    return PatientMatch(
        patient_id=patient_id,
        name=told["name"],
        birth_date=told["born"],
        sex=told["sex"],
        mrn_tail=told["tail"],
        deceased=", deceased" in banner,
        fictional=banner.endswith("FICTIONAL"),
    )


class PatientSearchResult(ToolResult):
    matches: tuple[PatientMatch, ...] = ()

    def text(self) -> str:
        lines = [f"- {match.banner()} (id {match.patient_id})" for match in self.matches]
        return "\n".join(lines) if lines else self.message

    def options(self) -> tuple[Option, ...]:
        return offered(self.matches)


def offered(matches: tuple[PatientMatch, ...]) -> tuple[Option, ...]:
    return tuple(
        Option(
            label=f"{match.banner()} ({match.note})" if match.note else match.banner(),
            value=match.patient_id,
            facts=match.model_dump(exclude={"exact", "note"}),
        )
        for match in matches
    )


class ChartSection(Frozen):
    title: str
    entries: tuple[str, ...]


class PatientChart(ToolResult):
    patient_id: str = ""
    banner: str = ""
    sections: tuple[ChartSection, ...] = ()
    omitted: tuple[str, ...] = Field(default=(), description="What was left out, and why")
    candidates: tuple[PatientMatch, ...] = Field(default=(), description="Who shares the record number asked for")

    def text(self) -> str:
        lines = [self.banner] if self.banner else []
        for section in self.sections:
            lines += [f"{section.title}:", *(f"- {entry}" for entry in section.entries)]
        lines += [f"Left out: {what}" for what in self.omitted]
        return "\n".join(lines) if lines else self.message

    def options(self) -> tuple[Option, ...]:
        return offered(self.candidates)


class PatientSummary(ToolResult):
    """What every step of a turn about this patient should know: who it is, and what must never be overlooked."""

    patient_id: str = ""
    banner: str = ""
    allergies: tuple[str, ...] = ()
    medications: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    alerts: tuple[str, ...] = Field(default=(), description="The allergies in few words, never cut")
    brief: str = Field(default="", description="The three lists in as many words as a prompt has room for")

    def text(self) -> str:
        return "\n".join([self.brief, *(f"Not known: {what}" for what in self.not_checked)])


class PatientPanel(ToolResult):
    """What a page shows beside a conversation. Each list says in its `state` how it is known: by default, not read."""

    patient: PatientMatch | None = None
    age: str = Field(default="", description="In words; empty where the record does not tell")
    allergies: Listed = Listed()
    medications: Listed = Listed()
    problems: Listed = Listed()
    labs: Measured = Measured()
    vitals: Measured = Measured()
    computed: tuple[Line, ...] = Field(default=(), description="Not recorded: each names its formula and inputs")

    def text(self) -> str:
        if self.patient is None:
            return "\n".join([self.message, *self.not_checked])
        lines = [", ".join(part for part in (self.patient.banner(), self.age) if part)]
        for title, known in (
            ("Allergies", self.allergies),
            ("Active medications", self.medications),
            ("Active problems", self.problems),
        ):
            lines += [f"{title}:", *(f"- {one}" for one in (*known.notes, *(line.text for line in known.lines)))]
        for title, measured in (("Laboratory results", self.labs), ("Vital signs", self.vitals)):
            rows = [row.text() for row in measured.trends]
            lines += [f"{title}:", *(f"- {one}" for one in (*measured.notes, *rows))]
            lines += [f"- {line.text}" for line in measured.in_words]
        return "\n".join(lines)


class Proposal(ToolResult):
    """A write that waits for a person. Nothing is in the chart yet."""

    approval_id: str | None = None
    card: str = Field(default="", description="The canonical text that a person approves")
    checks: tuple[Check, ...] = ()
    expires_at: str | None = None
    order: dict[str, Any] = Field(default_factory=dict, description="The arguments as they would be written")

    def text(self) -> str:
        return "\n".join([self.card, *check_lines(self.checks)]) if self.card else self.message


class ImageReport(ToolResult):
    modality: str = "unknown"
    findings: tuple[str, ...] = ()

    def text(self) -> str:
        if not self.findings:
            return self.message
        return "\n".join([f"Modality: {self.modality}", *(f"- {finding}" for finding in self.findings)])
