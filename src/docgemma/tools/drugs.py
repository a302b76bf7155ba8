"""The two drug checks as the tools give them: typed results, each finding with its section, date and link.

What was not read is named. Nothing here turns "not read" into "not there".
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence

from docgemma.clinical import ErrorType, Origin, Source, Status, ends_at
from docgemma.drugs.checks import DrugChecks, InteractionCheck, Pair, SafetyCheck
from docgemma.drugs.model import Interaction, Statement
from docgemma.drugs.naming import Named
from docgemma.drugs.reading import Read
from docgemma.sources.contract import Label
from docgemma.sources.starter import STARTER_DATE
from docgemma.tools import arguments as a
from docgemma.tools import results as r

SHARE = 0.9
"""Of the time that the caller waits: the rest is for handing the answer over."""

LONGEST_QUOTE = 600
QUOTES_A_PAIR = 2
TABLE = "Interaction table of this software, not reviewed by a clinician"


class Drugs:
    """Checks over the sources of this installation. `deadline_s` holds where the caller names none."""

    def __init__(self, checks: DrugChecks, *, deadline_s: float = 10) -> None:
        self._checks = checks
        self._deadline_s = deadline_s

    async def safety(self, args: a.DrugSafetyArgs) -> r.DrugSafetyReport:
        """Boxed warnings, contraindications, warnings and special groups of one drug."""
        check = await self._checks.safety(args.drug_name, ends_at=self._until())
        if not check.read.labels:
            return _safety_not_read(check)
        found, read = check.findings, check.read
        statements = (*found.boxed, *found.contraindications, *found.warnings, *found.populations)
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
            populations=tuple(f"{each.section}: {each.text}" for each in found.populations),
            read=_read_in_words(check),
            sources=_by_section(statements),
            not_checked=_unread_label(check),
            flagged=read.flagged,
        )

    async def interactions(self, args: a.DrugInteractionArgs) -> r.InteractionReport:
        """Every pair: what the labels or the shipped table say, that neither label speaks of it, or not checked."""
        check = await self._checks.interactions(args.drug_names, ends_at=self._until())
        unclear = next((named for named in check.named if named.suggestions), None)
        if unclear is not None:
            return r.InteractionReport(
                status="invalid",
                error_type="ambiguous_drug_name",
                message=_which(unclear),
                missing=("drug_names",),
                suggestions=unclear.suggestions,
            )
        shown = [interaction for pair in check.pairs for interaction in _best(pair, len(check.pairs))]
        unread = [pair for pair in check.pairs if pair.why]
        told = bool(shown or check.duplicates)
        return r.InteractionReport(
            status="found" if told else _without_findings(unread),
            error_type=None if told or not unread else _reason(unread),
            message=" ".join(check.duplicates) if told else _nothing_found(check, unread),
            origin=_origin(check.read, shown),
            data_date=_oldest(check.read),
            demonstration=any(read.demonstration for read in check.read) or any(each.basis for each in shown),
            interactions=_interactions(shown),
            unmentioned=tuple(_words(pair) for pair in check.pairs if not pair.found and not pair.why),
            sources=tuple(_interaction_sources(shown, check.read)),
            warnings=check.duplicates,
            not_checked=(*(f"{_words(pair)}: {pair.why}" for pair in unread), *_unread_labels(check, unread)),
            flagged=tuple(dict.fromkeys(passage for read in check.read for passage in read.flagged)),
        )

    def _until(self) -> float:
        now = asyncio.get_running_loop().time()
        return now + (ends_at.get(now + self._deadline_s) - now) * SHARE


def _safety_not_read(check: SafetyCheck) -> r.DrugSafetyReport:
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
        sources=tuple(
            Source(kind="label", title=each.title, url=each.url, date=each.effective) for each in read.labels
        ),
        not_checked=() if read.full else (f"Warnings and contraindications of {name}",),
        flagged=read.flagged,
    )


def _read_in_words(check: SafetyCheck) -> str:
    """What the findings rest on; and, where a boxed warning was looked for in vain, that."""
    read = check.read
    if read.demonstration:
        boxed = "" if check.findings.boxed else "No boxed warning is listed in this entry; compare the current label. "
        return f"{boxed}Read: the demonstration entry."
    boxed = "" if check.findings.boxed else "No boxed warning on the labels that were read. "
    many = "1 label" if len(read.labels) == 1 else f"{len(read.labels)} labels"
    dates = sorted(label.effective for label in read.labels if label.effective)
    newest = f", the newest of {dates[-1]}" if dates else ""
    return f"{boxed}Read: {many} from {read.source}{newest}."


def _unread_label(check: SafetyCheck) -> tuple[str, ...]:
    """An entry of the demonstration pack stands in for the label, and says so."""
    if check.read.full:
        return ()
    why = f": {check.read.failure}" if check.read.failure else ""
    return (f"The current label of {check.named.drug.name}{why}",)


def _unread_labels(check: InteractionCheck, told: Sequence[Pair]) -> tuple[str, ...]:
    """The drugs of found pairs whose labels were not read in full, in one line: there may be more to find in them."""
    both = list(zip(check.named, check.read, strict=True))
    named = [name for pair in told for name in pair.drugs]
    names = [each.drug.name for each, read in both if not read.full and each.drug.name not in named]
    if not names:
        return ()
    failure = next((read.failure for _, read in both if not read.full and read.failure), "")
    why = f": {failure}" if failure else ""
    return (f"The current label{'s' if len(names) > 1 else ''} of {_listed(names)}{why}",)


def _shown(named: Named) -> str:
    """A brand with what is in it."""
    parts = ", ".join(named.drug.ingredients)
    return named.drug.name if parts in (named.drug.name, named.asked.lower()) else f"{named.drug.name} ({parts})"


def _which(named: Named) -> str:
    why = "is written with characters that look like others" if named.disguised else "is not a drug name I know"
    return f"“{named.asked}” {why}. Did you mean {' or '.join(named.suggestions)}?"


def _without_findings(unread: Sequence[Pair]) -> Status:
    if not unread:
        return "none"
    return "not_found" if all(pair.error_type == "drug_not_in_database" for pair in unread) else "unavailable"


def _reason(unread: Sequence[Pair]) -> ErrorType:
    """What passes by itself is named first: then it is worth another try."""
    kinds = [pair.error_type or "not_configured" for pair in unread]
    return next((kind for kind in kinds if kind != "drug_not_in_database"), kinds[0])


def _nothing_found(check: InteractionCheck, unread: Sequence[Pair]) -> str:
    listed = _listed([named.drug.name for named in check.named])
    if not unread:
        return f"The full labels of {listed} do not speak of each other. That does not rule an interaction out."
    whys = list(dict.fromkeys(pair.why for pair in unread))
    return f"Interactions between {listed} were not checked: {'; '.join(whys[:3])}."


def _best(pair: Pair, pairs: int) -> tuple[Interaction, ...]:
    """The best one; where there is room, the best of the other drug's label too."""
    if not pair.found:
        return ()
    first = pair.found[0]
    if pairs > 3 or first.statement is None:
        return (first,)
    others = [each for each in pair.found[1:] if each.statement and each.statement.label is not first.statement.label]
    return (first, *others[: QUOTES_A_PAIR - 1])


