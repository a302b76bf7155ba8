"""Finding a patient by what is said of them, on servers of every kind."""

from __future__ import annotations

import random
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.ehr.contract import EhrError, Hits, Params, Resource
from docgemma.ehr.patients import wanted
from docgemma.ehr.patients.match import EARLIER, SHORT
from docgemma.ehr.patients.names import names_of
from docgemma.ehr.patients.search import find
from docgemma.ehr.patients.wanted import MOST, Search
from docgemma.entities.words import word_set
from docgemma.errors import BadInput
from tests.ehr.patients.people import FOUND, PEOPLE
from tests.support.registers import STYLES, Register, Style, patient


def ids(search: Search) -> list[str]:
    return [match.person.id for match in search.matches]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("asked", "expected"), FOUND)
async def test_exact_on_every_server(style: Style, asked: str, expected: list[str]) -> None:
    found = await find(Register(PEOPLE, style), asked)
    assert sorted(ids(found)) == expected
    assert all(match.exact and not match.note for match in found.matches)
    assert found.complete


NEAR = [
    ("Bill Smith", ["ws"], SHORT),
    ("Priya Nair", ["wed"], EARLIER),
    ("Jon Smyth", ["jsj", "jss"], "spelt"),
    ("Juergen Mueller", ["mul"], "spelt"),
    ("M Garcia", ["mg1", "mg2", "mgl"], "initial"),
    ("Garcia", ["mg1", "mg2", "mgl"], "part"),
    ("Maria Rosa Garcia Lopez", ["mgl"], "not in the recorded name"),
    ("Ian MacDonald", ["mcd"], "spelt"),
    ("Kovacs Matra", ["mrt"], "spelt"),
]


@pytest.mark.parametrize("style", ["embedded", "medplum", "router", "ignores_name"])
@pytest.mark.parametrize(("asked", "expected", "note"), NEAR)
async def test_near_ones_say_what_differs(style: Style, asked: str, expected: list[str], note: str) -> None:
    found = await find(Register(PEOPLE, style), asked)
    assert sorted(ids(found)) == expected
    assert all(not match.exact and note in match.note for match in found.matches)


@pytest.mark.parametrize("style", ["embedded", "medplum", "router", "no_birthdate", "ignores_name"])
@pytest.mark.parametrize(
    ("asked", "born", "expected", "exact", "note"),
    [
        ("Maria Garcia", "1962-04-17", ["mg1"], True, ""),
        ("Maria Garcia", "1988", ["mg2"], True, ""),
        ("Maria Garcia", "1988-11", ["mg2"], True, ""),
        ("Maria Garcia", "1988-12", ["mg1", "mg2"], False, wanted.OTHER_DATE),
        ("John Smith", "1951-03-04", ["jss"], True, ""),
        ("Asha Rao", "1999-09-09", ["tw1", "tw2"], True, ""),
        ("Asha Rao", "1999-09-19", ["tw1", "tw2"], False, wanted.OTHER_DATE),
        ("Bill Smith", "1970-01-01", ["ws"], False, SHORT),
        ("Bill Smith", "1971-01-01", [], False, ""),
        ("Tom Baker", "1971-01-01", ["nod"], False, wanted.NO_DATE),
        ("Ada Byron", "1980-01-01", ["yer"], False, wanted.PART_OF_DATE),
        ("Ada Byron", "1980", ["yer"], True, ""),
    ],
)
async def test_the_birth_date_must_agree(
    style: Style, asked: str, born: str, expected: list[str], exact: bool, note: str
) -> None:
    found = await find(Register(PEOPLE, style), asked, birth_date=born)
    assert sorted(ids(found)) == expected
    assert all(match.exact == exact and note in match.note for match in found.matches)


@pytest.mark.parametrize("style", ["embedded", "medplum", "router"])
@pytest.mark.parametrize(
    ("born", "expected"), [("1999-09-09", ["tw1", "tw2"]), ("1988", ["mg2"]), ("1980-03", ["jsj"]), ("1903", [])]
)
async def test_a_birth_date_alone_finds_but_proves_nothing(style: Style, born: str, expected: list[str]) -> None:
    found = await find(Register(PEOPLE, style), "", birth_date=born)
    assert [id_ for id_ in sorted(ids(found)) if id_ != "yer"] == expected
    assert not any(match.exact for match in found.matches)


