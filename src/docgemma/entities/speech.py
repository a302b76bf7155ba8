"""The grammar of requests: clauses, their verbs, polite forms, and talk that asks for nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.entities.words import Sentence, Word, word_set

ACTIONS = word_set(
    "find search look check verify confirm review show open pull get list tell give summarise summarize "
    "explain describe compare analyse analyze interpret read translate prescribe order start begin "
    "initiate restart stop hold discontinue cancel undo remove delete change switch adjust increase "
    "decrease reduce double halve raise titrate refill renew add record document note log enter put chart "
    "update save write create draft make file register leave take place send submit issue administer "
    "screen calculate schedule go rx pick use tell help let ask watch monitor dc pause suspend withdraw "
    "taper wean resume continue revoke erase call phone email e-mail fax notify refer admit approve reject "
    "replace modify"
)
_REPORTED_VERBS = word_set(
    "find search check verify confirm review show open list summarise summarize explain describe compare "
    "analyse analyze interpret translate prescribe order start begin initiate stop cancel remove delete "
    "change switch increase decrease double refill renew add record document note update save write "
    "create draft"
)
_BEFORE_A_NOUN = word_set(
    "a an the his her their my our your this that these those in patient progress clinical consult last "
    "latest new any no medical health current of each every 's previous recent"
)
_FILLERS = word_set(
    "please kindly now then also and next ok okay so hi hello hey thanks yes just instead first second "
    "third finally well docgemma urgently immediately quickly actually alright right great good doctor"
)
_POLITE = (
    ("can", "you"),
    ("could", "you"),
    ("will", "you"),
    ("would", "you", "please"),
    ("would", "you", "kindly"),
    ("may", "i", "ask", "you", "to"),
)
_WISHES = (
    ("i", "would", "like", "you", "to"),
    ("i", "would", "like", "to"),
    ("i'd", "like", "you", "to"),
    ("i'd", "like", "to"),
    ("i", "want", "you", "to"),
    ("i", "want", "to"),
    ("i", "need", "you", "to"),
    ("i", "need", "to"),
    ("we", "need", "to"),
    ("we'd", "like", "to"),
    ("we", "would", "like", "to"),
    ("let", "us"),
    ("let's",),
    ("lets",),
)
_BREAKS = frozenset(",:()–—-")
_JOINERS = frozenset({"and", "then", "but", "or", "&", "plus"})
NEGATORS = frozenset({"don't", "dont", "never", "not", "no", "without", "avoid", "won't", "shouldn't", "mustn't"})


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence with what joins it to the part before, and its verb when it begins with one."""

    words: tuple[Word, ...]
    joiner: str
    verb: int | None
    polite: bool
    negated: bool

    @property
    def action(self) -> Word | None:
        return self.words[self.verb] if self.verb is not None else None


def find_action_verbs(tokens: Sequence[Word]) -> tuple[str, ...]:
    """Verbs that ask for something, each once. "In order to" and "his record" are nouns."""
    found: dict[str, None] = {}
    for index, word in enumerate(tokens):
        previous = tokens[index - 1].low if index else ""
        if word.low in _REPORTED_VERBS and previous not in _BEFORE_A_NOUN and not previous.endswith("'s"):
            found[word.low] = None
    return tuple(found)


def clauses(sentence: Sentence) -> list[Clause]:
    """Cut at commas and brackets, and at "and", "then", "but", "or" where another verb follows."""
    parts: list[tuple[str, list[Word]]] = [("", [])]
    tokens = sentence.words
    for index, word in enumerate(tokens):
        if word.text in _BREAKS:
            parts.append((word.text, []))
        elif word.low in _JOINERS and _opens(tokens, index + 1):
            parts.append((word.low, []))
        else:
            parts[-1][1].append(word)
    return [_clause(joiner, tuple(part)) for joiner, part in _merged(parts) if part]


def _merged(parts: list[tuple[str, list[Word]]]) -> list[tuple[str, list[Word]]]:
    """A comma before "and" is one joint, not two."""
    kept: list[tuple[str, list[Word]]] = []
    joint = ""
    for joiner, part in parts:
        joint = joiner if not joint or joiner in _JOINERS else joint
        if part:
            kept.append((joint, part))
            joint = ""
    return kept


def _opens(tokens: Sequence[Word], index: int) -> bool:
    """Whether a new request may begin here."""
    for place in range(index, min(index + 4, len(tokens))):
        word = tokens[place]
        if is_action(tokens, place) or word.low in {"do", "don't", "dont", "never"}:
            return True
        if word.low not in _FILLERS:
            return word.low in {"can", "could", "i'd", "let's"}
    return False


def is_action(tokens: Sequence[Word], index: int) -> bool:
    """A verb that asks for something; "d/c" is written in three tokens."""
    if index < len(tokens) and tokens[index].low in ACTIONS:
        return True
    return [word.low for word in tokens[index : index + 3]] == ["d", "/", "c"]


def _clause(joiner: str, part: tuple[Word, ...]) -> Clause:
    place, polite = 0, False
    moved = True
    while moved and place < len(part):
        moved = False
        if part[place].low in _FILLERS:
            polite = polite or part[place].low in {"please", "kindly"}
            place, moved = place + 1, True
        for phrase in (*_POLITE, *_WISHES):
            if tuple(word.low for word in part[place : place + len(phrase)]) == phrase:
                polite = polite or phrase in _POLITE
                place, moved = place + len(phrase), True
                break
    rest = [word.low for word in part[place : place + 2]]
    negated = bool(rest) and (rest[0] in NEGATORS or (rest[0] == "do" and rest[1:2] == ["not"]))
    verb = place if is_action(part, place) else None
    return Clause(part, joiner, verb, polite, negated)


_GREETING = (
    r"hi|hello|hey|howdy|greetings|good\s(?:morning|afternoon|evening|day)|thanks?|thank\syou|thx|many\sthanks|cheers"
    r"|much\sappreciated|ok|okay|great|perfect|awesome|nice|cool|got\sit|sounds\sgood|good\s?bye|bye|see\syou"
    r"|you're\swelcome|how\sare\syou|how's\sit\sgoing|what's\sup|that\s(?:was\s)?help(?:s|ed|ful)"
)
_TRAILING = r"you|a\slot|so\smuch|very\smuch|again|doing|today|there|doctor|doc|docgemma|gemma|everyone|team|all"
_SMALL_TALK = re.compile(
    rf"(?:{_GREETING})(?:[\s,.!?;:)-]{{1,6}}(?:{_GREETING}|{_TRAILING})){{0,6}}[\s,.!?:)]{{0,6}}", re.IGNORECASE
)
_SMALL_TALK_LIMIT = 80


def is_small_talk(text: str) -> bool:
    """A greeting or thanks and nothing else."""
    plain = text.strip().replace("’", "'")
    return 0 < len(plain) <= _SMALL_TALK_LIMIT and _SMALL_TALK.fullmatch(plain) is not None
