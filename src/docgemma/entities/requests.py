"""Does the user ask, in their own words, for something to be written into a chart?

Only an imperative counts: not a question, a negation, a report of what others want, a hypothesis, a quotation or the
past. A wrong "no" costs a second sentence; a wrong "yes" costs a clinician's trust, so every doubt is a no.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.allergy_statements import states_allergy
from docgemma.entities.model import Entities, Mention, WriteKind, WriteRequest
from docgemma.entities.speech import Clause, clauses
from docgemma.entities.words import Sentence, Word, sentences, without_quotes, words

_HYPOTHETICAL = re.compile(
    r"(?<![\w-])(?:hypothetical(?:ly)?|suppos(?:e|ing)|imagine|assuming|pretend|unless|whether|for\sexample|e\.g\.?"
    r"|if(?!\s(?:needed|necessary|possible|available|you\s(?:can|could|would|please)|that['’]?s\s(?:ok|okay|fine)|tolerated)))"
    r"(?![\w-])",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?<![\w-])(?:wants?|wanted|asks?|asked|asking|says?|said|told|tells|suggests?|suggested|recommends?|recommended|advises?"
    r"|advised|requests|requested|insists?|insisted|prefers?|thinks?|according|usually|typically|generally|guidelines?"
    r"|protocols?)(?![\w-])",
    re.IGNORECASE,
)
_INTERROGATIVE = frozenset(
    "what what's when when's who who's whom whose which why how how's where should shall would is are was were does did do has "
    "have had may might am can could will isn't aren't doesn't didn't".split()
)
_RETRACTION = re.compile(
    r"(?<!\w)(?:never\s?mind|scratch\sthat|forget\s(?:it|that|about\sit)|cancel\s(?:it|that)|on\ssecond\sthought|not\stoday"
    r"|actually,?\s(?:no|don['’]t|do\snot))(?!\w)",
    re.IGNORECASE,
)
_RELEASES = frozenset({"just", "instead", "but", "only", "rather", "please"})
_ADDRESS = frozenset("for patient pt please then next order request now mr mrs ms".split())

_PRESCRIBE = frozenset({"prescribe", "rx"})
_BEGIN = frozenset({"order", "start", "begin", "initiate", "restart", "give", "administer", "put"})
_REFILL = frozenset({"refill", "renew"})
_ADJUST = frozenset("double increase decrease reduce halve raise titrate change adjust switch".split())
_ALLERGY = frozenset("add record document note log enter chart register update save put".split())
_NOTE = frozenset("write save document add record create draft enter file make put log leave take submit chart".split())
_SCRIPT = frozenset("write create send make put enter add place submit draft issue give".split())

_ALLERGY_NOUNS = frozenset("allergy allergies allergic intolerance hypersensitivity".split())
_SCRIPT_NOUNS = frozenset({"prescription", "script", "rx"})
_MEDICINE = frozenset(
    "antibiotic antibiotics statin antihypertensive opioid painkiller medication medications med meds medicine anticoagulant "
    "steroid steroids inhaler diuretic antidepressant".split()
)
_PERSON = frozenset("her him them patient pt".split())
_ANCHOR = _PERSON | frozenset("his their please mr mrs ms".split())
_INFORMATION = frozenset(
    "safety warning warnings interaction interactions check search summary list info information label discussion literature "
    "overview advice me us effects evidence trials chat conversation over with by from reminder alternatives options".split()
)
_REGIMEN = frozenset("regimen meds medications medication prescriptions".split())
_SAME_AGAIN = re.compile(
    r"\s*(?:the\s)?same\s(?:as\s(?:last\stime|before)|again|prescription|order)(?!\w)", re.IGNORECASE
)


def find_writes(text: str, found: Entities) -> tuple[WriteRequest, ...]:
    """The write requests in order. `end` is where the next request begins or the sentence ends."""
    own = _own_words(text, found.note_texts)
    tokens = words(own)
    writes: list[WriteRequest] = []
    for sentence in sentences(own, tokens):
        if _RETRACTION.search(own, sentence.start, sentence.end):
            writes.clear()
            continue
        writes.extend(_in_sentence(own, sentence, found))
    if not writes and (statement := states_allergy(own, tokens, found)):
        writes.append(WriteRequest("allergy", *statement))
    if writes and writes[-1].kind == "note" and found.note_texts:
        last = writes[-1]
        writes[-1] = WriteRequest("note", last.start, max(last.end, found.note_texts[-1].end))
    return tuple(writes)


def _own_words(text: str, note_texts: tuple[Mention, ...]) -> str:
    """Without quotations and without what a note shall say, place for place."""
    own = without_quotes(text)
    for note in note_texts:
        if not re.search(r"\sthat\s{0,3}$", text[max(0, note.start - 8) : note.start]):
            own = own[: note.start] + " " * (note.end - note.start) + own[note.end :]
    return own


def _in_sentence(text: str, sentence: Sentence, found: Entities) -> list[WriteRequest]:
    if _HYPOTHETICAL.search(text, sentence.start, sentence.end):
        return []
    if _SAME_AGAIN.match(text, sentence.start) and sentence.mark != "?":
        return [WriteRequest("prescribe", sentence.start, sentence.end)]
    parts = clauses(sentence)
    if not parts or not (_may_ask(parts[0]) or parts[0].polite):
        return []
    reported = _REPORTED.search(text, sentence.start, sentence.end) is not None
    writes: list[WriteRequest] = []
    negated = imperative = polite = False
    for index, part in enumerate(parts):
        if part.joiner == ":" and not _is_address(parts[index - 1], found):
            break
        negated = part.negated or (negated and part.words[0].low not in _RELEASES and part.joiner != "but")
        polite = part.polite or (polite and part.joiner not in {",", ":"}) or (polite and imperative)
        allowed = part.joiner in {"", ",", ":", "-", "–", "—"} or imperative
        imperative = part.action is not None and not part.negated and allowed
        if part.negated:
            writes = [write for write in writes if not _same_matter(write, part)]
        if part.action is None or negated or not allowed:
            continue
        if (sentence.mark == "?" and not polite) or (reported and not part.polite):
            continue
        end = _extent(parts, index)
        kind = _kind(part, _between(sentence, part.action.start, end), found, asked=sentence.mark == "?")
        if kind:
            writes.append(WriteRequest(kind, part.action.start, end))
    return writes


def _may_ask(first: Clause) -> bool:
    """A sentence that opens like a question asks for an answer, with or without its mark."""
    opening = first.words[0].low
    return opening not in _INTERROGATIVE or first.negated


def _is_address(part: Clause, found: Entities) -> bool:
    """ "For abc-123:" or a verb before the colon; other headings make what follows somebody's text."""
    if part.action is not None:
        return True
    start, end = part.words[0].start, part.words[-1].end
    people = [*found.patient_ids, *found.person_names]
    inside = [who for who in people if start <= who.start and who.end <= end]
    plain = [word for word in part.words if not any(who.start <= word.start < who.end for who in inside)]
    return all(word.low in _ADDRESS or not word.low.isalnum() for word in plain)