@pytest.mark.parametrize("style", STYLES)
async def test_a_record_number_finds_and_must_agree_with_the_name(style: Style) -> None:
    register = Register(PEOPLE, style)
    alone = await find(register, "", identifier="mrn-1001")
    assert (ids(alone), alone.matches[0].exact) == (["mg1"], True)
    both = await find(register, "Asha Rao", identifier="3002")
    assert (ids(both), both.matches[0].exact) == (["tw2"], True)
    another = await find(register, "Asha Rao", identifier="MRN-1001")
    assert wanted.OTHER_NAME in next(m.note for m in another.matches if m.person.id == "mg1")
    assert not any(match.exact for match in another.matches)
    unknown = await find(register, "Asha Rao", identifier="9999")
    assert {match.note for match in unknown.matches} == {wanted.OTHER_NUMBER}


async def test_a_server_that_folds_is_asked_once() -> None:
    register = Register(PEOPLE, "embedded")
    await find(register, "Maria Garcia")
    assert len(register.asked) == 1


async def test_the_date_alone_is_enough_for_an_exact_match() -> None:
    register = Register(PEOPLE, "medplum")
    await find(register, "Maria Garcia", birth_date="1962-04-17")
    assert register.asked == [[("birthdate", "1962-04-17")]]


@pytest.mark.parametrize("style", STYLES)
async def test_requests_and_patients_are_bounded(style: Style) -> None:
    """Nobody of that name among very many: asked a few times, and honest about what was not seen."""
    crowd = [patient(f"p{n}", "Anna", f"Schmidt{n}", "1970-01-01") for n in range(3000)]
    register = Register(crowd, style)
    found = await find(register, "Anna Schmidt Weber", birth_date="1970-01-01")
    assert len(register.asked) <= 8
    assert not found.complete
    assert not any(match.exact for match in found.matches)


async def test_a_long_list_is_cut_and_says_so() -> None:
    namesakes = [patient(f"p{n:02}", "Maria", "Garcia", f"19{n + 10}-01-01") for n in range(25)]
    found = await find(Register(namesakes), "Maria Garcia")
    assert (len(found.matches), found.more, found.only) == (MOST, 15, None)


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"active": False}, wanted.NOT_IN_USE),
        ({"link": [{"type": "replaced-by", "other": {"reference": "Patient/x"}}]}, wanted.MERGED),
    ],
)
async def test_a_record_out_of_use_is_never_exact(changes: dict[str, Any], note: str) -> None:
    found = await find(Register([patient("p", "Ann", "Lee", **changes)]), "Ann Lee")
    assert [(match.exact, match.note) for match in found.matches] == [(False, note)]


async def test_death_alone_does_not_make_a_record_doubtful() -> None:
    found = await find(Register([patient("p", "Ann", "Lee", active=False, deceasedBoolean=True)]), "Ann Lee")
    assert [(match.exact, match.person.deceased) for match in found.matches] == [(True, True)]


class _Failing(Register):
    """Fails in one way, or only for some parameters."""

    def __init__(self, error: EhrError, names: frozenset[str]) -> None:
        super().__init__(PEOPLE, "medplum")
        self._error, self._names = error, names

    async def search(self, kind: str, params: Params, *, most: int = 200) -> Hits:
        if any(name in self._names for name, _ in params):
            raise self._error
        return await super().search(kind, params, most=most)


async def test_a_failing_server_is_not_an_empty_one() -> None:
    for kind in ("timeout", "server_error", "not_configured"):
        with pytest.raises(EhrError):
            await find(_Failing(EhrError(kind, "No answer."), frozenset({"name"})), "Maria Garcia")
    with pytest.raises(EhrError):
        await find(
            _Failing(EhrError("invalid_args", "No."), frozenset({"name", "birthdate"})), "Ann", birth_date="1980"
        )


async def test_what_a_server_refuses_is_asked_otherwise_and_said() -> None:
    only_dates = _Failing(EhrError("invalid_args", "No."), frozenset({"name"}))
    found = await find(only_dates, "Asha Raoo", birth_date="1999-09-09")
    assert (sorted(ids(found)), found.complete) == (["tw1", "tw2"], False)


