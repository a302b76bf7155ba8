"""What a sentence of the answer may rest on: this turn's findings, the chart, the user's own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from urllib.parse import urlsplit

from docgemma.agent.answer.absence import Topic
from docgemma.agent.answer.births import Birth, age, births
from docgemma.agent.answer.citations import citations
from docgemma.agent.answer.denied import denied
from docgemma.agent.answer.grading import Graded, graded
from docgemma.agent.answer.labs import lab_facts
from docgemma.agent.answer.register import Registered, registered
from docgemma.clinical import ToolResult
from docgemma.entities.amounts.quantities import bare_numbers, quantities
from docgemma.tools.results import (
    DrugSafetyReport,
    ImageReport,
    InteractionReport,
    LiteratureResult,
    PatientChart,
    PatientSearchResult,
    Proposal,
    TrialsResult,
)

DrugsIn = Callable[[str], Sequence[str]]
"""The drugs that a text names, canonical, as `docgemma.entities` finds them."""

_AGED = re.compile(r"\baged?\W{1,3}(\d{1,3})\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")


def _no_drugs(_: str) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Clear:
    """A look-up that read all it had to and found nothing of this kind. `drugs` is what it was about, where known."""

    topic: Topic
    drugs: frozenset[str] = frozenset()
    besides: bool = False
    """Nothing besides what it did find."""


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
    births: frozenset[Birth] = frozenset()
    ages: frozenset[int] = frozenset()
    cleared: tuple[Clear, ...] = ()
    unclear: frozenset[Topic] = frozenset()
    graded: tuple[Graded, ...] = ()
    trials: tuple[Registered, ...] = ()
    unseen: frozenset[str] = frozenset()
    drugs: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    source_words: frozenset[str] = frozenset()
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
        born = frozenset(births(patient))
        ages = _ages(patient, born, today)
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
            amounts=_amounts(everything) | {(Decimal(years).normalize(), "year") for years in ages},
            labs=lab_facts(patient),
            births=born,
            ages=ages,
            cleared=tuple(_cleared(results, drugs_in)),
            unclear=frozenset(_unclear(results)),
            graded=tuple(graded(results, drugs_in)),
            trials=registered(results),
            unseen=denied(image),
            drugs=frozenset(name.casefold() for name in drugs_in(everything)),
            words=words(everything),
            source_words=words("\n".join([*found, record, *names])),
            chart_words=words(record),
            chart_numbers=bare_numbers(record),
            drugs_in=drugs_in,
        )

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


def _cleared(results: Iterable[ToolResult], drugs_in: DrugsIn) -> Iterator[Clear]:
    """What may be said to be absent. A gap in what was read, or demonstration data, clears nothing."""
    for result in results:
        if result.status not in ("found", "none") or result.not_checked or result.demonstration:
            continue
        drugs = frozenset(name.casefold() for name in drugs_in(_text(result)))
        if isinstance(result, InteractionReport):
            yield Clear("interaction", drugs, besides=bool(result.interactions) or result.status == "found")
        if isinstance(result, DrugSafetyReport) and result.drug:
            drug = frozenset(name.casefold() for name in (result.drug, *drugs_in(result.drug)))
            held: tuple[Topic, ...] = tuple(_unclear([result]))
            yield from (Clear(topic, drug) for topic in _LABELLED if topic not in held)


_LABELLED: tuple[Topic, ...] = ("contraindication", "boxed", "warning")


def _unclear(results: Iterable[ToolResult]) -> Iterator[Topic]:
    """What some look-up did find, or could not rule out: then no sentence may deny it of everything.

    A label has one place for a boxed warning; contraindications and warnings are all over it, so for those a report
    that found anything else rules out nothing.
    """
    for result in results:
        open_ended = result.status not in ("found", "none") or bool(result.not_checked) or result.demonstration
        if isinstance(result, InteractionReport) and (open_ended or result.interactions):
            yield "interaction"
        if isinstance(result, DrugSafetyReport):
            if open_ended or result.status != "none" or result.contraindications:
                yield "contraindication"
            if open_ended or result.boxed_warnings:
                yield "boxed"
            if open_ended or result.status != "none" or result.boxed_warnings or result.alerts:
                yield "warning"


def _text(result: ToolResult) -> str:
    """Everything a result says, not only what the model was shown."""
    quoted = (part for source in result.sources for part in (source.title, source.url, source.date, source.quote))
    sections = result.sections if isinstance(result, PatientChart) else ()
    headed = (f"{section.title}: {entry}" for section in sections for entry in section.entries)
    shown = (result.text(), *headed, result.message)
    parts = (*shown, *result.warnings, *result.not_checked, *result.suggestions, *quoted)
    return "\n".join(part for part in (*parts, result.data_date) if part)


def _identifiers(results: Iterable[ToolResult]) -> frozenset[str]:
    """The identifiers that came as data rather than in words."""
    found: set[str] = set()
    for result in results:
        if isinstance(result, LiteratureResult):
            found |= {f"PMID:{int(entry.pmid)}" for entry in result.articles if entry.pmid and entry.pmid.isdecimal()}
            found |= {f"DOI:{entry.doi.lower()}" for entry in result.articles if entry.doi}
        if isinstance(result, TrialsResult):
            found |= {trial.nct_id.upper() for trial in result.trials}
    return frozenset(found)


def _amounts(text: str) -> frozenset[tuple[Decimal, str]]:
    return frozenset(form for quantity in quantities(text) for form in quantity.forms)


def _ages(text: str, born: Iterable[Birth], today: date | None) -> frozenset[int]:
    """Ages that the record gives, that follow from a birth date, or that the user said."""
    given = {int(value) for value, unit in _amounts(text) if unit == "year" and value == value.to_integral_value()}
    given |= {int(number) for number in _AGED.findall(text)}
    return frozenset(
        given | ({years for birth in born if (years := age(birth, today)) is not None} if today else set())
    )
