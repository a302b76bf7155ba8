"""What the model and the user are told when a look-up failed: plain words, never the raw error.

A small model that sees a raw error answers from memory instead; one that sees such a sentence repeats it.
"""

from __future__ import annotations

from docgemma.clinical import ToolResult

ERROR_TEMPLATES: dict[str, str] = {
    "timeout": "The {tool_label} was temporarily unavailable. Please try again shortly.",
    "not_found": "No results were found for {entity} in the {tool_label}.",
    "invalid_args": "The request to {tool_label} could not be completed — additional information is needed.",
    "rate_limit": "The {tool_label} is temporarily busy. The system will retry automatically.",
    "server_error": "The {tool_label} experienced a temporary error. The system will retry automatically.",
    "service_unavailable": "{tool_label} is currently unavailable.",
    "not_configured": "The {tool_label} is not set up on this system.",
    "invalid_response": "The {tool_label} gave an answer that could not be read.",
    "patient_data": "The {tool_label} was not asked: the question names a patient.",
    "drug_not_in_database": "{entity} was not found in the drug database.",
    "missing_required_args": "I need more information: {fields}",
    "multiple_patient_matches": "I found {n} patients matching '{entity}'. Which one did you mean? {options}",
    "ambiguous_drug_name": "Did you mean {options}?",
    "unclear_amount": "An amount in the request is not clear.",
    "generic": "The {tool_label} could not be completed.",
}

FINAL_TEMPLATES: dict[str, str] = {
    "rate_limit": "The {tool_label} is temporarily busy. Please try again shortly.",
    "server_error": "The {tool_label} experienced a temporary error. Please try again shortly.",
}
"""The same once nothing will be retried: a promise is made only while it is true."""

_NEED_PATIENT_ID = "I need a patient ID to proceed. Could you provide one?"
_NEED_SOMETHING = "I need more information to complete this request."
_MANY_PATIENTS = "Multiple patients found. Which patient did you mean?"
_WHICH_DRUG = "The drug name is ambiguous. Which drug did you mean?"


def error_text(result: ToolResult, label: str, entity: str, *, final: bool) -> str:
    """The failure in one plain sentence. `entity` is what was looked up, `final` that nobody will try again."""
    kind = _kind(result)
    if kind == "missing_required_args":
        return _missing(result)
    options = [option.label for option in result.options()]
    if kind == "multiple_patient_matches" and len(options) < 2:
        return _MANY_PATIENTS
    if kind == "ambiguous_drug_name" and not options:
        return _WHICH_DRUG
    template = (FINAL_TEMPLATES.get(kind) if final else None) or ERROR_TEMPLATES[kind]
    return template.format(
        tool_label=label,
        entity=entity.strip() or ("The requested drug" if kind == "drug_not_in_database" else "this request"),
        n=len(options),
        options=_either(options) if kind == "ambiguous_drug_name" else "; ".join(options),
    )


def _kind(result: ToolResult) -> str:
    if result.error_type in ERROR_TEMPLATES:
        return result.error_type
    if result.missing:
        return "missing_required_args"
    return {"not_found": "not_found", "invalid": "invalid_args"}.get(result.status, "generic")


def _missing(result: ToolResult) -> str:
    if result.missing == ("patient_id",):
        return _NEED_PATIENT_ID
    if not result.missing:
        return _NEED_SOMETHING
    fields = ", ".join(name.replace("_", " ").replace(" id", " ID") for name in result.missing)
    return ERROR_TEMPLATES["missing_required_args"].format(fields=fields)


def _either(options: list[str]) -> str:
    return options[0] if len(options) == 1 else f"{', '.join(options[:-1])} or {options[-1]}"
