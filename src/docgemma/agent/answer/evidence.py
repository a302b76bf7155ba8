"""What a sentence of the answer may rest on: this turn's findings, the chart, the user's own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from urllib.parse import urlsplit

from docgemma.agent.answer.citations import citations
from docgemma.agent.answer.labs import lab_facts
from docgemma.agent.answer.quantities import bare_numbers, quantities
from docgemma.clinical import ToolResult
from docgemma.tools.results import (
    ImageReport,
    LiteratureResult,
    PatientChart,
    PatientSearchResult,
    Proposal,
    TrialsResult,
)

DrugsIn = Callable[[str], Sequence[str]]
"""The drugs that a text names, canonical, as `docgemma.entities` finds them."""

_BORN = re.compile(r"\b(?:born|dob|date of birth|birth ?date)\b\W{0,3}(\d{4})-(\d\d)-(\d\d)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")


def _no_drugs(_: str) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Built once a turn by `of`, so that each sentence is checked by looking things up in sets."""

    results: tuple[str, ...] = ()
    chart: tuple[str, ...] = ()
    user: tuple[str, ...] = ()
    image: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    ledger: bool = False
    direct: bool = False
    write: bool = False
    urls: frozenset[str] = frozenset()
    retrieved: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    amounts: frozenset[tuple[Decimal, str]] = frozenset()
    labs: frozenset[tuple[str, Decimal]] = frozenset()
    drugs: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    chart_words: frozenset[str] = frozenset()
    chart_numbers: frozenset[Decimal] = frozenset()
    drugs_in: DrugsIn = field(default=_no_drugs, compare=False)

    @classmethod
    def of(
        cls,
        results: Sequence[ToolResult] = (),
        *,
        user: Sequence[str] = (),
        chart: Sequence[str] = (),
        image: Sequence[str] = (),
        names: Sequence[str] = (),
        ledger: bool = False,
        direct: bool = False,
        today: date | None = None,
        drugs_in: DrugsIn = _no_drugs,
    ) -> Evidence:
        """`chart` is what is known of the patient besides the results; `names` is how the patient is called.

        `ledger` says that this turn carries a receipt: only then may the text say that something was done.
        """
        charts = tuple(_text(result) for result in results if isinstance(result, PatientChart | PatientSearchResult))
        images = tuple(_text(result) for result in results if isinstance(result, ImageReport))
        found = tuple(_text(result) for result in results)
        chart = (*charts, *chart)
        image = (*images, *image)
        patient = "\n".join([*chart, *image, *user])
        everything = "\n".join([*found, patient])
        record = "\n".join(chart)
        return cls(
            results=found,
            chart=chart,
            user=tuple(user),
            image=image,
            names=tuple(names),
            ledger=ledger,
            direct=direct,
            write=any(isinstance(result, Proposal) for result in results),
            urls=frozenset(source.url for result in results for source in result.sources if source.url),
            retrieved=citations("\n".join([*found, record])) | _identifiers(results),
            asked=citations("\n".join(user)),
            amounts=_amounts(everything) | _ages(patient, today),
            labs=lab_facts(patient),
            drugs=frozenset(name.casefold() for name in drugs_in(everything)),
            words=words(everything),
            chart_words=words(record),
            chart_numbers=bare_numbers(record),
            drugs_in=drugs_in,
        )

    @property
    def pmids(self) -> frozenset[str]:
        """The articles that were retrieved."""
        return frozenset(name.removeprefix("PMID:") for name in self.retrieved if name.startswith("PMID:"))

    @property
    def ncts(self) -> frozenset[str]:
        """The trials that were retrieved."""
        return frozenset(name for name in self.retrieved if name.startswith("NCT"))

    @property
    def hosts(self) -> frozenset[str]:
        """Where the sources of this turn live: the only places a link may lead to."""
        return frozenset(host for url in self.urls if (host := urlsplit(url).hostname))

    def names_drug(self, drug: str) -> bool:
        """Whether the drug is in the evidence, by this name or by one that means the same."""
        return drug.casefold() in self.drugs or words(drug) <= self.words


def words(text: str) -> frozenset[str]:
    """The words of a text, for looking them up."""
    return frozenset(word.casefold() for word in _WORD.findall(text))


def _text(result: ToolResult) -> str:
    """Everything a result says, not only what the model was shown."""
    quoted = (part for source in result.sources for part in (source.title, source.url, source.date, source.quote))
    parts = (result.text(), result.message, *result.warnings, *result.not_checked, *result.suggestions, *quoted)
    return "\n".join(part for part in (*parts, result.data_date) if part)


def _identifiers(results: Iterable[ToolResult]) -> frozenset[str]:
    """The identifiers that came as data rather than in words."""
    found: set[str] = set()
    for result in results:
        if isinstance(result, LiteratureResult):
            found |= {f"PMID:{int(entry.pmid)}" for entry in result.articles if entry.pmid and entry.pmid.isdecimal()}
        if isinstance(result, TrialsResult):
            found |= {trial.nct_id.upper() for trial in result.trials}
    return frozenset(found)


def _amounts(text: str) -> frozenset[tuple[Decimal, str]]:
    return frozenset(form for quantity in quantities(text) for form in quantity.forms)


def _ages(text: str, today: date | None) -> frozenset[tuple[Decimal, str]]:
    """A record holds the birth date; an answer speaks of the age."""
    if today is None:
        return frozenset()
    born = ((int(year), (int(month), int(day))) for year, month, day in _BORN.findall(text))
    return frozenset(
        (Decimal(today.year - year - ((today.month, today.day) < birthday)).normalize(), "year")
        for year, birthday in born
    )
