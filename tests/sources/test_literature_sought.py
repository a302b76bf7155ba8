from __future__ import annotations

import re
from datetime import date
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.sources.europepmc.query import query_for
from docgemma.sources.literature.contract import Sought
from docgemma.sources.literature.sought import sought_in, wider
from docgemma.sources.literature.wording import in_words, left_out
from docgemma.sources.pubmed.query import term_for
from tests.support.tables import each_of

TODAY = date(2026, 11, 16)

SENTENCES = Path(__file__).resolve().parents[1] / "fixtures" / "literature" / "sentences.txt"
ROWS = [line.split(" -> ") for line in SENTENCES.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
KINDS = {"guideline", "meta_analysis", "systematic_review", "randomised_trial", "trial", "observational", "case_report"}


@each_of(("sentence", "expected"), ROWS, ids=lambda row: row[0])
def test_a_clinicians_sentence_becomes_a_search(sentence: str, expected: str) -> None:
    concepts, _, narrowed = expected.partition(" | ")
    found = sought_in(sentence, sentence, today=TODAY)
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
    ("studies on gout since 2018", 2018, None),
    ("studies on gout after 2018", 2019, None),
    ("studies on gout from 2018 onwards", 2018, None),
    ("studies on gout between 2018 and 2020", 2018, 2020),
    ("studies on gout 2018-2020", 2018, 2020),
    ("studies on gout before 2018", None, 2017),
    ("studies on gout until 2018", None, 2018),
    ("studies on gout in 2018", 2018, 2018),
    ("studies on gout in the last 5 years", 2021, None),
    ("studies on gout in the past decade", 2016, None),
    ("studies on gout from the last few years", 2021, None),
    ("studies on gout in the last 12 months", 2025, None),
    ("studies on gout this year", 2026, None),
    ("studies on gout last year", 2025, None),
    ("recent studies on gout", None, None),
    ("studies on gout in 2000 patients", None, None),
    ("studies on gout after 2093", None, None),
    ("studies on gout in children under 5 years", None, None),
    ("studies on COVID-19 and gout", None, None),
    ("diagnosed in 2019 with gout, any evidence for febuxostat?", None, None),
    ("two gout attacks in the last year, any studies on febuxostat?", None, None),
]


@each_of(("sentence", "since", "until"), YEARS)
def test_years_are_those_of_publication(sentence: str, since: int | None, until: int | None) -> None:
    found = sought_in(sentence, sentence, today=TODAY)
    assert (found.since, found.until) == (since, until)


def test_a_models_words_are_other_phrasings_and_no_obligations() -> None:
    question = "does tylenol help in lower back pain?"
    made = sought_in("acetaminophen low back pain sciatica elderly RCT 2015-2020", question, today=TODAY)
    assert [concept[0] for concept in made.concepts] == ["tylenol", "lower back pain"]
    assert (made.kinds, made.since) == ((), None)


def test_what_a_model_wrote_in_place_of_the_users_word_is_sought_beside_it() -> None:
    made = sought_in("beclometasone asthma", "any evidence for the brown inhaler in asthma?", today=TODAY)
    assert made.concepts == (("brown",), ("inhaler",), ("asthma",))
    made = sought_in("onabotulinumtoxin migraine", "any evidence for botoxx in migraine?", today=TODAY)
    assert made.concepts[0][0] == "botoxx"
    assert any("botulinum" in name for name in made.concepts[0])


def test_what_the_user_said_elsewhere_in_the_question_counts() -> None:
    story = (
        "72yo man with AF on apixaban, admitted with GI bleed last year. Any evidence for restarting anticoagulation?"
    )
    made = sought_in("restarting anticoagulation", story, today=TODAY)
    assert [concept[0] for concept in made.concepts] == [
        "restarting",
        "anticoagulation",
        "atrial fibrillation",
        "GI bleed",
    ]
    assert made.since is None
    made = sought_in("steroid", "got a 6 wk old with biliary atresia post kasai, steroid papers please", today=TODAY)
    assert in_words(made) == "steroid and biliary atresia and children"


