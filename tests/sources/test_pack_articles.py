"""Articles in a pack: what goes in, what takes the place of what, and how they are found."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docgemma.sources.contract import SourceError
from docgemma.sources.literature.contract import Sought
from docgemma.sources.pack.documents.articles import MOST
from docgemma.sources.pack.documents.search import COMPARED
from docgemma.sources.pack.manifest import places
from docgemma.sources.pack.reader import open_literature_packs
from tests.sources.asking import soon
from tests.sources.document_files import (
    DAY,
    Record,
    article,
    articles,
    build_articles,
    citation,
    page,
    pmids,
    pubmed,
    put,
    search,
)

LIBRARY: list[Record] = [
    article(
        1,
        "Colchicine for recurrent pericarditis: a randomised trial",
        "<h4>Background</h4>Pericarditis recurs in adults.<h4>Conclusions</h4>Colchicine halved recurrences.",
        types=["Randomized Controlled Trial"],
        terms=["Pericarditis", "Colchicine"],
        year=2021,
    ),
    article(2, "Pericarditis after surgery", "Colchicine was given to some.", types=["Review"], year=2012),
    article(3, "Serum IL-6 and TNF-α in COVID-19", "Anaemia was common in paediatric patients.", year=2022),
    article(4, "Gout flares", "Colchicine, or none. Tumours were not seen.", types=["Case Reports"], year=2005),
    article(
        5, "Heart failure with preserved ejection fraction", "SGLT2 inhibitors.", types=["Meta-Analysis"], year=2023
    ),
    article(6, "Failure of the heart valve", "A preserved fraction of ejections.", year=2023),
]

ASKED: list[tuple[tuple[tuple[str, ...], ...], list[int]]] = [
    ((("colchicine",),), [1, 4, 2]),
    ((("colchicine",), ("pericarditis",)), [1, 2]),
    ((("colchicine", "gout"),), [1, 4, 2]),
    ((("COLCHICINES",),), [1, 4, 2]),
    ((("IL6",),), [3]),
    ((("covid 19",), ("tnf alpha", "TNF-alpha")), [3]),
    ((("anemia",), ("pediatric",)), [3]),
    ((("tumor",),), [4]),
    ((("heart failure",),), [5]),
    ((("heart failure with preserved ejection fraction", "HFpEF"),), [5]),
    ((("sglt-2 inhibitor",),), [5]),
    ((("colchicine",), ("melanoma",)), []),
    ((("the moon",),), []),
    ((("NOT colchicine",),), []),
    ((("?!", "colchicine"), ("…",)), [1, 4, 2]),
]


OPERATORS = ['"', "a OR b", "NEAR(", "title:x", "{a}", "*", "^x", "-y", "AND"]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library") / "packs"
    articles(folder, LIBRARY)
    return folder


async def test_articles_are_found_by_all_their_concepts(library: Path) -> None:
    (pack,) = open_literature_packs(library)
    for concepts, expected in ASKED:
        assert sorted(pmids(await pack.search(Sought(concepts), ends_at=soon()))) == sorted(expected), concepts
    await pack.close()


async def test_a_hit_in_the_title_comes_before_one_in_the_abstract(library: Path) -> None:
    assert pmids(await search(library, "colchicine"))[0] == 1
    assert pmids(await search(library, "pericarditis"))[-1] in (1, 2)


async def test_years_and_kinds_narrow_it(library: Path) -> None:
    assert pmids(await search(library, "colchicine", since=2012)) == [1, 2]
    assert pmids(await search(library, "colchicine", until=2012)) == [2, 4]
    assert pmids(await search(library, "colchicine", kinds=("randomised_trial", "case_report"))) == [1, 4]
    assert await search(library, "colchicine", kinds=("guideline",)) is None


async def test_it_finds_what_looking_through_all_of_them_finds(tmp_path: Path) -> None:
    """Invented words without endings, so that a phrase can be looked for letter by letter."""
    draw, words = random.Random(8), ("bab", "dod", "gug", "kik", "lol", "mum", "nan", "pip")
    texts = {number: " ".join(draw.choices(words, k=9)) for number in range(1, 121)}
    articles(tmp_path / "packs", [article(n, text[:15], text[16:], year=1990 + n % 30) for n, text in texts.items()])
    (pack,) = open_literature_packs(tmp_path / "packs")
    for _ in range(60):
        concepts = tuple(
            tuple(" ".join(draw.choices(words, k=draw.choice((1, 1, 2)))) for _ in range(draw.choice((1, 2))))
            for _ in range(draw.choice((1, 2, 3)))
        )
        since = draw.choice((None, 2000, 2010))
        expected = {
            number
            for number, text in texts.items()
            if (since is None or 1990 + number % 30 >= since)
            and all(any(f" {one} " in f" {text[:15]} , {text[16:]} " for one in concept) for concept in concepts)
        }
        found = await pack.search(Sought(concepts, since=since), ends_at=soon())
        assert (found.total if found else 0) == len(expected)
        assert set(pmids(found)) <= expected and len(set(pmids(found))) == min(len(expected), MOST)
    await pack.close()


async def test_an_answer_says_what_it_is_and_how_old(library: Path) -> None:
    found = await search(library, "pericarditis", "colchicine")
    assert found is not None
    assert (found.source, found.origin, found.data_date) == (f"Europe PMC pack of {DAY}", "pack", DAY)
    assert found.total == 2
    paper = next(paper for paper in found.papers if paper.pmid == "1")
    assert paper.sections[-1] == ("Conclusions", "Colchicine halved recurrences.")
    assert (paper.doi, paper.cited, paper.types) == ("10.5555/own.1", 1, ("randomized controlled trial",))
    assert paper.url is not None and paper.url.endswith("/MED/1")


async def test_words_without_a_word_are_no_question(library: Path) -> None:
    for concepts in ([], ["?"], [("", " ")]):
        with pytest.raises(SourceError) as caught:
            await search(library, *concepts)
        assert caught.value.error_type == "invalid_args"


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.lists(
            st.text(max_size=30) | st.sampled_from(['"', "a OR b", "NEAR(", "title:x", "{a}", "*", "^x"]), max_size=3
        ),
        max_size=4,
    )
)
async def test_nothing_a_user_writes_is_an_operator(library: Path, concepts: list[list[str]]) -> None:
    """The index answers or says that there is no word; an error of its language would say "damaged"."""
    try:
        await search(library, *concepts)
    except SourceError as error:
        assert error.error_type == "invalid_args"


async def test_a_phrase_does_not_reach_from_one_term_into_the_next(tmp_path: Path) -> None:
    articles(
        tmp_path / "packs", [article(1, "A", terms=["Acute Heart", "Failure, Renal"]), article(2, "Heart failure")]
    )
    assert pmids(await search(tmp_path / "packs", "heart failure")) == [2]


async def test_where_very_many_fit_those_with_it_in_the_title_come_first(tmp_path: Path) -> None:
    many = [article(n, f"On fever {n}" if n % 60 == 0 else f"Other {n}", "Fever.") for n in range(1, COMPARED + 200)]
    articles(tmp_path / "packs", many)
    found = await search(tmp_path / "packs", "fever")
    assert found is not None and found.total == len(many)
    assert not {int(paper.pmid) % 60 for paper in found.papers[:30]} - {0}


class TestVersions:
    """The order of the files makes no difference."""

    async def both_ways(self, tmp_path: Path, one: bytes, other: bytes) -> tuple[list[int], list[str]]:
        answers = []
        for number, pair in enumerate([(one, other), (other, one)]):
            folder = tmp_path / str(number) / "packs"
            files = [put(tmp_path / str(number) / f"{place}.xml", data) for place, data in enumerate(pair)]
            build_articles(folder, *files)
            found = await search(folder, "aspirin")
            answers.append((pmids(found), [paper.title for paper in found.papers] if found else []))
        assert answers[0] == answers[1]
        return answers[0]

    async def test_the_newer_one_stays(self, tmp_path: Path) -> None:
        old = pubmed(citation(7, "Aspirin as it was", revised="2020-01-01"), citation(8, "Aspirin too"))
        new = pubmed(citation(7, "Aspirin as it is", revised="2021-01-01"))
        assert await self.both_ways(tmp_path, old, new) == ([8, 7], ["Aspirin too", "Aspirin as it is"])

    async def test_of_one_day_the_higher_version_stays(self, tmp_path: Path) -> None:
        old, new = pubmed(citation(7, "Aspirin 9", version=9)), pubmed(citation(7, "Aspirin 10", version=10))
        assert await self.both_ways(tmp_path, old, new) == ([7], ["Aspirin 10"])

    async def test_a_deleted_one_is_gone(self, tmp_path: Path) -> None:
        whole = pubmed(citation(7, "Aspirin seven"), citation(8, "Aspirin eight"))
        assert (await self.both_ways(tmp_path, whole, pubmed(citation(9, "Other"), deleted=[7, 99])))[0] == [8]
        assert await search(tmp_path / "0" / "packs", pmid="7") is None

    async def test_a_retracted_one_is_not_found_but_told_by_its_number(self, tmp_path: Path) -> None:
        whole = pubmed(citation(7, "Aspirin seven"), citation(8, "Aspirin eight"))
        after = pubmed(citation(7, "Aspirin seven", types=["Retracted Publication"], revised="2024-06-02"))
        assert (await self.both_ways(tmp_path, whole, after))[0] == [8]
        for number in "01":
            found = await search(tmp_path / number / "packs", pmid="7")
            assert found is not None and found.papers[0].retracted

    async def test_a_notice_takes_the_article_back_that_it_names(self, tmp_path: Path) -> None:
        whole = pubmed(citation(7, "Aspirin seven"), citation(8, "Aspirin eight"))
        notice = citation(9, "Retraction", types=["Retraction of Publication"], refers=[("RetractionOf", 7)])
        assert (await self.both_ways(tmp_path, whole, pubmed(notice)))[0] == [8]
        found = await search(tmp_path / "0" / "packs", pmid="7")
        assert found is not None and found.papers[0].retracted


async def test_one_article_in_both_shapes_is_one(tmp_path: Path) -> None:
    first = put(tmp_path / "a.json", page([article(7, "Aspirin in JSON", revised="2024-01-01")]))
    second = put(tmp_path / "b.xml.gz", pubmed(citation(7, "Aspirin in XML", revised="2024-02-01")))
    made = build_articles(tmp_path / "packs", first, second)
    found = await search(tmp_path / "packs", "aspirin")
    assert found is not None and [paper.title for paper in found.papers] == ["Aspirin in XML"]
    assert (made.manifest.counts.kept, made.manifest.counts.replaced) == (1, 1)


async def test_a_notice_of_europe_pmc_takes_back_what_it_names(tmp_path: Path) -> None:
    names = {"commentCorrection": [{"id": "7", "source": "MED", "type": "Retraction of"}]}
    notice = article(9, "Notice", types=["Retraction of Publication"], commentCorrectionList=names)
    articles(tmp_path / "packs", [article(7, "Aspirin"), article(8, "Aspirin too"), notice])
    assert pmids(await search(tmp_path / "packs", "aspirin")) == [8]


async def test_an_article_by_its_doi(library: Path) -> None:
    assert pmids(await search(library, doi="10.5555/OWN.5")) == [5]
    assert await search(library, doi="10.5555/none") is None
    assert await search(library, pmid="999") is None


def test_the_date_is_that_of_the_newest_record_and_never_ahead(tmp_path: Path) -> None:
    records = [
        article(1, "A", revised="2024-05-04"),
        article(2, "B", revised="2999-01-01"),
        article(3, "C", revised=""),
    ]
    made = articles(tmp_path / "packs", records)
    assert made.place.name == "europepmc-2024-05-04"
    assert [place.name for place in places(tmp_path / "packs", "europepmc")] == [made.place.name]
    assert places(tmp_path / "packs", "openfda") == []


def test_records_that_are_no_articles_are_skipped_and_counted(tmp_path: Path) -> None:
    odd = [1, None, {"id": "x", "source": "AGR", "title": "No number"}, {"pmid": "5"}]
    counts = articles(tmp_path / "packs", [*odd, *LIBRARY]).manifest.counts
    assert counts.skipped == {"not a record": 2, "no number of its own": 1, "no title": 1}
    assert counts.records == counts.kept + counts.dropped + counts.replaced + sum(counts.skipped.values())
