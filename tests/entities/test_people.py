"""Names in the sentences of clinicians, and the words that only look like people."""

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


@pytest.mark.parametrize(
    "text",
    [
        "What did Dr. John Lee prescribe",
        "Dr Lee wants labs",
        "per Dr Jones start heparin",
        "Nurse Amy says BP is low",
        "per Jones, hold the warfarin",
        "seen by Smith this morning",
        "prescribed by John Smith",
        "discussed with Garcia",
        "I spoke to Patel about the scan",
        "Jane Smith, RN",
        "hi this is amy from ward 4",
        "I'm Sarah, the night nurse",
        "Hi Maria",
        "Thanks John",
        "ask dr patel",
        "his wife Maria is worried",
        "her son John called",
    ],
)
def test_colleagues_and_relatives_are_no_patients(text: str) -> None:
    assert _names(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Parkinson's disease",
        "meds for Parkinson's",
        "treatment of Crohn's",
        "patient with Crohn's on azathioprine",
        "Baker cyst",
        "Hodgkin lymphoma staging",
        "Down syndrome",
        "Bell's palsy steroids?",
        "labs for Graves",
        "workup for Cushing",
        "Addison's crisis",
        "Marfan and aortic root",
        "treatment of Wilson's disease",
        "wilsons disease",
        "studies on Lou Gehrig's disease",
        "change the Foley catheter",
        "foley out",
        "Glasgow coma scale 12",
        "Apgar 9",
        "Wells score for PE",
        "Epstein-Barr serology",
        "is St John's wort safe with warfarin",
        "st johns wort and sertraline",
        "Stevens-Johnson with lamotrigine",
        "info on Stevens Johnson syndrome",
        "Guillain Barre after flu vaccine",
        "Wolff Parkinson White and adenosine",
        "Hashimoto's on levothyroxine",
        "parkinsons meds",
        "crohns flare treatment",
        "Murphy's sign",
        "Turner syndrome",
        "Jackson-Pratt drain output",
        "Smith et al 2019",
        "Johns Hopkins guideline",
        "a Kaplan Meier curve",
        "Child Pugh B cirrhosis",
        "Cockcroft Gault",
        "Braxton Hicks contractions",
        "Treacher Collins",
        "Huntington disease trials",
    ],
)
def test_eponyms_are_no_people(text: str) -> None:
    assert _names(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Studies on Atrial Fibrillation",
        "trials for Multiple Sclerosis",
        "Guidelines for Acute Pancreatitis",
        "is aspirin good for Type 2 Diabetes",
        "Check Metformin Safety",
        "find patient records",
        "Find Recent Studies",
        "What is hypertension?",
        "Find patient education leaflets",
        "Boxed Warnings For Dofetilide",
        "Community Acquired Pneumonia treatment",
        "info on Helicobacter pylori",
        "vitamin K deficiency",
        "Vitamin K Deficiency",
        "Hepatitis B Vaccine",
        "Factor V Leiden",
        "severe MR on echo",
        "MR angiography of the brain",
        "trials for ms drugs",
        "did I miss a dose",
        "don't miss warfarin",
        "master problem list",
        "in May and June",
        "labs from May",
        "labs for June",
        "will she need more",
        "mark it as done",
        "grant access",
        "hope this helps",
        "may I give ibuprofen",
        "the young woman in bed 4",
        "black box warning",
        "white count",
        "long acting insulin for bedtime",
        "Today's labs",
        "The patient's meds",
        "patient positive for covid",
        "patient reports chest pain",
        "pt stable overnight",
        "Mom's meds",
        "Start Lisinopril",
        "is Yasmin safe with epilepsy",
        "warfarin and amiodarone for the elderly",
        "search for amoxicillin dosing",
        "show me evidence for statins",
        "check for rash",
        "pull up guidelines",
        "pull up the chart",
        "look up potassium",
        "find trials for lupus",
        "get me her labs",
        "what's new on sepsis",
        "open the last progress note",
        "Describe this chest x-ray",
        "can you summarise the chart",
        "Record that she gets rash after penicillin",
        "her last labs",
        "Is it safe for pregnant patients",
        "treatment for anxiety",
        "dose for a 6 year old",
        "meds for pain",
        "labs for sepsis",
        "results for tomorrow",
        "King George Hospital",
        "transferred from St Mary's",
        "Good Morning",
        "DocGemma, hello",
        "hey gemma",
        "NICE guidelines for asthma",
        "NEWS score",
        "new york heart association class",
        "HR 0.85 in the trial",
        "COPD exacerbation",
        "tell me about Alexander technique",
        "Hamilton depression scale",
        "Patient Demographics",
        "Patient Ambulating independently",
        "the ward's notes",
        "may's labs",
        "hx of Gilbert",
        "uses a walker for balance",
        "brown sputum for a week",
        "start with the patient across the hall",
        "James",
        "PLEASE CHECK HER LABS",
        "CAN I GIVE IBUPROFEN WITH WARFARIN",
    ],
)
def test_everyday_and_clinical_words_are_no_people(text: str) -> None:
    assert _names(text) == []


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
