"""Nothing that tells who the patient is leaves for an outside service; words that happen to be names do."""

from __future__ import annotations

import string
from collections.abc import Callable
from datetime import date
from urllib.parse import quote, quote_plus

import httpx2
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from docgemma.clinical import People, withheld
from docgemma.fetch.door import FetchError
from docgemma.fetch.privacy import reveals
from tests.fetch.timed_service import URL, Service, reply
from tests.support.tables import each_of
from tests.support.virtual_time import now, run_virtually

UUID = "4f2a9c10-aaaa-4bbb-8ccc-1234567890ab"
BORN = People(birth_dates=("1955-03-02",))


def _named(*names: str) -> People:
    return People(names=names)


@each_of(
    ("name", "text"),
    [
        ("John Baker", "john baker"),
        ("John Baker", "John Baker cyst"),
        ("John Baker", "treatment of JOHN BAKER'S cyst"),
        ("John Baker", "John Bakers cyst"),
        ("John Baker", "Baker, John"),
        ("John Baker", "BAKER^JOHN"),
        ("John Baker", "John M. Baker"),
        ("John Baker", "John Michael Baker"),
        ("John Baker", "John_Baker"),
        ("John Baker", "gout John 20Baker"),
        ("John Baker", "john.baker@clinic.example"),
        ("John Baker", "JohnBaker"),
        ("John Baker", "search=patient.name:john AND baker"),
        ("John Baker", "Jo\u00adhn\u200b Ba\u200dker"),
        ("John Baker", "Ｊｏｈｎ　Ｂａｋｅｒ"),
        ("Baker, John", "John Baker"),
        ("Mr. John Baker Jr.", "john baker"),
        ("John Michael Baker", "John Baker"),
        ("John Michael Baker", "Michael Baker"),
        ("J. Baker", "J Baker"),
        ("BAKER^JOHN", "John Baker"),
        ("Paul Dame", "paul dame"),
        ("Md. Rahman", "md rahman"),
        ("Maria García López", "maria garcia"),
        ("Jürgen Müller", "Juergen Mueller"),
        ("Juergen Mueller", "Jürgen Müller"),
        ("Jürgen Müller", "M%FCller%20J%FCrgen"),
        ("Jürgen Müller", "M%C3%BCller%20J%C3%BCrgen"),
        ("Mary-Jane O'Brien", "Mary Jane OBrien"),
        ("Mary-Jane O'Brien", "O’Brien, Mary"),
        ("Mary-Jane O'Brien", "Maryjane O Brien"),
        ("Anna Smith-Jones", "Anna Jones"),
        ("Vincent van Gogh", "van Gogh, Vincent"),
        ("Le Van Duc", "Duc Le Van"),
        ("Lavonne545 Bode78", "Lavonne Bode"),
        ("Lavonne Bode", "Lavonne545 Bode78"),
        ("山田 太郎", "山田太郎さん"),
        ("山田太郎", "山田 太郎"),
        ("李 娜", "李娜"),
        ("王小明", "小明 王"),
        ("Ann Lee", "AnnLee"),
        ("Juan Carlos de la Cruz", "delaCruz Juan"),
        ("Nguyễn Văn An", "nguyenvanan"),
        ("John Baker", "J o h n B a k e r"),
        ("John Baker", "J\u043ehn B\u0430k\u0435r"),  # Cyrillic letters among the Latin ones
        (
            "\u0418\u0432\u0430\u043d \u041f\u0435\u0442\u0440\u043e\u0432",
            "\u041f\u0435\u0442\u0440\u043e\u0432, \u0418\u0432\u0430\u043d",
        ),
        ("D'Angelo Russell", "d\u02bcangelo russell"),
        ("Ka\u02bbiulani Kealoha", "Kaiulani Kealoha"),
        ("John Baker", "John MacArthur McKenzie Baker"),
    ],
)
def test_a_full_name_is_found(name: str, text: str) -> None:
    assert reveals(text, _named(name))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("John Baker", "Baker cyst"),
        ("John Baker", "St John's wort"),
        ("John Baker", "Baker J"),  # how articles name their authors
        ("John Baker", "bakery worker and johnson"),
        ("John Baker", "St John's wort for the treatment of a Baker cyst"),
        ("James Parkinson", "Parkinson's disease"),
        ("Robert Graves", "Graves disease"),
        ("Rosemary Bell", "Bell's palsy"),
        ("Mr Baker", "Mr Baker"),
        ("Baker", "Baker cyst"),
        ("An Other", "another"),
        ("", "anything"),
        ("Dr.", "Dr."),
        ("-", "a - b"),
        ("Anna de la Cruz", "de la"),
        ("Vincent van Gogh", "van der Woude syndrome"),
    ],
)
def test_a_single_word_of_a_name_is_not_enough(name: str, text: str) -> None:
    assert not reveals(text, _named(name))


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (UUID, UUID.upper()),
        (UUID, f"Patient/{UUID}/$everything"),
        (UUID, UUID.replace("-", "")),
        (UUID, f"urn:uuid:{UUID}"),
        ("7004561", "mrn 7004561"),
        ("7004561", "7004561"),
        ("7004561", "MRN7004561"),
        ("123-45-6789", "123456789"),
        ("123456789", "123 45 6789"),
        ("def-456", "DEF-456"),
        ("def-456", "def456"),
        ("12", "patient 12"),
        ("12", "Patient/12"),
        ("12", "patient id: 12"),
        ("12", "#12"),
        ("12", "patient number 12"),
        ("12", "id=12"),
        ("b12", "patient B12"),
        ("pt001", "PT001"),
        ("pt-001", "pt001"),
        ("case12", "case12"),
        ("7004561", "q=7004561&year=2020"),
        ("1000", "about 1000"),
        ("1000", "patient 1000 g"),
        ("example", "patient example"),
        ("annabaker", "annabaker"),
        ("MRN-7004561", "7004561"),
        ("mrn 7004561", "drug 7004561"),
        ("Patient/def-456", "def-456"),
        ("http://hospital.example/mrn|7004561", "7004561"),
        ("7004561", "MRN0007004561"),
        ("0007004561", "7004561"),
        ("7004561", "7,004,561"),
        ("7004561", "700-4561"),
        (UUID, UUID[:8]),
        (UUID, UUID[:-1]),
    ],
)
def test_an_id_is_found(one: str, text: str) -> None:
    assert reveals(text, People(ids=(one,)))


