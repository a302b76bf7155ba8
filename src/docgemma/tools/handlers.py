"""What the ten tools do on this installation. A tool without a source says so in plain words, and never reassures."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Protocol

from docgemma.clinical import ToolResult
from docgemma.tools import arguments as a
from docgemma.tools.checking import missing_arguments
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, ToolName
from docgemma.tools.results import ImageReport
from docgemma.tools.server import Handler

if TYPE_CHECKING:
    from docgemma.tools.charts import Charts
    from docgemma.tools.drugs import Drugs
    from docgemma.tools.literature import Literature
    from docgemma.tools.orders import Entries
    from docgemma.tools.trials import Trials

HERE = "on this installation"
NO_LABELS = f"No drug label source is set up {HERE}"
NO_RECORDS = f"No health record system is set up {HERE}"
NO_ENTRIES = f"Chart entries cannot be prepared {HERE}"
SPECIALIST = "Image findings by a model: have a specialist review the image before acting on them."


class Vision(Protocol):
    """A model that can look. `image` and `prior` are ids in the image store or data URLs."""

    async def __call__(self, query: str, image: str, prior: str | None = None, context: str = "") -> ImageReport: ...


class ClinicalTools:
    """One method per tool, named like it. Each back end is optional: offline is a mode, not an error."""

    def __init__(
        self,
        *,
        vision: Vision | None = None,
        charts: Charts | None = None,
        drugs: Drugs | None = None,
        entries: Entries | None = None,
        literature: Literature | None = None,
        trials: Trials | None = None,
    ) -> None:
        self._vision = vision
        self._charts = charts
        self._drugs = drugs
        self._entries = entries
        self._literature = literature
        self._trials = trials

    def handlers(self) -> dict[ToolName, Handler]:
        return {name: getattr(self, name) for name in TOOL_NAMES}

    async def check_drug_safety(self, args: a.DrugSafetyArgs) -> ToolResult:
        if self._drugs is not None:
            return await self._drugs.safety(args)
        drug = _plain(args.drug_name)
        return _not_set_up(
            "check_drug_safety",
            f"{NO_LABELS}, so the safety of {drug} was not checked.",
            not_checked=(f"Warnings and contraindications of {drug}",),
        )

    async def check_drug_interactions(self, args: a.DrugInteractionArgs) -> ToolResult:
        if self._drugs is not None:
            return await self._drugs.interactions(args)
        drugs = [_plain(name) for name in args.drug_names]
        return _not_set_up(
            "check_drug_interactions",
            f"{NO_LABELS}, so interactions between {', '.join(drugs[:-1])} and {drugs[-1]} were not checked.",
            not_checked=tuple(f"{one} with {other}" for one, other in combinations(drugs, 2)),
        )

    async def search_medical_literature(self, args: a.LiteratureSearchCall) -> ToolResult:
        if self._literature is not None:
            return await self._literature.search(args)
        message = f"No literature source is set up {HERE}, so published studies were not searched."
        return _not_set_up("search_medical_literature", message)

    async def find_clinical_trials(self, args: a.ClinicalTrialsCall) -> ToolResult:
        if self._trials is not None:
            return await self._trials.find(args)
        message = f"No trial registry is set up {HERE}, so trials for {_plain(args.condition)} were not searched."
        return _not_set_up("find_clinical_trials", message)

    async def search_patient(self, args: a.PatientSearchCall) -> ToolResult:
        if self._charts is not None:
            return await self._charts.search(args)
        return _not_set_up("search_patient", f"{NO_RECORDS}, so the patient was not looked up.")

    async def get_patient_chart(self, args: a.PatientChartCall) -> ToolResult:
        if self._charts is not None:
            return await self._charts.chart(args)
        return _not_set_up("get_patient_chart", f"{NO_RECORDS}, so the patient's chart was not read.")

    async def prescribe_medication(self, args: a.PrescribeMedicationArgs) -> ToolResult:
        if self._entries is not None:
            return await self._entries.prescribe(args)
        message = f"{NO_ENTRIES}, so no order for {_plain(args.medication_name)} was prepared or written."
        return _not_set_up("prescribe_medication", message)

    async def add_allergy(self, args: a.AddAllergyArgs) -> ToolResult:
        if self._entries is not None:
            return await self._entries.allergy(args)
        message = f"{NO_ENTRIES}, so the allergy to {_plain(args.substance)} was not documented."
        return _not_set_up("add_allergy", message)

    async def save_clinical_note(self, args: a.ClinicalNoteCall) -> ToolResult:
        if self._entries is not None:
            return await self._entries.note(args)
        return _not_set_up("save_clinical_note", f"{NO_ENTRIES}, so the note was not saved.")

    async def analyze_medical_image(self, args: a.ImageAnalysisCall) -> ToolResult:
        if args.image is None:
            return missing_arguments(REGISTRY["analyze_medical_image"], "image")
        if self._vision is None:
            message = f"No model that can read images is set up {HERE}, so the image was not looked at."
            return _not_set_up("analyze_medical_image", message)
        report = await self._vision(args.query, args.image, args.prior, args.clinical_context or "")
        if SPECIALIST in report.warnings or report.status != "found":
            return report
        return report.model_copy(update={"warnings": (SPECIALIST, *report.warnings), "origin": "model"})


def _not_set_up(name: ToolName, message: str, *, not_checked: tuple[str, ...] = ()) -> ToolResult:
    return REGISTRY[name].result(
        status="unavailable", error_type="not_configured", message=message, not_checked=not_checked
    )


def _plain(text: str) -> str:
    """One line of the user's words, fit to stand in a sentence."""
    return " ".join(text.split())
