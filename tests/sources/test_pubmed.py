from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given, settings

from docgemma.clinical import ErrorType
from docgemma.fetch.door import Reply
from docgemma.sources.contract import SourceError
from docgemma.sources.literature.contract import Papers, Sought
from docgemma.sources.pubmed.client import PubMed, papers_in, term_for
from docgemma.sources.pubmed.record import paper_of
from tests.sources.asking import asking, soon
from tests.sources.test_any_reply import Change, _asked, _changes
from tests.sources.test_europepmc import CAPTURES, COMMENT, OTHER, RETRACTED, SOUGHT, TRIAL, UNMARKED, titles
from tests.support.fake_europepmc import article
from tests.support.fake_pubmed import FakePubMed, document
from tests.support.fake_service import Said
from tests.support.tables import each_of

SHELF = (TRIAL, COMMENT, RETRACTED, UNMARKED, OTHER)
TRIAL_TITLE = "Colchicine for recurrent pericarditis: a randomised trial."


async def look_up(
    fake: FakePubMed, sought: Sought = SOUGHT, *, key: str | None = None, email: str | None = None
) -> Papers | None:
    async with asking(fake) as (web, url):
        return await PubMed(web, url, key, email=email).search(sought, ends_at=soon())


async def failure(fake: FakePubMed, *, key: str | None = None) -> SourceError:
    with pytest.raises(SourceError) as caught:
        await look_up(fake, key=key)
    return caught.value


async def test_numbers_are_asked_for_and_then_the_articles() -> None:
    fake = FakePubMed([TRIAL | {"title": TRIAL_TITLE}, COMMENT, RETRACTED, UNMARKED, OTHER])
    found = await look_up(fake)
    assert titles(found) == [TRIAL_TITLE, "Colchicine and recurrent pericarditis"]
    assert found is not None
    first = found.papers[0]
    assert first.sections[-1] == ("CONCLUSIONS", "Colchicine halved recurrences (P<0.001).")
    assert (first.pmid, first.published) == ("1001", "2023-03")
    assert first.url == "https://pubmed.ncbi.nlm.nih.gov/1001/"
    assert (found.source, found.origin, found.total) == ("PubMed", "live", 3)
    assert fake.questions[0].params["tool"] == "docgemma"
    assert "email" not in fake.questions[0].params


def test_phrases_are_asked_for_as_neighbours() -> None:
    sought = Sought((("heart failure", "HF-pEF"), ("gout",)), kinds=("meta_analysis",), since=2018)
    assert term_for(sought) == (
        '("heart failure"[tiab:~0] OR "HF-pEF"[tiab:~0]) AND ("gout"[tiab]) AND 2018:3000[dp] AND '
        "(meta-analysis[pt] OR meta-analysis[ti]) NOT retracted publication[pt] NOT retraction of publication[pt]"
    )


async def test_a_word_that_pubmed_does_not_know_is_not_left_out_in_silence() -> None:
    """It answers with everything on the other words, and with status 200."""
    fake = FakePubMed(SHELF)
    assert await look_up(fake, Sought((("colchicine",), ("xyzzyosis",)))) is None
    found = await look_up(fake, Sought((("colchicine", "xyzzymab"), ("gout",))))
    assert titles(found) == ["Colchicine in gout"]


async def test_articles_on_something_else_are_a_fault() -> None:
    fake = FakePubMed([article("1008", "Zinc for colds", "It may help.")])
    fake.faults = [Said(200, {"esearchresult": {"count": "1", "idlist": ["1008"]}})]
    assert (await failure(fake)).error_type == "invalid_response"


async def test_a_key_goes_along_and_a_refused_one_is_a_setting_to_mend() -> None:
    fake = FakePubMed(SHELF, keys=["right"])
    assert await look_up(fake, key="right", email="it@example.org") is not None
    assert fake.questions[0].params["email"] == "it@example.org"
    error = await failure(fake, key="wrong")
    assert error.error_type == "not_configured"
    assert "DOCGEMMA_NCBI_API_KEY" in str(error)
    assert "wrong" not in str(error)