@pytest.mark.parametrize(
    ("one", "text"),
    [
        ("12", "12 mg of warfarin"),
        ("12", "factor 12"),
        ("12", "a patient 12 years old"),
        ("b12", "vitamin B12"),
        ("7004561", "70045612"),
        ("7004561", "17004561"),
        ("1000", "metformin 1000 mg"),
        ("1000", "metformin+1000+mg"),
        ("patient-12", "factor 12"),
        ("MRN 100", "100 mg"),
        ("0100", "100 mg of metoprolol"),
        ("example", "for example"),
        ("", "patient"),
        ("--", "patient --"),
    ],
)
def test_a_number_like_any_other_is_not_an_id(one: str, text: str) -> None:
    assert not reveals(text, People(ids=(one,)))


@pytest.mark.parametrize(
    "text",
    [
        "1955-03-02", "1955-03-02T08:00:00Z", "1955/3/2", "19550302", "195503020800", "02031955", "03021955",
        "2/3/1955", "3/2/1955", "02.03.1955", "2-3-55", "03/02/55", "550302", "2 March 1955", "2nd of March, 1955",
        "March the 2nd, 1955", "Mar 2, '55", "02MAR1955", "1955 Mar 02", "dob19550302", "DOB: 2.3.1955",
        "２／３／１９５５", "2/3/'55", "2.III.1955", "2 marzo 1955", "2 de marzo de 1955", "2. März 1955",
        "1955年3月2日", "ngày 2 tháng 3 năm 1955", "second of March 1955", "March 2 in 1955",
    ],
)  # fmt: skip
def test_a_birth_date_is_found(text: str) -> None:
    assert reveals(f"women born {text} with asthma", BORN)


@pytest.mark.parametrize(
    "text",
    ["1955", "March 1955", "2 March", "3 March 1955", "1956-03-02", "2 3 55", "NCT19550302", "NCT02031955", "2/3/1956"],
)
def test_another_day_or_part_of_one_is_not_the_birth_date(text: str) -> None:
    assert not reveals(text, BORN)


@pytest.mark.parametrize("text", ["on the twenty-second of March 1955", "22 mars 1955"])
def test_a_day_in_words_is_found(text: str) -> None:
    assert reveals(text, People(birth_dates=("1955-03-22",)))
    assert not reveals(text, BORN)


@pytest.mark.parametrize(("known", "text"), [("1955", "since 1955"), ("", ""), ("1955-03", "since 1955")])
def test_a_birth_date_that_is_half_known_refuses_nothing_else(known: str, text: str) -> None:
    assert not reveals(text, People(birth_dates=(known,)))


# What follows holds for anybody: names of two words that are no words of the text around them.
LETTERS = st.text(string.ascii_lowercase, min_size=3, max_size=9)
AROUND = st.text(max_size=30).map(lambda text: f"{text} " if text else "")
BEHIND = st.text(max_size=30).map(lambda text: f" {text}" if text else "")
Encoding = Callable[[str], str]
PLAIN: tuple[Encoding, ...] = (str, str.upper, str.title, lambda text: f"{text}'s", lambda text: f"({text})")
ENCODINGS: tuple[Encoding, ...] = (str, quote, quote_plus, lambda text: quote(quote(text)))
ENCODED: st.SearchStrategy[Encoding] = st.sampled_from(ENCODINGS)


@st.composite
def _written_names(draw: st.DrawFn) -> tuple[str, str]:
    first, last = draw(LETTERS), draw(LETTERS)
    middle = draw(st.sampled_from(["", "", "M. ", "Michael ", "van der ", "de la "]))
    ways = [f"{first} {middle}{last}", f"{last}, {first}", f"{last} {first}", f"{first}-{last}", f"{first}_{last}"]
    changed = draw(st.sampled_from(PLAIN))
    return f"{first} {last}", changed(draw(st.sampled_from(ways)))


