"""Words that stand where a drug must stand but that no list knows: a rare drug, a misspelling, a look-alike.

They are passed on exactly as written, so that the drug look-up can say "not found, did you mean …". Without them a
request for a drug outside the list would read as one that named no drug.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from docgemma.entities.drugs.spelling import near_misses
from docgemma.entities.grammar.cue_spelling import meant
from docgemma.entities.grammar.spelling import heard
from docgemma.entities.grammar.verbs import BEGINNING, GIVING, PRESCRIBING, REPEATING
from docgemma.entities.model import Mention
from docgemma.entities.words import Word, word_set

_ORDERING = PRESCRIBING | BEGINNING | GIVING | REPEATING | word_set("add put get try pop do chart write advise with on")
_OF = word_set(
    "warning warnings contraindications contraindication safety label effects interactions interaction alerts"
)
_WITH = word_set("interact interacts interacting combine combining mix mixing")
_BETWEEN = word_set("for of on about between with to the drug fda info information profile report data and a an taking")
_OBJECTS = word_set(
    "her him them patient pt on the a an with some my this up for in back started mr mrs ms stat iv po im sc tab tabs "
    "tablet cap caps capsule inj injection syp syrup script prescription of"
)
_NOT_A_DRUG = word_set(
    "something anything nothing medication medications medicine meds drug drugs dose doses dosage tablet tablets "
    "capsule capsules pill pills antibiotic antibiotics statin statins insulin treatment therapy patient patients "
    "pregnancy children adults elderly people women surgery usual same prescription order orders about around maximum "
    "total daily twice every other their there these those this that with from into over after before again please "
    "today tomorrow them they what which when while until both each more less least most only just also then than "
    "note notes chart another different first second third current common between possible known severe major minor "
    "renal hepatic kidney liver heart failure disease blood pressure pain fever cough infection label labels warning "
    "warnings safety alcohol food grapefruit take taking takes taken give given using used combine combined increase "
    "decrease change switch medical clinical medicines opioids opioid steroids steroid check checking interactions "
    "interaction being been have having does doing starting started smoking chemotherapy radiation vaccines "
    "sorry apologies oops actually meant correction rather maybe perhaps thanks "
    "vaccination anesthesia vasopressor vasopressors inotrope inotropes"
)
_MINERALS = word_set("iron zinc calcium potassium magnesium")
_TABLETS = word_set("tablets tablet tabs tab caps supplements supplement pills capsules sachets syrup")
_AND = word_set("and n & + with plus")
_SHORTEST_GUESS = 6
_MOST_READ, _MOST_TRIED = 120, 40
"""In words: what is longer is pasted text, and every guess costs a search."""

_JOINTS = word_set(", and with plus & or")
_MORE = word_set(", and plus & +")
_LONGEST_LIST = 24
_SHORTEST = 5
_REACH = 6
"""How many words may stand between the verb and the drug: "start her on a …"."""


def find_unlisted_drugs(
    tokens: Sequence[Word], drugs: Sequence[Mention], doses: Sequence[Mention], names: Sequence[Mention]
) -> tuple[Mention, ...]:
    """Candidates in order: between an ordering verb or a joint of its list and a dose, or after "warnings for" and
    "interact with"."""
    tokens = heard(tokens)
    taken = {drug.start for drug in drugs}
    spans = [(name.start, name.end) for name in names]
    people = frozenset(word.start for word in tokens if _is_id(word)) | _starts_within(tokens, spans)
    dosed = {dose.start for dose in doses}
    found: dict[int, Mention] = {}

    def consider(index: int) -> None:
        word = tokens[index] if index < len(tokens) else None
        if word is None or word.start in taken or not _may_be_drug(word):
            return
        found[word.start] = Mention(word.text, word.start, word.end)

    ordering = False
    for index, word in enumerate(tokens):
        ordering = (ordering or word.low in _ORDERING) and not _ends(tokens, index)
        if ordering and word.low in _MORE and index + 2 < len(tokens) and tokens[index + 2].start in dosed:
            consider(index + 1)
        elif word.low in _ORDERING:
            place = _past(tokens, index + 1, _OBJECTS, people)
            if place + 1 < len(tokens) and tokens[place + 1].start in dosed:
                consider(place)
        elif word.low in _OF or word.low in _WITH:
            place = _past(tokens, index + 1, _BETWEEN)
            if place > index + 1 or word.low in _WITH:
                for each in _listed(tokens, place):
                    consider(each)
    kept = _outside(sorted(found.values(), key=lambda mention: mention.start), spans)
    return tuple(kept)


def find_misspelt_drugs(
    tokens: Sequence[Word], known: Sequence[Mention], taken: Sequence[tuple[int, int]]
) -> tuple[Mention, ...]:
    """Words anywhere that are almost a drug's name.

    `taken` are the places of names and of what is to be written: there nothing is guessed.
    """
    spans = sorted([*taken, *((drug.start, drug.end) for drug in known)])
    found: list[Mention] = []
    tried: set[str] = set()
    for word in tokens[:_MOST_READ]:
        if len(word.low) < _SHORTEST_GUESS or not word.low.isalpha() or word.low in _NOT_A_DRUG or meant(word.low):
            continue
        tried.add(word.low)
        if len(tried) > _MOST_TRIED:
            break
        if _almost_a_drug(word.low):
            found.append(Mention(word.text, word.start, word.end))
    return tuple(_outside(found, spans))


def find_supplements(tokens: Sequence[Word], drugs: Sequence[Mention]) -> tuple[Mention, ...]:
    """ "Iron tablets", "levothyroxine and iron": minerals that are taken, not measured."""
    starts, ends = {drug.start for drug in drugs}, {drug.end for drug in drugs}
    found: list[Mention] = []
    for index, word in enumerate(tokens):
        if word.low not in _MINERALS or word.start in starts:
            continue
        before, after = tokens[max(0, index - 2) : index], tokens[index + 1 : index + 3]
        joined = len(before) == 2 and before[1].low in _AND and before[0].end in ends
        joined = joined or (len(after) == 2 and after[0].low in _AND and after[1].start in starts)
        if joined or (after and after[0].low in _TABLETS):
            found.append(Mention(word.text, word.start, word.end))
    return tuple(found)


@lru_cache(maxsize=8192)
def _almost_a_drug(low: str) -> bool:
    return bool(near_misses(low))


def _ends(tokens: Sequence[Word], index: int) -> bool:
    """A closing mark; the point inside "2.5 mg" is none."""
    point = tokens[index].text == "." and index + 1 < len(tokens) and tokens[index + 1].start == tokens[index].end
    return tokens[index].text in {".", "?", "!"} and not point


def _past(tokens: Sequence[Word], index: int, skip: frozenset[str], people: frozenset[int] = frozenset()) -> int:
    limit = index + _REACH
    while index < min(limit, len(tokens)) and (tokens[index].low in skip or tokens[index].start in people):
        index += 1
    return index


def _listed(tokens: Sequence[Word], index: int) -> Iterator[int]:
    """This place and those joined to it: "a, b and c"."""
    for _ in range(_LONGEST_LIST):
        yield index
        joint = _past(tokens, index + 1, _JOINTS)
        if joint == index + 1:
            return
        index = joint


def _is_id(word: Word) -> bool:
    """ "abc-123", as between "start" and "on"."""
    return "-" in word.low and any(map(str.isdigit, word.low)) and any(map(str.isalpha, word.low))


def _starts_within(tokens: Sequence[Word], spans: Sequence[tuple[int, int]]) -> frozenset[int]:
    """Where the words of the spans begin; both come in order, so one walk is enough."""
    starts: set[int] = set()
    index = 0
    for word in tokens:
        while index < len(spans) and spans[index][1] <= word.start:
            index += 1
        if index < len(spans) and spans[index][0] <= word.start:
            starts.add(word.start)
    return frozenset(starts)


def _may_be_drug(word: Word) -> bool:
    low = word.low.removesuffix("'s")
    if len(low) < _SHORTEST or low in _NOT_A_DRUG or low != word.low or low.endswith("ly"):
        return False
    letters = sum(letter.isalpha() for letter in low)
    return letters >= _SHORTEST - 1 and not low[0].isdigit()


def _outside(mentions: Sequence[Mention], spans: Sequence[tuple[int, int]]) -> list[Mention]:
    """Those that lie in none of the spans; both come in order, so one walk is enough."""
    kept: list[Mention] = []
    index = 0
    for mention in mentions:
        while index < len(spans) and spans[index][1] <= mention.start:
            index += 1
        if index == len(spans) or mention.start < spans[index][0]:
            kept.append(mention)
    return kept