@each_of(
    ("question", "query", "concepts"),
    [
        ("any papers on that?", "colchicine in gout", "colchicine and gout"),
        ("and budesonide?", "budesonide in sedation", "budesonide and sedation"),
        ("in kids tho", "melatonin in delirium in kids", "melatonin and delirium and children"),
        ("any studies on it in newborns", "labetalol in newborns", "labetalol and neonates (or newborn)"),
        ("same but for droperidol", "droperidol for agitation", "droperidol and agitation"),
        (
            "literature on that too",
            "NASH",
            "metabolic dysfunction-associated steatohepatitis (or nonalcoholic steatohepatitis)",
        ),
    ],
)
def test_what_goes_on_from_an_earlier_message_is_read_by_the_query(question: str, query: str, concepts: str) -> None:
    assert in_words(sought_in(query, question, today=TODAY)) == concepts


@each_of("text", ["", "   ", "any new studies?", "?!", "()", "please find me some papers", "\u200b"])
def test_nothing_is_sought_where_nothing_is_named(text: str) -> None:
    assert sought_in(text, text, today=TODAY).concepts == ()


@each_of(
    ("text", "pmid", "doi"),
    [
        ("Find PMID 22663011", "22663011", ""),
        ("22663011", "22663011", ""),
        ("pubmed id: 123", "123", ""),
        ("what does doi 10.1056/NEJMoa1203421 say?", "", "10.1056/nejmoa1203421"),
        ("https://doi.org/10.1000/xyz(12)3 please", "", "10.1000/xyz(12)3"),
    ],
)
def test_an_article_is_asked_for_by_its_number(text: str, pmid: str, doi: str) -> None:
    found = sought_in(text, text, today=TODAY)
    assert (found.pmid, found.doi, found.concepts) == (pmid, doi, ())


def test_filters_go_first_when_a_search_is_widened() -> None:
    narrow = sought_in("RCTs on colchicine for recurrent pericarditis since 2020", today=TODAY)
    wide = wider(narrow)
    assert wide is not None
    assert (wide.kinds, wide.since, wide.concepts) == ((), None, narrow.concepts)
    assert left_out(narrow, wide) == "published from 2020 on, only randomised trials"


def test_what_says_least_goes_next() -> None:
    narrow = sought_in("melatonin for insomnia in the elderly", today=TODAY)
    wide = wider(narrow)
    assert wide is not None
    assert in_words(wide) == "melatonin and insomnia"
    assert left_out(narrow, wide) == "older adults"


def test_a_phrase_without_other_names_becomes_its_words() -> None:
    narrow = sought_in("colchicine for recurrent pericarditis", today=TODAY)
    wide = wider(narrow)
    assert wide is not None
    assert wide.concepts == (("colchicine",), ("recurrent",), ("pericarditis",))
    assert left_out(narrow, wide) == "the exact wording"


@each_of("text", ["zinc and hiccups", "vit D in MS", "gout", "PMID 22663011"])
def test_no_other_question_is_asked_in_place_of_this_one(text: str) -> None:
    assert wider(sought_in(text, today=TODAY)) is None


def test_what_was_searched_reads_well() -> None:
    made = sought_in("RCTs on eliquis in AF between 2018 and 2020", today=TODAY)
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
    found = sought_in(query, question, today=TODAY)
    if found.concepts or found.by_number:
        for each in (found, wider(found) or found):
            _check(each)


def _check(sought: Sought) -> None:
    """All that a user wrote is inside quotes, and what is outside is ours and balanced."""
    for written, grammar in ((query_for(sought), EUROPEPMC), (term_for(sought), PUBMED)):
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


def test_a_pasted_letter_is_read_in_no_time() -> None:
    found = sought_in("gout", "Dear colleague, she has gout. " * 600 + "Any studies on colchicine?", today=TODAY)
    assert "gout" in in_words(found)
