"""Where a label's text shows a heading, although it arrives as one line: "7.1 Nitrates Administration of …".

A number is certain, the end of the heading is a guess from capitals. A wrong guess moves a word between heading and
text, and both are kept: no word is lost by it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from docgemma.drugs.labels.references import MARK, unmarked
from docgemma.drugs.labels.wording import section_name, section_number
from docgemma.entities.words import word_set

_NUMBERED = re.compile(r"(?:(?<=\s)|^)(\d{1,2})\.(\d{1,2})(\.\d{1,2})?\s(?=[A-Z])(?!(?:MG|ML|MCG|G|IU|Units|MMOL)\b)")
_OWN_NUMBER = re.compile(r"(\d{1,2})(?:\.\d{1,2})?\s{1,3}(?=[A-Z])")
_CITES = re.compile(r"(?:sections?|and|see|or|to|of|,)\s{0,2}$", re.IGNORECASE)
_CATEGORY = re.compile(r"(Pregnancy Category [A-DX])\b(?!\s{0,2}[.:])\s{0,2}", re.IGNORECASE)
_SKIPPED = 9
"""Sub-sections that do not apply, or are sections of their own, are missing: 8 may go on with 8.6."""
_LOOKED_AT = 60
"""Words in which a heading in capitals ends, or it is none."""
_MOST_LETTERS = 600
_LONGEST = 24
"""The same for any other."""

_TITLES = {
    "warnings_and_cautions": ("Warnings and precautions", "Warnings and cautions", "Warnings"),
    "information_for_patients": ("Patient counseling information", "Information for patients"),
    "dosage_and_administration": ("Dosage and administration", "Directions"),
    "general_precautions": ("General precautions", "General"),
    "precautions": ("Precautions",),
}
_TITLED = word_set(
    "contraindications drug_interactions warnings warnings_and_cautions precautions general_precautions "
    "use_in_specific_populations clinical_pharmacology dosage_and_administration information_for_patients "
    "drug_and_or_laboratory_test_interactions pharmacokinetics pharmacodynamics mechanism_of_action"
)
_KNOWN = re.compile(
    r"(?=[A-Z])(?i:females and males of reproductive potential|carcinogenesis, mutagenesis, impairment of fertility"
    r"|information for patients|pregnancy(?! category)|lactation|nursing mothers|breast-feeding|pediatric use"
    r"|geriatric use|renal impairment|hepatic impairment|labor and delivery|risk summary|clinical considerations"
    r"|animal data|human data|laboratory tests|drug interactions|teratogenic effects|nonteratogenic effects"
    r"|usage in pregnancy|use in pregnancy|hypersensitivity reactions"
    r"|general(?! information| considerations| precautions))(?= {1,3}[^a-z .,;()])"
)
_JOINERS = word_set(
    "a after an and as at before between by due during following for from in into non of on or other per than that "
    "the to vs when who with without"
)
_OPENERS = word_set(
    "A Advise After Although An As Avoid Based Because Before Cases Consider Do During For Full Given If In Inform "
    "Instruct It Many Monitor No Physicians Prescribing Several Since Some Tell The There These This Until When While"
)
_OPENS_A_CLAUSE = word_set("Concomitant Patients Safety Use")
"""Open a sentence before a verb or noun: "Patients should …". "Patients with …" may as well go on a heading."""
_NAMED_A = word_set("vitamin hepatitis influenza factor type class category group toxin")


@dataclass(frozen=True, slots=True)
class Block:
    """Text under one heading, references still marked. `brief`: the summary before the numbered sub-sections."""

    heading: str
    text: str
    brief: bool = False


def blocks(line: str, field: str, names: Collection[str] = ()) -> tuple[Block, ...]:
    """A section, references marked, at its numbered headings and without its own title. `names` are the product's."""
    own = _OWN_NUMBER.match(line)
    major = int(own[1]) if own else section_number(field)
    found = list(_sub_headings(line, major)) if major else []
    first = found[0].start() if found else len(line)
    brief = _untitled(line[:first], field)
    made = [Block("", brief, brief=bool(found))] if brief.strip() else []
    ends = [*(each.start() for each in found[1:]), len(line)]
    for here, end in zip(found, ends, strict=False):
        made.append(Block(*split_heading(line[here.end() : end].strip(), numbered=True, names=names)))
    return tuple(made)


def split_heading(text: str, *, numbered: bool = False, names: Collection[str] = ()) -> tuple[str, str]:
    """Heading and text of what begins with a heading; an empty heading when nothing shows one.

    "Hypotension: Monitor pressure." is a sentence that names its own subject, and stays whole.
    """
    known = _KNOWN.match(text)
    if known:
        return known[0], text[known.end() :].lstrip(" :")
    words = text.split(maxsplit=_LOOKED_AT)[:_LOOKED_AT]
    end = _last_word(words, numbered=numbered, names=names)
    heading = unmarked(" ".join(words[:end]))
    if not heading or len(heading) > _MOST_LETTERS or (heading.endswith(":") and not numbered):
        return "", text
    return heading, text[_offset(text, end) :]


