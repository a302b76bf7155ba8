"""Which language a question is in: it decides the answer's language, and that a Vietnamese one is never an order."""

from __future__ import annotations

import json
import unicodedata
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.knowledge.safety.language import detect, unmarked
from tests.support.people import PEOPLE, Person
from tests.support.tables import each_of

ENGLISH = """
What is diabetes?
what are the early signs of diabetes
Why do my gums bleed when I brush?
my tooth hurts when i drink something cold
I have chest pain
pt c/o sob x3d
65F c/o chest pain x2h, hx of htn
55 yo male w/ dm2 and ckd
Can I do an exam on him to see if he can cough?
Do the tim man's labs again please
Tim has a cough and Son has a fever
Call me before you hang the IV
Is it safe to ban sugar from the diet?
How long can the numbness last?
Sang Hung had his dose
Ms Ho can do the scan at ten
Long is on the ward
can the son of Mr Ho call me
find patient Tran Thi Hoa
find tran thi hoa
note for Le Van Minh: tolerating diet, pain controlled
prescribe metformin 500 mg for Nguyen Van An
Prescribe metformin 500 mg bid for nguyen van an
show labs of Nguyễn Văn An
Nguyễn Văn A has chest pain
Call Thảo about her results
Call Thảo
Bà Lan has a fever
Give Đỗ Thị Hạnh her evening dose
add allergy penicillin for Phạm Thị Tuyết Nhung
The café served naïve patients
Is a crème brûlée bad for my teeth?
What does "đái tháo đường" mean?
What is bệnh tiểu đường?
What does tiểu đường mean in English?
My mother's name is Hương and she has diabetes
metformin side effects
warfarin + ibuprofen interaction?
interactions between warfarin and amiodarone
stop metoprolol
hold lisinopril
refill atorvastatin 20
does ibuprofen raise blood pressure
toothache
Tooth extraction aftercare
hypoglycemia symptoms
BP 150/90, what next?
labs?
any allergies on file? about to hang her iv abx
hey whats the last lactate on def-456
thanks
hello
Hi, can you help me?
to do: call son, scan, labs
an to do list
Can me and my son eat pho?
banh mi is bad for my sugar?
How much rice can I eat?
is pho ok with diabetes
My baby has a fever
he's throwing up blood
I can't breathe
no chest pain
The lung scan is not normal
does co-amoxiclav cause rash
summarize the chart for me
Whats wrong with my dad, he is not waking up
How do I stop bleeding after a tooth was pulled?
""".strip().splitlines()

VIETNAMESE = """
Bệnh tiểu đường là gì?
tiểu đường là gì
Tôi bị đau ngực
TÔI BỊ ĐAU NGỰC
Đau Ngực
đau răng quá
Con tôi sốt 39 độ
ho ra máu
Ho ra máu
Mẹ tôi bị ngất
Nguyễn Văn A bị đau ngực
Bà Nguyễn Thị Hoa uống thuốc gì?
Uống metformin bị tiêu chảy thì làm sao?
HbA1c là gì?
HbA1c bao nhiêu là cao?
insulin glargine tiêm lúc nào
Tôi bị stress có ảnh hưởng đường huyết không?
Thuốc Panadol có dùng được không ạ
bác sĩ ơi cho em hỏi
em chào bác sĩ
cảm ơn bác sĩ
Có nên nhổ răng khôn không?
Răng khôn mọc lệch
sâu răng
Viêm lợi
niềng răng
chảy máu chân răng
bé nhà em 2 tháng sốt
Ba tôi méo miệng, yếu tay trái
có thai uống được không
đang mang thai có lấy cao răng được không
Người tiểu đường ăn phở được không?
Implant giá bao nhiêu?
Có phải đi cấp cứu không?
vì sao
tại sao tôi mệt
không
dạ vâng ạ
tieu duong la gi
tieu duong la gi?
toi bi dau nguc
toi bi kho tho
dau nguc
dau rang
dau rang phai lam sao
chay mau chan rang
con toi bi sot cao
be nha em bi sot
me toi bi ngat xiu
ba toi bi dot quy
uong metformin bi tieu chay
metformin co tac dung phu gi
HbA1c la gi
insulin tiem luc nao
duong huyet bao nhieu la cao
ha duong huyet phai lam gi
an gi de giam duong huyet
nguoi tieu duong an duoc trai cay gi
co nen nho rang khon khong
rang khon moc lech
sau rang
nieng rang co dau khong
dang mang thai co lay cao rang duoc khong
bac si oi cho em hoi
cam on bac si
tai sao toi met
ho ra mau
sot cao
kho tho
tri tieu duong bang la cay duoc khong
thuoc nay uong khi nao
may do duong huyet loai nao tot
moi ngay an bao nhieu com
bị tieu duong có ăn được xoài ko
ko an duoc gi
viem nuou la gi
nho rang xong chay mau khong cam
Lưỡi bị loét
Chồng tôi hút thuốc lá
Lý do tôi bị đau răng
LÝ DO TÔI BỊ ĐAU RĂNG
xin chao
trieu chung tieu duong
benh nhan Tran Thi Hoa bi dau nguc
toi muon biet them ve insulin
""".strip().splitlines()

