"""Ask is answered in English: a sentence in another language cannot be checked, so it is not shown."""

from __future__ import annotations

import re
import unicodedata

from docgemma.agent.answer.evidence import Evidence

_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ENGLISH = frozenset(
    re.findall(
        r"\S+",
        "the is are was were be been of and to in for with has have had not on at by or this that it its she he her "
        "his they you your we i an as from may can could should would will must if when which who than then there "
        "these those more most no but do does did about after before between into over under such also only other any "
        "all some each per both because while during without within patient patients daily once twice take takes use "
        "used dose",
    )
)
_FOREIGN = frozenset(
    re.findall(
        r"\S+",
        # Spanish, Portuguese, Italian
        "el los las una uno unos que por para está están ha han sido fue fueron se su sus del al con sin como más "
        "pero muy este esta esto también ya usted receta enviado enviada farmacia paciente pacientes medicamento "
        "alergia guardado guardada agregado agregada dosis não foi uma com são também você prescrição il gli è stato "
        "stata della dello degli nella che sono può perché prescrizione inviata farmaci "
        # French
        "le les des une est sont été dans pour avec sur aux cette ces vous nous qui ne pas ordonnance envoyée envoyé "
        "pharmacie médicament "
        # German, Dutch
        "der das und ist sind wurde wurden nicht ein eine einen mit für auf bei von zu dem den im rezept apotheke "
        "gesendet het een van voor niet werd naar wordt zijn recept apotheek verzonden "
        # Polish, Indonesian, Turkish, Tagalog, Vietnamese
        "jest nie został została się przez oraz yang untuk dengan telah tidak adalah ve bir için değil ang ng mga ay "
        "không được đã của và cho bệnh nhân thuốc là một các với này",
    )
)
_VIETNAMESE = re.compile(r"[\u1ea0-\u1ef9đơưă]", re.IGNORECASE)
_FEWEST_WORDS = 3


def not_english(sentence: str, evidence: Evidence) -> bool:
    """Whether the sentence is clearly in another language. Names and words of the sources are no sign of one."""
    found = [word for word in _LETTERS.findall(unicodedata.normalize("NFC", sentence)) if not _known(word, evidence)]
    other_script = sum(map(len, filter(_is_other_script, found)))
    if other_script >= 4 and other_script * 3 >= sum(map(len, found)):
        return True
    lowered = [word.casefold() for word in found]
    english = sum(word in _ENGLISH for word in lowered)
    foreign = {word for word in lowered if word in _FOREIGN or _VIETNAMESE.search(word)}
    hits = sum(word in foreign for word in lowered)
    return len(lowered) >= _FEWEST_WORDS and len(foreign) >= 2 and hits > 2 * english and hits * 4 >= len(lowered)


def _known(word: str, evidence: Evidence) -> bool:
    return not word.isascii() and word.casefold() in evidence.source_words


def _is_other_script(word: str) -> bool:
    """Not Latin. A Greek letter or two is chemistry (α, µ, TNF-β), a Greek word is not."""
    name = unicodedata.name(word[0], "")
    return not name.startswith("LATIN") and (not name.startswith(("GREEK", "MICRO")) or len(word) > 2)
