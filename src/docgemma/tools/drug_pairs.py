"""What an interaction check found, as the tool reports it: the gravest pair first, and every pair accounted for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from docgemma.clinical import ErrorType, Origin, Source, Status
from docgemma.drugs.checks import InteractionCheck, Pair
from docgemma.drugs.model import Interaction, Severity, Statement
from docgemma.drugs.reading import Read
from docgemma.sources.contract import Label
from docgemma.sources.starter import STARTER_DATE
from docgemma.tools import results as r

LONGEST_QUOTE = 600
QUOTES_A_PAIR = 2
TABLE = "Interaction table of this software, not reviewed by a clinician"
_GRADES: tuple[Severity | None, ...] = ("contraindicated", "major", "moderate", None, "minor")


def report(check: InteractionCheck) -> r.InteractionReport:
    """Found where any pair was; `none` only where every pair was looked for in full labels."""
    pairs = sorted(check.pairs, key=_gravity)
    shown = [interaction for pair in pairs for interaction in _best(pair, len(pairs))]
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
        sources=tuple(_sources(shown, check.read)),
        warnings=check.duplicates,
        not_checked=(*_unchecked(unread), *_unread_labels(check)),
        flagged=len({passage for read in check.read for passage in read.flagged}),
    )


def withheld_report(names: Sequence[str]) -> r.InteractionReport:
    """For names that together tell whom the question is about."""
    return r.InteractionReport(
        status="unavailable",
        error_type="patient_data",
        message="The names of the drugs hold a patient's name, id or birth date, so nothing was asked or checked.",
        not_checked=tuple(f"{one} with {other}" for one, other in combinations(names, 2)),
    )


def whole(label: Label) -> Source:
    """A label that was read, without saying where in it."""
    return Source(kind="label", title=label.title, url=label.url, date=label.effective)


def _gravity(pair: Pair) -> int:
    """The worst first; one without a stated severity stands before the minor ones."""
    if not pair.found or all(each.no_effect for each in pair.found):
        return len(_GRADES)
    return min(_GRADES.index(each.severity) for each in pair.found if not each.no_effect)


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
    failure = next((read.failure for read in check.read if not read.full and read.failure), "")
    because = f" ({failure})" if failure else ""
    return f"Interactions between {listed} were not checked: {'; '.join(whys[:3])}{because}."


def _unchecked(unread: Sequence[Pair]) -> Iterator[str]:
    """Pairs of one drug that share a reason in one line: twenty lines that say the same are not read."""
    lines: dict[tuple[str, str], list[str]] = {}
    for pair in unread:
        lines.setdefault((pair.drugs[0], pair.why), []).append(pair.drugs[1])
    for (one, why), others in lines.items():
        yield f"{one} with {_listed(others)}: {why}"


def _unread_labels(check: InteractionCheck) -> Iterator[str]:
    """The drugs whose labels were not read in full, in one line: there may be more to find in them.

    Several failures have one cause more often than not, so the first is told.
    """
    both = list(zip(check.named, check.read, strict=True))
    for failed in (True, False):
        unread = [(named, read) for named, read in both if not read.full and bool(read.failure) == failed]
        names = [named.drug.name for named, read in unread if read.labels or failed]
        if names:
            why = f": {unread[0][1].failure}" if failed else ""
            yield f"The current label{'s' if len(names) > 1 else ''} of {_listed(names)}{why}"


def _sources(found: Sequence[Interaction], read: Iterable[Read]) -> Iterator[Source]:
    yield from (_quoted(each.statement) for each in found if each.statement)
    for each in found:
        if each.basis:
            title = f"{TABLE}: {' with '.join(each.drugs)} ({each.basis})"
            yield Source(kind="knowledge", title=title, date=STARTER_DATE, quote=each.meaning)
    if not found:
        yield from (whole(label) for each in read for label in each.labels if label.full)


def _quoted(statement: Statement) -> Source:
    label = statement.label
    return whole(label).model_copy(
        update={"title": f"{label.title}: {statement.section}", "quote": _cut(statement.text)}
    )


def _origin(read: Iterable[Read], found: Sequence[Interaction]) -> Origin | None:
    quoted = [each.statement.label for each in found if each.statement]
    for each in read:
        if each.origin and (not found or any(label in each.labels for label in quoted)):
            return each.origin
    return "pack" if found else None


def _oldest(read: Iterable[Read]) -> str | None:
    return min((each.data_date for each in read if each.data_date), default=None)


def _words(pair: Pair) -> str:
    return " with ".join(pair.drugs)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE].rsplit(" ", 1)[0] + " …"
