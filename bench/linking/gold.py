"""Mentions with the identifiers that annotators gave them, from PubTator files (BC5CDR, NCBI disease)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from docgemma.terminology.contract import Candidate, EntityType

SHARED = Path(__file__).parents[3] / "shared" / "data" / "linking"
_TEXT = re.compile(r"(\d+)\|([ta])\|(.*)")
_UNKNOWN = "-1"


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention as written, the abstract that it stands in, and what it was annotated with.

    `ids` are all identifiers that were given: `A|B` names two things, `A+B` two ways to name one.
    """

    text: str
    document: str
    type: EntityType
    ids: frozenset[str]
    several: bool


def mentions(path: Path) -> list[Mention]:
    """Those with an identifier, in the order of the file."""
    texts: dict[str, str] = {}
    found: list[tuple[str, str, str, str]] = []
    for line in path.read_text("utf-8").splitlines():
        text = _TEXT.fullmatch(line)
        if text is not None:
            texts[text[1]] = f"{texts[text[1]]} {text[3]}" if text[1] in texts else text[3]
            continue
        fields = line.split("\t")
        if len(fields) >= 6:
            found.append((fields[0], fields[3], fields[4], fields[5]))
    return [
        Mention(text, texts.get(document, ""), "Medication" if kind == "Chemical" else "Condition", ids, "|" in given)
        for document, text, kind, given in found
        if (ids := _ids(given))
    ]


def _ids(given: str) -> frozenset[str]:
    parts = (part.strip().removeprefix("MESH:") for part in re.split(r"[|+]", given))
    return frozenset(part for part in parts if part and part != _UNKNOWN)


def named(candidate_ids: dict[str, tuple[str, ...]]) -> frozenset[str]:
    """The identifiers of a concept in the annotators' vocabularies."""
    omim = (f"OMIM:{number.removeprefix('OMIM:')}" for number in candidate_ids.get("OMIM", ()))
    return frozenset((*candidate_ids.get("MESH", ()), *omim))


def known(candidates: list[Candidate]) -> list[frozenset[str]]:
    """The identifiers of each candidate that has any; the annotators could not have chosen the others."""
    return [ids for candidate in candidates if (ids := named(candidate.ids))]


def sets(paths: list[Path]) -> dict[str, list[Mention]]:
    """Each file, split by type where it has both."""
    parts: dict[str, list[Mention]] = {}
    for path in paths:
        for mention in mentions(path):
            what = "chemical" if mention.type == "Medication" else "disease"
            parts.setdefault(f"{path.stem} {what}", []).append(mention)
    return parts


def default() -> list[Path]:
    """The files of the shared data, where there is any."""
    return sorted(path for path in SHARED.rglob("*.txt") if path.is_file())
