"""What an abstract concludes, what kind an article is, and which article comes first."""

from __future__ import annotations

import re
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.sources.literature.conclusion import LONGEST, conclusion_of
from docgemma.sources.literature.contract import Kind, Paper, Sought
from docgemma.sources.literature.facts import sections_in, text_in
from docgemma.sources.literature.ranking import kind_of, ranked
from tests.support.tables import each_of

TODAY = date(2026, 11, 16)
GOUT = Sought((("gout",),))


@each_of(
    ("abstract", "conclusion"),
    [
        ("<h4>Results</h4>A won.<h4>Conclusions</h4>A is better. (Funded by B; NCT01234567.)", "A is better."),
        ("<h4>Findings</h4>A won.<h4>Interpretation</h4>A helps.<h4>Funding</h4>B.", "A helps."),
        ("<h4>Authors' conclusions</h4>Low certainty.<h4>Plain language</h4>Maybe.", "Low certainty."),
        ("BACKGROUND: X. METHODS: Y. RESULTS: Z. CONCLUSION: A works.", "A works."),
        (
            "Background: X is common. Results: 3% died. Conclusions: Treat early. Trial registration: NCT1.",
            "Treat early.",
        ),
        ("We gave A. Many got well. In conclusion, A works. It is cheap.", "In conclusion, A works. It is cheap."),
        ("First. Second one. Third one. Fourth one.", "Third one. Fourth one."),
        ("Only one sentence of 3.5 mg/dL vs. 4.1 mg/dL", "Only one sentence of 3.5 mg/dL vs. 4.1 mg/dL."),
        ("<h4>Conclusions and relevance</h4>Use A.", "Use A."),
        ("We found it safe. Copyright 2020 by nobody.", "We found it safe."),
        ("", ""),
        ("<h4>Conclusions</h4>", ""),
    ],
)
def test_the_conclusion_is_the_abstracts_own(abstract: str, conclusion: str) -> None:
    assert conclusion_of(sections_in(abstract)) == conclusion


def test_a_long_conclusion_ends_with_a_sentence() -> None:
    sentence = "Treatment with the tablet was better than the other tablet in most people. "
    found = conclusion_of((("CONCLUSIONS", sentence * 20),))
    assert 200 < len(found) <= LONGEST
    assert found.removesuffix(" …").endswith("people.")


def test_a_very_long_sentence_is_told_from_its_beginning() -> None:
    sentence = f"The tablet won in all groups, {'namely in people who took it as they were told, ' * 20}and never lost."
    assert conclusion_of((("", f"We asked. {sentence}"),)).startswith("The tablet won")


@settings(max_examples=40, deadline=None)
@given(
    st.text(max_size=900)
    | st.lists(st.sampled_from(["A won. ", "CONCLUSION: ", "x" * 300, "1.5 mg ", "? "])).map("".join)
)
def test_a_conclusion_is_bounded_and_begins_where_a_sentence_does(text: str) -> None:
    sections = sections_in(text)
    found = conclusion_of(sections)
    assert len(found) <= LONGEST + 2
    body = " ".join(words for _, words in sections)
    start = found.removesuffix("…").strip(" .")[:20]
    assert re.search(rf"(?<![^\W_]){re.escape(start)}", body)


@each_of(
    ("markup", "text"),
    [
        ("<p>a</p><p>b</p>", "a b"),
        ("H<sub>2</sub>O and 10<sup>-3</sup>", "H2O and 10⁻³"),
        ("mm<sup>2</sup>", "mm2"),
        ("P&lt;0.05 &amp; n &gt; 3", "P<0.05 & n > 3"),
        ("&amp;lt;i&amp;gt;x&amp;lt;/i&amp;gt;", "x"),
        ("a<!-- hidden -->b", "a b"),
        ("x < y and y > z", "x < y and y > z"),
        ("if n<b and c>d", "if n<b and c>d"),
        ("<jats:p>one</jats:p>", "one"),
        ('<a href="http://x.invalid">link</a>', "link"),
        ("zero\u200bwidth\u202e", "zerowidth"),
    ],
)
def test_markup_goes_and_words_stay(markup: str, text: str) -> None:
    assert text_in(markup) == text


