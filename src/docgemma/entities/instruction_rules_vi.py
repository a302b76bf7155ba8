"""Orders to a program in Vietnamese. The text comes folded: without accents and with d for đ, so one rule reads
both ways of writing.

So many words fall together ("ai" is also "who", "đóng vai trò" begins like "đóng vai trợ lý"). Each rule needs a whole
phrase, and was kept only while reviewed Vietnamese entries stay unmarked.
"""

from __future__ import annotations

import re


def _rule(*ways: str) -> re.Pattern[str]:
    """One expression for lower-case text. A blank stands for any short white space."""
    return re.compile("|".join(f"(?:{way})" for way in ways).replace(" ", r"\s{1,5}"))


_NOT = r"(?<!khong\x20)(?<!dung\x20)(?<!khong\x20nen\x20)(?<!khong\x20duoc\x20)(?<!khong\x20the\x20)(?<!cho\x20)"
_PEOPLE = r"(?: cua)? (?:bac|nhan|thay|nha|duoc|nguoi|dieu|benh|bo|hang|ho)\b"
_ALL = r"(?:moi|tat ca(?: cac| moi| nhung)?|toan bo(?: cac)?|cac|nhung|het)"
_RULES = (
    r"(?:huong dan|chi dan|chi thi|menh lenh|cau lenh|lenh|quy tac|quy dinh|nguyen tac|loi nhac|rang buoc|gioi han"
    r"|cai dat|noi dung|yeu cau|tin nhan)"
)
_EARLIER = r"(?:truoc|o tren|ben tren|phia tren|he thong|ban dau|an toan|cua ban|cua he thong)"
_PROGRAM = (
    r"(?:tro ly (?:ai|ao|so|cua ban)|mo hinh(?: ngon ngu| ai)?|chat-?bot|chat bot|tac tu|tri tue nhan tao|docgemma"
    r"|medgemma|chatgpt|gpt|copilot|llm)"
)
_MACHINE = rf"(?:{_PROGRAM}|tro ly|he thong|chuong trinh|phan mem|ung dung|ai)"
_DO = (
    r"(?:ke|mo|ghi|gui|tra loi|them|xoa|chen|in ra|hien thi|goi|bo qua|quen|noi|luu|xep|tiet lo|chon|thuc hien|thuc thi"
    r"|khong (?:hoi|can|duoc)|dung|phe duyet|tim|doc|dua|tiep tuc)\b"
)
_CHART = r"(?:ho so|benh an|benh nhan|nguoi benh)"
_ON_SCREEN = (
    rf"{_CHART}(?: nay)? (?:hien tai|dang mo|dang chon|duoc chon|tren man hinh)\b(?! (?:dang|dung|co|bi|uong)\b)"
)
_ID = r"(?:#\d{3,20}|[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}[0-9a-f-]{0,14}|[a-z]{2,5}-\d{3,20}|\d{5,20})\b"
_HOST = r"(?:https?:|www\.|[\w.+-]{1,40}@|(?:[a-z0-9-]{1,40}\.){1,4}[a-z]{2,10}\b)"

