"""The door: a text and the places of its entities in, what stands beside each of them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.grounding.attributes.binding import bind
from docgemma.grounding.attributes.coordination import Span
from docgemma.grounding.attributes.folding import folded
from docgemma.grounding.attributes.negation import negated
from docgemma.grounding.attributes.terms import Term, decimal, terms
from docgemma.grounding.attributes.timing import excepted, place_windows
from docgemma.grounding.attributes.windows import Timed, windows
from docgemma.grounding.contract import Quantity, Window
from docgemma.terminology.contract import EntityType

_TWO_VALUES = "More than one comparison stands beside it; only the first is given."
_TWO_TIMES = "More than one time stands beside it; only the first is given."
_EXCEPTION = "It stands in an exception: whether it is asked for or let through is for a person to say."


@dataclass(frozen=True, slots=True)
class Attributes:
    """What the text says about one entity. `doubt`: why a person should look, in one sentence."""

    negated: bool = False
    quantity: Quantity | None = None
    window: Window | None = None
    doubt: str = ""


def attributes(text: str, spans: Sequence[tuple[int, int, EntityType]]) -> list[Attributes]:
    """One record per span, in the order given. A span that lies outside of the text has no attributes."""
    plain = folded(text)
    order = sorted(
        (at for at, span in enumerate(spans) if 0 <= span[0] < span[1] <= len(text)), key=lambda at: spans[at]
    )
    placed: list[Span] = [spans[at] for at in order]
    every = terms(plain, text)
    timed = windows(plain, text, every)
    explicit = [one for one in timed if one.explicit]
    bound, used = bind(plain, placed, [term for term in every if not _in_window(term, explicit)])
    times = place_windows(plain, placed, [one for one in timed if not _is_used(one, used)])
    masked = [(term.start, term.end) for term in every]
    absent = negated(plain, placed, frozenset(bound), masked)
    let_through = {at for at in range(len(placed)) if excepted(plain, placed, at, unless=True)}
    made = {
        place: _made(absent[at], bound.get(at, ()), times.get(at, ()), at in let_through)
        for at, place in enumerate(order)
    }
    return [made.get(at, Attributes()) for at in range(len(spans))]


def _in_window(term: Term, explicit: Sequence[Timed]) -> bool:
    """Numbers inside of a time, its anchor too, compare nothing else."""
    return any(one.start <= term.number < one.end for one in explicit)


def _is_used(one: Timed, used: set[Term]) -> bool:
    return any(one.start <= term.number < one.end for term in used)


def _made(absent: bool, found: Sequence[Term], mine: Sequence[Window], let_through: bool) -> Attributes:
    quantity, sure = _combined(found)
    doubts = [] if sure else [_TWO_VALUES]
    if len({one.text for one in mine}) > 1:
        doubts.append(_TWO_TIMES)
    if let_through:
        doubts.append(_EXCEPTION)
    return Attributes(absent, quantity, mine[0] if mine else None, " ".join(doubts))


def _combined(found: Sequence[Term]) -> tuple[Quantity | None, bool]:
    """One comparison; a lower and an upper bound become a range. False where others are left over."""
    if not found:
        return None, True
    distinct = (
        list(dict.fromkeys((term.quantity() for term in found), None)) if len(found) > 1 else [found[0].quantity()]
    )
    if len(distinct) == 1:
        return distinct[0], True
    low = [one for one in distinct if one.comparator in (">", ">=")]
    high = [one for one in distinct if one.comparator in ("<", "<=")]
    if len(distinct) == 2 and low and high and (not low[0].unit or not high[0].unit or low[0].unit == high[0].unit):
        least, most = decimal(low[0].value), decimal(high[0].value)
        if least is not None and most is not None and least < most:
            unit = low[0].unit or high[0].unit
            return Quantity(comparator="between", value=low[0].value, upper=high[0].value, unit=unit), True
    return distinct[0], False