def _same_matter(write: WriteRequest, negation: Clause) -> bool:
    """ "Draft, but do not save, a note": the refusal takes back what came before it in the sentence."""
    return write.start < negation.words[0].start and any(word.low in _NOTE | _BEGIN for word in negation.words)


def _extent(parts: Sequence[Clause], index: int) -> int:
    end = parts[index].words[-1].end
    for part in parts[index + 1 :]:
        if part.action is not None or part.negated:
            break
        end = part.words[-1].end
    return end


def _between(sentence: Sentence, start: int, end: int) -> list[Word]:
    return [word for word in sentence.words if start <= word.start < end]


def _kind(part: Clause, span: list[Word], found: Entities, *, asked: bool) -> WriteKind | None:
    verb, rest = span[0].low, [word.low for word in span[1:]]
    start, end = span[0].start, span[-1].end

    def has(mentions: tuple[Mention, ...]) -> bool:
        return any(start <= mention.start < end for mention in mentions)

    noun = next((index for index, word in enumerate(rest) if _noun(rest, index)), None)
    if noun is not None and (kind := _by_noun(verb, rest, noun, has(found.substances))):
        return kind
    if verb in {"document", "chart", "record"} and rest[:1] == ["that"]:
        return "note"
    if asked and not (has(found.doses) or has(found.patient_ids) or has(found.person_names) or _ANCHOR & {*rest}):
        return None
    medicine = has(found.drugs) or has(found.doses) or bool(_MEDICINE & {*rest})
    person = bool(_PERSON & {*rest[:2]}) or has(found.person_names) or has(found.patient_ids)
    amount = has(found.doses) or has(found.frequencies)
    return "prescribe" if _orders(verb, rest, medicine=medicine, person=person, amount=amount) else None


def _orders(verb: str, rest: list[str], *, medicine: bool, person: bool, amount: bool) -> bool:
    if verb in _PRESCRIBE:
        return bool(rest) and rest[0] not in {"or", "information"}
    if _INFORMATION & {*rest}:
        return False
    if verb in {"give", "put"}:
        usual = bool({"usual", "same", "regular"} & {*rest})
        return (person and (medicine or usual)) or (verb == "give" and medicine and amount)
    if verb in _BEGIN:
        return medicine or (person and "on" in rest and verb != "order")
    if verb == "add":
        return medicine and (amount or bool(_REGIMEN & {*rest}))
    if verb in _REFILL:
        return medicine or bool(_SCRIPT_NOUNS & {*rest})
    return verb in _ADJUST and (bool({"dose", "dosage"} & {*rest}) or (medicine and amount))


def _noun(rest: list[str], index: int) -> bool:
    word = rest[index]
    if word in {"order", "orders"}:
        return index > 0 and rest[index - 1] in {"a", "an", "new"}
    if word == "summary":
        return index > 0 and rest[index - 1] == "discharge"
    if word == "reaction":
        return index > 0 and rest[index - 1] in {"adverse", "allergic", "drug"}
    return word in _ALLERGY_NOUNS or word in _SCRIPT_NOUNS or word in {"note", "notes"}


def _by_noun(verb: str, rest: list[str], noun: int, substance: bool) -> WriteKind | None:
    word, before = rest[noun], rest[noun - 1] if noun else ""
    if word in _ALLERGY_NOUNS or word == "reaction":
        after = rest[noun + 1 : noun + 3]
        empty = {"none", "nil", "nkda", "nka"} & {*after} or after == ["no", "known"]
        return "allergy" if verb in _ALLERGY and not empty and (substance or word != "allergies") else None
    if word in {"note", "notes", "summary"}:
        bare = verb in {"take", "make", "put", "leave"} and before in {"", "of"}
        return "note" if verb in _NOTE and not bare else None
    return "prescribe" if verb in _SCRIPT and before in {"a", "an", "new"} else None
