"""Names in the sentences of clinicians."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.entities.people.names import find_person_names
from docgemma.entities.words import word_set, words


def _names(text: str) -> list[str]:
    return [mention.value for mention in find_person_names(text, words(text))]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Find patient John Smith, check his chart", ["John Smith"]),
        ("find patient john smith and check his meds", ["John Smith"]),
        ("Find patient Garcia", ["Garcia"]),
        ("Search for Smith, John", ["John Smith"]),
        ("Grazyna Considine's labs", ["Grazyna Considine"]),
        ("open the chart of Grazyna Considine", ["Grazyna Considine"]),
        ("John Q. Public needs a refill", ["John Q. Public"]),
        ("patient Ludwig van der Berg", ["Ludwig van der Berg"]),
        ("patient José García-López", ["José García-López"]),
        ("patient JOHN SMITH", ["John Smith"]),
        ("Give John Smith his usual", ["John Smith"]),
        ("Compare the charts of Maria Garcia and John Smith", ["Maria Garcia", "John Smith"]),
        ("Look up Helen Brandt in our system", ["Helen Brandt"]),
        ("Is Maria Garcia still on warfarin?", ["Maria Garcia"]),
        ("prescribe amoxicillin 500 mg tds to Adaeze Nwosu", ["Adaeze Nwosu"]),
        ("Brief me on Siobhan O'Connor before rounds", ["Siobhan O'Connor"]),
        ("Anne-Marie Lefèvre's allergies", ["Anne-Marie Lefèvre"]),
        ("any new labs on Omar al-Rashid?", ["Omar al-Rashid"]),
        ("chart of Juan de la Cruz", ["Juan de la Cruz"]),
        ("Show me the meds of Nguyen Van Anh", ["Nguyen Van Anh"]),
        ("When was Li Wei last seen?", ["Li Wei"]),
        ("Has Kwame Mensah had a flu jab?", ["Kwame Mensah"]),
        ("Sarah Smith-Jones vitals", ["Sarah Smith-Jones"]),
        ("Catch me up on Thulasi Ramanathan", ["Thulasi Ramanathan"]),
        ("John Smith Jr needs his INR", ["John Smith Jr"]),
        ("what did Grace Okonkwo's last note say", ["Grace Okonkwo"]),
        ("labs for Yasmin Khan", ["Yasmin Khan"]),
        ("Open Mary White's record", ["Mary White"]),
    ],
)
def test_full_names(text: str, names: list[str]) -> None:
    assert _names(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mrs. O'Brien is here", ["O'Brien"]),
        ("Mr Okafor's potassium?", ["Okafor"]),
        ("Ms Lee needs a refill", ["Lee"]),
        ("can u find mrs okafor", ["Okafor"]),
        ("mr wojciechowski's meds", ["Wojciechowski"]),
        ("whats mr patels inr", ["Patel"]),
        ("mrs zylbersteins meds", ["Zylberstein"]),
        ("Smt Lakshmi Devi in OPD", ["Lakshmi Devi"]),
        ("Shri R K Sharma", ["R K Sharma"]),
        ("Sri Ramesh's sugars", ["Ramesh"]),
        ("Master Arjun Reddy, fever x 3 days", ["Arjun Reddy"]),
        ("Miss Bennett's results", ["Bennett"]),
        ("ms nair's allergies", ["Nair"]),
        ("MR SMITH IS HERE", ["Smith"]),
        ("Mr Parkinson is on levodopa", ["Parkinson"]),
        ("Mr and Mrs Patel", ["Patel"]),
        ("Mr. John Smith", ["John Smith"]),
        ("Mr Black has a rash", ["Black"]),
        ("Baby of Priya, bed 4", ["Baby of Priya"]),
        ("B/O Lakshmi labs", ["Baby of Lakshmi"]),
        ("put mr lee on insulin", ["Lee"]),
        ("Zimmer frame for mrs wood", ["Wood"]),
        ("hows baby girl fernandes doing", ["Baby of Fernandes"]),
        ("Ramesh Kumar S/O Suresh Kumar", ["Ramesh Kumar"]),
    ],
)
def test_titles(text: str, names: list[str]) -> None:
    assert _names(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("J. Smith's chart", ["J. Smith"]),
        ("R K Sharma needs insulin", ["R K Sharma"]),
        ("R.K. Sharma's labs", ["R.K. Sharma"]),
        ("find j smith", ["J Smith"]),
        ("Smith J, dob 3/2/1955", ["Smith J"]),
        ("Smith, J. labs", ["J. Smith"]),
        ("SMITH, JOHN 03/02/1955", ["John Smith"]),
        ("smith, john", ["John Smith"]),
        ("Garcia, Maria T.", ["Maria T. Garcia"]),
        ("Okonkwo, Chidi: meds please", ["Chidi Okonkwo"]),
        ("Smith John dob 02-03-55", ["Smith John"]),
    ],
)
def test_initials_and_family_name_first(text: str, names: list[str]) -> None:
    assert _names(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("pull up john smiths chart", ["John Smith"]),
        ("meds for priya nair", ["Priya Nair"]),
        ("garcia maria labs", ["Garcia Maria"]),
        ("look up jose garcia pls", ["Jose Garcia"]),
        ("whats john smiths last k", ["John Smith"]),
        ("labs for okafor", ["Okafor"]),
        ("okafor labs", ["Okafor"]),
        ("patels inr today?", ["Patel"]),
        ("pull up priya", ["Priya"]),
        ("is john smith allergic to anything", ["John Smith"]),
        ("can i give ibuprofen to maria garcia", ["Maria Garcia"]),
        ("start garcia on lisinopril 10 mg daily", ["Garcia"]),
        ("chart of siobhan o'connor", ["Siobhan O'Connor"]),
        ("open angus mcdonald", ["Angus McDonald"]),
        ("find omar al-rashid", ["Omar Al-Rashid"]),
        ("bp for nguyen thi mai", ["Nguyen Thi Mai"]),
        ("chidi okonkwo meds n allergies", ["Chidi Okonkwo"]),
        ("meds for priya vaidyanathan", ["Priya Vaidyanathan"]),
        ("find zbigniew wojciechowski", ["Zbigniew Wojciechowski"]),
        ("find patient adaora nwakanma", ["Adaora Nwakanma"]),
        ("a patient named tomas novak", ["Tomas Novak"]),
        ("charts of garcia and okafor", ["Garcia", "Okafor"]),
        ("anything new on okafor", ["Okafor"]),
        ("john white labs", ["John White"]),
        ("smith john dob 02-03-55", ["Smith John"]),
        ("john smith", ["John Smith"]),
        ("ok lets look at mendoza next", ["Mendoza"]),
        ("swap thomas to apixaban", ["Thomas"]),
        ("okafor", ["Okafor"]),
        ("JOHN SMITH LABS", ["John Smith"]),
        ("hows mrs patel doing", ["Patel"]),
    ],
)
def test_names_as_typed_on_a_phone(text: str, names: list[str]) -> None:
    assert _names(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Garcia's labs", ["Garcia"]),
        ("Zylberstein's chart", ["Zylberstein"]),
        ("Labs for Okafor, please", ["Okafor"]),
        ("Prescribe metformin 500 mg bid for Okafor", ["Okafor"]),
        ("Wilson's labs", ["Wilson"]),
        ("Is Nguyen on a statin?", ["Nguyen"]),
        ("Priya's creatinine", ["Priya"]),
        ("Garcia K?", ["Garcia"]),
        ("Okafor is on warfarin, can I add ibuprofen?", ["Okafor"]),
        ("labs on the Patel kid", ["Patel"]),
        ("Does Grace have any allergies", ["Grace"]),
        ("lee's meds", ["Lee"]),
        ("and Garcia?", ["Garcia"]),
        ("the other Garcia", ["Garcia"]),
        ("Alvarez please", ["Alvarez"]),
        ("lakshmi w/o ramesh labs", ["Lakshmi"]),
        ("de souza meds", ["De Souza"]),
        ("smith k 5.4", ["Smith"]),
    ],
)
def test_one_name_alone(text: str, names: list[str]) -> None:
    assert _names(text) == names


_PIECES = sorted(
    word_set(
        "Mr Mrs ms Dr patient find for pull up chart labs John Smith smiths Garcia, maria de la van der al-Rashid J. K "
        "R 's O'Connor ’s and the kid Parkinson's disease dob 3/2/55 born 62 baby of b / o . , ( ) - JOHN will Jr RN"
    )
    | {"\n"}
)


@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(_PIECES), max_size=40).map(" ".join)))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_and_each_name_stands_where_it_says(text: str) -> None:
    found = find_person_names(text, words(text))
    assert all(text[mention.start : mention.end] == mention.text and mention.value for mention in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("is nguyen thi lan one of ours?? lab on the phone about her", ["Nguyen Thi Lan"]),
        ("find tran van minh please", ["Tran Van Minh"]),
        ("show me nguyen thi lan's chart", ["Nguyen Thi Lan"]),
        ("any results for pham thi hoa", ["Pham Thi Hoa"]),
        ("find maria del carmen", ["Maria del Carmen"]),
        ("Got a chap at the counter, surname Al-Rashid, can you find him?", ["Al-Rashid"]),
        ("last name lefevre, first time here, find her pls", ["Lefevre"]),
        ("lady in reception, surname okonkwo", ["Okonkwo"]),
        ("family name Marchetti, is she on our list", ["Marchetti"]),
        ("goes by bobby tan, any record of him", ["Bobby Tan"]),
        ("a chap called dave hollis says he left his bloods here", ["Dave Hollis"]),
        ("there's a girl called Aisling in triage", ["Aisling"]),
        ("note to self never swap a weekend with dave again", []),
        ("dave from pharmacy says hi", []),
        ("swap shifts with sarah", []),
        ("lunch with john at 1", []),
        ("never working with mike again", []),
        ("the surname is missing", []),
        ("last name please", []),
        ("got a John Smith in triage, thinks he's been here before, can you see if he's in the system", ["John Smith"]),
    ],
)
def test_announced_surnames_and_names_of_three_parts(text: str, names: list[str]) -> None:
    assert _names(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("James Wilson junior allergies", ["James Wilson Junior"]),
        ("james wilson sr meds", ["James Wilson Sr"]),
        ("is james wilson senior on warfarin", ["James Wilson Senior"]),
        ("james wilson iii labs", ["James Wilson III"]),
        ("find James Wilson II", ["James Wilson II"]),
        ("James Wilson senior house officer rang", ["James Wilson"]),
        ("james wilson sr potassium", ["James Wilson"]),
        ("James Wilson iv antibiotics", ["James Wilson"]),
    ],
)
def test_what_tells_father_and_son_apart_belongs_to_the_name(text: str, names: list[str]) -> None:
    assert _names(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("fatima alhaddad meds", ["Fatima Alhaddad"]),
        ("Fatima alhaddad last creatinine", ["Fatima Alhaddad"]),
        ("raghunathan priya latex allergy?", ["Raghunathan Priya"]),
        ("raghunathan priya bloods", ["Raghunathan Priya"]),
        ("meds Marlin Kuphal", ["Marlin Kuphal"]),
        ("bloods Marlin Kuphal?", ["Marlin Kuphal"]),
        ("recheck olivia bp", ["Olivia"]),
        ("usual maria meds", ["Maria"]),
        ("overnight maria obs", ["Maria"]),
        ("fatima ibuprofen allergy?", ["Fatima"]),
        ("maria missing meds", []),
        ("olivia refused meds", []),
        ("nurse fatima alhaddad meds", []),
        ("allergies Latex Gloves", []),
        ("Meds Panadol Extra", []),
        ("medications Reviewed Today", []),
    ],
)
def test_an_unlisted_name_is_read_where_a_chart_is_asked_for(text: str, names: list[str]) -> None:
    assert _names(text) == names
