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
    """`kind` and `conclusion` are in words that can be shown; the conclusion is the abstract's own."""

    title: str
    pmid: str | None = None
    doi: str | None = None
    journal: str | None = None
    year: int | None = None
    kind: str | None = Field(default=None, description="Meta-analysis, randomised trial and so on")
    preprint: bool = Field(default=False, description="Not peer-reviewed")
    cited: int | None = Field(default=None, description="How often others cite it")
    conclusion: str | None = None

    def text(self) -> str:
        where = ", ".join(str(part) for part in (self.journal, self.year) if part)
        sort = "; ".join(part for part in (self.kind, "preprint, not peer-reviewed" if self.preprint else None) if part)
        ident = f"PMID {self.pmid}." if self.pmid else f"DOI {self.doi}." if self.doi else ""
        head = f"{self.title.rstrip('.')}{f' ({where})' if where else ''}{f' [{sort}]' if sort else ''}."
        return " ".join(part for part in (head, ident, self.conclusion or "") if part)


class LiteratureResult(ToolResult):
    articles: tuple[Article, ...] = ()
    total: int | None = Field(default=None, description="How many articles the source has for this search")
    searched: str = Field(default="", description="What was searched for, in words")
    wider: bool = Field(default=False, description="Nothing fitted exactly: this is what a wider search found")

    def text(self) -> str:
        if not self.articles:
            return self.message
        head = f"Searched: {self.searched}." if self.searched else ""
        if self.wider:
            head = f"{head} Nothing fitted all of it; this is what a wider search found.".strip()
        return "\n".join([*([head] if head else []), *(f"- {article.text()}" for article in self.articles)])


class Trial(Frozen):
    """Everything in words that can be shown. `status` also says so when it is not known."""

    nct_id: str
    title: str
    status: str | None = None
    phase: str | None = None
    summary: str | None = None
    conditions: tuple[str, ...] = ()
    interventions: tuple[str, ...] = ()
    ages: str | None = Field(default=None, description="18 years and older")
    sex: str | None = None
    healthy_volunteers: bool | None = Field(default=None, description="Whether they may take part")
    enrolment: int | None = None
    enrolment_planned: bool = Field(default=False, description="The number is a plan, not a count")
    sponsor: str | None = None
    has_results: bool = Field(default=False, description="Results are posted in the register")
    started: str | None = None
    updated: str | None = None
    why_stopped: str | None = None
    sites: tuple[str, ...] = Field(default=(), description="The first few, those asked for before others")
    site_count: int | None = None

    def text(self) -> str:
        facts = ", ".join(part for part in (self.status, self.phase) if part)
        healthy = "healthy volunteers too" if self.healthy_volunteers else None
        who = ", ".join(part for part in (self.ages, self.sex, healthy) if part)
        parts = [
            f"{self.nct_id}: {self.title.rstrip('.')}{f' ({facts})' if facts else ''}.",
            f"Stopped: {self.why_stopped.rstrip('.')}." if self.why_stopped else "",
            f"Who: {who}." if who else "",
            f"Size: {self.enrolment:,}{' planned' if self.enrolment_planned else ''}." if self.enrolment else "",
            "Results are posted." if self.has_results else "",
            f"Where: {'; '.join(self.sites)}{self._others()}." if self.sites else "",
            self.summary or "",
        ]
        return " ".join(part for part in parts if part)

    def _others(self) -> str:
        others = (self.site_count or 0) - len(self.sites)
        return f" and {others} more" if others > 0 else ""


class TrialsResult(ToolResult):
    trials: tuple[Trial, ...] = ()
    total: int | None = None
    page: int = 1
    more: bool = Field(default=False, description="There is another page")
    searched: str = Field(default="", description="What was searched for, in words")

    def text(self) -> str:
        if not self.trials:
            return self.message
        of = f" of {self.total}" if self.total is not None else ""
        which = f" (page {self.page})" if self.page > 1 else ""
        head = f"Searched: {self.searched}. {len(self.trials)}{of} shown{which}." if self.searched else ""
        return "\n".join([*([head] if head else []), *(f"- {trial.text()}" for trial in self.trials)])


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


ImageType = Literal[
    "chest_xray", "xray", "ct_scan", "mri", "ultrasound", "pathology", "dermatology", "fundus", "unknown"
]


class Region(Frozen):
    """A box in the image's own pixels, with what was seen there."""

    x0: float
    y0: float
    x1: float
    y1: float
    label: str


class ImageReport(ToolResult):
    """What a vision model says it saw. A specialist has to look, whatever it says."""

    image_type: ImageType = "unknown"
    modality: str = "unknown"
    findings: tuple[str, ...] = ()
    impression: str = ""
    confidence: Literal["high", "medium", "low"] = Field(default="low", description="As the model says of itself")
    requires_specialist_review: Literal[True] = True
    regions: tuple[Region, ...] = ()
    compared: bool = Field(default=False, description="Against an earlier image that came along")
    facts: tuple[str, ...] = Field(default=(), description="Of the file, read by code: size, modality, view, window")

    def text(self) -> str:
        if not self.findings:
            return "\n".join(part for part in (self.message, *self.facts) if part)
        lines = [f"Modality: {self.modality}", *(f"- {finding}" for finding in self.findings)]
        lines += [f"Impression: {self.impression}"] if self.impression else []
        marked = ", ".join(f"{place}. {region.label}" for place, region in enumerate(self.regions, 1))
        return "\n".join([*lines, *([f"Marked on the image: {marked}"] if marked else [])])