@given(_written_names(), AROUND, BEHIND, ENCODED)
def test_any_name_is_found_in_any_text(names: tuple[str, str], before: str, behind: str, encoded: Encoding) -> None:
    name, written = names
    assert reveals(encoded(f"{before}{written}{behind}".encode("utf-8", "replace").decode()), _named(name))


WAYS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%y", "%Y%m%d", "%d %B %Y", "%b %d, %Y", "%d%b%Y")


@given(st.dates(date(1900, 1, 1)), st.sampled_from(WAYS), AROUND, BEHIND, ENCODED)
def test_any_birth_date_is_found_in_any_text(day: date, way: str, before: str, behind: str, encoded: Encoding) -> None:
    people = People(birth_dates=(day.isoformat(),))
    text = f"{before}({day.strftime(way)}){behind}"
    assert reveals(encoded(text.encode("utf-8", "replace").decode()), people)


@given(st.text(string.ascii_letters + string.digits + "-", min_size=8, max_size=36), AROUND, BEHIND, ENCODED)
def test_any_long_id_is_found_in_any_text(one: str, before: str, behind: str, encoded: Encoding) -> None:
    assume(sum(letter.isalnum() for letter in one) >= 8)
    text = f"{before}({one.swapcase()}){behind}".encode("utf-8", "replace").decode()
    assert reveals(encoded(text), People(ids=(one,)))


COMMON = (
    "Baker cyst", "Parkinson disease", "Graves disease", "Crohn disease", "Down syndrome", "Wilson disease",
    "Bell palsy", "Hodgkin lymphoma", "Paget disease", "rose hip", "St John's wort", "ginger root", "Lyme disease",
    "metformin hydrochloride", "insulin glargine", "amoxicillin and clavulanate", "vitamin K", "fish oil",
)  # fmt: skip


@given(st.sampled_from(COMMON), st.data(), LETTERS)
def test_one_shared_word_stops_no_question(topic: str, data: st.DataObject, other: str) -> None:
    words = [word.strip("'s") for word in topic.replace("'s", "").split() if len(word) > 2]
    shared = data.draw(st.sampled_from(words))
    assume(other.rstrip("s") not in topic.lower())
    for name in (f"{other} {shared}", f"{shared} {other}"):
        assert not reveals(f'search=indications:"{topic}"&limit=10', _named(name))


@given(st.text(max_size=200), st.text(max_size=40), st.text(max_size=20), st.text(max_size=12))
def test_no_text_and_nobody_is_too_strange(text: str, name: str, one: str, born: str) -> None:
    reveals(text, People(names=(name,), ids=(one,), birth_dates=(born,)))


def _people() -> People:
    return People(names=("Rosalind Thorne",), ids=("def-456", "7004561"), birth_dates=("1955-03-02",))


@pytest.mark.parametrize(
    ("url", "params", "headers"),
    [
        (URL, [("search", "asthma in Rosalind Thorne")], {}),
        (URL, [("given", "rosalind"), ("family", "thorne")], {}),
        (URL, [("rosalind", "thorne")], {}),
        (URL, [("q", "Rosalind%20Thorne")], {}),
        (URL, [("q", "Rosalind+Thorne")], {}),
        (f"{URL}?q=Thorne%2C%20Rosalind", [], {}),
        (f"{URL}/def-456", [], {}),
        (f"{URL}/Rosalind%20Thorne", [], {}),
        (URL, [], {"x-asked-for": "Rosalind Thorne"}),
        (URL, [("born", "2 March 1955")], {}),
        (URL, [("q", "7004561"), ("year", "2020")], {}),
    ],
)
def test_nothing_is_sent_about_whom_the_turn_is_about(
    url: str, params: list[tuple[str, str]], headers: dict[str, str]
) -> None:
    service = Service(reply())

    async def main() -> None:
        withheld.set(_people())
        with pytest.raises(FetchError) as failure:
            await service.outside().get(url, params, headers=headers, ends_at=now() + 10)
        assert failure.value.kind == "patient_data"
        assert "Thorne" not in str(failure.value)

    run_virtually(main())
    assert service.seen == []


def test_a_redirect_that_names_the_patient_is_not_followed() -> None:
    service = Service(reply(302, location="/people/Rosalind%20Thorne"), reply())

    async def main() -> None:
        withheld.set(_people())
        with pytest.raises(FetchError) as failure:
            await service.outside().get(URL, ends_at=now() + 10)
        assert failure.value.kind == "patient_data"

    run_virtually(main())
    assert len(service.seen) == 1


def test_a_question_about_a_drug_goes_out_whomever_the_turn_is_about() -> None:
    service = Service(reply())

    async def main() -> httpx2.URL:
        withheld.set(_people())
        await service.outside().get(URL, [("search", "thorne apple poisoning")], ends_at=now() + 10)
        return service.seen[0].url

    assert run_virtually(main()).query == b"search=thorne%20apple%20poisoning"
