"""What an answer of the register means. Its errors are plain text, and nothing of them is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docgemma.fetch.door import Reply
from docgemma.sources.contract import SourceError
from docgemma.sources.ctgov.record import study_of
from docgemma.sources.trials.contract import PAGE_SIZE, Study
from docgemma.sources.web import accept, json_in, unusable

SERVICE = "ClinicalTrials.gov"
_MOST = 5 * PAGE_SIZE
"""Who sends more has misread the question, and all of it would have to be read."""

_TOKEN = re.compile(r"[\w=.~-]{1,300}", re.ASCII)
_UNKNOWN_NUMBER = re.compile(rb"\s*NCT number NCT\d{8} not found\s*")


@dataclass(frozen=True, slots=True)
class Page:
    """The trials that came. `total` only on a first page; `token` only where another page follows."""

    studies: tuple[Study, ...]
    total: int | None = None
    token: str = ""


def is_final(reply: Reply) -> bool:
    """An error that asking again will not change."""
    return 400 <= reply.status < 500 and reply.status != 429


def read_first(reply: Reply) -> Page | None:
    """The first page; None when the register itself counts no trial. Raises SourceError for everything else."""
    found = _object(reply)
    page = _page(found)
    if page.studies:
        return page
    if found["studies"] or page.token or page.total != 0:
        raise unusable(SERVICE)
    return None


def read_next(reply: Reply) -> Page | None:
    """A later page, which has no count; None where there is nothing left."""
    found = _object(reply)
    page = _page(found)
    if not page.studies and (found["studies"] or page.token):
        raise unusable(SERVICE)
    return page if page.studies else None


def read_one(reply: Reply) -> Study | None:
    """One trial by its number; None when the register says itself that there is none of this number."""
    if reply.status == 404 and _UNKNOWN_NUMBER.fullmatch(reply.body[:200]):
        return None
    _refuse(reply)
    study = study_of(json_in(reply))
    if study is None:
        raise unusable(SERVICE)
    return study


def _object(reply: Reply) -> Mapping[str, Any]:
    _refuse(reply)
    found = json_in(reply)
    if not isinstance(found, dict) or not isinstance(found.get("studies"), list):
        raise unusable(SERVICE)
    return found


def _refuse(reply: Reply) -> None:
    if reply.status == 400:
        raise SourceError(
            "invalid_response", f"{SERVICE} did not understand the question. Name the condition in plain words."
        )
    accept(SERVICE, reply)


def _page(found: Mapping[str, Any]) -> Page:
    studies = {study.nct_id: study for raw in found["studies"][:_MOST] if (study := study_of(raw))}
    total, token = found.get("totalCount"), found.get("nextPageToken")
    known = isinstance(total, int) and not isinstance(total, bool) and total >= len(studies)
    return Page(
        tuple(studies.values()),
        total if known else None,
        token if isinstance(token, str) and _TOKEN.fullmatch(token) else "",
    )
