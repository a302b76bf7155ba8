"""Statuses, ages, sexes, phases and places as people say them, each table read by hand."""

from __future__ import annotations

import pytest

from docgemma.sources.trials.contract import STATUSES, Sought, Study
from docgemma.sources.trials.fitting import fits, fits_age, years_of
from docgemma.sources.trials.people import Age, age_of, sex_of, told_of
from docgemma.sources.trials.phases import phase_in_words, phases_in, phases_of
from docgemma.sources.trials.places import place_of, without_place
from docgemma.sources.trials.statuses import meant, statuses_in, statuses_of
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


@each_of("words", ["xyz", "not terminated", "recruiting xyz", "green", "phase 3", "melanoma", "not", "?!x"])
def test_a_word_that_is_no_status_is_not_guessed(words: str) -> None:
    found = statuses_of(words)
    assert not found.known
    assert found.statuses == ()


@each_of(
    ("question", "statuses"),
    [
        ("psoriasis; no longer recruiting", CLOSED),
        ("gout; not recruiting any more", f"NOT_YET_RECRUITING {CLOSED}"),
        ("ALS; aren't recruiting yet", "NOT_YET_RECRUITING"),
        ("ALS; haven't started", "NOT_YET_RECRUITING"),
        ("tuberculosis; active", RUNNING),
        ("active tuberculosis", ""),
        ("open-angle glaucoma", ""),
        ("recruiting; active lupus", "RECRUITING"),
        ("completed; metformin in pregnancy", "COMPLETED"),
        ("type 2 diabetes; stopped early", "TERMINATED"),
        ("lupus; ongoing but not recruiting", "ACTIVE_NOT_RECRUITING"),
        ("expanded access; ALS", "AVAILABLE"),
        ("myeloma; closed to recruitment", CLOSED),
        ("withdrawn child", ""),
        ("complete heart block", ""),
        ("recruiting melanoma", "RECRUITING"),
        ("lupus; completed; recruiting", "COMPLETED RECRUITING"),
        ("lupus; recruiting, suspended and terminated", "RECRUITING SUSPENDED TERMINATED"),
    ],
)
def test_the_statuses_of_a_question(question: str, statuses: str) -> None:
    assert set(statuses_in(question)) == set(statuses.split())


@each_of(
    ("argument", "question", "statuses"),
    [
        ("recruiting", "psoriasis; no longer recruiting", CLOSED),
        ("active", "lupus; active, not recruiting", "ACTIVE_NOT_RECRUITING"),
        ("active", "lupus; not recruiting", f"NOT_YET_RECRUITING {CLOSED}"),
        ("COMPLETED", "gout; recruiting; completed", "COMPLETED"),
        ("recruiting", "gout", "RECRUITING"),
        (None, "gout; recruiting", "RECRUITING"),
    ],
)
def test_a_denial_in_the_question_outweighs_the_argument(argument: str | None, question: str, statuses: str) -> None:
    assert set(meant(argument, question).statuses) == set(statuses.split())


@each_of(
    ("text", "years", "to"),
    [
        ("for a 64-year-old woman", 64, None),
        ("a 64 yo with NSCLC", 64, None),
        ("64F with NSCLC", 64, None),
        ("71 y/o M with CHF", 71, None),
        ("a patient aged 70", 70, None),
        ("a 6 month old", 0.5, None),
        ("10 weeks old", 70 / 365.25, None),
        ("a 7 year old boy", 7, None),
        ("children with asthma", 0, 17),
        ("teenagers", 12, 17),
        ("elderly patients", 65, 120),
        ("men over 65", 65, 120),
        ("at least 18 years old", 18, 120),
        ("70 and over", 70, 120),
        ("aged 18 to 65", 18, 65),
        ("18-65 year olds", 18, 65),
        ("under 5s", 0, 5 - 1 / 365.25),
    ],
)
def test_ages_are_read(text: str, years: float, to: float | None) -> None:
    found = told_of(text).age
    assert found is not None
    assert found.years == pytest.approx(years)
    assert found.to == (None if to is None else pytest.approx(to))


@each_of(
    "text",
    [
        "5-year survival in melanoma",
        "over 50% response",
        "18F-FDG PET",
        "trials with over 50 patients",
        "childhood leukaemia",
        "Child-Pugh A cirrhosis",
        "adult-onset Still's disease",
        "trials in the last 5 years",
        "trials from 10 to 20 sites",
        "follow up between 12 and 24 months",
        "type 2 diabetes",
        "a mother aged 30 and her 2 year old",
    ],
)
def test_what_is_no_age_is_none(text: str) -> None:
    assert told_of(text).age is None


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
    ("text", "phases"),
    [
        ("phase 3 trials", "PHASE3"),
        ("phase II/III trials", "PHASE2 PHASE3"),
        ("Phase 1b/2", "PHASE1 PHASE2"),
        ("phases 2 and 3", "PHASE2 PHASE3"),
        ("early phase 1", "EARLY_PHASE1"),
        ("phase 0", "EARLY_PHASE1"),
        ("phase IV", "PHASE4"),
        ("the acute phase", ""),
        ("phase 3 of labour", ""),
        ("a biphasic course", ""),
    ],
)
def test_phases_of_a_sentence(text: str, phases: str) -> None:
    assert set(phases_in(text).phases) == set(phases.split())


@each_of(
    ("words", "phases"),
    [
        ("3", "PHASE3"),
        ("early 1", "EARLY_PHASE1"),
        ("II/III", "PHASE2 PHASE3"),
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
    ("condition", "place"),
    [
        ("breast cancer in Vietnam", "Vietnam"),
        ("ALS near boston", "Boston"),
        ("gout in the UK", "United Kingdom"),
        ("gout in Ohio or Michigan", "Ohio or Michigan"),
        ("lung cancer in Ho Chi Minh City", "Ho Chi Minh City"),
        ("ductal carcinoma in situ", ""),
        ("asthma in children", ""),
        ("AML in remission", ""),
        ("nausea in pregnancy", ""),
    ],
)
def test_a_place_at_the_end_of_a_condition(condition: str, place: str) -> None:
    assert without_place(condition)[1] == place


def test_a_place_argument_is_asked_for_as_the_register_writes_it() -> None:
    assert (place_of("in the UK"), place_of("viet nam"), place_of("Wigan")) == ("United Kingdom", "Vietnam", "Wigan")


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
