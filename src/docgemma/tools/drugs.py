"""The two drug checks as the tools give them: typed results, each finding with its section, date and link.

What was not read is named. Nothing here turns "not read" into "not there".
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

from docgemma.clinical import People, Source, ends_at, withheld
from docgemma.drugs.checks import DrugChecks, SafetyCheck
from docgemma.drugs.labels.findings import cut
from docgemma.drugs.model import Statement
from docgemma.drugs.naming import Named
from docgemma.fetch.privacy import reveals
from docgemma.sources.contract import Label
from docgemma.tools import arguments as a
from docgemma.tools import drug_pairs
from docgemma.tools import results as r

SHARE = 0.9
"""Of the time that the caller waits: the rest is for handing the answer over."""

LONGEST = 300
"""Letters of a sentence on alcohol, food or vaccines."""


class Drugs:
    """Checks over the sources of this installation. `deadline_s` holds where the caller names none."""

    def __init__(self, checks: DrugChecks, *, deadline_s: float = 10) -> None:
        self.checks = checks
        self._deadline_s = deadline_s

    async def safety(self, args: a.DrugSafetyArgs) -> r.DrugSafetyReport:
        """Boxed warnings, contraindications, warnings, special groups, and what not to take with one drug."""
        check = await self.checks.safety(args.drug_name, ends_at=self._until())
        if not check.read.labels:
            return _not_read(check)
        found, read = check.findings, check.read
        people = list(_once_more(check))
        statements = (*found.boxed, *found.contraindications, *found.warnings, *(each for _, each in people))
        if not statements:
            return _without_warnings(check)
        return r.DrugSafetyReport(
            status="found",
            origin=read.origin,
            data_date=read.data_date,
            demonstration=read.demonstration,
            drug=_shown(check.named),
            boxed_warnings=_texts(found.boxed),
            contraindications=_texts(found.contraindications),
            alerts=_texts(found.warnings),
            populations=tuple(f"{word}: {cut(each.text, LONGEST)}" for word, each in people),
            read=_read_in_words(check),
            sources=_by_section(statements),
            not_checked=_unread_label(check),
            flagged=len(read.flagged),
        )

    async def interactions(self, args: a.DrugInteractionArgs) -> r.InteractionReport:
        """Every pair: what the labels or the shipped table say, that neither label speaks of it, or not checked."""
        # Each name goes out by itself: a person's name in two of them is seen only here.
        if reveals(" ".join(args.drug_names), withheld.get(People())):
            return drug_pairs.withheld_report(args.drug_names)
        check = await self.checks.interactions(args.drug_names, ends_at=self._until())
        unclear = next((named for named in check.named if named.suggestions), None)
        if unclear is None:
            return drug_pairs.report(check)
        return r.InteractionReport(
            status="invalid",
            error_type="ambiguous_drug_name",
            message=_which(unclear),
            missing=("drug_names",),
            suggestions=unclear.suggestions,
        )

    def _until(self) -> float:
        now = asyncio.get_running_loop().time()
        return now + (ends_at.get(now + self._deadline_s) - now) * SHARE


def _not_read(check: SafetyCheck) -> r.DrugSafetyReport:
    named, read = check.named, check.read
    if named.suggestions:
        return r.DrugSafetyReport(
            status="invalid",
            error_type="ambiguous_drug_name",
            message=_which(named),
            missing=("drug_name",),
            suggestions=named.suggestions,
        )
    name = named.drug.name
    if read.error_type is None:
        return r.DrugSafetyReport(
            status="not_found",
            error_type="drug_not_in_database",
            message=f"No label of “{name}” was found. Check the spelling, or give the generic name.",
            not_checked=(f"Warnings and contraindications of {name}",),
        )
    return r.DrugSafetyReport(
        status="unavailable",
        error_type=read.error_type,
        message=f"The safety of {name} was not checked: {read.failure}.",
        not_checked=(f"Warnings and contraindications of {name}",),
    )


def _without_warnings(check: SafetyCheck) -> r.DrugSafetyReport:
    """A whole label without any of it is rare and says little; half a label says nothing at all."""
    name, read = check.named.drug.name, check.read
    return r.DrugSafetyReport(
        status="none" if read.full else "unavailable",
        error_type=None if read.full else "invalid_response",
        drug=name,
        origin=read.origin,
        data_date=read.data_date,
        demonstration=read.demonstration,
        message=f"The label of {name} that was read holds no boxed warning, contraindication or warning section.",
        sources=tuple(drug_pairs.whole(label) for label in read.labels),
        not_checked=() if read.full else (f"Warnings and contraindications of {name}",),
        flagged=len(read.flagged),
    )


def _once_more(check: SafetyCheck) -> Iterator[tuple[str, Statement]]:
    """On groups of people and on what is taken beside the drug, each with its word, without what stands above it."""
    found = check.findings
    said = [_start(each.text) for each in (*found.boxed, *found.contraindications, *found.warnings)]
    for word, each in (*((each.section, each) for each in found.populations), *check.intake):
        start = _start(each.text)
        if not any(start.startswith(other) or other.startswith(start) for other in said):
            said.append(start)
            yield word, each


def _start(text: str) -> str:
    """Without the mark of a sentence that was cut: the same one may be cut elsewhere in another place."""
    return text.removesuffix("…").rstrip()


def _read_in_words(check: SafetyCheck) -> str:
    """What the findings rest on; where a boxed warning was looked for in vain, that; and that there is more to read."""
    read = check.read
    more = "There is more in these sections than is shown here. " if check.findings.more else ""
    if read.demonstration:
        boxed = "" if check.findings.boxed else "No boxed warning is listed in this entry; compare the current label.\n"
        entries = "the demonstration entry" if len(read.labels) == 1 else "the demonstration entries of its parts"
        return f"{boxed}{more}Read: {entries}."
    boxed = "" if check.findings.boxed else "No boxed warning on the labels that were read.\n"
    many = "1 label" if len(read.labels) == 1 else f"{len(read.labels)} labels"
    dates = sorted(label.effective for label in read.labels if label.effective)
    newest = f", the newest of {dates[-1]}" if dates else ""
    return f"{boxed}{more}Read: {many} from {read.source}{newest}."


def _unread_label(check: SafetyCheck) -> tuple[str, ...]:
    """An entry of the demonstration pack stands in for the label, and says so."""
    if check.read.full:
        return ()
    why = f": {check.read.failure}" if check.read.failure else ""
    return (f"The current label of {check.named.drug.name}{why}",)


def _shown(named: Named) -> str:
    """A brand with what is in it."""
    parts = ", ".join(named.drug.ingredients)
    return named.drug.name if parts in (named.drug.name, named.asked.lower()) else f"{named.drug.name} ({parts})"


def _which(named: Named) -> str:
    why = "is written with characters that look like others" if named.disguised else "is not a drug name I know"
    return f"“{named.asked}” {why}. Did you mean {' or '.join(named.suggestions)}?"


def _by_section(statements: Iterable[Statement]) -> tuple[Source, ...]:
    """One source for each section of each label, with all that was taken from it, each sentence once."""
    taken: dict[tuple[Label, str], dict[str, None]] = {}
    for each in statements:
        taken.setdefault((each.label, each.section), {})[each.text] = None
    return tuple(
        drug_pairs.whole(label).model_copy(
            update={"title": f"{label.title}: {section}", "quote": " … ".join(texts)},
        )
        for (label, section), texts in taken.items()
    )


def _texts(statements: Iterable[Statement]) -> tuple[str, ...]:
    return tuple(each.text for each in statements)
