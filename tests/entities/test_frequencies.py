"""How often: every spelling has one standard wording, and reading and writing undo each other."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from docgemma.entities.amounts.found import find_amounts
from docgemma.entities.amounts.frequencies import combine, find_frequencies, frequency_key, parse_frequency
from docgemma.entities.amounts.frequency_words import BANNED, DAYS, FIXED, MOMENTS
from docgemma.entities.fields import join_frequencies
from tests.support.tables import each_of

_RATES = ["once", "twice", "three times", "four times", "5 times", "6 times"]
_often = st.one_of(
    st.sampled_from([f"{rate} daily" for rate in _RATES]),
    st.sampled_from(["once weekly", "twice weekly", "3 times weekly", "once monthly", "once yearly", "once only"]),
    st.builds(
        lambda n, unit: f"every {n} {unit}", st.integers(2, 23), st.sampled_from(["hours", "days", "weeks", "months"])
    ),
    st.builds(lambda n, more: f"every {n}-{n + more} hours", st.integers(1, 12), st.integers(1, 12)),
    st.sampled_from(["every other day", "every 1 hour", "every 30 minutes"]),
)
_days = st.sampled_from(DAYS).map(lambda day: f"on {day}")
_parts = st.one_of(_often, st.sampled_from(MOMENTS), _days, st.sampled_from(["as needed", "once now"]))


@given(st.lists(_parts, min_size=1, max_size=4))
def test_a_rendered_frequency_is_read_back_as_the_same(values: list[str]) -> None:
    frequency = combine(values)
    assume(frequency is not None)
    assert frequency is not None
    assert parse_frequency(frequency.render()) == frequency


@each_of("phrase", sorted(FIXED))
def test_every_phrase_of_the_vocabulary_has_a_stable_wording(phrase: str) -> None:
    frequency = parse_frequency(phrase)
    assert frequency is not None
    assert parse_frequency(frequency.render()) == frequency


@given(st.lists(st.sampled_from([*FIXED, *BANNED, "q6h", "1-0-1", "x3 daily", ",", "and"]), max_size=5).map(" ".join))
def test_what_is_read_renders_to_the_same_meaning(text: str) -> None:
    frequency = parse_frequency(text)
    if frequency is not None:
        assert parse_frequency(frequency.render()) == frequency
        assert frequency_key(frequency.render()) == frequency.render()


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    frequency = parse_frequency(text)
    assert frequency is None or frequency.render()


@each_of(
    ("text", "standard"),
    [
        ("bd", "twice daily"),
        ("B.D.", "twice daily"),
        ("tds", "three times daily"),
        ("t.d.s.", "three times daily"),
        ("qds", "four times daily"),
        ("nocte", "at bedtime"),
        ("mane", "every morning"),
        ("sos", "as needed"),
        ("q4h", "every 4 hours"),
        ("q4-6h prn", "every 4-6 hours as needed"),
        ("prn every 6 hours", "every 6 hours as needed"),
        ("q12", "every 12 hours"),
        ("8 hourly", "every 8 hours"),
        ("6-hrly", "every 6 hours"),
        ("every six hours", "every 6 hours"),
        ("4 to 6 hourly", "every 4-6 hours"),
        ("tds (8 hourly)", "every 8 hours"),
        ("every 24 hours", "once daily"),
        ("3x/day", "three times daily"),
        ("x3 daily", "three times daily"),
        ("thrice a day", "three times daily"),
        ("1x daily", "once daily"),
        ("five times a day", "5 times daily"),
        ("alternate days", "every other day"),
        ("every 2nd day", "every other day"),
        ("fortnightly", "every 2 weeks"),
        ("q72h", "every 72 hours"),
        ("once a week on Mondays", "once weekly on Monday"),
        ("Mon/Wed/Fri", "on Monday, Wednesday and Friday"),
        ("mon wed fri", "on Monday, Wednesday and Friday"),
        ("every morning on an empty stomach", "every morning on an empty stomach"),
        ("every Sunday", "on Sunday"),
        ("in the morning and at night", "every morning and at bedtime"),
        ("morning and night", "every morning and at bedtime"),
        ("1-0-1", "twice daily"),
        ("1-1-1", "three times daily"),
        ("1-0-0-1", "every morning and at bedtime"),
        ("0+0+1", "at bedtime"),
        ("b4 meals", "before meals"),
        ("tds ac", "three times daily before meals"),
        ("bd with food", "twice daily with meals"),
        ("BBF", "before breakfast"),
        ("every morning before breakfast", "before breakfast"),
        ("before bed", "at bedtime"),
        ("once only", "once only"),
        ("one-off", "once only"),
        ("x1", "once only"),
        ("one dose", "once only"),
        ("twice-daily", "twice daily"),
        ("bid w/ meals", "twice daily with meals"),
        ("stat then bd", "once now then twice daily"),
        ("once daily at bedtime", "once daily at bedtime"),
    ],
)
def test_the_standard_words(text: str, standard: str) -> None:
    frequency = parse_frequency(text)
    assert frequency is not None
    assert frequency.render() == standard


@pytest.mark.parametrize(
    "text",
    [
        "once daily twice daily",
        "twice daily or three times daily",
        "once daily in the morning and at night",
        "twice daily at bedtime",
        "twice weekly on Mondays",
        "every 8 hours twice daily",
        "biweekly",
        "2-0-1",
        "as directed",
        "",
    ],
)
def test_a_contradiction_or_an_unclear_form_is_not_read(text: str) -> None:
    assert parse_frequency(text) is None


@pytest.mark.parametrize("written", ["QD", "q.d.", "QOD", "hs", "eod", "on", "om"])
def test_a_banned_form_stays_as_written(written: str) -> None:
    (found,) = find_amounts(f"drug 5 mg {written}").frequencies
    assert found.value == written
    joined = join_frequencies([found])
    assert joined is not None
    assert joined.value == written


@pytest.mark.parametrize("written", ["od", "OD", "o.d."])
def test_od_is_once_daily_and_with_eye_drops_it_stays_to_be_asked_about(written: str) -> None:
    assert [one.value for one in find_amounts(f"amlodipine 5 mg {written}").frequencies] == ["once daily"]
    assert [one.value for one in find_amounts(f"latanoprost 1 drop {written}").frequencies] == [written]


@pytest.mark.parametrize(
    "text",
    [
        "start her on metformin",
        "now prescribe metformin 500 mg",
        "he is now stable",
        "metformin 500 mg on discharge",
        "she sat up",
        "seen on Monday",
        "500 mg x 7 days",
        "I am giving her 500 mg",
        "two a day",
        "the bidding status",
        "AC joint",
    ],
)
def test_everyday_words_are_no_frequency(text: str) -> None:
    assert find_amounts(text).frequencies == ()


def test_parts_are_found_where_they_stand() -> None:
    text = "give 500 mg Q6H p.r.n. with food"
    found = find_frequencies(text)
    assert [(text[part.start : part.end], part.value) for part in found] == [
        ("Q6H", "every 6 hours"),
        ("p.r.n.", "as needed"),
        ("with food", "with meals"),
    ]
