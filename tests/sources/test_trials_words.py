"""Statuses, ages, sexes, phases and places as people say them, each table read by hand."""

from __future__ import annotations

import pytest

from docgemma.entities.trial_status import STATUSES, statuses_of, told_status
from docgemma.sources.trials.contract import Sought, Study
from docgemma.sources.trials.fitting import fits, fits_age, years_of
from docgemma.sources.trials.words import Age, age_of, is_here, phase_in_words, phases_of, place_of, sex_of
from tests.support.tables import each_of

RUNNING = "RECRUITING ACTIVE_NOT_RECRUITING ENROLLING_BY_INVITATION"
CLOSED = "ACTIVE_NOT_RECRUITING COMPLETED SUSPENDED TERMINATED WITHDRAWN"


@each_of(
    ("words", "statuses"),
    [
        ("recruiting", "RECRUITING"),
        ("Open", "RECRUITING"),
        ("enrolling", "RECRUITING"),
        ("actively recruiting", "RECRUITING"),
        ("still recruiting", "RECRUITING"),
        ("any open trial", "RECRUITING"),
        ("open now", "RECRUITING"),
        ("currently enrolling", "RECRUITING"),
        ("open to enrollment", "RECRUITING"),
        ("open to recruitment", "RECRUITING"),
        ("taking patients", "RECRUITING"),
        ("recuiting", "RECRUITING"),
        ("recruting", "RECRUITING"),
        ("active", RUNNING),
        ("ongoing", RUNNING),
        ("in progress", RUNNING),
        ("active, not recruiting", "ACTIVE_NOT_RECRUITING"),
        ("Active but not recruiting", "ACTIVE_NOT_RECRUITING"),
        ("upcoming", "NOT_YET_RECRUITING"),
        ("not yet recruiting", "NOT_YET_RECRUITING"),
        ("starting soon", "NOT_YET_RECRUITING"),
        ("by invitation", "ENROLLING_BY_INVITATION"),
        ("enrolling by invitation", "ENROLLING_BY_INVITATION"),
        ("finished", "COMPLETED"),
        ("complted", "COMPLETED"),
        ("stopped early", "TERMINATED"),
        ("halted", "SUSPENDED TERMINATED"),
        ("on hold", "SUSPENDED"),
        ("withdrawn", "WITHDRAWN"),
        ("closed", CLOSED),
        ("no longer recruiting", CLOSED),
        ("not recruiting", f"NOT_YET_RECRUITING {CLOSED}"),
        ("not active", "COMPLETED SUSPENDED TERMINATED WITHDRAWN"),
        ("not completed", f"NOT_YET_RECRUITING {RUNNING}"),
        ("expanded access", "AVAILABLE"),
        ("AVAILABLE", "AVAILABLE"),
        ("available", "RECRUITING AVAILABLE"),
        ("no longer available", "NO_LONGER_AVAILABLE"),
        ("unknown", "UNKNOWN"),
        ("recruiting or not yet recruiting", "RECRUITING NOT_YET_RECRUITING"),
        ("RECRUITING|NOT_YET_RECRUITING", "RECRUITING NOT_YET_RECRUITING"),
        ("recruiting, completed", "RECRUITING COMPLETED"),
        ("any", ""),
        ("all statuses", ""),
        *((status, status) for status in STATUSES),
        *((status.lower().replace("_", " "), status) for status in STATUSES if status != "AVAILABLE"),
    ],
)
def test_a_status_argument(words: str, statuses: str) -> None:
    found = statuses_of(words)
    assert found.known
    assert set(found.statuses) == set(statuses.split())


@each_of("words", ["xyz", "not terminated", "green", "phase 3", "melanoma", "not", "?!x"])
def test_a_word_that_is_no_status_is_not_guessed(words: str) -> None:
    found = statuses_of(words)
    assert not found.known
    assert found.statuses == ()


@each_of(
    ("written", "told"),
    [
        ("still recruiting", "recruiting"),
        ("underway", "active"),
        ("haven't started", "not yet recruiting"),
        ("no longer recruiting", ""),
        ("not terminated", ""),
        ("melanoma", ""),
    ],
)
def test_one_status_in_plain_words(written: str, told: str) -> None:
    """What several statuses stand for is kept as it was written: "no longer recruiting" is never "recruiting"."""
    assert told_status(written) == told


@each_of(
    ("words", "years", "to"),
    [
        ("64-year-old", 64, None),
        ("64F", 64, None),
        ("71 y/o", 71, None),
        ("a 6 month old", 0.5, None),
        ("10 weeks old", 70 / 365.25, None),
        ("7 year old boy", 7, None),
        ("children", 0, 17),
        ("teenagers", 12, 17),
        ("elderly", 65, 120),
        ("over 65", 65, 120),
        ("at least 18 years old", 18, 120),
        ("70 and over", 70, 120),
        ("65+", 65, 120),
        ("aged 18 to 65", 18, 65),
        ("18-65 year olds", 18, 65),
        ("2 to 6 months", 2 / 12, 0.5),
        ("under 5s", 0, 5 - 1 / 365.25),
    ],
)
def test_ages_are_read(words: str, years: float, to: float | None) -> None:
    found = age_of(words)
    assert found is not None
    assert found.years == pytest.approx(years)
    assert found.to == (None if to is None else pytest.approx(to))


