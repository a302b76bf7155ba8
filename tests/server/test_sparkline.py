"""Sparklines: the words say what the drawing shows, and no value can break either."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from docgemma.ehr.chart.panel_series import Place, Point, Trend
from docgemma.server.pages.sparkline import HEIGHT, WIDTH, sparkline

SVG = ElementTree.Element


def point(on: str, value: str, place: Place = "within", flag: str = "") -> Point:
    return Point(on=on, at=on, value=value, place=place, flag=flag)


def trend(*points: Point, label: str = "Potassium", low: str = "3.5", high: str = "5.0", **more: object) -> Trend:
    last = points[-1] if points else point("", "")
    limits = "–".join(part for part in (low, high) if part)
    known = {
        "label": label,
        "unit": "mmol/L",
        "latest": f"{last.value} mmol/L",
        "latest_on": last.on,
        "points": points,
        "low": low,
        "high": high,
        "range_text": f"{limits} mmol/L" if limits else "",
        "place": last.place,
    }
    return Trend.model_validate({**known, **more})


def drawn(series: Trend) -> SVG:
    text = str(sparkline(series))
    assert "style" not in text
    return ElementTree.fromstring(text)


def kinds(svg: SVG) -> list[str]:
    return [each.get("class", "") for each in svg]


FIVE = (
    point("2025-03-01", "4.0"),
    point("2025-06-01", "5.4", "high"),
    point("2025-09-01", "3.1", "low"),
    point("2026-01-01", "4.2"),
    point("2026-10-30", "4.8"),
)


def test_the_words_tell_what_the_drawing_shows() -> None:
    svg = drawn(trend(*FIVE))
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == (
        "Potassium, 5 values from 2025-03-01 to 2026-10-30, last 4.8 mmol/L, within 3.5–5.0 mmol/L, 2 marked as outside"
    )
    assert kinds(svg) == ["spark-band", "spark-line", "spark-out spark-high", "spark-out spark-low", "spark-point"]


def test_time_is_to_scale() -> None:
    svg = drawn(trend(point("2026-01-01", "1"), point("2026-01-02", "2"), point("2026-01-11", "3")))
    line = next(each for each in svg if each.get("class") == "spark-line")
    xs = [float(pair.split(",")[0]) for pair in str(line.get("points")).split()]
    assert (xs[2] - xs[0]) / (xs[1] - xs[0]) == pytest.approx(10, abs=0.2)


@pytest.mark.parametrize(
    ("place", "low", "high", "said"),
    [
        ("within", "3.5", "5.0", "within 3.5–5.0 mmol/L"),
        ("low", "3.5", "5.0", "below 3.5–5.0 mmol/L"),
        ("high", "3.5", "5.0", "above 3.5–5.0 mmol/L"),
        ("unknown", "3.5", "5.0", "reference range 3.5–5.0 mmol/L"),
        ("unknown", "", "", "no reference range to compare with"),
        ("high", "", "", "outside its recorded range"),
    ],
)
def test_within_is_said_only_of_what_was_compared(place: Place, low: str, high: str, said: str) -> None:
    label = drawn(trend(point("2026-01-01", "4", place), low=low, high=high)).get("aria-label")
    assert label == f"Potassium, 1 value of 2026-01-01, last 4 mmol/L, {said}"


def test_a_flag_marks_a_value_that_has_no_range() -> None:
    svg = drawn(trend(point("2026-01-01", "4", "unknown", "critically high"), low="", high=""))
    assert kinds(svg) == ["spark-out spark-high"]
    assert "flagged critically high" in str(svg.get("aria-label"))


def test_blood_pressure_has_two_lines_on_one_scale() -> None:
    series = trend(
        point("2026-01-01", "150"), point("2026-02-01", "140"), low="", high="",
        second=(point("2026-01-01", "90"), point("2026-02-01", "80")),
    )  # fmt: skip
    ends = [float(str(each.get("cy"))) for each in drawn(series) if each.get("class") == "spark-point"]
    assert ends[0] < ends[1], "systolic lies above diastolic"


def test_text_of_a_chart_cannot_leave_its_place() -> None:
    hostile = '"><script>alert(1)</script>'
    text = str(sparkline(trend(*FIVE, label=hostile, latest=hostile, unit=hostile, range_text=hostile)))
    assert "<script" not in text
    assert hostile in str(ElementTree.fromstring(text).get("aria-label"))


def test_the_words_are_translated_and_the_numbers_are_not() -> None:
    other = {
        "1 value of {day}": "1 trị số {day}",
        "last {value}": "mới nhất {value}",
        "within {range}": "trong {range}",
    }

    def translate(text: str, **values: object) -> Markup:
        return Markup(other[text]).format(**values)

    label = ElementTree.fromstring(sparkline(trend(FIVE[-1]), translate)).get("aria-label")
    assert label == "Potassium, 1 trị số 2026-10-30, mới nhất 4.8 mmol/L, trong 3.5–5.0 mmol/L"


def test_nothing_to_draw() -> None:
    assert sparkline(trend(low="", high="")) == ""


_DIGITS = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False).map(lambda value: format(value, "f")),
    st.sampled_from(["0", "-5", "1e308", "-1e308", "inf", "nan", "", "1" * 400, "7", "7.0"]),
)
_DATES = st.sampled_from(
    ["2026", "2026-02", "2026-02-31", "0000-01-01", "9999-12-31T99:99:99", "2026-10-01T08:00:00", "", "x"]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(_DATES, _DIGITS), min_size=1, max_size=6), _DIGITS, _DIGITS)
def test_every_coordinate_lies_on_the_paper(points: list[tuple[str, str]], low: str, high: str) -> None:
    made = trend(*(point(on, value, "high") for on, value in points), low=low, high=high)
    text = str(sparkline(made))
    if not text:
        return
    for each in ElementTree.fromstring(text):
        numbers = [
            float(part) for part in re.findall(r"-?[\d.]+", str(each.get("points") or each.get("cx") or each.get("y")))
        ]
        assert all(-4 <= number <= max(WIDTH, HEIGHT) + 4 for number in numbers)
    assert not re.search(r"=\"[^\"]*\b(?:nan|inf)\b", re.sub(r'aria-label="[^"]*"', "", text))
