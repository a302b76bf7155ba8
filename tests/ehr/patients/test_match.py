"""Which recorded name is the one that was asked for, which is near it, and which is another."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.ehr.patients import match
from docgemma.ehr.patients.match import best_fit, misspelling
from docgemma.ehr.patients.names import names_of, readings
from docgemma.errors import BadInput
from tests.support.registers import patient
from tests.support.tables import each_of

Verdict = Literal["exact", "near", "no"]


def recorded(written: str) -> dict[str, Any]:
    """ "Maria Elena | García López | Jr": given names | family name | suffix."""
    given_, family, suffix = (*(part.strip() for part in written.split("|")), "", "")[:3]
    return patient("p", given_, family, suffix=suffix or None)


def verdict(asked: str, name: dict[str, Any]) -> Verdict:
    fit = best_fit(readings(asked), names_of(name))
    return "no" if fit is None else "exact" if fit.exact else "near"


TABLE: list[tuple[str, str, Verdict]] = [
    # case, accents, order, punctuation
    ("Maria Garcia", "María | García", "exact"),
    ("MARIA GARCIA", "María | García", "exact"),
    ("María García", "Maria | Garcia", "exact"),
    ("Garcia, Maria", "María | García", "exact"),
    ("garcia maria", "María | García", "exact"),
    ("  maria   garcia.", "Maria | Garcia", "exact"),
    ("Maria Garcia's", "Maria | Garcia", "exact"),
    ("Maria Garcia’s", "Maria | Garcia", "exact"),
    ("Marta Kovacs", "Márta | Kovács", "exact"),
    ("Lukasz Zolc", "Łukasz | Żółć", "exact"),
    ("Soren Aaberg", "Søren | Åberg", "near"),
    ("Mueller Hans", "Hans | Müller", "near"),
    ("Ma\u200bria Garcia", "Maria | Garcia", "exact"),
    ("Mаria Garcia", "Maria | Garcia", "near"),  # the first a is Cyrillic
    # titles
    ("Mrs Maria Garcia", "Maria | Garcia", "exact"),
    ("Prof. Dr. Maria Garcia", "Maria | Garcia", "exact"),
    ("Garcia, Mrs. Maria", "Maria | Garcia", "exact"),
    ("Smt Lakshmi Iyer", "Lakshmi | Iyer", "exact"),
    ("Shri Ram Sharma ji", "Ram | Sharma", "exact"),
    ("Sister Mary Walsh", "Mary | Walsh", "exact"),
    ("Mr Garcia", "Maria | Garcia", "near"),
    ("John Master", "John | Master", "exact"),
    ("Mary Sister", "Mary | Sister", "exact"),
    ("Master John", "John | Master", "exact"),
    ("James Master Wilson", "James | Wilson", "near"),
    # part of the name
    ("Garcia", "Maria | Garcia", "near"),
    ("Maria", "Maria | Garcia", "near"),
    ("Suharto", "| Suharto", "near"),
    ("Maria Garcia", "Maria Elena | Garcia", "exact"),
    ("Elena Garcia", "Maria Elena | Garcia", "near"),
    ("Maria Elena Garcia", "Maria Elena | Garcia", "exact"),
    ("Maria Elena", "Maria Elena | Garcia", "near"),
    ("Maria Elena Garcia", "Maria | Garcia", "near"),
    ("Maria Lopez", "Maria | Garcia", "no"),
    ("Maria Elena Lopez", "Maria Elena | Garcia", "no"),
    ("Ana Garcia", "Maria | Garcia", "no"),
    ("Baby of Maria Garcia", "Maria | Garcia", "no"),
    ("Baby Maria Garcia", "Maria | Garcia", "near"),
    # double surnames, hyphens, apostrophes, particles
    ("Maria Garcia", "María | García López", "near"),
    ("Maria Garcia Lopez", "María | García López", "exact"),
    ("Maria Lopez Garcia", "María | García López", "exact"),
    ("Ann Smith Jones", "Ann | Smith-Jones", "exact"),
    ("Ann Smith", "Ann | Smith-Jones", "near"),
    ("Mary-Ann Smith", "Mary Ann | Smith", "exact"),
    ("Maryann Smith", "Mary Ann | Smith", "near"),
    ("An Na Lee", "Anna | Lee", "near"),
    ("Cary O'Hara", "Cary | O'Hara", "exact"),
    ("Cary O’Hara", "Cary | O'Hara", "exact"),
    ("cary ohara", "Cary | O'Hara", "exact"),
    ("Cary O Hara", "Cary | O'Hara", "exact"),
    ("Cary Hara", "Cary | O'Hara", "no"),
    ("Ian Mc Donald", "Ian | McDonald", "exact"),
    ("Ian MacDonald", "Ian | McDonald", "near"),
    ("Juan Delacruz", "Juan | de la Cruz", "exact"),
    ("Juan de la Cruz", "Juan | Delacruz", "exact"),
    ("Juan Cruz", "Juan | de la Cruz", "near"),
    ("Cruz, Juan de la", "Juan | de la Cruz", "exact"),
    ("Eva van der Berg", "Eva | van der Berg", "exact"),
    ("Eva Vanderberg", "Eva | van der Berg", "exact"),
    ("Khalid bin Rashid", "Khalid | bin Rashid", "exact"),
    ("Omar Alsayed", "Omar | al-Sayed", "exact"),
    ("Omar Sayed", "Omar | al-Sayed", "near"),
    ("Abdul Rahman Khan", "Abdul Rahman | Khan", "exact"),
    ("Abdulrahman Khan", "Abdul Rahman | Khan", "exact"),
    ("Abdul Khan", "Abdul Rahman | Khan", "near"),
    # initials
    ("M. Garcia", "Maria | Garcia", "near"),
    ("J R Smith", "John Robert | Smith", "near"),
    ("JR Smith", "John | Smith", "no"),
    ("James A. Wilson", "James A. | Wilson", "exact"),
    ("James Wilson", "James A. | Wilson", "exact"),
    ("James A Wilson", "James Albert | Wilson", "near"),
    ("James A Wilson", "James | Wilson", "near"),
    ("James B Wilson", "James A. | Wilson", "near"),
    ("J Smith", "J | Smith", "near"),
    ("John Smith", "J | Smith", "near"),
    ("Robert Smith", "J. Robert | Smith", "exact"),
    ("Lakshmi R", "Lakshmi | R", "near"),
    ("J S", "John | Smith", "no"),
    ("J S", "J | S", "no"),
    ("Q Smith", "John | Smith", "no"),
    # generations
    ("John Smith Jr", "John | Smith | Jr.", "exact"),
    ("John Smith Jr.", "John | Smith | Sr.", "near"),
    ("John Smith Jr", "John | Smith", "near"),
    ("John Smith", "John | Smith | Jr.", "exact"),
    ("John Smith", "John | Smith | Sr.", "exact"),
    ("Smith Jr, John", "John | Smith Jr", "exact"),
    ("John Smith III", "John | Smith | III", "exact"),
    ("John Smith the 3rd", "John | Smith | III", "near"),
    ("John Smith junior", "John | Smith | Jr", "exact"),
    ("Mary Senior", "Mary | Senior", "exact"),
    ("John Paul Senior", "John Paul | Senior", "exact"),
    ("Jane Doe", "Jane | Doe | MD", "exact"),
    # short forms and spelling
    ("Bill Smith", "William | Smith", "near"),
    ("William Smith", "Bill | Smith", "near"),
    ("Bob Jones", "Robert | Jones", "near"),
    ("Liz Taylor", "Elizabeth | Taylor", "near"),
    ("Maggie Brown", "Margaret | Brown", "near"),
    ("Tony Ferrari", "Anthony | Ferrari", "near"),
    ("Kate Moss", "Catherine | Moss", "near"),
    ("Mike Ross", "Michael | Ross", "near"),
    ("Mohammed Ali", "Muhammad | Ali", "near"),
    ("Bill Jones", "Robert | Jones", "no"),
    ("Jon Smith", "John | Smith", "near"),
    ("Jon Smyth", "John | Smith", "near"),
    ("Maria Gracia", "Maria | Garcia", "near"),
    ("Hernandes Luis", "Luis | Hernandez", "near"),
    ("Catherine Wilson", "Katherine | Wilson", "near"),
    ("Garsia", "Maria | Garcia", "near"),
    ("Ann Lee", "Dan | Lee", "no"),
    ("Al Li", "Ed | Li", "no"),
    # order and script
    ("Nguyen Thi Mai", "Thị Mai | Nguyễn", "exact"),
    ("Mai Nguyen", "Thị Mai | Nguyễn", "near"),
    ("Nguyen Thi", "Thị Mai | Nguyễn", "near"),
    ("Nguyễn Văn Minh", "Văn Minh | Nguyễn", "exact"),
    ("Dang Van Duc", "Văn Đức | Đặng", "exact"),
    ("王 小明", "小明 | 王", "exact"),
    ("王小明", "小明 | 王", "exact"),
    ("김민수", "민수 | 김", "exact"),
    ("राम कुमार", "राम | कुमार", "exact"),
    ("कुमार", "राम | कुमार", "near"),
    ("Иван Петров", "Иван | Петров", "exact"),
    ("ИВАН ПЕТРОВ", "Иван | Петров", "exact"),
    ("يوسف خليل", "يوسف | خليل", "exact"),
]


@each_of(("asked", "name", "expected"), TABLE)
def test_names(asked: str, name: str, expected: Verdict) -> None:
    assert verdict(asked, recorded(name)) == expected


@pytest.mark.parametrize(
    ("asked", "other", "expected", "note"),
    [
        ("Maria Garcia", {"use": "maiden", "given": ["Maria"], "family": "Garcia"}, "near", match.EARLIER),
        ("Maria Garcia", {"use": "old", "text": "Maria Garcia"}, "near", match.EARLIER),
        ("Coco Garcia", {"use": "nickname", "given": ["Coco"], "family": "Garcia"}, "near", match.NICKNAME),
        ("Maria Garcia", {"use": "usual", "given": ["Maria"], "family": "Garcia"}, "exact", None),
        (
            "Maria Garcia",
            {"given": ["Maria"], "family": "Garcia", "period": {"end": "2001-05-01"}},
            "near",
            match.EARLIER,
        ),
        ("Maria Garcia", {"text": "GARCIA, Maria E."}, "exact", None),
        ("Maria Garcia", {"text": "Ms Maria Elena Garcia"}, "near", match.PART),
        ("Maria Garcia", {"given": ["Maria"], "text": "Maria Garcia"}, "exact", None),
    ],
)
def test_other_names_on_record(asked: str, other: dict[str, Any], expected: Verdict, note: str | None) -> None:
    married = patient("p", "Maria", "Rossi", other_names=[other])
    fit = best_fit(readings(asked), names_of(married))
    assert fit is not None
    assert fit.exact == (expected == "exact")
    assert note is None or note in fit.notes


@pytest.mark.parametrize(
    ("one", "other", "mistakes"),
    [
        ("garcia", "gracia", 1),
        ("garcia", "garcia", 0),
        ("jon", "john", 1),
        ("ann", "dan", 0),
        ("an", "on", 0),
        ("wilson", "watson", 0),
        ("fernandez", "hernandes", 2),
        ("ab", "abc", 0),
    ],
)
def test_misspelling(one: str, other: str, mistakes: int) -> None:
    assert misspelling(one, other) == misspelling(other, one) == mistakes


words = st.text(st.characters(categories=["L", "Mn"]) | st.sampled_from("'-. "), max_size=8)


@given(asked=st.lists(words, max_size=3).map(" ".join), names=st.lists(words, max_size=4), family=words)
def test_exact_means_that_all_was_named(asked: str, names: list[str], family: str) -> None:
    """Whatever the letters: an exact name has nothing more in its core than what was asked for, and nothing less."""
    somebody = {"name": [{"given": names, "family": family}]}
    fit = best_fit(readings(asked), names_of(somebody))
    if fit is not None and fit.exact:
        name = names_of(somebody)[0]
        asked_letters = "".join(word for reading in readings(asked) for word in reading.folded)
        assert all(letter in asked_letters for word in name.core for letter in word)


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "given", "family", "text", "use", "period", "end", "suffix"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200)
@given(name=json)
def test_odd_resources_have_no_names_but_raise_nothing(name: Any) -> None:
    assert isinstance(names_of({"name": name}), tuple)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert readings(text)
    except BadInput as refused:
        assert len(str(refused)) < 100