def split_category(text: str) -> tuple[str, str]:
    """ "Pregnancy Category X" at the start of a sentence is a statement of its own."""
    found = _CATEGORY.match(text)
    return (found[1], text[found.end() :]) if found and text[found.end() :] else ("", text)


def _sub_headings(line: str, major: int) -> Iterator[re.Match[str]]:
    """Numbers that count up within the section; any other decimal before a capital is a value or a reference."""
    last = 0
    for found in _NUMBERED.finditer(line):
        minor = int(found[2])
        starts = found.start() == 0
        follows = last < minor <= last + _SKIPPED or bool(found[3] and minor == last)
        if int(found[1]) != major or _CITES.search(line[max(0, found.start() - 10) : found.start()]):
            continue
        if starts or follows:
            yield found
            last = minor


def _untitled(text: str, field: str) -> str:
    """Without the section's own title, which `section` says already."""
    numbered = _OWN_NUMBER.match(text)
    rest = text[numbered.end() :] if numbered else text
    for title in _TITLES.get(field, (section_name(field),)) if field in _TITLED else ():
        after = rest[len(title) :]
        if rest[: len(title)].lower() == title.lower() and not after[:2].strip()[:1].islower():
            if after[:1].isalnum():
                continue
            return after.lstrip(" :")
    return rest if numbered else text


def _last_word(words: list[str], *, numbered: bool, names: Collection[str]) -> int:
    """How many words the heading has; 0 for none."""
    shouted = _shouted(words, numbered=numbered)
    if shouted:
        return shouted
    candidates: list[int] = []
    in_lower_case = False
    for index in range(1, min(len(words), _LONGEST)):
        word, before = words[index], words[index - 1]
        if before[-1] in ".!?":
            break
        if word == MARK:
            return index if numbered else 0
        if word[0].isupper() and before not in _JOINERS and before[-1] not in ",;(-/":
            if _opens(words, index, numbered=numbered) or _begins_again(words, index):
                return index
            if numbered and word.rstrip(",®™").casefold() in names:
                return index
            if in_lower_case and _plain(word) and _lower(words, index + 1):
                return index if numbered else 0
            if not in_lower_case and len(word) > 2:
                candidates.append(index)
        elif word[0].islower() and word not in _JOINERS:
            if candidates or not numbered:
                break
            in_lower_case = True
    return candidates[-1] if candidates and numbered and _lower(words, candidates[-1] + 1) else 0


def _shouted(words: list[str], *, numbered: bool) -> int:
    """Two or more words in capitals before one that is not: "DRUG INTERACTIONS Drugs that …"."""
    count = 0
    while count < len(words) and _capitals(words, count):
        count += 1
    if count == len(words) or words[count].isupper():
        return 0
    if words[count][0].islower() and (numbered or words[count - 1] == "A"):
        count -= 1
    letters = sum(len(word) for word in words[:count])
    return count if count >= 2 and letters >= 8 and words[count][0].isupper() else 0


def _capitals(words: list[str], at: int) -> bool:
    if words[at] in _JOINERS and at and at + 1 < len(words):
        return words[at + 1].isupper() and len(words[at + 1]) > 1
    return words[at].isupper() and words[at][-1] not in ".!?"


def _opens(words: list[str], index: int, *, numbered: bool) -> bool:
    """Whether a sentence starts here: "… Tardive Dyskinesia A syndrome". Two words before it make a heading."""
    word, before = words[index], words[index - 1]
    if word not in _OPENERS | _OPENS_A_CLAUSE or (not numbered and index < 2):
        return False
    if word in {"A", "In"} and before.lower() in _NAMED_A:
        return False
    if any(each[0].islower() and each not in _JOINERS for each in words[:index]) and not numbered:
        return False
    follows = words[index + 1] if index + 1 < len(words) else ""
    if word == "In" and follows[:1].isdigit():
        return numbered
    if word in _OPENS_A_CLAUSE:
        return follows[:1].islower() and follows not in _JOINERS
    return follows[:1].islower() or (len(follows) > 2 and follows.isupper())


def _begins_again(words: list[str], index: int) -> bool:
    """Whether the sentence opens with words of its heading: "Tendon Rupture Tendon rupture occurs"."""
    if not _lower(words, index + 1) or len(words[index]) <= 1:
        return False
    if words[index] == words[0]:
        return True
    pair = [word.lower() for word in words[index : index + 2]]
    return any([word.lower() for word in words[at : at + 2]] == pair for at in range(index - 1))


def _plain(word: str) -> bool:
    return word[0].isupper() and word[1:2].islower() and not any(char.isdigit() for char in word)


def _lower(words: list[str], index: int) -> bool:
    return index < len(words) and words[index][0].islower()


def _offset(text: str, words: int) -> int:
    """Where the text goes on after so many words."""
    at = 0
    for found in re.finditer(r"\S+\s*", text):
        at = found.end()
        words -= 1
        if not words:
            break
    return at
