"""Articles and trials in the shapes of their services, in small, and packs built from them. All of it is invented."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docgemma.sources.literature import contract as literature
from docgemma.sources.pack.build import Built
from docgemma.sources.pack.documents.articles import Articles
from docgemma.sources.pack.documents.recipe import build
from docgemma.sources.pack.documents.trials import Trials
from docgemma.sources.pack.reader import open_literature_packs, open_trial_packs
from docgemma.sources.trials import contract as trials
from tests.sources.asking import soon

Record = dict[str, Any]
DAY = "2024-06-01"


def article(pmid: int, title: str, abstract: str = "", **more: Any) -> Record:
    """A result of Europe PMC's search, core. `types`, `terms`, `year`, `revised` have names of their own here."""
    types = more.pop("types", ["Journal Article"])
    terms, year = more.pop("terms", []), more.pop("year", 2020)
    return {
        "id": str(pmid),
        "source": "MED",
        "pmid": str(pmid),
        "doi": f"10.5555/own.{pmid}",
        "title": title,
        "abstractText": abstract,
        "journalInfo": {"yearOfPublication": year, "journal": {"title": "Annals of Invented Medicine"}},
        "pubYear": str(year),
        "pubTypeList": {"pubType": types},
        "meshHeadingList": {"meshHeading": [{"descriptorName": term} for term in terms]},
        "citedByCount": pmid % 50,
        "firstPublicationDate": f"{year}-03-02",
        "dateOfRevision": more.pop("revised", DAY),
        **more,
    }


def page(results: Sequence[Any], result_type: str = "core") -> Record:
    return {
        "version": "6.9",
        "hitCount": len(results),
        "request": {"queryString": "x", "resultType": result_type, "pageSize": 1000},
        "resultList": {"result": list(results)},
    }


def citation(pmid: int, title: str, abstract: str = "", **more: Any) -> str:
    """A PubmedArticle, with what stands for a reference to another one."""
    year, month, day = more.get("revised", DAY).split("-")
    types = "".join(f"<PublicationType>{kind}</PublicationType>" for kind in more.get("types", ["Journal Article"]))
    refers = "".join(
        f'<CommentsCorrections RefType="{kind}"><PMID Version="1">{other}</PMID></CommentsCorrections>'
        for kind, other in more.get("refers", ())
    )
    return (
        f'<PubmedArticle><MedlineCitation><PMID Version="{more.get("version", 1)}">{pmid}</PMID>'
        f"<DateRevised><Year>{year}</Year><Month>{month}</Month><Day>{day}</Day></DateRevised>"
        f"<Article><Journal><JournalIssue><PubDate><Year>{more.get('year', 2020)}</Year></PubDate></JournalIssue>"
        f"<ISOAbbreviation>Ann Inv Med</ISOAbbreviation></Journal><ArticleTitle>{title}</ArticleTitle>"
        f"<Abstract><AbstractText>{abstract}</AbstractText></Abstract>"
        f"<PublicationTypeList>{types}</PublicationTypeList></Article>"
        f"<CommentsCorrectionsList>{refers}</CommentsCorrectionsList></MedlineCitation></PubmedArticle>"
    )


def pubmed(*children: str, deleted: Sequence[int] = ()) -> bytes:
    gone = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in deleted)
    last = f"<DeleteCitation>{gone}</DeleteCitation>" if deleted else ""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2026//EN" '
        '"https://dtd.example.org/pubmed_260101.dtd">\n'
        f"<PubmedArticleSet>\n{''.join(children)}{last}</PubmedArticleSet>\n"
    ).encode()


def trial(number: int, title: str, *conditions: str, **more: Any) -> Record:
    """A study as the register gives it."""
    who = {"sex": more.get("sex", "ALL"), "eligibilityCriteria": "Inclusion Criteria: adults."}
    who |= {key: more[name] for name, key in (("least", "minimumAge"), ("most", "maximumAge")) if name in more}
    sites = [dict(zip(("facility", "city", "state", "country"), site, strict=True)) for site in more.get("sites", ())]
    return {
        "protocolSection": {
            "identificationModule": {"nctId": f"NCT{number:08}", "briefTitle": title},
            "statusModule": {
                "overallStatus": more.get("status", "RECRUITING"),
                "lastUpdatePostDateStruct": {"date": more.get("updated", DAY)},
            },
            "descriptionModule": {"briefSummary": more.get("summary", "An invented trial.")},
            "conditionsModule": {"conditions": list(conditions), "keywords": more.get("keywords", [])},
            "designModule": {"studyType": "INTERVENTIONAL", "phases": more.get("phases", ["PHASE2"])},
            "armsInterventionsModule": {"interventions": [{"name": name} for name in more.get("drugs", ())]},
            "eligibilityModule": who,
            "contactsLocationsModule": {"locations": [{**site, "status": "RECRUITING"} for site in sites]},
        },
        "hasResults": False,
    }


def lines(records: Sequence[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def put(path: Path, data: bytes | Record | Sequence[Any]) -> Path:
    """As JSON unless it is bytes; gzipped when its name says so."""
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content) if path.name.endswith(".gz") else content)
    return path


def build_articles(folder: Path, *files: Path) -> Built:
    return build(Articles(), files, folder)


def build_trials(folder: Path, *files: Path) -> Built:
    return build(Trials(), files, folder)


def articles(folder: Path, records: Sequence[Any]) -> Built:
    """A pack of these, in the folder of packs."""
    return build_articles(folder, put(folder.parent / "in" / "page.json", page(records)))


def registered(folder: Path, records: Sequence[Any]) -> Built:
    return build_trials(folder, put(folder.parent / "in" / "studies.json", {"studies": list(records)}))


async def search(folder: Path, *concepts: Sequence[str] | str, **more: Any) -> literature.Papers | None:
    """What the pack that is in use says."""
    phrasings = tuple((one,) if isinstance(one, str) else tuple(one) for one in concepts)
    (pack,) = open_literature_packs(folder)
    try:
        return await pack.search(literature.Sought(phrasings, **more), ends_at=soon())
    finally:
        await pack.close()


async def find(folder: Path, condition: str, **more: Any) -> trials.Studies | None:
    (pack,) = open_trial_packs(folder)
    try:
        return await pack.search(trials.Sought(condition, **more), ends_at=soon())
    finally:
        await pack.close()


def pmids(found: literature.Papers | None) -> list[int]:
    return [] if found is None else [int(paper.pmid) for paper in found.papers]


def numbers(found: trials.Studies | None) -> list[int]:
    return [] if found is None else [int(study.nct_id[3:]) for study in found.studies]
