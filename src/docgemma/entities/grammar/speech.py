"""The grammar of requests: clauses, how each is opened, and the verb it begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from docgemma.entities.grammar.verbs import ACTIONS, base_form
from docgemma.entities.words import Sentence, Word, phrase_list, word_set

__all__ = ["ACTIONS", "NEGATORS", "NOTED", "Clause", "clauses", "find_action_verbs", "is_action", "opening_length"]

_REPORTED_VERBS = word_set(
    "find search check verify confirm review show open list summarise summarize explain describe compare analyse "
    "analyze interpret translate prescribe order start begin initiate stop cancel remove delete change switch "
    "increase decrease double refill renew add record document note update save write create draft"
)
_BEFORE_A_NOUN = word_set(
    "a an the his her their my our your this that these those in patient progress clinical consult last latest new "
    "any no medical health current of each every 's previous recent"
)
_FILLERS = word_set(
    "please kindly now then also and next ok okay so hi hello hey thanks yes yeah yep just instead first second third "
    "finally well docgemma urgently immediately quickly actually alright right great good doctor doc sir madam "
    "um er erm uh oh morning afternoon evening fine asap stat cheers anyway therefore hence otherwise additionally plus"
)
_PLEASE = frozenset({"please", "kindly"})
_ONLY = frozenset({"just", "only", "instead"})


def _frames(listed: str) -> tuple[tuple[str, ...], ...]:
    """Openings, longest first, so that "could you please" is not read as "could you"."""
    return tuple(sorted((tuple(frame.split()) for frame in phrase_list(listed)), key=len, reverse=True))


_POLITE = _frames(
    "can you, could you, will you, would it be possible to, is it possible to, can you go ahead and, could you go "
    "ahead and, would you be able to, would you please, would you kindly, would you mind, are you able to, may i ask "
    "you to, would you be so kind as to, do you mind, i request you to, requesting you to, request you to, i'd "
    "appreciate it if you could, i would appreciate it if you could, grateful if you could, i'd be grateful if you "
    "could, i would be grateful if you could, be so kind as to, be so good as to, do me a favor and, do me a favour "
    "and, do the needful and, can someone, could someone, would someone, can somebody, could somebody, would somebody, "
    "can anyone, could anyone, can one of you, could one of you, would someone mind, could anybody, if you could, if "
    "you would, if you'd, if you can, if you could please, if you don't mind, if you wouldn't mind, be a star "
    "and, be a love and, be a dear and, be an angel and, be a pal and, be a legend and, be a darling and, could you "
    "possibly, can you possibly, could you just, can you just, any chance you could, any chance you can, any "
    "chance of, can i ask you to, could i ask you to, i would ask you to, i would ask that, i'd ask that, i ask that, "
    "i need that you, i want that you"
)
"""Ask the listener, also with a question mark."""

_WISHES = _frames(
    "i would like you to, i would like to, i'd like you to, i'd like to, i want you to, i want to, i need you to, i "
    "need to, we need to, we'd like to, we would like to, we want to, need to, need you to, want you to, let us, "
    "let's, go ahead and, i wanna, would like to, want to, i wish to, we wish to, go on and, make sure to, make sure "
    "you, be sure to, happy for you to, i'm happy for you to, i am happy for you to, i'd love you to, feel free to, "
    "don't forget to, do not forget to, arrange to, id like to, id like you to, crack on and"
)
_JOINED = tuple(frame for frame in (*_POLITE, *_WISHES) if frame[-1] == "and")
_PERMISSION = _frames("can we, could we, can i, could i, may i, may we, might we, can we please, could we please")
"""Ask whether it may be done. A request only with "please", or as "can we get her on …"."""

_HAVING = _frames(
    "i want, would like, i would like, i'd like, id like, we want, we'd like, we would like, i need, we need"
)
_MODAL = word_set("can could will would possible able")
_NEEDING = word_set("need needs")
_NEEDY = word_set("i we she he they pt patient the this my")
_SCRIPTS = word_set("script scripts prescription rx refill repeat")
_DETERMINERS = word_set("a an the another new repeat fresh my his her their this that some all tonight's today's both")
_STARTED = word_set("on started commenced put placed begun prescribed restarted given")
_WRITTEN = word_set("prescribed written charted")
NOTED = word_set(
    "put written saved added filed made done entered recorded documented doing writing adding putting saving entering"
)
""" "A note put in": it is to be made."""

_NOTES = word_set("note notes summary")
_LONGEST_KIND = 5
_DONE = word_set("a an the some another")
_LETTING = word_set("let's us to please you")
_NOT_DONE = word_set("not you we i they she he it this that")

_COMPOUNDS = {
    "contact": word_set("dermatitis eczema allergy lens lenses urticaria details"),
    "text": word_set("book message messages"),
    "drop": word_set("in of"),
    "trial": word_set("of off run and"),
    "book": word_set("chapter on recommendations"),
    "file": word_set("size format name"),
    "cut": word_set("off to"),
    "alert": word_set("and"),
    "page": word_set("of number"),
    "have": word_set("you we i they"),
    "like": word_set("to"),
    "start": word_set("date dates time times point"),
    "stop": word_set("date dates list lists sign signs"),
    "sign": word_set("of and"),
    "close": word_set("to contact monitoring follow-up"),
    "chart": word_set("review reviews audit of shows says for check"),
    "message": word_set("understood received"),
    "record": word_set("high low time number breaking"),
}
"""With the word after it, the first is a noun or an auxiliary."""

_BREAKS = frozenset(",:()–—-")
_JOINERS = frozenset({"and", "then", "but", "or", "&", "plus", "so"})
NEGATORS = word_set("don't never not no without avoid won't shouldn't mustn't can't wouldn't nor neither")
_NO_JOINT = word_set(
    "if whether that when what before because how where why who which as than until unless to think guess sure wonder "
    "wondering suppose maybe perhaps and you said says asked told me says: wrote replied suggest suggested not do did "
    "does"
)
"""Before "can you …" or "please …" these make it a part of what was begun, not a request of its own."""

_SPEAKER = word_set("i i'd i'm id we we'd let let's go crack")
"""A wish that begins with another word may be somebody else's: "cardiology want to start"."""

