"""The words that make one name: initials, particles, double names, "family, given", and where they end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.entities.grammar.verbs import ACTIONS, base_form
from docgemma.entities.labs import lab_at
from docgemma.entities.people.cues import Cue, chart_after, is_owned, is_term, is_thing
from docgemma.entities.people.kinds import (
    MIDDLE_NAMES,
    VIETNAMESE,
    is_particle,
    is_surely_family,
    is_surely_given,
    kind,
)
from docgemma.entities.words import Word, word_set

_MOST = 4
"""No name is read with more words than this; what follows is another one."""

_SUFFIXES = word_set("jr sr ii iii iv junior senior")
_SPOKEN_SUFFIXES = word_set("jr sr ii iii junior senior")
"""Also in lower case, where the name ends with them; "iv" there is a route."""

_SENTENCE_OPENERS = word_set("page chase drew will may bill read grant mark pat rob sue price cook hunt dawn")
"""Verbs too: before a single listed name at the start of a sentence they are what to do with it."""

_LETTER_FAMILIES = word_set(
    "vitamin vit hepatitis hep type group grade class stage phase influenza flu factor protein plan pugh strep "
    "option part schedule category step"
)
"""After these a single letter is no initial."""

_SHORT_GIVEN = word_set("An Do To So My")
"""Vietnamese and Chinese names that are grammar in English: read only in capitals and behind another name."""

_VERBAL = ("ed", "ing", "ly", "s")
_CLOSERS = word_set(
    "dob born mrn id and & or please pls plz for with on in ? . , ; : ! ) ( - – says said is has was who wants came "
    "thinks needs reckons"
)


@dataclass(frozen=True, slots=True)
class Run:
    """Tokens from `start` to `end` that may be one name; `names` are those that are words of it, initials included."""

    start: int
    end: int
    names: tuple[int, ...]
    capital: bool
    possessive: bool = False
    glued: bool = False

    @property
    def size(self) -> int:
        return len(self.names)

    def lows(self, tokens: Sequence[Word]) -> list[str]:
        """The words without possessives; of "smiths chart" the name is "smith"."""
        lows = [stem(tokens[index]) for index in self.names]
        return [*lows[:-1], lows[-1][:-1]] if self.glued else lows


def stem(word: Word) -> str:
    return word.low.removesuffix("'s")


def read_run(text: str, tokens: Sequence[Word], start: int, cue: Cue) -> Run | None:
    """The longest name from here. Where a name is announced, unlisted words in lower case are read too."""
    names: list[int] = []
    trusting = cue >= Cue.LOOKUP
    index, glued, possessive = start, False, False
    while (
        index < len(tokens)
        and len(names) < _MOST
        and not (names and "\n" in text[tokens[index - 1].end : tokens[index].start])
    ):
        word = tokens[index]
        if _is_initial(tokens, index, names, trusting=trusting):
            names.append(index)
            index += 2 if _dotted(tokens, index) else 1
            continue
        glued = _is_glued(tokens, index, trusting=trusting)
        if glued or _fits(tokens, index, names, cue):
            names.append(index)
            index += 1
            possessive = word.low.endswith("'s")
            if glued or possessive:
                break
            continue
        skip = _particles(tokens, index) if names or trusting else 0
        if not skip:
            break
        index += skip
    return _closed_run(tokens, start, names, glued=glued and bool(names), possessive=possessive)


def _closed_run(tokens: Sequence[Word], start: int, names: list[int], *, glued: bool, possessive: bool) -> Run | None:
    words = [tokens[index] for index in names if len(tokens[index].text) > 1]
    if not words or (len(names) == 2 and names[0] == start and _opens_sentence(tokens, start)):
        return None
    end = names[-1] + 1
    last = tokens[names[-1]]
    if len(last.text) == 1 and _dotted(tokens, names[-1]):
        end += 1
    capital = all(word.capital and not _shouted(word) for word in words)
    run = Run(start, end, tuple(names), capital, possessive, glued)
    return _with_given(tokens, _with_suffix(tokens, run))


def _with_suffix(tokens: Sequence[Word], run: Run) -> Run:
    """ "James Wilson Jr", "james wilson senior meds"; not "senior house officer", nor the "sr" of a serum level."""
    if run.possessive or run.end >= len(tokens) or tokens[run.end].low not in _SUFFIXES:
        return run
    suffix, after = tokens[run.end], run.end + 1
    level = suffix.low == "sr" and after < len(tokens) and lab_at(tokens, after)[0]
    spoken = suffix.low in _SPOKEN_SUFFIXES and run.size > 1 and _ends_here(tokens, after) and not level
    written = suffix.capital and suffix.low not in ("junior", "senior")
    return Run(run.start, after, run.names, run.capital) if written or spoken else run


def _with_given(tokens: Sequence[Word], run: Run) -> Run:
    """ "Smith, John Q." when a family name, a comma and a given name follow each other."""
    after = run.end + 1
    if run.size != 1 or run.possessive or run.glued or after >= len(tokens) or tokens[run.end].text != ",":
        return run
    family, given = tokens[run.start], tokens[after]
    name = stem(given)
    listed = is_surely_given(name) and not (is_surely_family(name) and is_surely_given(family.low))
    single = len(given.text) == 1 and given.capital and is_surely_family(family.low)
    if not (listed or single) or (kind(family.low) != "sure" and not run.capital):
        return run
    end = after + 1
    names = [*run.names, after]
    if single and _dotted(tokens, after):
        end += 1
    elif end < len(tokens) and len(tokens[end].text) == 1 and tokens[end].capital and not given.low.endswith("'s"):
        names.append(end)
        end += 2 if _dotted(tokens, end) else 1
    capital = run.capital and given.capital and not _shouted(given)
    return Run(run.start, end, tuple(names), capital, given.low.endswith("'s"))


def _shouted(word: Word) -> bool:
    return word.text.isupper() and len(word.text) > 1


def _dotted(tokens: Sequence[Word], index: int) -> bool:
    return index + 1 < len(tokens) and tokens[index + 1].text == "." and tokens[index + 1].start == tokens[index].end


def _is_initial(tokens: Sequence[Word], index: int, names: Sequence[int], *, trusting: bool) -> bool:
    """A letter before or behind a name."""
    word = tokens[index]
    after = _at(tokens, index + (2 if _dotted(tokens, index) else 1))
    if not _is_letter(word) or (after and after.text == "/"):
        return False
    return _behind(tokens, index, names, after, trusting) if names else _before(tokens, index, after, trusting)


def _behind(tokens: Sequence[Word], index: int, names: Sequence[int], after: Word | None, trusting: bool) -> bool:
    """ "Smith J"; a letter before a number is a value, and "K" alone is potassium."""
    word, dotted = tokens[index], _dotted(tokens, index)
    if word.low == "k" and not dotted and not (after and _is_letter(after)):
        return after is not None and after.capital and kind(stem(after)) == "sure"
    numbered = after is not None and after.text[0].isdigit() and not dotted
    lower = is_surely_family(tokens[names[-1]].low) and trusting and _ends_here(tokens, index + 1)
    return not numbered and (word.capital or lower)


def _before(tokens: Sequence[Word], index: int, after: Word | None, trusting: bool) -> bool:
    """ "J. Smith"; "I" and "A" open sentences, vitamins and types have letters."""
    word, previous = tokens[index], tokens[index - 1].low if index else ""
    if previous in _LETTER_FAMILIES or previous == "/" or after is None or not after.text[0].isalpha():
        return False
    if word.low in {"i", "a"} and not (_dotted(tokens, index) or len(after.text) == 1):
        return False
    return is_surely_family(stem(after)) or _is_letter(after) or (word.capital and trusting and after.capital)


def _is_letter(word: Word) -> bool:
    return len(word.text) == 1 and word.text.isalpha()


def _at(tokens: Sequence[Word], index: int) -> Word | None:
    return tokens[index] if index < len(tokens) else None


def _fits(tokens: Sequence[Word], index: int, names: Sequence[int], cue: Cue) -> bool:
    word, trusting = tokens[index], cue >= Cue.LOOKUP
    if _is_third(tokens, index, names):
        return True
    what = kind(stem(word)) if len(word.text) > 1 else "never"
    if what in ("sure", "never"):
        return what == "sure" or (word.text in _SHORT_GIVEN and bool(names) and tokens[names[-1]].capital)
    if word.capital and not _shouted(word):
        return True
    if what == "unsure" and not word.capital:
        if (cue is Cue.TITLE and not names) or (word.low.endswith("'s") and chart_after(tokens, index + 1)):
            return True
        return _after_given(tokens, names) and _ends_here(tokens, index + 1)
    if _shouted(word):
        return (trusting and len(word.text) > 2) or (what == "unsure" and bool(names))
    return trusting and len(word.text) > 2 and _unlisted_fits(tokens, index, names)


def _is_third(tokens: Sequence[Word], index: int, names: Sequence[int]) -> bool:
    """ "nguyen thi lan": behind a family name and its middle name stands the given name, whatever it is."""
    if len(names) < 2 or tokens[names[-1]].low not in MIDDLE_NAMES or tokens[names[-2]].low not in VIETNAMESE:
        return False
    return tokens[index].low.isalpha() and 2 <= len(tokens[index].text) <= 6


def _unlisted_fits(tokens: Sequence[Word], index: int, names: Sequence[int]) -> bool:
    """A lower-case word that no list knows: beside a listed name, or at the end of the phrase."""
    following = _at(tokens, index + 1)
    if is_term(tokens, index) or is_thing(tokens, index) or is_owned(tokens, index):
        return False
    if following and kind(stem(following)) == "sure":
        return True
    if names and is_surely_family(tokens[names[-1]].low) and not is_surely_given(tokens[names[-1]].low):
        return False
    if not names and following and kind(stem(following)) == "unknown" and _ends_here(tokens, index + 2):
        return True
    return _ends_here(tokens, index + 1) and not tokens[index].low.endswith(("ed", "ing", "ly"))


def unlisted_beside_given(tokens: Sequence[Word], index: int) -> bool:
    """ "fatima alhaddad meds", "raghunathan priya bloods": a given name, an unlisted word, and then what is hers."""
    pair = tokens[index : index + 2]
    if len(pair) < 2 or not chart_after(tokens, index + 2) or is_thing(tokens, index + 2):
        return False
    kinds = [kind(word.low) for word in pair]
    if kinds == ["sure", "unknown"]:
        return is_surely_given(pair[0].low) and _may_be_surname(pair[1])
    opens = index == 0 or not tokens[index - 1].low[0].isalpha()
    return kinds == ["unknown", "sure"] and opens and is_surely_given(pair[1].low) and _may_be_surname(pair[0])


def _may_be_surname(word: Word) -> bool:
    """Long enough, and no form of a verb or an adverb."""
    return len(word.low) > 4 and not word.low.endswith(_VERBAL) and base_form(word.low) not in ACTIONS


def _after_given(tokens: Sequence[Word], names: Sequence[int]) -> bool:
    return bool(names) and is_surely_given(tokens[names[-1]].low)


def _ends_here(tokens: Sequence[Word], index: int) -> bool:
    if index >= len(tokens):
        return True
    return tokens[index].low in _CLOSERS or tokens[index].low[0].isdigit() or chart_after(tokens, index)


def _is_glued(tokens: Sequence[Word], index: int, *, trusting: bool) -> bool:
    """ "john smiths chart": a possessive without its apostrophe, before what somebody owns."""
    low = tokens[index].low
    if len(low) < 4 or not low.endswith("s") or low.endswith(("'s", "ss")) or kind(low) in ("sure", "never"):
        return False
    owner = kind(low[:-1])
    believed = owner == "sure" or (trusting and owner == "unknown")
    return believed and chart_after(tokens, index + 1)


def _particles(tokens: Sequence[Word], index: int) -> int:
    """How many particles stand here before another name word: "van der Berg"."""
    size = 0
    while size < 3 and index + size < len(tokens) and is_particle(tokens[index + size].low):
        size += 1
    following = tokens[index + size] if size and index + size < len(tokens) else None
    if following is None:
        return 0
    what = kind(stem(following))
    return size if what == "sure" or (following.capital and what != "never") else 0


def _opens_sentence(tokens: Sequence[Word], index: int) -> bool:
    if tokens[index].low not in _SENTENCE_OPENERS:
        return False
    return index == 0 or tokens[index - 1].text in {".", "?", "!", ":", ";", ","}