def test_hostile_markup_takes_no_time() -> None:
    for text in ("<" * 50_000, "<a " * 20_000, "&lt;" * 30_000, "<h4>" * 20_000, "A: " * 30_000):
        sections_in(text)


@each_of(
    ("types", "title", "kind"),
    [
        (("practice guideline",), "Gout", "guideline"),
        (("journal article",), "2024 clinical practice guideline on gout", "guideline"),
        (("journal article",), "Adherence to gout guidelines in wards", "other"),
        (("meta-analysis", "systematic review"), "Gout", "meta_analysis"),
        (("journal article",), "Gout: a systematic review and meta-analysis", "meta_analysis"),
        (("review",), "Gout: a systematic review", "systematic_review"),
        (("randomized controlled trial", "clinical trial, phase iii"), "Gout", "randomised_trial"),
        (("journal article",), "A randomised, placebo-controlled trial of A", "randomised_trial"),
        (("clinical trial protocol",), "A randomised trial of A", "other"),
        (("journal article",), "A randomised trial of A: study protocol", "other"),
        (("clinical trial, phase ii",), "Gout", "trial"),
        (("review", "journal article"), "Gout", "review"),
        (("observational study",), "Gout", "observational"),
        (("journal article",), "Gout in nurses: a cohort study", "observational"),
        (("case reports",), "Gout", "case_report"),
        (("letter",), "Comment on: a meta-analysis of gout", "other"),
        ((), "Gout", "other"),
    ],
)
def test_the_kind_is_read_from_types_and_title(types: tuple[str, ...], title: str, kind: Kind) -> None:
    assert kind_of(Paper(title, types=types)) == kind


def paper(
    title: str, *, year: int = 2022, types: tuple[str, ...] = (), cited: int = 5, preprint: bool = False
) -> Paper:
    return Paper(title, (("", "On gout. It helps."),), published=str(year), types=types, cited=cited, preprint=preprint)


def order(*papers: Paper, sought: Sought = GOUT) -> list[str]:
    return [each.title for each in ranked(papers, sought, today=TODAY)]


REVIEW = ("systematic review",)


def test_strong_evidence_comes_before_what_only_fits_best() -> None:
    assert order(paper("Gout letter", types=("letter",)), paper("Gout review", types=REVIEW))[0] == "Gout review"


def test_the_newer_of_two_equal_ones_comes_first() -> None:
    assert order(paper("Gout one", year=2005), paper("Gout two", year=2025))[0] == "Gout two"


def test_what_is_asked_for_newest_outweighs_an_old_review() -> None:
    papers = (paper("Gout old", year=2004, types=REVIEW, cited=900), paper("Gout new", year=2026))
    assert order(*papers)[0] == "Gout old"
    assert order(*papers, sought=Sought((("gout",),), newest=True))[0] == "Gout new"


def test_a_preprint_comes_after_what_was_reviewed() -> None:
    assert order(paper("Gout A", preprint=True), paper("Gout B"))[0] == "Gout B"


def test_what_is_about_it_comes_before_what_only_mentions_it() -> None:
    assert order(paper("Statins and the heart", types=REVIEW), paper("Gout in adults"))[0] == "Gout in adults"


def test_citations_count_by_the_year() -> None:
    assert order(paper("Gout A", cited=0), paper("Gout B", cited=4_000))[0] == "Gout B"


def test_a_kind_that_was_asked_for_comes_first() -> None:
    papers = (paper("Gout review", types=REVIEW), paper("Gout case", types=("case reports",)))
    assert order(*papers, sought=Sought((("gout",),), kinds=("case_report",)))[0] == "Gout case"


def test_an_article_is_listed_once_and_the_printed_one_before_its_preprint() -> None:
    title = "Allopurinol in gout: the long and the short of it"
    first = Paper(title, preprint=True, doi="10.1101/1")
    printed = Paper(f"{title}.", pmid="7", doi="10.1000/2")
    assert ranked((first, printed, Paper("Other", pmid="7")), GOUT, today=TODAY) == (printed,)


def test_equal_ones_stay_in_the_sources_order_and_nothing_known_is_no_fault() -> None:
    empty = [Paper(f"{n}") for n in range(30)]
    assert order(*empty, sought=Sought(())) == [each.title for each in empty]
