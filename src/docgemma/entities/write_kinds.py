"""Which kind of chart entry an imperative asks for: a prescription, an allergy, a note, or none."""

from __future__ import annotations

from bisect import bisect_left

from docgemma.entities import undoable
from docgemma.entities.model import Entities, WriteKind
from docgemma.entities.words import Word, word_set

_PRESCRIBE = frozenset({"prescribe", "rx"})
_BEGIN = frozenset({"order", "start", "begin", "initiate", "restart", "give", "administer", "put"})
_REFILL = frozenset({"refill", "renew"})
_ALLERGY = word_set("add record document note log enter chart register update save put")
_NOTE = word_set("write save document add record create draft enter file make put log leave take submit chart")
_SCRIPT = word_set("write create send make put enter add place submit draft issue give")

SAVING = _NOTE | _BEGIN
WRITING = _PRESCRIBE | _BEGIN | _REFILL | undoable.CHANGING | _ALLERGY | _NOTE | _SCRIPT

_ALLERGY_NOUNS = word_set("allergy allergies allergic intolerance hypersensitivity")
_SCRIPT_NOUNS = frozenset({"prescription", "script", "rx"})
MEDICINE = word_set(
    "antibiotic antibiotics statin antihypertensive opioid painkiller medication medications med meds "
    "medicine anticoagulant steroid steroids inhaler diuretic antidepressant"
)
_PERSON = word_set("her him them patient pt")
ANCHOR = _PERSON | word_set("his their please mr mrs ms")
_INFORMATION = word_set(
    "safety warning warnings interaction interactions check search summary list info information label discussion "
    "literature overview advice effects evidence trials chat conversation reminder alternatives options level levels "
    "lab labs test tests panel culture scan trough leaflet handout instructions education"
)
_ASIDE = word_set("with by over from me us")
"""Right after the verb: "start over", "give me", "begin with"."""

_REGIMEN = word_set("regimen meds medications medication prescriptions")


class Places:
    """Where things were found, asked by range. Sorted starts keep a long message linear."""

    def __init__(self, found: Entities) -> None:
        self._starts = {
            name: sorted(mention.start for mention in getattr(found, name))
            for name in ("drugs", "unlisted_drugs", "doses", "frequencies", "substances", "patient_ids", "person_names")
        }
        self._people = sorted((who.start, who.end) for who in (*found.patient_ids, *found.person_names))

    def has(self, span: range, *names: str) -> bool:
        """Whether anything of these kinds begins inside."""
        return any(self._count(span, name) for name in names)

    def is_person(self, word: Word) -> bool:
        """Whether the word is part of a name or an id."""
        place = bisect_left(self._people, (word.end, 0)) - 1
        return place >= 0 and word.start < self._people[place][1]

    def _count(self, span: range, name: str) -> int:
        starts = self._starts[name]
        return bisect_left(starts, span.stop) - bisect_left(starts, span.start)


def write_kind(span: list[Word], places: Places, *, asked: bool) -> WriteKind | None:
    verb, rest = span[0].low, [word.low for word in span[1:]]
    inside = range(span[0].start, span[-1].end)
    noun = next((index for index in range(len(rest)) if _noun(rest, index)), None)
    if noun is not None and (kind := _by_noun(verb, rest, noun, places.has(inside, "substances"))):
        return kind
    if verb in {"document", "chart", "record"} and rest[:1] == ["that"]:
        return "allergy" if places.has(inside, "substances") else "note"
    someone = places.has(inside, "patient_ids", "person_names")
    if asked and not (someone or places.has(inside, "doses") or ANCHOR & {*rest}):
        return None
    ordered = _orders(
        verb,
        rest,
        medicine=places.has(inside, "drugs", "unlisted_drugs", "doses") or bool(MEDICINE & {*rest}),
        person=someone or bool(_PERSON & {*rest[:2]}),
        amount=places.has(inside, "doses", "frequencies"),
    )
    return "prescribe" if ordered else None


def _orders(verb: str, rest: list[str], *, medicine: bool, person: bool, amount: bool) -> bool:
    if verb in _PRESCRIBE:
        return bool(rest) and rest[0] not in {"or", "information"}
    if _INFORMATION & {*rest} or _ASIDE & {*rest[:1]}:
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
    if undoable.new_prescription(rest):
        return verb in undoable.CHANGING and medicine
    return verb in undoable.CHANGING and bool({"dose", "dosage"} & {*rest})


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