_OTHERS = word_set("gp gps pharmacy pharmacist nurse ward team nurses physio dietitian family carers")
"""Called upon alone before "please", it is they who shall do it: "GP please start …"."""

_GLAD = word_set(
    "grateful obliged thankful glad great lovely helpful kind brilliant fab good nice appreciated perfect super best"
)
""" "I should be grateful if you would …"."""

_REACH = 6


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence with what joins it to the part before, and its verb when it begins with one.

    `polite`: asks the listener, also as a question. `own`: opened by "please", "can you" or "I want to", so that it
    asks by itself, whatever it is joined to. `modal`: "can you …" without "please", which may as well ask what can be
    done in general.
    """

    words: tuple[Word, ...]
    joiner: str
    verb: int | None
    polite: bool
    own: bool
    negated: bool
    modal: bool = False

    @property
    def action(self) -> Word | None:
        return self.words[self.verb] if self.verb is not None else None


@dataclass(frozen=True, slots=True)
class _Opening:
    """How a clause begins: the place of its first word that says something, and what came before it."""

    place: int
    polite: bool = False
    own: bool = False
    permission: bool = False


def find_action_verbs(tokens: Sequence[Word]) -> tuple[str, ...]:
    """Verbs that ask for something, each once. "In order to" and "his record" are nouns."""
    found: dict[str, None] = {}
    for index, word in enumerate(tokens):
        previous = tokens[index - 1].low if index else ""
        if word.low in _REPORTED_VERBS and previous not in _BEFORE_A_NOUN and not previous.endswith("'s"):
            found[word.low] = None
    return tuple(found)


def clauses(sentence: Sentence) -> list[Clause]:
    """Cut at commas and brackets, at "and", "then", "but", "or", "so" where another verb follows, and where a request
    begins without any mark, as in dictation: "… 160/90 please start …"."""
    parts: list[tuple[str, list[Word]]] = [("", [])]
    tokens = sentence.words
    closing = -1  # the "and" of "go ahead and" closes an opening and joins nothing
    for index, word in enumerate(tokens):
        if size := _framed(tokens, index, _JOINED):
            closing = index + size - 1
        if index == closing:
            parts[-1][1].append(word)
        elif word.text in _BREAKS:
            parts.append((word.text, []))
        elif word.low in _JOINERS and _opens(tokens, index + 1):
            parts.append((word.low, []))
        elif _begins_anew(tokens, index, parts[-1][1]):
            parts.append((" ", [word]))
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
        if is_action(tokens, place) or word.low in {"do", "don't", "never"}:
            return True
        if word.low not in _FILLERS:
            return word.low in {"can", "could", "i'd", "let's"} or _framed(tokens, place, _WISHES) > 0
    return False


def _begins_anew(tokens: Sequence[Word], index: int, part: Sequence[Word]) -> bool:
    """ "Please start" or "can you start" in the middle of a clause that has said something already."""
    if not part or part[-1].low in _NO_JOINT or not _speaks(part) or (len(part) < 3 and part[-1].low in _OTHERS):
        return False
    if tokens[index].low == "if":  # "let me know if you could start …" is one question
        return part[-1].low in _PLEASE | _GLAD and _framed(tokens, index, _POLITE) > 0
    if tokens[index].low in _ONLY:  # "don't prescribe anything just save a note"
        return is_action(tokens, index + 1) and _clause("", tuple(part[: _REACH * 2])).negated
    if tokens[index].low in _PLEASE:
        return is_action(tokens, index + 1) or _framed(tokens, index + 1, _POLITE) > 0
    size = _framed(tokens, index, _POLITE) or (_framed(tokens, index, _WISHES) if tokens[index].low in _SPEAKER else 0)
    return size > 0 and _opens(tokens, index + size)


def _speaks(part: Sequence[Word]) -> bool:
    """Whether anything but an opening was said. Looking at a few words is enough: openings are short."""
    head = part[: _REACH * 2]
    return _opening(head).place < len(head)


_FRAME_OPENERS = frozenset(frame[0] for frames in (_POLITE, _WISHES, _PERMISSION, _JOINED, _HAVING) for frame in frames)


def _framed(tokens: Sequence[Word], place: int, frames: Sequence[tuple[str, ...]]) -> int:
    """How many words of a frame stand here."""
    if place >= len(tokens) or tokens[place].low not in _FRAME_OPENERS:  # almost every word: this is asked of each
        return 0
    said = tuple("and" if word.low == "&" else word.low for word in tokens[place : place + 9])
    return next((len(frame) for frame in frames if said[: len(frame)] == frame), 0)


def is_action(tokens: Sequence[Word], index: int) -> bool:
    """A verb that asks for something; "d/c" is written in three tokens, "do" and "up" need their object."""
    if index >= len(tokens):
        return False
    low, following = tokens[index].low, tokens[index + 1].low if index + 1 < len(tokens) else ""
    if low == "do":
        return following in _DONE
    if low == "up":
        return following in _DETERMINERS
    if following in _COMPOUNDS.get(low, ()):
        return False
    if low == "d":
        return [word.low for word in tokens[index + 1 : index + 3]] == ["/", "c"]
    return low in ACTIONS


def opening_length(part: Sequence[Word]) -> int:
    """How many words "please", "could you", "go ahead and" take at the start of a clause."""
    return _opening(part).place


def _opening(part: Sequence[Word]) -> _Opening:
    place, polite, own, permission = 0, False, False, False
    while place < len(part):
        if part[place].low in _FILLERS or _leads_in(part, place):
            asked = part[place].low in _PLEASE
            place, polite, own = place + 1, polite or asked, own or asked
        elif size := _framed(part, place, _POLITE):
            place, polite, own = place + size, True, True
        elif size := _framed(part, place, _WISHES):
            place, own = place + size, True
        elif size := _framed(part, place, _PERMISSION):
            place, permission = place + size, True
        else:
            break
    return _Opening(place, polite, own, permission)


def _leads_in(part: Sequence[Word], place: int) -> bool:
    """ "Do start …", "please to give …"."""
    leads = part[place].low == "do" or (part[place].low == "to" and place > 0 and part[place - 1].low in _PLEASE)
    return leads and is_action(part, place + 1)


def _clause(joiner: str, part: tuple[Word, ...]) -> Clause:
    begun = _opening(part)
    place, polite, own = begun.place, begun.polite, begun.own
    rest = [word.low for word in part[place : place + 2]]
    negated = bool(rest) and (rest[0] in NEGATORS or (rest[0] == "do" and rest[1:2] == ["not"]))
    verb = _verb(part, place, gerund=part[place - 1].low == "mind" if place else False)
    if begun.permission and not polite:
        asks = any(word.low in _PLEASE for word in part) or (rest[:1] and rest[0] in {"get", "have"})
        verb, polite, own = (verb, True, True) if asks else (None, False, False)
    if verb is not None and verb > place:  # "I want her on …", "she needs a script": the wish is the verb
        own = True
    modal = polite and not _MODAL.isdisjoint(word.low for word in part[:place])
    modal = modal and _PLEASE.isdisjoint(word.low for word in part)
    return Clause(part, joiner, verb, polite, own, negated, modal)


def _verb(part: Sequence[Word], place: int, *, gerund: bool) -> int | None:
    if 0 < place < len(part) - 1 and part[place].low == "do" and part[place - 1].low in _LETTING:
        return place if part[place + 1].low not in _NOT_DONE else None
    if is_action(part, place) or (gerund and place < len(part) and base_form(part[place].low) in ACTIONS):
        return place
    if size := _framed(part, place, _HAVING):
        following = [word.low for word in part[place + size : place + size + _REACH]]
        started = _STARTED & {*following[1:]} and following[0] not in {"to", "you"}
        if started or _asks_for_script(following) or _wants_noted(following):
            return place + size - 1
    for index in range(place, min(place + 4, len(part))):
        if part[index].low in _NEEDING:
            following = [word.low for word in part[index + 1 : index + 2 * _REACH]]
            wanted = _asks_for_script(following[: _REACH - 1]) or _wants_prescribed(following)
            return index if wanted or _wants_noted(following) else None
        if not _may_need(part[index]):
            return None
    return None


def _may_need(word: Word) -> bool:
    """The one who needs a prescription: the patient or the user, nobody else and nobody who does not."""
    return word.low in _NEEDY or word.capital or any(letter.isdigit() for letter in word.low)


def _wants_prescribed(following: Sequence[str]) -> bool:
    """ "… tramadol 50 mg tds prescribed for": whether a drug comes first is for `write_kinds` to say."""
    return bool(_WRITTEN & {*following[1:]}) and not {"to", "be", "been", "being"} & {*following}


def _wants_noted(following: Sequence[str]) -> bool:
    """ "… a discharge note put in": the note, then what shall be done with it."""
    return any(one in _NOTES and other in NOTED for one, other in pairwise(following[: _LONGEST_KIND + 1]))


def _asks_for_script(following: Sequence[str]) -> bool:
    """ "a new script for": nothing but determiners before the noun."""
    noun = next((index for index, low in enumerate(following) if low in _SCRIPTS), None)
    return noun is not None and all(low in _DETERMINERS for low in following[:noun])