NEITHER = """
HbA1c?
ok
OK
metformin
metformin 500 mg
insulin glargine
Nguyen Van An
Nguyễn Văn An
TRAN THI HOA
Le Van Minh
tran thi hoa
???
12345

5.6
HbA1c 7.2
can tim do an ho
son long sang hung
tim ho
he can do it
to me
pho
Bun cha
ECG
café
résumé
""".splitlines()[1:]


def test_table_is_wide_enough() -> None:
    assert len({*ENGLISH, *VIETNAMESE, *NEITHER}) >= 150


@each_of("text", ENGLISH)
def test_english(text: str) -> None:
    assert detect(text) == "en"


@each_of("text", VIETNAMESE)
def test_vietnamese(text: str) -> None:
    assert detect(text) == "vi"


@pytest.mark.parametrize("text", NEITHER)
def test_neither(text: str) -> None:
    assert detect(text) is None


@each_of("text", VIETNAMESE)
def test_marks_may_be_written_apart(text: str) -> None:
    assert detect(unicodedata.normalize("NFD", text)) == "vi"


def _eval_messages() -> list[str]:
    lines = files("docgemma.evals").joinpath("cases/agent.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines if line.strip()]
    return [case["say"] for case in cases] + [
        text for case in cases for text in case.get("before", ()) if isinstance(text, str)
    ]


def test_no_request_of_the_evaluations_is_vietnamese() -> None:
    messages = _eval_messages()
    assert len(messages) > 500
    assert [text for text in messages if detect(text) == "vi"] == []


def test_almost_every_request_of_the_evaluations_is_english() -> None:
    messages = _eval_messages()
    assert sum(detect(text) == "en" for text in messages) >= 0.9 * len(messages)


@pytest.mark.parametrize("patient", PEOPLE, ids=lambda patient: patient.id)
def test_a_patients_name_is_no_language(patient: Person) -> None:
    assert detect(patient.name) is None
    assert detect(f"find patient {patient.name.lower()}") == "en"
    assert detect(f"note for {patient.name}: doing well") == "en"


def _demonstration() -> list[tuple[str, str, str]]:
    folder = files("docgemma.knowledge").joinpath("demo")
    rows = [
        json.loads(line)
        for file in folder.iterdir()
        if file.name.endswith(".jsonl")
        for line in file.read_text("utf-8").splitlines()
    ]
    return [(row["language"], row["question"], row["answer"]) for row in rows]


def test_questions_that_ship_are_in_the_language_they_say() -> None:
    wrong = [question for language, question, _ in _demonstration() if detect(question) not in (language, None)]
    assert wrong == []


def test_vietnamese_questions_that_ship_are_found_without_their_marks() -> None:
    asked = [unmarked(question) for language, question, _ in _demonstration() if language == "vi"]
    missed = [question for question in asked if detect(question) != "vi"]
    assert [question for question in asked if detect(question) == "en"] == []
    assert len(missed) <= 0.05 * len(asked)


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    assert detect(text) in ("en", "vi", None)