@each_of(
    ("words", "age"),
    [
        ("64", Age(64.0)),
        ("64 years", Age(64.0)),
        ("6 months", Age(0.5)),
        ("64-year-old", Age(64.0)),
        ("children", Age(0.0, 17.0)),
        ("abc", None),
        ("200", None),
        ("-3", None),
    ],
)
def test_an_age_argument(words: str, age: Age | None) -> None:
    assert age_of(words) == age


@each_of(
    ("words", "sex"),
    [
        ("woman", "female"),
        ("breast cancer in women", "female"),
        ("64F with NSCLC", "female"),
        ("men over 65", "male"),
        ("a boy", "male"),
        ("male breast cancer", "male"),
        ("men who have sex with men", "male"),
        ("women and men", None),
        ("menopause", None),
        ("patients", None),
        ("f", "female"),
        ("M", "male"),
        ("both", None),
    ],
)
def test_sexes(words: str, sex: str | None) -> None:
    assert sex_of(words) == sex


@each_of(
    ("words", "phases"),
    [
        ("3", "PHASE3"),
        ("early 1", "EARLY_PHASE1"),
        ("II/III", "PHASE2 PHASE3"),
        ("phase 3 trials", "PHASE3"),
        ("Phase 1b/2", "PHASE1 PHASE2"),
        ("phases 2 and 3", "PHASE2 PHASE3"),
        ("Ph2", "PHASE2"),
        ("phase 0", "EARLY_PHASE1"),
        ("phase IV", "PHASE4"),
        ("the acute phase", ""),
        ("PHASE2|PHASE3", "PHASE2 PHASE3"),
        ("EARLY_PHASE1", "EARLY_PHASE1"),
        ("n/a", "NA"),
        ("seven", ""),
    ],
)
def test_a_phase_argument(words: str, phases: str) -> None:
    assert set(phases_of(words)) == set(phases.split())


def test_phases_in_words() -> None:
    assert phase_in_words(("PHASE2", "PHASE3")) == "Phase 2/Phase 3"
    assert phase_in_words(("EARLY_PHASE1",)) == "Early Phase 1"
    assert phase_in_words(("NA",)) == ""


@each_of(
    ("words", "register"),
    [
        ("in the UK", "United Kingdom"),
        ("viet nam", "Vietnam"),
        ("Wigan", "Wigan"),
        ("Ohio or Michigan", "Ohio or Michigan"),
        ("Malawi, Zambia, Kenya", "Malawi or Zambia or Kenya"),
        ("Leeds or Wigan", "Leeds or Wigan"),
        ("Portland, Oregon", "Portland, Oregon"),
        ("near Boston", "Boston"),
    ],
)
def test_a_place_is_asked_for_as_the_register_writes_it(words: str, register: str) -> None:
    assert place_of(words) == register


@each_of(("words", "here"), [("near me", True), ("nearby", True), ("Heredia", False)])
def test_a_place_that_nobody_else_knows(words: str, here: bool) -> None:
    assert is_here(words) is here


@each_of(
    ("limits", "years", "to", "fit"),
    [
        (("18 Years", ""), 17.0, None, False),
        (("18 Years", ""), 18.0, None, True),
        (("", "17 Years"), 17.9, None, True),
        (("", "17 Years"), 18.0, None, False),
        (("6 Months", "2 Years"), 0.5, None, True),
        (("6 Months", "2 Years"), 0.3, None, False),
        (("", ""), 90.0, None, True),
        (("eighteen", ""), 5.0, None, True),
        (("18 Years", ""), 0.0, 17.0, False),
        (("12 Years", ""), 0.0, 17.0, True),
        (("", "64 Years"), 65.0, 120.0, False),
        (("1 Year", "5 Years"), 5.5, None, True),
    ],
)
def test_registered_limits_are_compared(limits: tuple[str, str], years: float, to: float | None, fit: bool) -> None:
    study = Study("NCT00000001", "t", minimum_age=limits[0], maximum_age=limits[1])
    assert fits_age(study, Sought("gout", age_years=years, age_to=to)) is fit


def test_a_record_speaks_for_itself() -> None:
    study = Study("NCT00000001", "t", status="RECRUITING", phases=("PHASE2",), sex="MALE")
    assert not fits(study, Sought("gout", sex="female"))
    assert not fits(study, Sought("gout", statuses=("COMPLETED",)))
    assert not fits(study, Sought("gout", phases=("PHASE3",)))
    assert fits(study, Sought("gout", sex="male", statuses=("RECRUITING",), phases=("PHASE2", "PHASE3")))
    assert fits(Study("NCT00000001", "t"), Sought("gout", sex="female", statuses=("COMPLETED",), phases=("PHASE3",)))
    assert years_of("3 fortnights") is None
