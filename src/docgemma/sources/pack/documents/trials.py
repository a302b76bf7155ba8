"""Trials in a pack: out of the register's own records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from docgemma.sources.ctgov.record import study_of
from docgemma.sources.pack.document import Unreadable
from docgemma.sources.pack.documents.collection import Entry, Indexed, Skipped, TakenBack
from docgemma.sources.pack.documents.content import packed, unpacked
from docgemma.sources.pack.documents.folding import folded, folded_row
from docgemma.sources.pack.documents.studies import BETWEEN, COLUMNS, FACTS, hours, phase_bits
from docgemma.sources.pack.kinds import Kind, build_command
from docgemma.sources.trials.contract import Site, Study
from docgemma.sources.trials.fitting import years_of

_OPEN = frozenset({"RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION", "AVAILABLE"})
_LAST = 99_999_999
_ARTICLE = frozenset({"pubType", "pubTypeList", "authorString", "resultList"})
_LABEL = frozenset({"openfda", "spl_product_data_elements", "results"})


class Trials:
    kind: Kind = "ctgov"
    page = ("studies",)
    columns = COLUMNS
    facts = FACTS

    def read(self, record: Any) -> Iterator[Entry | TakenBack | Skipped]:
        if not isinstance(record, Mapping):
            yield Skipped("not a record")
            return
        _refuse_others(record)
        study = study_of(record)
        if study is None:
            yield Skipped("no number of the register")
        else:
            yield Entry(study.nct_id, study.updated, _order(study), packed(study), study.updated)

    def indexed(self, body: bytes) -> Indexed:
        study = unpacked(body, Study)
        texts = (
            folded(study.title),
            folded_row(study.conditions),
            folded_row(study.keywords),
            folded_row(study.interventions),
            folded_row(map(_address, study.sites), BETWEEN),
        )
        youngest = years_of(study.minimum_age)
        facts = (
            study.status,
            phase_bits(study.phases),
            study.sex,
            None if youngest is None else hours(youngest),
            _too_old(study),
        )
        return Indexed((study.nct_id,), texts, facts)


def _too_old(study: Study) -> int | None:
    """The first age that is above the limit: "up to 17 years" ends on the eighteenth birthday."""
    most = years_of(study.maximum_age)
    unit = years_of(f"1 {study.maximum_age.split()[-1]}") if most is not None else None
    return None if most is None else hours(most + (unit or 0.0))


def _order(study: Study) -> str:
    """Those that somebody may join first, and of them what was told last."""
    told = int(f"{study.updated.replace('-', ''):0<8}"[:8] or 0) if study.updated else 0
    return f"{study.status not in _OPEN:d}{_LAST - told:08}"


def _address(site: Site) -> str:
    return " ".join((site.facility, site.city, site.state, site.country))


def _refuse_others(record: Mapping[str, Any]) -> None:
    if not _ARTICLE.isdisjoint(record):
        command = build_command("europepmc")
        raise Unreadable("holds articles, not trials", f"Build a pack of them with `{command}`.")
    if not _LABEL.isdisjoint(record):
        raise Unreadable("holds drug labels, not trials", f"Build a pack of them with `{build_command('openfda')}`.")
