"""Tables of what is said and the calls that are expected, and the calls that the rules arrive at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from docgemma.agent.arguments import find
from docgemma.agent.understanding.needs import needs
from docgemma.clinical import Patient
from docgemma.entities import extract
from docgemma.entities.drugs.names import same_drug
from docgemma.tools.registry import ToolName

_TABLES = Path(__file__).parents[1] / "fixtures" / "language"
ON_SCREEN = Patient(id="p-9", banner="Zoe Abara, born 1960-01-01, female")
_LETTERS: dict[ToolName, str] = {
    "check_drug_safety": "S",
    "check_drug_interactions": "I",
    "search_medical_literature": "L",
    "find_clinical_trials": "T",
    "search_patient": "P",
    "get_patient_chart": "C",
}


@dataclass(frozen=True)
class Row:
    said: tuple[str, ...]
    pinned: bool
    calls: tuple[str, ...]


def table(name: str) -> list[Row]:
    rows = []
    for line in (_TABLES / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            said, _, calls = line.rpartition("=>")
            wanted = calls.replace("@pin", "").split(";")
            row = Row(
                tuple(part.strip() for part in said.split("||")),
                "@pin" in calls,
                tuple(call.strip() for call in wanted if call.strip()),
            )
            rows.append(row)
    return rows


def calls(text: str, *, pinned: bool = False, earlier: Sequence[str] = ()) -> list[str]:
    """Each call as a letter and what it is about; a write is "W"."""
    found = extract(text)
    made: list[str] = []
    who = ""
    for need in needs(text, found, has_image=False, patient_known=pinned):
        args = find(
            need.tool,
            need.subject,
            text,
            found,
            earlier=earlier,
            pinned=ON_SCREEN if pinned else None,
            known_ids=["found"] if who else (),
        ).values()
        if need.tool == "search_patient":
            who = str(args.get("name", "?"))
        made.append(_said(need.tool, args, who, list(found.drug_names())))
    return made


def _said(tool: ToolName, args: dict[str, str | list[str]], who: str, drugs: list[str]) -> str:
    letter = _LETTERS.get(tool, "W")
    if letter == "I":
        return f"I:{','.join(args.get('drug_names', drugs))}"
    if letter == "T":
        status = f"/{args['status']}" if "status" in args else ""
        return f"T:{args.get('condition', '?')}{status}"
    if letter == "C":
        patient = args.get("patient_id")
        return f"C:{'-' if patient in (None, ON_SCREEN.id) else who if patient == 'found' else patient}"
    return "W" if letter == "W" else f"{letter}:{next(iter(args.values()), '?')}"


def same(made: Sequence[str], wanted: Sequence[str]) -> bool:
    """The same calls in the same order; drugs under any of their names, those of one check in any order."""
    return len(made) == len(wanted) and all(_alike(*pair) for pair in zip(made, wanted, strict=True))


def _alike(made: str, wanted: str) -> bool:
    if made.casefold() == wanted.casefold():
        return True
    if made[:2] != wanted[:2] or made[0] not in "SI":
        return False
    mine, theirs = made[2:].split(","), wanted[2:].split(",")
    return len(mine) == len(theirs) and all(any(same_drug(one, other) for other in theirs) for one in mine)
