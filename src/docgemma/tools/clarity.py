"""Names and amounts that have to be cleared up with the user before a call is made.

A near miss is offered, never taken: the wrong drug's label answers a question nobody asked, and the wrong drug in an
order harms someone. What the user then picks is theirs.
"""

from __future__ import annotations

from collections.abc import Collection

from docgemma.clinical import ErrorType, ToolResult
from docgemma.entities.amounts.traps import check_amounts
from docgemma.entities.drugs.spelling import Resolution, resolve
from docgemma.tools.arguments import Arguments, DrugInteractionArgs, DrugSafetyArgs, PrescribeMedicationArgs
from docgemma.tools.registry import Tool

_WHY = {
    "disguised": "“{name}” is written with characters that look like others.",
    "shorthand": "“{name}” is shorthand, and shorthand is misread.",
}


def unclear(tool: Tool, arguments: Arguments, *, confirmed: Collection[str] = ()) -> ToolResult | None:
    """What must be asked first, as an `invalid` result of this tool; None when nothing is unclear.

    `confirmed` are names the user stands by as written. An order needs a name in full that is known to the
    dictionary: one that does not resolve to ingredients could not be checked against allergies.
    """
    match arguments:
        case PrescribeMedicationArgs():
            return _order(tool, arguments)
        case DrugSafetyArgs():
            field, names = "drug_name", [arguments.drug_name]
        case DrugInteractionArgs():
            field, names = "drug_names", arguments.drug_names
        case _:
            return None
    for name in names:
        found = resolve(name)
        if name not in confirmed and found.kind in ("near", "disguised"):
            return _which_drug(tool, name, found, field)
    return None


def _order(tool: Tool, order: PrescribeMedicationArgs) -> ToolResult | None:
    drug = resolve(order.medication_name)
    unsafe = check_amounts(order.medication_name, order.dosage, order.frequency)
    if unsafe is not None and unsafe[0] == "medication_name":
        meant = unsafe[1].meaning
        suggestions = (meant,) if meant else drug.suggestions
        return _asked(tool, "ambiguous_drug_name", unsafe[1].question, "medication_name", suggestions)
    if drug.kind == "unknown":
        why = f"“{order.medication_name}” is not a drug name I know, so it cannot be checked. What is its generic name?"
        return _asked(tool, "ambiguous_drug_name", why, "medication_name")
    if drug.kind != "known":
        return _which_drug(tool, order.medication_name, drug, "medication_name")
    if unsafe is not None:
        field, trap = unsafe
        suggestions = (trap.meaning,) if trap.meaning else ()
        return _asked(tool, "unclear_amount", trap.question, field, suggestions)
    return None


def _which_drug(tool: Tool, name: str, found: Resolution, field: str) -> ToolResult:
    why = _WHY.get(found.kind, "“{name}” is not a drug name I know.").format(name=name)
    names = found.suggestions or (found.name,)
    return _asked(tool, "ambiguous_drug_name", f"{why} Did you mean {' or '.join(names)}?", field, names)


def _asked(tool: Tool, error: ErrorType, question: str, field: str, suggestions: tuple[str, ...] = ()) -> ToolResult:
    """The answer may be one of the suggestions or any other value of the field."""
    return tool.result(status="invalid", error_type=error, message=question, missing=(field,), suggestions=suggestions)
