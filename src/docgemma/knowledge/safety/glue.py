"""Words that carry no matter of their own, and words that turn, bind or weaken what stands beside them.

What is in neither list must stand in the entry: a word that nobody thought of is then never taken for a harmless one.
Engineering proposal, reviewed by no clinician.
"""

from __future__ import annotations

import unicodedata

from docgemma.entities.words import word_set


def folded(word: str) -> str:
    """One spelling for a word in lower case: with composed letters, and "hoà" as "hòa"."""
    plain = unicodedata.normalize("NFC", word).lower()
    if plain.isascii():
        return plain
    apart = unicodedata.normalize("NFD", plain)
    tones = "".join(char for char in apart if char in _TONES)
    return unicodedata.normalize("NFC", "".join(char for char in apart if char not in _TONES)) + tones


_TONES = "\u0300\u0301\u0303\u0309\u0323"


def _words(listed: str) -> frozenset[str]:
    return frozenset(map(folded, word_set(listed)))


GLUE = _words(
    """a an the of to in on at by for from with as is are was were be been being am it its this that these those and
    or but so then your you yours i me my we our they them their there here do does did have has had will would should
    shall also such which what how where please any anything because while patient patients people person someone
    example case yourself again là và của có các những với thì mà để bạn tôi được bị ở này đó đây kia cũng nên hãy sẽ
    đã đang như rằng gì nào sao thế vậy nhé ạ việc điều người sự hoặc hay vì bởi ví dụ xin mình bệnh"""
)
"""May be added to and left out of what an entry says."""

_KINDS = {
    "not": """not no never cannot cant dont doesnt didnt wont isnt arent wasnt werent shouldnt mustnt couldnt without
        avoid avoids avoided avoiding neither nor none nothing nobody nowhere refrain không đừng chưa chẳng chả tránh
        kiêng chớ miễn""",
    "only": "only solely chỉ",
    "unless": "unless except trừ ngoại",
    "until": "until till",
    "instead": "instead rather chứ",
    "before": "before beforehand trước",
    "after": "after afterwards sau",
    "first": "first",
    "more": "more higher above over exceeding hơn trên",
    "less": "less lower fewer below under dưới",
    "away": "away out off apart xa khỏi ngoài",
    "seldom": "rarely seldom hardly barely ít hiếm",
    "must": "must always phải luôn bắt buộc",
    "may": "can could may might possibly perhaps maybe thể",
    "if": "if when whenever who whoever nếu khi lúc",
    "who": "doctor dentist pharmacist prescriber nurse sĩ",
}
TURNING = {folded(word): kind for kind, words in _KINDS.items() for word in word_set(words)}
"""Each of these stands in a sentence exactly where it stands in what carries the sentence, as itself or as another of
its kind."""

BINDING = frozenset(("only", "unless", "until"))
"""What may not be left out even where it stands in another part of the sentence."""

ACTIONS = _words(
    """stop stopping start starting pause take taking give giving skip use using inject drink eat put apply rinse rub
    swallow chew change switch add increase reduce lower raise double halve cut leave miss omit begin continue hold
    restart adjust keep store freeze heat call go wait treat check pull pulled remove cất nghỉ ngưng ngừng dừng bỏ uống
    tiêm đắp bôi ăn dùng tăng giảm đổi thay thêm bớt bắt đầu gọi đi chờ đợi cho súc ngậm nhỏ xịt hút mổ nhổ để giữ đo
    tự"""
)
"""What somebody does. A question may name it and still leave open whether to do it."""

IN_TURN = frozenset(("before", "after", "until", "instead"))
"""Kinds that say what comes first: what stands around them cannot change places."""

FOLLOWING = _words("then next from than into rồi sang thành từ hơn")
"""The same of other words."""

NUMBERS = _words(
    """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million half quarter third
    couple few several dozen dozens double triple twice thrice once single zero một hai ba bốn tư năm sáu bảy tám chín
    mười mươi chục trăm nghìn ngàn triệu nửa rưỡi vài đôi gấp mấy lăm mốt"""
)
"""Each must be followed by what follows it in the entry."""

NEARING = _words(
    """below above under over than least most every each within after before about around to until up per nearly
    dưới trên hơn sau trước mỗi cách khoảng đến từ tới trong quá gần"""
)
"""What says, before a number, how the number is meant."""
