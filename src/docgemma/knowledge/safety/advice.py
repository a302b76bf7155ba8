"""Advice to start, stop or change a medicine, and whether it is given, forbidden or warned of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from docgemma.entities.drugs.names import drugs_in, ingredients
from docgemma.entities.words import word_set
from docgemma.knowledge.safety.content import DENYING, stem
from docgemma.knowledge.safety.phrases import normalised

_CLASSES = word_set(
    """antibiotic antibiotics steroid steroids statin statins painkiller painkillers antidepressant antidepressants
    opioid opioids diuretic diuretics antihistamine laxative sedative sulfonylurea antiviral antifungal chemotherapy"""
)
_CLASSES_VI = re.compile(
    r"kháng sinh|giảm đau|an thần|lợi tiểu|kháng viêm|corticoid|hạ sốt|hạ áp|thuốc ngủ|chống đông", re.IGNORECASE
)
_PARTS = re.compile(
    r"[,;:.()–—\n]+|\b(?:but|and|so|because|if|when|unless|until|nhưng|và|mà|vì|nên|nếu|khi|thì)\b", re.IGNORECASE
)
_MEDICINE = frozenset(
    normalised(
        """medicine medicines medication medications meds dose doses dosage insulin insulins tablet tablets pill pills
        drug drugs injection injections treatment thinner thinners prescription it them thuốc liều insulin viên mũi"""
    ).split()
)
_ACTS = {
    "stop": "stop quit discontinu skip omit paus leav miss",
    "more": "increas rais doubl",
    "less": "reduc lower halv decreas cut",
    "other": "chang switch replac adjust",
    "start": "start begin initiat",
}
_ACT_OF = {stem(word): act for act, words in _ACTS.items() for word in words.split()} | {
    normalised(word).strip(): word
    for word in ("ngừng", "ngưng", "dừng", "bỏ", "tăng", "giảm", "đổi", "thay", "bớt", "gấp")
}
_WARNS = frozenset(
    normalised("lead leads cause causes danger dangerous risk risky harm harmful unsafe gây dẫn hại nguy làm").split()
)
_REACH = 6
_MARK = "medicine"


@dataclass(frozen=True, slots=True)
class Advice:
    """`against`: one is told or warned not to."""

    act: str
    against: bool
    about: frozenset[str]


def named(text: str) -> frozenset[str]:
    """The ingredients and kinds of medicine that a text names."""
    found = {part for drug in drugs_in(text) for part in (ingredients(drug.value) or (drug.value.lower(),))}
    kinds = {stem(word) for word in re.findall(r"[a-z]+", text.lower()) if word in _CLASSES}
    return frozenset(found | kinds | {match.group().lower() for match in _CLASSES_VI.finditer(text)})


def generic(text: str) -> str:
    """The text with "medicine" in place of every drug name, for finding ways of speaking."""
    for drug in reversed(drugs_in(text)):
        text = f"{text[: drug.start]}{_MARK}{text[drug.end :]}"
    return text


def advice(text: str, before: frozenset[str]) -> frozenset[Advice]:
    """All advice on medicines in a sentence. `before`: the medicines spoken of last."""
    about = named(text) or before
    warned = bool(_WARNS.intersection(normalised(text).split()))
    found: set[Advice] = set()
    for part in _PARTS.split(generic(text)):
        tokens = normalised(part).split()
        for place, token in enumerate(tokens):
            act = _ACT_OF.get(stem(token))
            near = {*tokens[max(0, place - _REACH) : place], *tokens[place + 1 : place + 1 + _REACH]}
            if act and near & _MEDICINE:
                found.add(Advice(act, warned or bool(DENYING.intersection(tokens[:place])), about))
    return frozenset(found)
