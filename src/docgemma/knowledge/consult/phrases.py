"""What the consult says in its own words, in both languages. Everything else is quoted from entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from docgemma.knowledge.entry import Language

Phrase = Literal[
    "model_lost",
    "model_lost_nothing",
    "no_model",
    "did_not_fit",
    "withheld_some",
    "withheld_all",
    "passage_left_out",
    "by_model",
    "nearest",
    "other_language",
    "source",
    "reviewed",
    "not_reviewed",
    "see_also",
    "sources",
    "also_in_entry",
    "shortened",
    "cut_off",
    "warnings_first",
    "nothing_fits",
    "covers",
    "empty",
    "ask_who",
    "closed",
    "closed_patient",
    "greeting",
    "thanks",
    "farewell",
    "about",
]

_ENGLISH: Mapping[Phrase, str] = {
    "model_lost": "The language model could not be reached; these are the entries of the knowledge base, word for "
    "word.",
    "model_lost_nothing": "The language model could not be reached.",
    "no_model": "No language model was used; these are the entries of the knowledge base, word for word.",
    "did_not_fit": "The model's answer did not fit; a rule decided instead.",
    "withheld_some": "Part of the model's text was withheld: the entries do not support it.",
    "withheld_all": "The model's text was withheld because the entries do not support it; "
    "these are the entries, word for word.",
    "nearest": "The nearest entry answers this question; check that it is yours:",
    "by_model": "No entry surely fits; the language model chose this one. Check that it answers your question.",
    "passage_left_out": "A passage of an entry was left out: it reads like an order to a program.",
    "other_language": "There is no fitting entry in English; this one is in Vietnamese and was not translated.",
    "source": "Source: {source}, {review}",
    "reviewed": "reviewed {date}",
    "not_reviewed": "not reviewed by a clinician",
    "see_also": "See also:",
    "sources": "Sources:",
    "also_in_entry": "The entry also says, word for word:",
    "shortened": "(Shortened: the whole entry is longer.)",
    "cut_off": "(Shortened: the whole entry is longer. In the part that is not shown it warns:)",
    "warnings_first": "The entries warn of more than a summary can keep; they are shown word for word.",
    "nothing_fits": "The knowledge base has no entry that surely answers this question.",
    "covers": "It covers: {topics}.",
    "empty": "It has no entries in English for this role yet.",
    "ask_who": "Please ask your doctor, nurse or pharmacist.",
    "closed": "The knowledge base cannot be read right now, so this question was not answered; please try again later.",
    "closed_patient": "The knowledge base cannot be read right now, so this question was not answered; please try "
    "again "
    "later, or ask your doctor, nurse or pharmacist.",
    "greeting": "Hello! Ask me a question, and I will look for the answer in the knowledge base ({role}).",
    "thanks": "You are welcome. Ask whenever something is unclear.",
    "farewell": "Goodbye, and take care.",
    "about": "I am a program, not a clinician. I answer questions from a curated knowledge base ({role}) "
    "and show where each answer comes from.",
}
_VIETNAMESE: Mapping[Phrase, str] = {
    "model_lost": "Không kết nối được với mô hình ngôn ngữ; đây là nguyên văn các mục trong kho kiến thức.",
    "model_lost_nothing": "Không kết nối được với mô hình ngôn ngữ.",
    "no_model": "Không dùng mô hình ngôn ngữ nào; đây là nguyên văn các mục trong kho kiến thức.",
    "did_not_fit": "Câu trả lời của mô hình không hợp lệ; một quy tắc đã quyết định thay.",
    "withheld_some": "Một phần văn bản của mô hình không được hiển thị vì các mục trong kho kiến thức không nêu điều "
    "đó.",
    "withheld_all": "Văn bản của mô hình không được hiển thị vì các mục trong kho kiến thức không nêu điều đó; "
    "đây là nguyên văn các mục.",
    "nearest": "Mục gần nhất trả lời câu hỏi dưới đây; hãy xem có đúng điều bạn hỏi không:",
    "by_model": "Không có mục nào chắc chắn phù hợp; mô hình ngôn ngữ đã chọn mục này. "
    "Hãy xem nó có đúng điều bạn hỏi không.",
    "passage_left_out": "Một đoạn của mục đã được bỏ vì giống như lệnh cho chương trình máy tính.",
    "other_language": "Không có mục phù hợp bằng tiếng Việt; mục này bằng tiếng Anh và chưa được dịch.",
    "source": "Nguồn: {source}, {review}",
    "reviewed": "được duyệt ngày {date}",
    "not_reviewed": "chưa được nhân viên y tế duyệt",
    "see_also": "Xem thêm:",
    "sources": "Nguồn tham khảo:",
    "also_in_entry": "Nguyên văn trong mục còn có:",
    "shortened": "(Đã rút ngắn: mục đầy đủ dài hơn.)",
    "cut_off": "(Đã rút ngắn: mục đầy đủ dài hơn. Phần không hiển thị có các cảnh báo:)",
    "warnings_first": "Các mục có nhiều cảnh báo hơn mức một bản tóm tắt giữ được; đây là nguyên văn các mục.",
    "nothing_fits": "Kho kiến thức không có mục nào chắc chắn trả lời được câu hỏi này.",
    "covers": "Kho kiến thức có các chủ đề: {topics}.",
    "empty": "Kho kiến thức chưa có mục nào bằng tiếng Việt cho vai trò này.",
    "ask_who": "Vui lòng hỏi bác sĩ, điều dưỡng hoặc dược sĩ của bạn.",
    "closed": "Hiện không đọc được kho kiến thức nên câu hỏi này chưa được trả lời; vui lòng thử lại sau.",
    "closed_patient": "Hiện không đọc được kho kiến thức nên câu hỏi này chưa được trả lời; vui lòng thử lại sau, "
    "hoặc hỏi bác sĩ, điều dưỡng hay dược sĩ của bạn.",
    "greeting": "Xin chào! Hãy đặt câu hỏi, tôi sẽ tìm câu trả lời trong kho kiến thức ({role}).",
    "thanks": "Không có gì ạ. Bạn cứ hỏi khi có điều chưa rõ.",
    "farewell": "Tạm biệt, chúc bạn nhiều sức khỏe.",
    "about": "Tôi là một chương trình, không phải nhân viên y tế. Tôi trả lời câu hỏi từ kho kiến thức đã "
    "được biên soạn "
    "({role}) và cho biết nguồn của mỗi câu trả lời.",
}
_LABELLED: tuple[Phrase, ...] = ("source", "sources", "see_also", "also_in_entry", "covers", "shortened")
_WHOLE: tuple[Phrase, ...] = (
    "reviewed",
    "not_reviewed",
    "nothing_fits",
    "model_lost_nothing",
    "no_model",
    "did_not_fit",
    "withheld_some",
    "withheld_all",
    "warnings_first",
    "by_model",
    "other_language",
    "passage_left_out",
)
_PHRASES: Mapping[Language, Mapping[Phrase, str]] = {"en": _ENGLISH, "vi": _VIETNAMESE}

LABELS = (
    *(words[name].partition(":")[0].strip(" (") for words in _PHRASES.values() for name in _LABELLED),
    "You could also ask",
    "Bạn có thể hỏi thêm",
)
BEGINNINGS = (
    *(words[name].partition("{")[0].strip(" .") for words in _PHRASES.values() for name in _WHOLE),
    *("not reviewed", "unreviewed", "đã được duyệt", "chưa được duyệt"),
    *("High confidence", "Medium confidence", "Low confidence", "Độ tin cậy"),
)
"""How our own lines begin, here and on a screen: an entry's line that begins so must not pass for one."""


def phrase(name: Phrase, language: Language, **values: str) -> str:
    """Values are put in as they are: a brace in an entry's source is only a brace."""
    text = _PHRASES[language][name]
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", value)
    return text
