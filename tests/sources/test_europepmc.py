from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from docgemma.clinical import ErrorType, People, withheld
from docgemma.fetch.door import Reply
from docgemma.reader.loading import PACKAGED
from docgemma.sources.contract import SourceError
from docgemma.sources.europepmc.client import EuropePmc, query_for, read
from docgemma.sources.europepmc.record import paper_of
from docgemma.sources.literature.contract import Papers, Sought
from docgemma.sources.literature.sought import sought_in
from tests.sources.asking import asking, soon
from tests.sources.test_any_reply import VALUES, Change, _asked, _changes
from tests.support.fake_europepmc import FakeEuropePmc, article
from tests.support.fake_service import Said
from tests.support.tables import each_of

CAPTURES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "api"
TRIAL = article(
    "1001",
    "Colchicine for <i>recurrent</i> pericarditis: a randomised trial.",
    "<h4>Background</h4>Few data.<h4>Conclusions</h4>Colchicine halved recurrences (P&lt;0.001).",
    types=("journal article", "randomized controlled trial"),
    year=2023,
)
COMMENT = article("1002", "Colchicine and recurrent pericarditis", "Our view.", types=("letter",), year=2016)
RETRACTED = article("1003", "Colchicine in recurrent pericarditis", "Fine.", types=("retracted publication",))
NOTICE = article("1004", "Retraction: Colchicine in recurrent pericarditis", types=("retraction of publication",))
UNMARKED = article("1005", "RETRACTED: Colchicine in recurrent pericarditis", "Fine.")
NOTED = article(
    "1006",
    "Colchicine, recurrent pericarditis and sleep",
    "Fine.",
    commentCorrectionList={"commentCorrection": [{"type": "Retraction in", "id": "1", "source": "MED"}]},
)
PREPRINT = article("PPR77", "Colchicine after recurrent pericarditis", "New.", source="PPR", types=("preprint",))
OTHER = article("1007", "Colchicine in gout", "Recurrent attacks; pericarditis was rare.")
SHELF = (TRIAL, COMMENT, RETRACTED, NOTICE, UNMARKED, NOTED, PREPRINT, OTHER)
SOUGHT = Sought((("colchicine",), ("recurrent pericarditis",)))


async def look_up(fake: FakeEuropePmc, sought: Sought = SOUGHT, *, seconds: float = 5.0) -> Papers | None:
    async with asking(fake) as (web, url):
        return await EuropePmc(web, url, today=lambda: date(2026, 11, 16)).search(sought, ends_at=soon(seconds))


async def failure(fake: FakeEuropePmc) -> SourceError:
    with pytest.raises(SourceError) as caught:
        await look_up(fake)
    return caught.value


def titles(found: Papers | None) -> list[str]:
    return [paper.title for paper in found.papers] if found else []


async def test_articles_with_all_concepts_are_found_and_retracted_ones_are_not() -> None:
    fake = FakeEuropePmc(SHELF)
    found = await look_up(fake)
    assert [title.split(":")[0] for title in titles(found)] == [
        "Colchicine for recurrent pericarditis",
        "Colchicine and recurrent pericarditis",
        "Colchicine after recurrent pericarditis",
    ]
    assert found is not None
    assert (found.source, found.origin, found.data_date) == ("Europe PMC", "live", None)
    assert [paper.preprint for paper in found.papers] == [False, False, True]
    question = fake.questions[0].params
    assert (question["resultType"], question["synonym"], question["pageSize"]) == ("core", "true", "50")
    assert "sort" not in question