OVER = {"error": "API rate limit exceeded", "api-key": "10.0.0.1", "count": "4", "limit": "3"}


@pytest.mark.parametrize(
    ("said", "error_type"),
    [
        (Said(200, OVER), "rate_limit"),
        (Said(429, OVER), "rate_limit"),
        (Said(400, OVER), "rate_limit"),
        (Said(200, {"error": "backend down"}), "server_error"),
        (Said(200, {"esearchresult": {"ERROR": "Empty term"}}), "invalid_response"),
        (
            Said(200, {"esearchresult": {"count": "0", "idlist": [], "ERROR": "Search Backend failed"}}),
            "invalid_response",
        ),
        (Said(200, {"esearchresult": {"count": "3", "idlist": []}}), "invalid_response"),
        (Said(200, {"esearchresult": {"count": "3", "idlist": ["x", None]}}), "invalid_response"),
        (Said(200, {"esearchresult": {"idlist": []}}), "invalid_response"),
        (Said(200, {"header": {}}), "invalid_response"),
        (Said(200, b"<eSearchResult><ERROR>no</ERROR></eSearchResult>"), "invalid_response"),
        (Said(200, b""), "invalid_response"),
        (Said(404, b"<html></html>"), "invalid_response"),
        (Said(502, b""), "server_error"),
    ],
)
async def test_what_is_no_list_is_never_none(said: Said, error_type: ErrorType) -> None:
    fake = FakePubMed(SHELF)
    fake.always = said
    error = await failure(fake)
    assert error.error_type == error_type
    assert "10.0.0.1" not in str(error)


LISTED = Said(200, {"esearchresult": {"count": "1", "idlist": ["1001"]}})
BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><PubmedArticleSet>&b;</PubmedArticleSet>'
FILE = b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><PubmedArticleSet>&f;</PubmedArticleSet>'
DECLARING = document([TRIAL]).replace(b'd">', b'd" [<!ELEMENT x ANY>]>', 1)
UNKNOWN = document([article("1001", "Colchicine in recurrent pericarditis", "Give &gone; 5 mg.")])
UNDECLARED = b'<!DOCTYPE x SYSTEM "http://elsewhere.invalid/x.dtd"><PubmedArticleSet>&gone;</PubmedArticleSet>'


@pytest.mark.parametrize(
    ("body", "error_type"),
    [
        (b"", "invalid_response"),
        (b"<PubmedArticleSet></PubmedArticleSet>", "invalid_response"),
        (b"<PubmedArticleSet><PubmedArticle>", "invalid_response"),
        (b"<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>", "invalid_response"),
        (document([{**TRIAL, "title": ""}]), "invalid_response"),
        (BOMB, "invalid_response"),
        (FILE, "invalid_response"),
        (UNDECLARED, "invalid_response"),
        (DECLARING, "invalid_response"),
        (UNKNOWN, "invalid_response"),
        (b"<a>" * 500 + b"</a>" * 500, "invalid_response"),
        (b'{"error":"API rate limit exceeded","limit":"3"}', "rate_limit"),
    ],
)
async def test_a_document_without_articles_is_a_failure(body: bytes, error_type: ErrorType) -> None:
    fake = FakePubMed(SHELF)
    fake.faults = [LISTED, Said(200, body), Said(200, body)]
    assert (await failure(fake)).error_type == error_type


def one(inside: str, *, before: str = "", ids: str = "") -> object:
    return paper_of(
        fromstring(
            f"<PubmedArticle><MedlineCitation><PMID>7</PMID>{before}<Article>{inside}</Article></MedlineCitation>"
            f"<PubmedData>{ids}</PubmedData></PubmedArticle>"
        )
    )


