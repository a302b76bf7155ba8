"""Names and amounts that have to be cleared up with the user before a call is made.

A near miss is offered, never taken: the wrong drug's label answers a question nobody asked, and the wrong drug in an
order harms someone. What the user then picks is theirs.
"""

from __future__ import annotations

from collections.abc import Collection

from docgemma.clinical import ToolResult
from docgemma.entities.drug_spelling import Resolution, resolve
from docgemma.entities.traps import dosage_trap, frequency_trap
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
            names = [arguments.drug_name]
        case DrugInteractionArgs():
            names = arguments.drug_names
        case _:
            return None
    for name in names:
        found = resolve(name)
        if name not in confirmed and found.kind in ("near", "disguised"):
            return _which_drug(tool, name, found)
    return None


def _order(tool: Tool, order: PrescribeMedicationArgs) -> ToolResult | None:
    drug = resolve(order.medication_name)
    if drug.kind == "unknown":
        return tool.result(
            status="invalid",
            error_type="drug_not_in_database",
            message=f"“{order.medication_name}” is not a drug name I know, so it cannot be checked and was not ordered. "
            "Give its generic name.",
        )
    if drug.kind != "known":
        return _which_drug(tool, order.medication_name, drug)
    traps = {"dosage": dosage_trap(order.dosage), "frequency": frequency_trap(order.frequency)}
    for field, trap in traps.items():
        if trap is not None:
            return tool.result(
                status="invalid",
                error_type="unclear_amount",
                message=trap.question,
                missing=(field,),
                suggestions=(trap.meaning,) if trap.meaning else (),
            )
    return None


def _which_drug(tool: Tool, name: str, found: Resolution) -> ToolResult:
    why = _WHY.get(found.kind, "“{name}” is not a drug name I know.").format(name=name)
    return tool.result(status="invalid", error_type="ambiguous_drug_name", message=why, suggestions=found.suggestions or (found.name,))