def test_the_query_is_written_as_the_service_reads_it() -> None:
    sought = sought_in("RCTs on eliquis for AF since 2018", reader=PACKAGED, today=date(2026, 11, 16))
    assert query_for(sought) == (
        '(TITLE_ABS:"eliquis" OR KW:"eliquis" OR TITLE_ABS:"apixaban" OR KW:"apixaban") AND '
        '(TITLE_ABS:"atrial fibrillation" OR KW:"atrial fibrillation" OR TITLE_ABS:"AFib" OR KW:"AFib" OR '
        'TITLE_ABS:"a-fib" OR KW:"a-fib") AND PUB_YEAR:[2018 TO 3000] AND '
        '(PUB_TYPE:"randomized controlled trial" OR TITLE:"randomized" OR TITLE:"randomised") AND '
        "(SRC:MED OR SRC:PMC OR SRC:PPR) AND "
        'NOT PUB_TYPE:"retracted publication" AND NOT PUB_TYPE:"retraction of publication"'
    )


async def test_years_and_kinds_narrow_the_search() -> None:
    fake = FakeEuropePmc(SHELF)
    found = await look_up(fake, Sought(SOUGHT.concepts, kinds=("randomised_trial",), since=2020))
    assert titles(found) == ["Colchicine for recurrent pericarditis: a randomised trial."]
    assert await look_up(fake, Sought(SOUGHT.concepts, since=2024)) is None


async def test_of_a_long_list_the_strongest_evidence_is_asked_for_too() -> None:
    many = [article(str(2000 + n), f"Gout note {n}", "Short.", types=("letter",)) for n in range(60)]
    review = article("3000", "Gout: a systematic review", "Long.", types=("systematic review",), year=2024)
    fake = FakeEuropePmc([*many, review])
    found = await look_up(fake, Sought((("gout",),)))
    assert "Gout: a systematic review" in titles(found)
    assert found is not None
    assert found.total == 61
    assert fake.count == 2
    fake.faults = [fake_first(fake), Said(400, b"")]
    assert len(titles(await look_up(fake, Sought((("gout",),))))) == 50


def fake_first(fake: FakeEuropePmc) -> Said:
    return Said(200, {"version": "6.9", "hitCount": 61, "resultList": {"result": fake.records[:50]}})


async def test_an_article_is_found_by_its_number_also_when_it_was_retracted() -> None:
    fake = FakeEuropePmc(SHELF)
    assert titles(await look_up(fake, Sought((), pmid="1001"))) == [
        "Colchicine for recurrent pericarditis: a randomised trial."
    ]
    assert fake.queries == ["EXT_ID:1001 AND SRC:MED"]
    found = await look_up(fake, Sought((), pmid="1003"))
    assert found is not None
    assert found.papers[0].retracted
    assert await look_up(fake, Sought((), pmid="9999")) is None
    assert titles(await look_up(fake, Sought((), doi="10.1234/example.1007"))) == ["Colchicine in gout"]


@pytest.mark.parametrize(
    ("said", "error_type"),
    [
        (Said(200, {"version": "6.9"}), "invalid_response"),  # a rejected question: no count is no zero
        (Said(200, {"errCode": 0, "errMsg": "not open access"}), "invalid_response"),
        (Said(200, {"errCode": 404, "errMsg": "x", "hitCount": 0, "resultList": {"result": []}}), "invalid_response"),
        (Said(200, b"<errorBean><errCode>0</errCode><errMsg>no</errMsg></errorBean>"), "invalid_response"),
        (Said(200, {"hitCount": 5, "resultList": {"result": []}}), "invalid_response"),
        (Said(200, {"hitCount": 5, "resultList": {}}), "invalid_response"),
        (Said(200, {"hitCount": None, "resultList": {"result": []}}), "invalid_response"),
        (Said(200, {"hitCount": -1, "resultList": {"result": []}}), "invalid_response"),
        (Said(200, {"hitCount": 1, "resultList": {"result": ["x"]}}), "invalid_response"),
        (Said(200, {"hitCount": 1, "resultList": {"result": [{"id": "1"}]}}), "invalid_response"),
        (Said(200, b""), "invalid_response"),
        (Said(200, b'{"hitCount": 3, "resu'), "invalid_response"),
        (Said(200, b"<html>Welcome to the hotel network</html>"), "invalid_response"),
        (Said(200, b"[" * 100_000), "invalid_response"),
        (Said(400, b"bad"), "invalid_response"),
        (Said(404, b"<html></html>"), "invalid_response"),
        (Said(429, b"", {"retry-after": "9"}), "rate_limit"),
        (Said(500, b""), "server_error"),
        (Said(503, b"<html>down</html>"), "server_error"),
    ],
)
async def test_what_is_no_answer_is_never_none(said: Said, error_type: ErrorType) -> None:
    fake = FakeEuropePmc(SHELF)
    fake.always = said
    error = await failure(fake)
    assert error.error_type == error_type
    assert "colchicine" not in str(error)
    assert "http" not in str(error)