def _interactions(found: Sequence[Interaction]) -> tuple[r.Interaction, ...]:
    """What the shipped table knows of a pair stands beside its first quote only."""
    graded: set[tuple[str, str]] = set()
    made: list[r.Interaction] = []
    for each in found:
        again = each.drugs in graded
        graded.add(each.drugs)
        made.append(
            r.Interaction(
                drugs=each.drugs,
                severity=each.severity,
                mechanism=None if again else each.mechanism or None,
                significance=None if again else each.meaning or None,
                quote=_cut(each.statement.text) if each.statement else None,
                via=each.via or None,
                no_effect=each.no_effect,
            )
        )
    return tuple(made)


def _interaction_sources(found: Iterable[Interaction], read: Iterable[Read]) -> Iterator[Source]:
    shown = list(found)
    yield from _sources(each.statement for each in shown if each.statement)
    for each in shown:
        if each.basis:
            pair = " with ".join(each.drugs)
            yield Source(
                kind="knowledge", title=f"{TABLE}: {pair} ({each.basis})", date=STARTER_DATE, quote=each.meaning
            )
    if not shown:
        yield from (_whole(label) for each in read for label in each.labels if label.full)


def _origin(read: Iterable[Read], found: Sequence[Interaction]) -> Origin | None:
    quoted = [each.statement.label for each in found if each.statement]
    for each in read:
        if each.origin and (not found or any(label in each.labels for label in quoted)):
            return each.origin
    return "pack" if found else None


def _oldest(read: Iterable[Read]) -> str | None:
    return min((each.data_date for each in read if each.data_date), default=None)


def _whole(label: Label) -> Source:
    return Source(kind="label", title=label.title, url=label.url, date=label.effective)


def _by_section(statements: Iterable[Statement]) -> tuple[Source, ...]:
    """One source for each section of each label, with all that was taken from it."""
    taken: dict[tuple[Label, str], list[str]] = {}
    for each in statements:
        taken.setdefault((each.label, each.section), []).append(each.text)
    return tuple(
        _whole(label).model_copy(update={"title": f"{label.title}: {section}", "quote": " … ".join(texts)})
        for (label, section), texts in taken.items()
    )


def _sources(statements: Iterable[Statement]) -> Iterator[Source]:
    for each in statements:
        yield Source(
            kind="label",
            title=f"{each.label.title}: {each.section}",
            url=each.label.url,
            date=each.label.effective,
            quote=_cut(each.text),
        )


def _texts(statements: Iterable[Statement]) -> tuple[str, ...]:
    return tuple(each.text for each in statements)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _words(pair: Pair) -> str:
    return " with ".join(pair.drugs)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE].rsplit(" ", 1)[0] + " …"