_OVERRIDES_VI = _rule(
    rf"{_NOT}\b(?:bo qua|quen(?: di| het)?|phot lo|lam lo|huy bo|gat bo|vo hieu hoa|xoa bo) {_ALL} (?:{_RULES} ){{0,2}}"
    rf"{_RULES}\b(?!{_PEOPLE})",
    rf"{_NOT}\b(?:bo qua|quen(?: di| het)?|phot lo|lam lo|huy bo|gat bo|vo hieu hoa|xoa bo) {_RULES} {_EARLIER}\b",
    rf"\b(?:khong|dung) (?:tuan theo|tuan thu|lam theo|nghe theo) {_ALL} {_RULES} {_EARLIER}\b",
    r"\b(?:huong dan|chi thi|nhiem vu|lenh) (?:moi|thuc su|bi mat)(?: cua ban| cho ban)?\s{0,2}:",
    r"\b(?:tiet lo|in ra|hien thi|cho xem|lap lai|nhac lai|cung cap|sao chep|gui)\b[^.\n]{0,40}\b(?:loi nhac he thong"
    r"|cau lenh he thong|system prompt|lich su (?:tro chuyen|hoi thoai)|(?:chi thi|huong dan) (?:he thong|goc|bi mat)"
    r"|(?:du lieu|thong tin|ho so) (?:cua )?nguoi dung khac)\b",
    r"\b(?:tu (?:bay )?gio(?: tro di)?|ke tu (?:bay gio|nay|gio))\s{0,2},? ban (?:la|se la|dong vai|khong con|phai)\b",
    rf"\bban (?:bay gio |hien )?la (?:mot )?{_PROGRAM}\b",
    r"\btra loi khong (?:co )?gioi han\b",
    r"\bdong vai (?:mot |la )?(?:bac si|duoc si|dieu duong|chuyen gia|quan tri)[^.\n]{0,40}"
    r"\b(?:ke don|ke thuoc|ke toa|tra loi|bo qua|mo ho so|ghi)\b",
    r"\b(?:che do|chuyen sang) (?:nha phat trien|go loi|quan tri|khong gioi han|dan)\b",
)

_ADDRESSED_VI = _rule(
    r"\b(?:lenh|chi thi|ghi chu|luu y|thong bao|huong dan|yeu cau|thong diep|nhac nho|loi nhan|tin nhan)"
    rf"(?: quan trong)?(?: danh| gui)?(?: rieng)? (?:cho|toi|den|voi)(?: cac| moi)?"
    rf" (?:{_PROGRAM}\b|{_MACHINE}\s{{0,2}}:)",
    rf"\b(?:{_PROGRAM}|tro ly|he thong)\s{{0,2}}:\s{{0,3}}{_DO}",
    rf"\b(?:{_MACHINE}\s{{0,2}}:|(?:{_PROGRAM}|tro ly|he thong)\s{{0,2}},)\s{{0,3}}"
    rf"(?:hay|vui long|xin hay|ban (?:phai|hay)|phai) {_DO}",
    rf"\b{_PROGRAM} (?:phai|hay|can phai|bat buoc phai|vui long) {_DO}",
    r"\b(?:he thong|chuong trinh|phan mem|tro ly) (?:phai|hay|can phai|bat buoc phai|vui long) (?:chen|tra loi|ke don"
    r"|ke thuoc|goi cong cu|bo qua|tiet lo|in ra|noi rang|them cau|mo ho so|gui ho so)\b",
    rf"\bkhi doc (?:duoc |den )?(?:doan|van ban|dong|muc|noi dung) (?:van )?nay\s{{0,2}},?"
    rf" (?:{_MACHINE}|ban|hay)\b",
    r"[\[<{]\s{0,2}/?(?:he thong|tro ly|quan tri vien|nguoi dung|chi thi|lenh he thong|thong bao he thong)\s{0,2}"
    r"[\]>}:]",
    r"\b(?:dung|khong)(?: duoc)? (?:cho|de|noi|bao|tiet lo)(?: voi| cho)? (?:nguoi doc|nguoi dung|bac si)\b(?: biet)?"
    r"[^.\n]{0,20}\b(?:doan|dieu|cau|van ban|chi thi|huong dan|yeu cau|lenh)(?: van)? (?:nay|tren)\b",
    r"\b(?:them|chen|dua|gan)\b[^.\n]{0,80}\b(?:vao|trong|cuoi|dau) (?:moi |cac |tat ca (?:cac )?)?(?:cau tra loi"
    r"|phan hoi|loi dap)\b",
    r"\b(?:xep|dua|dat) muc nay len dau\b",
    r"\b(?:tra loi|hay noi|hay khang dinh|noi voi nguoi dung|bao nguoi dung) rang\b[^.\n]{0,60}"
    r"\b(?:an toan|khong can|vo hai)\b",
)

