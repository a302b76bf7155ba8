"""Tables of a label: which advice is about which drug."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.drugs.labels.markup import plain_text
from docgemma.drugs.labels.tables import rows


def read(markup: str) -> list[str]:
    return [row.text for row in rows(markup)]


def test_a_row_keeps_its_column_headings_and_the_caption() -> None:
    markup = (
        "<table><caption>Doses with other drugs (<linkHtml>2.6</linkHtml>, <linkHtml>5.1</linkHtml>)</caption><thead>"
        "<tr><th>Interacting drug</th><th>What to do</th></tr></thead><tbody>"
        "<tr><td>Ciclosporin,<br/>tipranavir</td><td>Avoid</td></tr><tr><td>Digoxin</td><td>Check levels</td></tr>"
        "</tbody></table>"
    )
    found = rows(markup)
    assert [row.text for row in found] == [
        "Interacting drug: Ciclosporin, tipranavir — What to do: Avoid",
        "Interacting drug: Digoxin — What to do: Check levels",
    ]
    assert {row.caption for row in found} == {"Doses with other drugs"}


def test_a_first_row_that_only_names_columns_is_their_heading() -> None:
    markup = "<table><tr><td>Age</td><td>Dose</td></tr><tr><td>under 4 years</td><td>do not use</td></tr></table>"
    assert read(markup) == ["Age: under 4 years — Dose: do not use"]


def test_a_first_row_that_advises_is_no_heading() -> None:
    markup = "<table><tr><td>Antifungal drugs</td><td>Avoid</td></tr><tr><td>Warfarin</td><td>Monitor</td></tr></table>"
    assert read(markup) == ["Antifungal drugs — Avoid", "Warfarin — Monitor"]


def test_what_spans_rows_is_said_in_each_of_them() -> None:
    markup = (
        "<table><thead><tr><th>Class</th><th>Drug</th><th>Advice</th></tr></thead>"
        '<tr><td rowspan="2">Macrolides</td><td>erythromycin</td><td>Avoid</td></tr>'
        "<tr><td>azithromycin</td><td>No change</td></tr><tr><td>Azoles</td><td>all</td><td>Avoid</td></tr></table>"
    )
    assert read(markup) == [
        "Class: Macrolides — Drug: erythromycin — Advice: Avoid",
        "Class: Macrolides — Drug: azithromycin — Advice: No change",
        "Class: Azoles — Drug: all — Advice: Avoid",
    ]


def test_headings_in_two_rows_are_read_together() -> None:
    markup = (
        '<table><thead><tr><th rowspan="2">Drug</th><th colspan="2">Change</th></tr>'
        "<tr><th>AUC</th><th>Peak</th></tr></thead>"
        "<tr><td>Rifampin</td><td>-70%</td><td>-60%</td></tr></table>"
    )
    assert read(markup) == ["Drug: Rifampin — Change AUC: -70% — Change Peak: -60%"]


def test_the_lines_of_one_group_are_one_statement() -> None:
    """So labels of today print it: the drug in a line of its own, and below it what happens and what to do."""
    markup = (
        '<table><tr><td colspan="2">Strong CYP3A4 inhibitors</td></tr>'
        "<tr><td>Clinical Impact:</td><td>Levels rise</td></tr><tr><td>Intervention:</td><td>Avoid</td></tr>"
        "<tr><td>Examples:</td><td><list><item>ketoconazole</item><item>ritonavir</item></list></td></tr>"
        '<tr><td colspan="2">Digoxin</td></tr><tr><td>Intervention:</td><td>Check levels</td></tr></table>'
    )
    assert read(markup) == [
        "Strong CYP3A4 inhibitors — Clinical Impact: Levels rise — Intervention: Avoid"
        " — Examples: ketoconazole; ritonavir",
        "Digoxin — Intervention: Check levels",
    ]


def test_a_line_over_the_table_goes_with_every_row_below_it() -> None:
    markup = (
        "<table><thead><tr><th>Drug</th><th>Advice</th></tr></thead><tr><td colspan='2'>Antibiotics</td></tr>"
        "<tr><td>rifampin</td><td>Avoid</td></tr><tr><td>linezolid</td><td>Avoid</td></tr>"
        "<tr><td colspan='2'>Nothing below</td></tr></table>"
    )
    assert read(markup) == [
        "Antibiotics — Drug: rifampin — Advice: Avoid",
        "Antibiotics — Drug: linezolid — Advice: Avoid",
        "Nothing below",
    ]


def test_a_footnote_stays_beside_what_it_is_about() -> None:
    markup = "<table><tr><td>ritonavir<footnote>lowest dose (<a>12.3</a>)</footnote></td><td>Care</td></tr></table>"
    assert read(markup) == ["ritonavir [lowest dose] — Care"]


def test_a_table_inside_a_cell_is_text_of_the_cell() -> None:
    markup = "<table><tr><td>A<table><tr><td>b</td><td>c</td></tr></table></td><td>D</td></tr></table>"
    assert read(markup) == ["A; b; c — D"]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("no markup at all", ["no markup at all"]),
        ("<table><tr><td>one<td>two<tr><td>three", ["one — two", "three"]),
        ("<td>BP <90/50 mmHg & falling", ["BP <90/50 mmHg & falling"]),
        ("<table><tr><td>a &lt;b&gt; &amp; c &nbsp;</td></tr></table>", ["a <b> & c"]),
        ("<table></table>", []),
        ("<table><caption>Only a caption</caption></table>", ["Only a caption"]),
        ("<script>alert(1)</script>", ["alert(1)"]),
    ],
)
def test_markup_that_is_broken_or_strange(markup: str, expected: list[str]) -> None:
    assert read(markup) == expected


@pytest.mark.parametrize(
    "piece", ["<", "<!--", "<a ", "<td>", "<table>", "<tr><td rowspan=999 colspan=999>x", "</td>", "&#", "<td x='"]
)
def test_a_heap_of_markup_is_read_to_its_end(piece: str) -> None:
    """Reading that grows with the square of the length would not come back from this."""
    assert isinstance(rows(piece * (1_000_000 // len(piece) // 4)), tuple)


_TAGS = st.sampled_from(
    [
        *(
            f"<{end}{name}>"
            for name in ["table", "tr", "td", "th", "thead", "tbody", "caption", "list", "item", "footnote", "br"]
            for end in ("", "/")
        ),
        '<td rowspan="2">',
        '<td colspan="3">',
        '<th rowspan="9" colspan="0">',
        "<br/>",
        "<td/>",
    ]
)
_WORDS = st.sampled_from(["warfarin", "Avoid", "Drug", "Clinical Impact:", "<", "&amp;", "•", "( 5.1 )"])


@given(st.lists(_TAGS | _WORDS, max_size=60).map(" ".join))
def test_no_word_of_a_table_is_lost(markup: str) -> None:
    word = re.compile(r"[A-Za-z]{3,}")
    said = " ".join(f"{row.text} {row.caption}" for row in rows(markup))
    assert set(word.findall(plain_text(markup))) <= set(word.findall(said))
