"""What a search is about, cut cleanly at both ends."""

from __future__ import annotations

import pytest

from docgemma.entities import extract
from docgemma.entities.searches.topics import find_searches, find_topics


def _people(text: str) -> tuple[object, ...]:
    found = extract(text)
    return (*found.patient_ids, *found.person_names)


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("papers on long covid fatigue please", ["long covid fatigue"]),
        ("research on GLP-1 agonists for NAFLD for my patient", ["GLP-1 agonists for NAFLD"]),
        ("pubmed: fecal transplant for C diff", ["fecal transplant for C diff"]),
        ("has anyone studied ivermectin for scabies", ["ivermectin for scabies"]),
        ("evidence that statins prevent dementia, thanks", ["statins prevent dementia"]),
        ("studies on gout in the last 5 years", ["gout"]),
        ("any papers on gout for abc-123", ["gout"]),
        ("papers on delirium and on falls", ["delirium", "falls"]),
        ("studies on apixaban and bleeding", ["apixaban and bleeding"]),
        ("iron studies for abc-123", []),
        ("no evidence of pneumonia", []),
        ("studies show that coffee helps", []),
        ("what is a meta-analysis", []),
    ],
)
def test_a_literature_topic(text: str, topics: list[str]) -> None:
    assert [topic.value for topic in find_topics(text, _people(text))] == topics  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "trials"),
    [
        ("find trials for melanoma, lung cancer and lymphoma", [("melanoma lung cancer lymphoma", None)]),
        ("trials for NSCLC, stage IV", [("NSCLC", None)]),
        ("trials for ALS and for MS", [("ALS MS", None)]),
        (
            "trials for metastatic, castration-resistant prostate cancer",
            [("metastatic, castration-resistant prostate cancer", None)],
        ),
        ("trials not yet recruiting in cystic fibrosis", [("cystic fibrosis", "not yet recruiting")]),
        ("active, not recruiting trials for gout", [("gout", "active")]),
        ("trials for active tuberculosis", [("active tuberculosis", None)]),
        ("open trials for glioblastoma in Texas", [("glioblastoma in Texas", "recruiting")]),
        ("trials for patients with sickle cell disease that are recruiting", [("sickle cell disease", "recruiting")]),
        ("is there a trial she could join for her CKD?", [("CKD", None)]),
        ("find me some trials", [("", None)]),
        ("we did a trial of steroids", []),
        ("trial off oxygen went well", []),
        ("how does a clinical trial work?", []),
        ("randomised trials of prone positioning", []),
    ],
)
def test_a_trial_search(text: str, trials: list[tuple[str, str | None]]) -> None:
    found = [search for search in find_searches(text) if search.kind == "trials"]
    assert [
        (" ".join(topic.value for topic in search.topics), search.status and search.status.value) for search in found
    ] == trials