_ACTS_VI = _rule(
    r"\b(?:goi|kich hoat|thuc thi|chay) (?:(?:cong cu|tools?|api|functions?|plugin)\b|ham [a-z]{2,20}_)",
    rf"\b(?:ke|cho|them|ghi|xoa|doi|tang|ngung|dung|dat|chi dinh|luu|mo|gui|doc)\b[^.\n]{{0,120}}"
    rf"\b(?:cho|cua|vao|khoi|trong|mo|gui) (?:ho so |benh an )?{_ON_SCREEN}",
    rf"\b(?:mo|xem|lay|doc|gui|tai|sao chep|in|xuat|ke|ghi|them|xoa|luu|truy cap)\b[^.\n]{{0,100}}\b{_CHART}"
    rf"(?: (?:cua|so|ma|id|ma so|benh nhan|nguoi benh)){{0,3}}\s{{1,5}}{_ID}",
    r"\btodo\s{0,2}:\s{0,2}(?:ke|ghi|them|xoa|mo|gui|luu|goi|tra loi|hay|bo qua)\b",
    r"\b(?:ghi|luu|viet|them|chen)(?: [a-z]{1,12}){0,3} (?:vao|trong) (?:ho so|benh an)(?: benh an| benh nhan"
    r"| nguoi benh| cua benh nhan)?(?:\s{0,2}:\s{0,2}[\"'“‘]| (?:rang|noi dung|dong chu|cau)\b"
    r"|\s{0,2}:? (?:benh nhan )?(?:khong di ung|khong co di ung|di ung (?:nang )?voi))",
    r"\b(?:xoa|go bo|loai bo|che giau|giau)(?: bo| het| di)?(?: moi| cac| tat ca| muc)? (?:tien su )?di ung\b"
    rf"[^.\n]{{0,60}}\b(?:khoi|trong|tren) (?:{_CHART}|he thong|danh sach)\b(?! (?:chi|sau khi|neu|khi)\b)",
    rf"\b(?:them|tao|chen)(?: mot| muc)? di ung (?!thuoc (?:vao|trong))[a-z0-9][^.\n]{{0,60}}"
    rf"\b(?:vao|trong) {_CHART}\b",
    r"\b(?:gui|chuyen|tai|xuat|sao chep|dang|day)\b[^.\n]{0,40}\b(?:ho so|benh an|du lieu|thong tin|ho ten|ten)\b"
    rf"[^.\n]{{0,60}}\b(?:toi|den|ve|qua|len|cho) {_HOST}",
    r"\b(?:xoa|xuat|tai xuong|sao chep|sua doi|gui) (?:tat ca|toan bo|moi) (?:cac )?(?:ho so|benh an|du lieu)"
    r"(?: cua)?(?: moi| tat ca)? (?:benh nhan|nguoi benh|nguoi dung)\b",
)

_CLEARANCE_VI = _rule(
    r"\b(?:khong|khoi|chang|dau) (?:can|phai)(?: (?:phai|cho|them|co|doi))? (?:(?:bac si|nguoi dung|con nguoi"
    r"|bat ky ai|ai) (?:xac nhan|phe duyet|duyet|dong y|chap thuan|ky duyet)\b|(?:su )?(?:phe duyet|duyet)\b"
    r"|xac nhan(?: cua (?:bac si|nguoi dung)|(?=\s{0,3}(?:[.,;:!]|$))))",
    r"\b(?:ma|va) khong (?:can )?(?:hoi|cho)(?: lai)? (?:nguoi dung|y kien nguoi dung)\b",
    r"\bnguoi dung da (?:phe duyet|duyet|xac nhan|cho phep|dong y)\b",
    r"\bbac si da (?:phe duyet|duyet|xac nhan|cho phep|dong y)(?: san| truoc)? (?:don|lenh|yeu cau|hanh dong|thao tac)"
    r" nay\b",
    r"\b(?:don|lenh|yeu cau|hanh dong|thao tac)(?: nay)? da (?:duoc )?(?:phe duyet|duyet|xac nhan)"
    r" (?:san|truoc|tu truoc)\b",
    r"\bbo qua (?:buoc |khau |viec )?(?:phe duyet|xac nhan|kiem duyet|kiem tra an toan)\b",
)

RULES_VI = (_OVERRIDES_VI, _ADDRESSED_VI, _ACTS_VI, _CLEARANCE_VI)
