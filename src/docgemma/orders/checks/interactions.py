"""An order against every medicine that is taken, by the labels and the shipped table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from docgemma.drugs.checks import DrugChecks, InteractionCheck, Pair
from docgemma.drugs.model import Interaction, Severity
from docgemma.drugs.rules.outcome import opened, resting_on
from docgemma.orders.checks.lines import cut, line, listed
from docgemma.orders.checks.taken import MEDICINES, references_of, unnamed
from docgemma.orders.facts import Facts, Recorded
from docgemma.orders.model import Check, CheckOutcome, Prescription

_GRADES: tuple[Severity | None, ...] = ("contraindicated", "major", "moderate", None, "minor")
_OTHER = "the other medicine"


async def check_interactions(
    drugs: DrugChecks, draft: Prescription, facts: Facts, *, ends_at: float
) -> tuple[Check, ...]:
    """What is taken is compared ingredient by ingredient: a combination is as dangerous as each of its parts."""
    if not draft.ingredients:
        return (line("interaction", "not_checked", "Without known ingredients no interaction can be looked for."),)
    holding = _holding(facts.medications, draft)
    found: list[Check] = []
    if holding:
        name, parts = draft.medication, draft.ingredients
        looked_up = await drugs.against(name, parts, tuple(holding), ends_at=ends_at)
        found += [*_told(looked_up, holding), *_unchecked(looked_up), *_unnamed(draft, looked_up)]
    unclear = [entry for entry in facts.medications if entry.unknown]
    if unclear:
        why = unnamed(unclear)
        found.append(line("interaction", "not_checked", why, *references_of(unclear), gap=why))
    if not found and not facts.gaps & MEDICINES:
        text = "No other medicine is on the list. Medicines bought without prescription may be missing."
        found.append(line("interaction", "passed", text))
    return tuple(found)


def _holding(entries: Iterable[Recorded], draft: Prescription) -> dict[str, list[Recorded]]:
    """Each ingredient that is taken → the entries that hold it. The order's own are duplicates, no pairs."""
    found: dict[str, list[Recorded]] = {}
    for entry in entries:
        for part in entry.ingredients:
            if part not in draft.ingredients:
                found.setdefault(part, []).append(entry)
    return found


def _told(check: InteractionCheck, holding: dict[str, list[Recorded]]) -> Iterator[Check]:
    """The gravest first, one line a pair."""
    found = [(pair, _worst(pair)) for pair in check.pairs]
    told = [(pair, worst) for pair, worst in found if worst is not None]
    for pair, worst in sorted(told, key=lambda each: _GRADES.index(each[1].severity)):
        entries = holding.get(pair.drugs[1], [])
        outcome: CheckOutcome = "hard_stop" if worst.severity == "contraindicated" else "warning"
        yield line("interaction", outcome, _sentence(pair, worst, entries), *references_of(entries), *_basis(worst))


def _worst(pair: Pair) -> Interaction | None:
    """What the card shows of a pair. A label that saw no effect says nothing against the order."""
    found = [each for each in pair.found if not each.no_effect]
    return min(found, key=lambda each: _GRADES.index(each.severity), default=None)


def _sentence(pair: Pair, found: Interaction, entries: Sequence[Recorded]) -> str:
    other = pair.drugs[1]
    names = list(dict.fromkeys(entry.name for entry in entries))
    taken = listed(names) if names else other
    what = f"{opened(found.severity)} interaction" if found.severity else "Interaction"
    via = f" ({found.via})" if found.via else ""
    quote = f" Label: “{cut(found.statement.text)}”" if found.statement else ""
    means = " ".join(part for part in (found.meaning, found.mechanism) if part)
    return f"{what} of {pair.drugs[0]} with {taken}{via}. {means}{quote}"


def _basis(found: Interaction) -> Iterator[str]:
    if found.statement:
        label = found.statement.label
        yield ", ".join(part for part in (label.title, found.statement.section, label.effective) if part)
    if found.basis:
        yield resting_on(f"interaction table of this software ({found.basis})")
    elif found.statement and not found.statement.label.full:
        yield resting_on("")


def _unchecked(check: InteractionCheck) -> Iterator[Check]:
    """One line a reason: twenty lines that say the same are not read."""
    lines: dict[str, list[str]] = {}
    for pair in check.pairs:
        if pair.why:
            lines.setdefault(pair.why.replace(pair.drugs[1], _OTHER), []).append(pair.drugs[1])
    for why, others in lines.items():
        yield line("interaction", "not_checked", f"Not checked with {listed(list(dict.fromkeys(others)))}: {why}.")


def _unnamed(draft: Prescription, check: InteractionCheck) -> Iterator[Check]:
    """Pairs of which full labels say nothing, or that no effect was seen."""
    silent = [pair.drugs[1] for pair in check.pairs if not pair.why and _worst(pair) is None]
    if silent:
        text = f"The labels of {draft.medication} and of {listed(silent)} name no interaction of the two."
        titles = dict.fromkeys(label.title for read in check.read[:1] for label in read.labels)
        yield line("interaction", "passed", text, *titles, resting_on("classes by shipped tables"))