async def test_only_a_counted_zero_is_none() -> None:
    fake = FakeEuropePmc()
    assert await look_up(fake) is None
    for count in (0, "0"):
        fake.always = Said(200, {"version": "6.9", "hitCount": count, "resultList": {"result": []}})
        assert await look_up(fake) is None


async def test_a_count_may_be_sent_as_text() -> None:
    fake = FakeEuropePmc()
    fake.always = Said(200, {"hitCount": "4200", "resultList": {"result": [TRIAL]}})
    found = await look_up(fake)
    assert found is not None
    assert found.total == 4200


async def test_nothing_to_search_for_is_not_asked() -> None:
    fake = FakeEuropePmc(SHELF)
    with pytest.raises(SourceError) as caught:
        await look_up(fake, Sought(()))
    assert (caught.value.error_type, fake.count) == ("invalid_args", 0)


async def test_a_patient_is_not_asked_for() -> None:
    fake = FakeEuropePmc(SHELF)
    token = withheld.set(People(names=("Ann Marie Lee",)))
    try:
        with pytest.raises(SourceError) as caught:
            await look_up(fake, Sought((("Ann",), ("Lee",), ("gout",))))
    finally:
        withheld.reset(token)
    assert (caught.value.error_type, fake.count) == ("patient_data", 0)


def test_a_record_is_read_whole() -> None:
    paper = paper_of(TRIAL)
    assert paper is not None
    assert paper.title == "Colchicine for recurrent pericarditis: a randomised trial."
    assert paper.sections == (
        ("Background", "Few data."),
        ("Conclusions", "Colchicine halved recurrences (P<0.001)."),
    )
    assert (paper.pmid, paper.doi, paper.journal) == ("1001", "10.1234/example.1001", "Journal of Examples")
    assert (paper.published, paper.cited, paper.preprint, paper.retracted) == ("2023-03-04", 3, False, False)
    assert paper.url == "https://europepmc.org/article/MED/1001"


