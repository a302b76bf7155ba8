"""Trials in a pack: found by what they are about, where they are, and who may take part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docgemma.sources.contract import SourceError
from docgemma.sources.pack.documents.trials import PAGE
from docgemma.sources.pack.reader import open_trial_packs
from docgemma.sources.trials.contract import Sought
from docgemma.sources.trials.fitting import fits, sites_at
from tests.sources.asking import soon
from tests.sources.document_files import DAY, Record, find, numbers, registered, trial

BOSTON = ("General Hospital", "Boston", "Massachusetts", "United States")
MAYO = ("Mayo Clinic", "Rochester", "Minnesota", "United States")
HANOI = ("Bach Mai Hospital", "Hanoi", "", "Vietnam")

CHILD = {"least": "6 Months", "most": "17 Years"}
REGISTER: list[Record] = [
    trial(1, "A Melanoma", "Melanoma", drugs=["Alphamab"], sites=[BOSTON, MAYO], least="18 Years", phases=["PHASE3"]),
    trial(2, "Betanib", "Melanoma", "Skin Cancer", drugs=["Betanib"], sites=[HANOI], status="COMPLETED"),
    trial(3, "Gamma in Children", "Type 2 Diabetes Mellitus", phases=["PHASE1", "PHASE2"], **CHILD),
    trial(4, "Diet", "Diabetes, Type 2", drugs=["Diet"], sex="FEMALE", phases=[], status="NOT_YET_RECRUITING"),
    trial(5, "Type 1 study", "Type 1 Diabetes", keywords=["insulin"], drugs=["Insulin"], sites=[BOSTON], sex="MALE"),
    trial(6, "Uveal study", "Uveal Melanoma", drugs=["Alphamab", "Placebo"], status="TERMINATED", updated="2019-02"),
    trial(7, "Vitamin D in Long COVID", "Long COVID-19", drugs=["Cholecalciferol (vitamin D)"], status="SOMETHING_NEW"),
]
ASKED: list[tuple[dict[str, Any], set[int]]] = [
    ({"condition": "melanoma"}, {1, 2, 6}),
    ({"condition": "Melanomas"}, {1, 2, 6}),
    ({"condition": "type 2 diabetes"}, {3, 4}),
    ({"condition": "diabetes type 2"}, {3, 4}),
    ({"condition": "diabetes"}, {3, 4, 5}),
    ({"condition": "cancer of the skin"}, {2}),
    ({"condition": "long covid19"}, {7}),
    ({"condition": "covid", "intervention": "vitamin D"}, {7}),
    ({"condition": "melanoma", "intervention": "alphamab"}, {1, 6}),
    ({"condition": "", "intervention": "insulin"}, {5}),
    ({"condition": "melanoma", "statuses": ("RECRUITING", "TERMINATED")}, {1, 6}),
    ({"condition": "melanoma", "phases": ("PHASE3",)}, {1}),
    ({"condition": "diabetes", "phases": ("PHASE1",)}, {3}),
    ({"condition": "diabetes", "age_years": 0.5}, {3, 4, 5}),
    ({"condition": "diabetes", "age_years": 0.2}, {4, 5}),
    ({"condition": "diabetes", "age_years": 17.5}, {3, 4, 5}),
    ({"condition": "diabetes", "age_years": 18.0}, {4, 5}),
    ({"condition": "diabetes", "age_years": 60.0, "sex": "female"}, {4}),
    ({"condition": "diabetes", "sex": "male"}, {3, 5}),
    ({"condition": "melanoma", "age_years": 0.0, "age_to": 17.0}, {2, 6}),
    ({"condition": "melanoma", "age_years": 0.0, "age_to": 30.0}, {1, 2, 6}),
    ({"condition": "melanoma", "place": "Boston"}, {1}),
    ({"condition": "melanoma", "place": "united states"}, {1}),
    ({"condition": "melanoma", "place": "Rochester Minnesota"}, {1}),
    ({"condition": "melanoma", "place": "Rochester Massachusetts"}, set()),
    ({"condition": "melanoma", "place": "Mayo Clinic"}, {1}),
    ({"condition": "melanoma", "place": "Việt Nam"}, set()),
    ({"condition": "melanoma", "place": "Hanoi, Vietnam"}, {2}),
    ({"condition": "NCT00000006"}, {6}),
    ({"condition": "nct00000099"}, set()),
    ({"condition": "0x0"}, set()),
    ({"condition": "asthma"}, set()),
]


@pytest.fixture(scope="module")
def register(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("register") / "packs"
    registered(folder, REGISTER)
    return folder


async def test_trials_are_found_as_on_the_register(register: Path) -> None:
    (pack,) = open_trial_packs(register)
    for asked, expected in ASKED:
        found = await pack.search(Sought(**asked), ends_at=soon())
        assert set(numbers(found)) == expected, asked
        for study in found.studies if found else ():
            assert fits(study, Sought(**asked)), asked
            assert not asked.get("place") or sites_at(study, asked["place"])
    await pack.close()


async def test_an_answer_says_what_it_is_and_keeps_what_the_register_says(register: Path) -> None:
    found = await find(register, "covid")
    assert found is not None
    assert (found.source, found.origin, found.data_date) == (f"ClinicalTrials.gov pack of {DAY}", "pack", DAY)
    assert (found.total, found.more) == (1, False)
    assert found.studies[0].status == "SOMETHING_NEW"
    (boston,) = (await find(register, "type 1 diabetes") or found).studies
    assert [(site.city, site.status) for site in boston.sites] == [("Boston", "RECRUITING")]


async def test_page_by_page_each_trial_comes_once(tmp_path: Path) -> None:
    registered(tmp_path / "packs", [trial(n, f"Asthma {n}", "Asthma", drugs=["A"] * (n % 3)) for n in range(1, 26)])
    seen: list[int] = []
    for page, more in ((1, True), (2, True), (3, False)):
        found = await find(tmp_path / "packs", "asthma", page=page)
        assert found is not None and (found.total, found.more) == (25, more)
        seen += numbers(found)
    assert len(seen) == len(set(seen)) == 25 and PAGE == 10
    assert await find(tmp_path / "packs", "asthma", page=4) is None


async def test_the_newest_version_of_a_trial_is_kept_whatever_the_order(tmp_path: Path) -> None:
    old, new = trial(1, "Asthma then", "Asthma", updated="2020-01-01"), trial(1, "Asthma now", "Asthma")
    for number, records in enumerate([[old, new], [new, old]]):
        folder = tmp_path / str(number) / "packs"
        counts = registered(folder, records).manifest.counts
        found = await find(folder, "asthma")
        assert found is not None and [study.title for study in found.studies] == ["Asthma now"]
        assert (counts.kept, counts.replaced) == (1, 1)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40), st.text(max_size=30), st.text(max_size=30))
async def test_nothing_a_user_writes_is_an_operator(register: Path, condition: str, drug: str, place: str) -> None:
    try:
        await find(register, condition, intervention=drug, place=place)
    except SourceError as error:
        assert error.error_type == "invalid_args"
