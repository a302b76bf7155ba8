"""Words that tell English from Vietnamese. Vietnamese is listed without its marks: many people type it so.

No list holds a word that is at home in both languages ("can", "do", "an", "to", "ho", "me", "long"), and the Vietnamese
ones hold no common given name: a patient's name says nothing about the language of a request.
"""

from __future__ import annotations

import re

from docgemma.entities.words import phrase_list, word_set

FRAME = word_set(
    """i is are was were isn't aren't wasn't doesn't don't didn't can't cannot won't i'm i've he's she's it's what's
    what which who whose how why when where does did has have had been being my your his her their our you they she
    its this these those there with without from of for after before and or if should would could will shall must
    might please about because since until while during between any some every all both other another only also just
    very over under as at us we him myself yourself into through per via let by yes never always"""
)
"""What holds an English sentence together. Vietnamese borrows nouns, seldom these."""

ENGLISH = word_set(
    """find show give take tell check look search get make need want know help stop start book call send order add write
    note document record prescribe refill renew draft remove delete cancel update change increase decrease reduce switch
    hold review summarize list compare explain read open pull schedule follow prevent treat cause use used feel feels
    felt hurt hurts bleed bleeds goes went comes came eat drink sleep woke wake walk brush log chart place put
    patient patients pt pts doctor dr nurse dentist hospital clinic pharmacist mother father mom mum dad wife husband
    child children kid kids toddler brother sister daughter friend woman female male year years old yo y/o day days
    week weeks month months hour hours hrs yesterday morning night last next first second third once twice times daily
    weekly bid tid qid prn stat qhs fever cough dizzy weak swollen vomit nausea rash itch tired numb allergy allergic
    chest heart stroke blood sugar pressure tooth teeth gum gums mouth tongue jaw face head neck arm leg legs foot feet
    eye eyes ear throat stomach belly skin kidney liver breath breathe pain painful disease pill pills tablet tablets
    dose doses drug drugs medicine medicines meds labs lab results result level levels high low normal bad good better
    worse severe mild safe danger dangerous risk risks side effect effects symptom symptoms sign signs cure diet food
    foods fruit rice milk water weight c/o sob hx rx dx w/ s/p h/o wnl nkda discharge admit consult
    trial trials allergies interaction interactions label evidence paper papers x-ray scan vitals hello thanks thank
    sure sorry right left new more less most much many few same different type sweet sweets cold warm red white black
    blue yellow dry soft hard loose broken lost home work school pregnant birth born adult elderly emergency urgent
    worry worried scared early late quick often sometimes today tonight tomorrow ago down out off still again back
    mean means meant wrong true false diabetic dental toothache filling braces crown denture"""
)
"""Common words of English questions and orders, clinical shorthand among them."""

ENDING = re.compile(r"[a-z]{3,}(?:tions?|ing|ness|ments?|aches?|ously|ally|ably|ful|less|ility|n't)")

VIETNAMESE = word_set(
    """ay bau benh beo biet bieu bua bung buoi buon buot chac chay chich chieu choang chua chup chut cua cung cuu dau
    dum duoc duoi dut ghep gi giam gio giot giua gium giup hieu hoac huyet khac kham khap khat khau khi khien
    khoan khoang khoc khoe khoi khon khong khop khuan khuyen kieng ko liet lieu loet luc luoi luon luyen met mieng
    muon muong nao nau neu ngat ngay nghe nghen nghet nghi nghia nghiem nghien ngoai ngon ngot ngu ngua nguc ngung
    nguoc nguoi nguy nha nhac nhan nhay nhe nhiem nhieu nhin nho nhoi nhu nhuc nhung nhuoc nieng nua nuoc nuot
    nuou phai phau phoi phut qua quen sao sieu sinh soi sot suc suyen thap thay thieu thit thoi thuat thuoc tiem
    tieu toi tre tren trua truoc tuoi tuy uong uu vao vay vet viec viem vien vua xet xiu xong xuat xuong yeu"""
)
"""Syllables of questions about health that are neither English words nor everyday names."""

PAIRS = phrase_list(
    """la gi, la sao, bi gi, bi sao, co sao, co nen, co the, co bi, co phai, co gay, co hai, co an, an gi, an duoc,
    tieu duong, dai thao, thao duong, duong huyet, ha duong, huyet ap, tim mach, dau tim, dau nguc, dau dau, dau
    bung, dau rang, dau hong, dau lung, dau mat, sau rang, rang khon, nho rang, rang sua, rang ham, chay mau, ra
    mau, sot cao, ho ra, kho tho, tho doc, con toi, con em, be nha, me toi, ba toi, bo toi, bac si, nha si, mang
    thai, co bau, co thai, dot quy, co tim, co giat, te tay, tay chan, meo mieng, buon non, tac dung, di ung, lam
    sao, lam gi, bao nhieu, bao lau, the nao, tai sao, vi sao, moi ngay, hom nay, hom qua, xin chao, cam on, chao
    bac, bi ho, bi sot, bi dau, mat ngu, chong mat, mo mat, mat mo, tu tu, muon chet, cap cuu, so sinh, tre em, em
    be, tieu chay, tao bon, viem gan, ung thu, gan nhiem, mo mau, dau tay, tay trai, uong thuoc, bo thuoc, dung
    thuoc, thuoc nam, can nang, giam can, bam tim, ho hap, kho chiu, ha sot, sot ret, bi non, non oi, bi tieu, bi
    tay, dau con, sung mat, sung nuou, me bau, ngo doc, te bi, can than, xe may, nhiet mieng, hoi mieng, cao rang,
    boc rang, tram rang, tay trang, con gai, con trai, trieu chung, co trieu, la benh, bi benh, phai lam, sao het,
    di kham, nhu the, uong gi, co duoc, duoc an, an sang"""
)
"""Two syllables that each may be something else and together are Vietnamese."""

FAMILY_NAMES = word_set(
    """nguyễn trần lê phạm hoàng huỳnh phan vũ võ đặng bùi đỗ hồ ngô dương lý đinh đào đoàn lâm mai trịnh trương vương
    tô tạ hà cao châu thái tăng phùng lương quách lưu từ tống kiều triệu nghiêm bạch la mạc tôn ông thạch nguyen tran
    le pham hoang huynh phan vu vo dang bui do ho ngo duong ly dinh dao doan lam trinh truong vuong to ta
    ha chau thai tang phung luong quach luu tu tong kieu trieu"""
)
MIDDLE_NAMES = word_set("văn thị van thi ngọc ngoc")

LETTERS = frozenset("ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉĩịọỏốồổỗộớờởỡợụủũứừửữựỳỵỷỹ")
"""Letters that hardly any other language has."""

SHARED_LETTERS = frozenset("àáâãèéêìíòóôõùúý")

SYLLABLE = re.compile(
    r"(?:ngh|ng|nh|kh|gh|gi|ph|th|tr|ch|qu|[bcdghklmnprstvx])?"
    r"(?:oai|oay|oeo|uay|uoi|uou|uya|uyu|uye|ieu|yeu|uye|oa|oe|uy|ue|ua|uo|uu|ui|ia|ie|iu|ye|ai|ao|au|ay|eo|eu|oi|oo|[aeiouy])"
    r"(?:ng|nh|ch|[cmnpt])?"
)
"""The shape of every Vietnamese syllable without its marks."""