@each_of(
    ("change", "field", "expected"),
    [
        ({"pmid": "12 OR 1"}, "pmid", "1001"),  # what is no number is none; the id still is
        ({"pmid": 22663011}, "pmid", "22663011"),
        ({"pmid": "x", "id": "PMC1"}, "pmid", ""),
        ({"pmcid": "PMC123"}, "pmcid", "PMC123"),
        ({"pmcid": "../../etc"}, "pmcid", ""),
        ({"doi": "10.1/short"}, "doi", ""),
        ({"doi": "https://doi.org/10.1234/AbC"}, "doi", "10.1234/abc"),
        ({"doi": "10.1234/<script>\n"}, "doi", "10.1234/<script>"),
        ({"doi": 'javascript:alert("x")'}, "doi", ""),
        ({"firstPublicationDate": "2023"}, "published", "2023"),
        ({"firstPublicationDate": "2023-02-31"}, "published", "2023-02"),
        ({"firstPublicationDate": "2022-12-30"}, "published", "2023"),
        ({"firstPublicationDate": 20230304, "pubYear": 2023}, "published", "2023"),
        ({"firstPublicationDate": None, "pubYear": None, "journalInfo": None}, "published", ""),
        ({"firstPublicationDate": "soon", "pubYear": "MMXX", "journalInfo": {}}, "published", ""),
        ({"citedByCount": "17"}, "cited", 17),
        ({"citedByCount": True}, "cited", None),
        ({"citedByCount": -3}, "cited", None),
        ({"pubTypeList": None, "pubType": "Review; Journal Article"}, "types", ("review", "journal article")),
        ({"pubTypeList": {"pubType": "Letter"}}, "types", ("letter",)),
        ({"journalInfo": None, "journalTitle": "Lancet"}, "journal", "Lancet"),
        ({"title": "A &lt;i&gt;BRCA&lt;/i&gt; note"}, "title", "A BRCA note"),
        ({"title": "Rates of P<0.05 and n>3"}, "title", "Rates of P<0.05 and n>3"),
        ({"abstractText": 3}, "sections", ()),
        ({"abstractText": "10<sup>9</sup>/L of CO<sub>2</sub>"}, "sections", (("", "10⁹/L of CO2"),)),
        ({"retracted": True}, "retracted", False),
        ({"title": "WITHDRAWN: zinc for colds"}, "retracted", True),
        ({"title": "Zinc for colds (RETRACTED)"}, "retracted", True),
        ({"title": "Zinc for colds [Retracted article]."}, "retracted", True),
        ({"title": "This article has been retracted: zinc for colds"}, "retracted", True),
        ({"title": "Surgery of the retracted eardrum"}, "retracted", False),
        ({"pubTypeList": {"pubType": ["Retracted-Article"]}}, "retracted", True),
        ({"pubTypeList": {"pubType": [["retracted publication"]]}}, "retracted", True),
        ({"pubTypeList": {"pubType": "Retracted"}}, "retracted", True),
        ({"commentCorrectionList": {"commentCorrection": {"type": "RetractionIn"}}}, "retracted", True),
        ({"commentCorrectionList": {"commentCorrection": {"type": "CommentIn"}}}, "retracted", False),
        ({"title": "Retraction notice to zinc for colds"}, "retracted", True),
        ({"title": "Gum retraction after surgery"}, "retracted", False),
        ({"title": "Retraction of the foreskin in children"}, "retracted", False),
    ],
)
def test_every_field_may_be_missing_or_wrong(change: dict[str, Any], field: str, expected: object) -> None:
    paper = paper_of(TRIAL | change)
    assert paper is not None
    assert getattr(paper, field) == expected


@each_of("record", [{}, {"title": ""}, {"title": "<b></b>"}, {"title": 7}, {"title": None, "id": "1"}])
def test_what_has_no_title_is_no_article(record: dict[str, Any]) -> None:
    assert paper_of(record) is None


@settings(max_examples=60, deadline=None)
@given(_changes())
def test_any_reply_gives_articles_or_a_failure(change: Change) -> None:
    fake = FakeEuropePmc([TRIAL])
    found = _asked(fake, change, lambda web: EuropePmc(web, "http://service.test").search(SOUGHT, ends_at=soon()))
    assert found is None or found == "not read" or isinstance(found, Papers)


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_any_json_is_read_or_refused(value: object) -> None:
    try:
        read(Reply(200, {}, json.dumps(value).encode()))
    except SourceError:
        return


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="the captured replies are not beside this checkout")
def test_captured_replies_are_read() -> None:
    for name, many in (("search_multi_5hits", 5), ("search_multi_6hits", 6), ("search_pmid_22663011", 1)):
        page = read(Reply(200, {}, (CAPTURES / f"europepmc_{name}.json").read_bytes()))
        assert page is not None
        papers = [paper_of(record) for record in page.records]
        assert page.total == many == len(papers)
        assert all(paper and paper.title and paper.published and paper.url for paper in papers)
    with pytest.raises(SourceError):
        read(Reply(200, {}, (CAPTURES / "europepmc_errorbean_not_open_access.xml").read_bytes()))


def test_a_query_fits_into_an_address() -> None:
    long = tuple(tuple(f"{name} {'long name ' * 6}{n}" for n in range(6)) for name in "abcde")
    written = query_for(Sought(long))
    assert len(written) < 4_000
    assert all(f'"{name} long' in written for name in "abcde")