TITLE = "<ArticleTitle>Zinc</ArticleTitle>"
NOTED = '<CommentsCorrectionsList><CommentsCorrections RefType="{}"/></CommentsCorrectionsList>'
DATED = TITLE + "<Journal><JournalIssue><PubDate>{}</PubDate></JournalIssue></Journal>"
IDS = "<ArticleIdList>{}</ArticleIdList>"
DOI = '<ArticleId IdType="doi">10.1000/{}</ArticleId>'
CITED = f"<ReferenceList><Reference>{IDS.format(DOI.format('cited'))}</Reference></ReferenceList>"
OWN = IDS.format('<ArticleId IdType="pmc">PMC9</ArticleId>' + DOI.format("Own"))
TYPED = TITLE + "<PublicationTypeList><PublicationType>{}</PublicationType></PublicationTypeList>"


@each_of(
    ("paper", "field", "expected"),
    [
        (one(DATED.format("<MedlineDate>2012 Nov-Dec</MedlineDate>")), "published", "2012"),
        (one(DATED.format("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>")), "published", "1998"),
        (one(DATED.format("<MedlineDate>Winter</MedlineDate>")), "published", ""),
        (one(DATED.format("<Year>2019</Year><Month>Feb</Month><Day>3</Day>")), "published", "2019-02-03"),
        (one(DATED.format("<Year>2019</Year><Month>02</Month>")), "published", "2019-02"),
        (one(DATED.format("<Year>2019</Year><Season>Spring</Season>")), "published", "2019"),
        (one(TITLE), "published", ""),
        (one(TITLE, ids=OWN + CITED), "doi", "10.1000/own"),
        (one(TITLE, ids=OWN), "pmcid", "PMC9"),
        (one(TITLE, ids=CITED), "doi", ""),
        (one(TITLE + '<ELocationID EIdType="doi" ValidYN="Y">10.1000/E</ELocationID>'), "doi", "10.1000/e"),
        (one(TITLE, before=NOTED.format("RetractionIn")), "retracted", True),
        (one(TITLE, before=NOTED.format("CommentIn")), "retracted", False),
        (one(TYPED.format("Retracted Publication")), "retracted", True),
        (one(TYPED.format("Preprint")), "preprint", True),
        (
            one(f"{TITLE}<Abstract><AbstractText>10<sup>9</sup> of <i>E. coli</i></AbstractText></Abstract>"),
            "sections",
            (("", "10⁹ of E. coli"),),
        ),
        (one("<ArticleTitle/><VernacularTitle>Zink</VernacularTitle>"), "title", "Zink"),
    ],
    ids=lambda row: f"{row[1]} {row[2]}",
)
def test_an_article_is_read_as_it_comes(paper: object, field: str, expected: object) -> None:
    assert getattr(paper, field) == expected


@settings(max_examples=50, deadline=None)
@given(_changes())
def test_any_reply_gives_articles_or_a_failure(change: Change) -> None:
    fake = FakePubMed([TRIAL])
    found = _asked(fake, change, lambda web: PubMed(web, "http://service.test").search(SOUGHT, ends_at=soon()))
    assert found is None or found == "not read" or isinstance(found, Papers)


CAPTURE = Path(CAPTURES) / "pubmed_efetch_22663011.xml"


@pytest.mark.skipif(not CAPTURE.is_file(), reason="the captured replies are not beside this checkout")
def test_a_captured_article_is_read() -> None:
    (paper,) = papers_in(Reply(200, {}, CAPTURE.read_bytes()))
    assert (paper.pmid, paper.doi, paper.published) == ("22663011", "10.1056/nejmoa1203421", "2012-07-12")
    assert [heading for heading, _ in paper.sections] == ["BACKGROUND", "METHODS", "RESULTS", "CONCLUSIONS"]
    assert "randomized controlled trial" in paper.types
    assert "trametinib" in paper.terms
    assert not paper.retracted
