from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.errors import Unavailable
from docgemma.reader.contract import Request
from docgemma.reader.loading import PACKAGED
from docgemma.sources.europepmc.client import query_for
from docgemma.sources.literature import sought
from docgemma.sources.literature.contract import Sought
from docgemma.sources.literature.library import in_words, left_out
from docgemma.sources.literature.sought import wider
from docgemma.sources.pubmed.client import term_for
from tests.support.tables import each_of

TODAY = date(2026, 11, 16)


def sought_in(query: str, question: str | None = None) -> Sought:
    return sought.sought_in(query, question, reader=PACKAGED, today=TODAY)


SENTENCES = Path(__file__).resolve().parents[1] / "fixtures" / "literature" / "sentences.txt"
ROWS = [line.split(" -> ") for line in SENTENCES.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
KINDS = {
    "guideline",
    "meta_analysis",
    "systematic_review",
    "randomised_trial",
    "trial",
    "review",
    "observational",
    "case_report",
}


@each_of(("marked", "expected"), ROWS, ids=lambda row: row[0])
def test_marked_words_become_a_search(marked: str, expected: str) -> None:
    concepts, _, narrowed = expected.partition(" | ")
    found = sought_in(marked.partition(";")[0], marked)
    wanted = [concept.strip().split("=") for concept in concepts.split("/")]
    assert [concept[0] for concept in found.concepts] == [names[0] for names in wanted]
    for names, concept in zip(wanted, found.concepts, strict=True):
        assert set(names) <= set(concept), f"{names} are not all among {concept}"
    words = narrowed.split()
    assert set(found.kinds) == KINDS & set(words)
    assert found.newest == ("newest" in words)
    years = next((word for word in words if "-" in word and word not in KINDS), "-")
    assert f"{found.since or ''}-{found.until or ''}" == years


YEARS = [
    ("gout; since 2018", 2018, None),
    ("gout; after 2018", 2019, None),
    ("gout; newer than 2018", 2019, None),
    ("gout; from 2018 onwards", 2018, None),
    ("gout; 2018 upwards", 2018, None),
    ("gout; 2018", 2018, None),
    ("gout; 2018; RCTs", 2018, None),
    ("gout; between 2018 and 2020", 2018, 2020),
    ("gout; 2018-2020", 2018, 2020),
    ("gout; in 2018; in 2020", 2018, 2020),
    ("gout; since 2018; until 2020", 2018, 2020),
    ("gout; before 2018", None, 2017),
    ("gout; until 2018", None, 2018),
    ("gout; in 2018", 2018, 2018),
    ("gout; in the last 5 years", 2021, None),
    ("gout; past decade", 2016, None),
    ("gout; from the last few years", 2021, None),
    ("gout; in the last 12 months", 2025, None),
    ("gout; this year", 2026, None),
    ("gout; last year", 2025, None),
    ("gout; recent", None, None),
    ("gout; after 2093", None, None),
    ("gout in children under 5 years", None, None),
    ("COVID-19 and gout", None, None),
]


@each_of(("marked", "since", "until"), YEARS)
def test_years_are_those_of_publication(marked: str, since: int | None, until: int | None) -> None:
    found = sought_in("gout", marked)
    assert (found.since, found.until) == (since, until)
    assert "gout" in found.words
    assert "20" not in found.words


def test_a_models_words_are_other_phrasings_and_no_obligations() -> None:
    made = sought_in("acetaminophen low back pain sciatica elderly RCT 2015-2020", "tylenol in lower back pain")
    assert [concept[0] for concept in made.concepts] == ["tylenol", "lower back pain"]
    assert (made.kinds, made.since) == ((), None)


def test_what_a_model_wrote_in_place_of_the_users_word_is_sought_beside_it() -> None:
    made = sought_in("beclometasone asthma", "brown inhaler in asthma")
    assert made.concepts == (("brown inhaler", "beclometasone"), ("asthma",))


@each_of(
    ("query", "question", "words"),
    [
        (
            "colchicine in gout",
            "RCTs; since 2018",
            "colchicine and gout, published from 2018 on, only randomised trials",
        ),
        (
            "melatonin in delirium in kids",
            "meta-analysis",
            "melatonin and delirium and kids, only meta-analyses",
        ),
        ("home birth transfer", "qualitative", "home and birth and transfer and qualitative"),
        ("hydroxyurea in sickle cell disease", "Nigeria", "hydroxyurea and sickle cell disease and Nigeria"),
    ],
)
def test_a_question_without_a_topic_narrows_the_query(query: str, question: str, words: str) -> None:
    assert in_words(sought_in(query, question)) == words


@each_of(
    "topic",
    [
        "melanoma MRN 4471123",
        "melanoma; patient id 4471123",
        "melanoma, born 12/03/1961",
        "melanoma DOB 1961-03-12; RCTs",
    ],
)
def test_no_id_and_no_birth_date_gets_into_a_search(topic: str) -> None:
    for found in (sought_in(topic), sought_in("melanoma", topic), sought_in(topic, topic)):
        said = " ".join(name for concept in found.concepts for name in concept)
        assert "melanoma" in said
        assert not any(word in said for word in ("4471123", "1961", "12", "03"))


def test_without_a_reader_the_words_themselves_are_searched_for() -> None:
    class Closed:
        def request(self, message: str, **_: Any) -> Request:
            raise Unavailable("The reader is not installed.")

    found = sought.sought_in("colchicine in gout", "colchicine in gout; RCTs; since 2018", reader=Closed(), today=TODAY)
    assert in_words(found) == "colchicine and gout, published from 2018 on, only randomised trials"


@each_of("text", ["", "   ", "new; studies", "?!", "()", "\u200b"])
def test_nothing_is_sought_where_nothing_is_named(text: str) -> None:
    assert sought_in(text, text).concepts == ()


@each_of(
    ("text", "pmid", "doi"),
    [
        ("PMID 22663011", "22663011", ""),
        ("22663011", "22663011", ""),
        ("pubmed id: 123", "123", ""),
        ("doi 10.1056/NEJMoa1203421", "", "10.1056/nejmoa1203421"),
        ("https://doi.org/10.1000/xyz(12)3", "", "10.1000/xyz(12)3"),
    ],
)
def test_an_article_is_asked_for_by_its_number(text: str, pmid: str, doi: str) -> None:
    found = sought_in(text, text)
    assert (found.pmid, found.doi, found.concepts) == (pmid, doi, ())


def test_filters_go_first_when_a_search_is_widened() -> None:
    narrow = sought_in("RCTs on colchicine for recurrent pericarditis since 2020")
    wide = wider(narrow)
    assert wide is not None
    assert (wide.kinds, wide.since, wide.concepts) == ((), None, narrow.concepts)
    assert left_out(narrow, wide) == "published from 2020 on, only randomised trials"


def test_what_says_least_goes_next() -> None:
    narrow = sought_in("melatonin for insomnia in the elderly")
    wide = wider(narrow)
    assert wide is not None
    assert in_words(wide) == "melatonin and insomnia"
    assert left_out(narrow, wide) == "elderly"


def test_a_phrase_without_other_names_becomes_its_words() -> None:
    narrow = sought_in("colchicine for recurrent pericarditis")
    wide = wider(narrow)
    assert wide is not None
    assert wide.concepts == (("colchicine",), ("recurrent",), ("pericarditis",))
    assert left_out(narrow, wide) == "the exact wording"


@each_of("text", ["zinc and hiccups", "vit D in MS", "gout", "PMID 22663011"])
def test_no_other_question_is_asked_in_place_of_this_one(text: str) -> None:
    assert wider(sought_in(text)) is None


def test_what_was_searched_reads_well() -> None:
    made = sought_in("RCTs on eliquis in AF between 2018 and 2020")
    assert in_words(made) == (
        "eliquis (or apixaban) and atrial fibrillation, published from 2018 to 2020, only randomised trials"
    )


HOSTILE = st.text(max_size=60) | st.lists(
    st.sampled_from(
        [
            '"',
            "\\",
            "(",
            ")",
            "AND",
            "OR",
            "NOT",
            "AUTH:",
            "TITLE:",
            "SRC:PPR",
            "[tiab]",
            "*",
            "~2",
            "^",
            "gout",
            "AF",
            "or",
        ]
    )
    | st.sampled_from(
        ["heart failure", "since 2018", "RCT", "Ann Lee", "10.1000/a\\b", "PMID 1", "{", "'", "/", ":", "\n"]
    ),
    max_size=14,
).map(" ".join)
PHRASE = r'"[^"\\]*"'
EUROPEPMC = re.compile(rf"(?:[A-Z_]+:(?:{PHRASE}|\[\d+ TO \d+\]|MED|PMC|PPR|\d+)|AND|OR|NOT|[()]|\s)*")
PUBMED = re.compile(
    rf"(?:{PHRASE}\[[a-z]+(?::~0)?\]|\d+:\d+\[dp\]|\d+\[pmid\]|[\w -]+\[(?:pt|ti)\]|AND|OR|NOT|[()]|\s)*"
)


@settings(max_examples=80, deadline=None)
@given(HOSTILE, HOSTILE)
def test_whatever_is_typed_the_query_is_well_formed(query: str, question: str) -> None:
    found = sought_in(query, question)
    if found.concepts or found.by_number:
        for each in (found, wider(found) or found):
            _check(each)


def _check(made: Sought) -> None:
    """All that a user wrote is inside quotes, and what is outside is ours and balanced."""
    for written, grammar in ((query_for(made), EUROPEPMC), (term_for(made), PUBMED)):
        assert grammar.fullmatch(written), written
        outside = re.sub(PHRASE, "", written)
        assert outside.count("(") == outside.count(")")
        assert '""' not in written
        assert len(written) < 4_000


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(HOSTILE, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple), HOSTILE)
def test_whatever_a_concept_holds_stays_inside_its_quotes(concepts: tuple[tuple[str, ...], ...], doi: str) -> None:
    _check(Sought((("gout",), *concepts)))
    _check(Sought((), doi=f"10.1000/{doi}"))


def test_a_long_text_is_read_in_no_time() -> None:
    found = sought_in("gout", "colchicine for gout in adults; " * 600)
    assert in_words(found) == "colchicine and gout"