@pytest.mark.parametrize(
    ("name", "born"),
    [
        ("", None),
        ("?!", None),
        ("\u200b", None),
        ("Ann Lee", "04/03/1980"),
        ("Ann Lee", "1980-02-30"),
        ("x " * 30, None),
    ],
)
async def test_what_nobody_can_be_found_by_is_refused(name: str, born: str | None) -> None:
    register = Register(PEOPLE)
    with pytest.raises(BadInput):
        await find(register, name, birth_date=born)
    with pytest.raises(BadInput):
        await find(register, "Ann Lee", identifier="§§")
    assert register.asked == []


latin = st.sampled_from("abcdefghijklmnoprstuvwyzáéíóúñçöüłđøşž")
spoken = st.text(latin, min_size=3, max_size=9).map(str.capitalize)


@settings(max_examples=150, deadline=None)
@given(
    given_=spoken,
    middle=spoken,
    family=spoken,
    others=st.lists(st.tuples(spoken, spoken), max_size=6),
    style=st.sampled_from(["embedded", "ignores_name"]),
    title=st.sampled_from(["", "Mrs ", "Dr. "]),
    say_middle=st.booleans(),
    comma=st.booleans(),
    bare=st.booleans(),
    upper=st.booleans(),
)
async def test_however_it_is_said_a_registered_name_is_found(
    given_: str,
    middle: str,
    family: str,
    others: list[tuple[str, str]],
    style: Style,
    title: str,
    say_middle: bool,
    comma: bool,
    bare: bool,
    upper: bool,
) -> None:
    register = Register(
        [patient(f"o{n}", *name) for n, name in enumerate(others)] + [patient("me", f"{given_} {middle}", family)],
        style,
    )
    first = f"{given_} {middle}" if say_middle else given_
    asked = f"{title}{family}, {first}" if comma else f"{title}{first} {family}"
    asked = asked.upper() if upper else asked
    found = await find(register, _without_marks(asked) if bare else asked)
    assert "me" in ids(found)
    core = {patient_["id"]: sorted(names_of(patient_)[0].core) for patient_ in register.patients}
    for match in found.matches:
        if match.exact and not say_middle:
            assert core[match.person.id] == core["me"]


def _without_marks(text: str) -> str:
    parted = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in parted if not unicodedata.combining(letter))


GIVEN = sorted(
    word_set("Maria Mario Marta Ana Anna John Jon Joan James William Bill Asha Thi Mai Omar Ali Jose Lee Van Abdul")
)
FAMILY = sorted(
    word_set("Garcia Gracia Lopez Smith Smyth Wilson Nguyen Rao Lee Ali Khan O'Hara McDonald Cruz Garcia-Lopez")
)
TALK = sorted(word_set("the of and patient please find Mr Mrs Dr Jr Sr II M J A born baby mother chart 402 de la"))


class _Remembering(Register):
    """Answers the same query again without looking."""

    async def search(self, kind: str, params: Params, *, most: int = 200) -> Hits:
        key = (tuple(params), most)
        if key not in self._answers:
            self._answers[key] = await super().search(kind, params, most=most)
        return self._answers[key]

    def __init__(self, patients: list[Resource]) -> None:
        super().__init__(patients)
        self._answers: dict[object, Hits] = {}


async def test_random_talk_never_gives_somebody_who_was_not_named() -> None:
    chance = random.Random(20)
    people = [
        patient(
            f"p{n}",
            " ".join(chance.sample(GIVEN, chance.choice((1, 1, 2)))),
            " ".join(chance.sample(FAMILY, chance.choice((1, 1, 2)))),
            suffix=chance.choice((None, None, None, "Jr", "Sr")),
        )
        for n in range(50)
    ]
    register = _Remembering(people)
    cores = {one["id"]: names_of(one)[0].core for one in people}
    exact = 0
    for _ in range(10_000):
        words = chance.choices(GIVEN, k=chance.choice((1, 1, 2))) + chance.choices(
            FAMILY, k=chance.choice((0, 1, 1, 2))
        )
        words += chance.choices(TALK, k=chance.choice((0, 0, 1, 2)))
        chance.shuffle(words)
        asked = " ".join(words)
        said = asked.lower().replace("'", "").replace("-", " ").split()
        for match in (await find(register, asked)).matches:
            if match.exact:
                exact += 1
                assert set(cores[match.person.id]) <= set(said), (asked, cores[match.person.id])
    assert exact > 150
