"""Which kind of chart entry an imperative asks for: a prescription, an allergy, a note, or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from docgemma.entities.grammar.speech import NOTED, Clause
from docgemma.entities.grammar.verbs import (
    BEGINNING,
    CHANGING,
    CHOOSING,
    GIVING,
    ISSUING,
    NOTING,
    PLACING,
    PRESCRIBING,
    RECORDING,
    REPEATING,
    SCRIPTING,
    WRITING_UP,
    base_form,
)
from docgemma.entities.model import WriteKind
from docgemma.entities.words import Word, word_set
from docgemma.entities.writes import undoable
from docgemma.entities.writes.allergy_requests import DOCUMENTS
from docgemma.entities.writes.any_verb import hands_over
from docgemma.entities.writes.any_verb_words import INFORMATION, PASSED
from docgemma.entities.writes.places import Places

__all__ = ["ANCHOR", "MEDICINE", "ORDERING", "SAVING", "WRITING", "Places", "by_heading", "divided", "write_kind"]

ORDERING = PRESCRIBING | BEGINNING | GIVING
SAVING = NOTING | BEGINNING | GIVING | {"put"}
WRITING = PRESCRIBING | BEGINNING | GIVING | REPEATING | CHANGING | RECORDING | NOTING | SCRIPTING | {"put"}

_ALLERGY_NOUNS = word_set("allergy allergies allergic intolerance intolerances intolerant hypersensitivity adr")
_ALLERGY_THINGS = word_set("band bands bracelet wristband sticker sign alert clinic referral card label tag testing")
_SCRIPT_NOUNS = word_set("prescription script rx")
MEDICINE = word_set(
    "antibiotic antibiotics abx statin antihypertensive opioid painkiller painkillers analgesia analgesic medication "
    "medications med meds medicine medicines anticoagulant steroid steroids inhaler diuretic antidepressant "
    "antiemetic laxative laxatives ppi antihistamine"
)
_PERSON = word_set("her him them patient pt")
ANCHOR = _PERSON | word_set("his their please mr mrs ms")
_ASIDE = word_set("by over from me us")
"""Right after the verb: "start over", "give me", "begin by"."""

_SORTING = word_set("by alphabetically chronologically severity priority")
_REGIMEN = word_set("regimen meds medications medication prescriptions kardex")
_NOTHING = word_set("nothing no none neither or information history nil zero charges of")
"""After "prescribe" these say that nothing is, or make it a noun."""

_ALL_OF_IT = frozenset({"whole", "entire"})
"""Of what is no medicine: "prescribe her the whole pharmacy" is said, not ordered."""

_OBJECTS = MEDICINE | word_set("usual same regular dose dosage script prescription rx repeat")
_STARTED = word_set("started commenced begun going back placed put restarted prescribed given")
_PRESCRIBED = word_set("prescribed written charted started ordered issued given")
_FORMS = word_set("tab tabs tablet cap caps capsule inj injection syp syrup inhaler t susp drops cream oint ointment")
_EMPTY = word_set("none nil nkda nka nkfa nothing unknown")
_WHOSE = word_set("the her his their my our patient clinical progress nursing medical these case")
_FOR_WHOM = word_set(
    "for on re to in the chart file patient pt mr mrs ms dr please today pls this her his their team day night colon "
    "man woman lady gentleman gent fella fellow chap guy bloke lad lass boy girl kid child baby infant mum mother one"
)
_EARLIER = word_set("last latest previous recent earlier old her his their your")
_NOTE_ADJECTIVES = word_set("chart file case clinical medical patient")
_POINTERS = word_set("it this that these them both")
_NOTE_NOUNS = word_set("note notes summary")
_NEW_THING = word_set("a an new another fresh quick brief short urgent please the this kindly repeat private")
_FINITE = word_set(
    "is was were are has have had will would did does sent written needed already can should could said says ran took "
    "reads came went got expired lapsed states called made gave gives shows showed"
)
_NEEDING = word_set("need needs want like")
_ABOUT = word_set("for of on about")
_SUBJECTS = word_set("he she they")
"""Behind the order these begin to tell something: "…, he has completed counselling"."""

_NEW = frozenset({"a", "an", "another", "new"})
_MORE = word_set("and plus & , also then")


def write_kind(span: Sequence[Word], places: Places, *, asked: bool) -> WriteKind | None:
    """What the words from the verb on ask to be written. `asked`: with a question mark."""
    verb, rest = base_form(span[0].low), [word.low for word in span[1:]]
    inside = range(span[0].start, span[-1].end)
    noun = next((index for index in range(len(rest)) if _noun(rest, index)), None)
    someone = places.has(inside, "patient_ids", "person_names")
    if verb == "get" and not (someone or ANCHOR & {*rest}):  # "can you get a script for …" asks in general
        noun = None
    if verb in {"make", "create"} and noun == 0 and not places.has(inside, "drugs", "unlisted_drugs", "doses"):
        noun = None  # "make rx easier"
    named = places.has(inside, "substances") or (noun is not None and bool(_POINTERS & {*rest[:noun]}))
    told = span[1:] if noun is None or rest[0] == "that" else span[1 : noun + 2]
    own = noun is None or rest[noun] not in _ALLERGY_NOUNS or not places.is_of_another(told)
    if own and noun is not None and (kind := _by_noun(verb, rest, noun, named)):
        return kind
    if verb in _NEEDING and noun is not None and _is_note_to_be(rest, noun):
        return "note"
    if (verb in NOTING or (verb == "note" and rest[:1] == ["that"])) and (note := places.note_of(inside)):
        called = noun is not None or bool(_NOTE_NOUNS & {*rest})
        return "note" if called or not places.affirms_allergy(note) else "allergy"
    if rest[:1] == ["that"] and verb in {"document", "chart", "record"}:
        return "note"
    if own and _reacts(verb, rest, inside, places):
        return "allergy"
    if verb == "document" and someone and not places.has(inside, "drugs", "doses", "substances"):
        return "note"
    if asked and not (someone or ANCHOR & {*rest} or _is_full_order(rest, inside, places)):
        return None
    return "prescribe" if _Said(verb, rest, span, inside, places).orders() else None


def _is_note_to_be(rest: Sequence[str], noun: int) -> bool:
    """ "Need a discharge note put in": it is not there yet. "Need the note written by physio" asks to read one."""
    made = rest[noun] in _NOTE_NOUNS and not NOTED.isdisjoint(rest[noun + 1 : noun + 2])
    return made and "by" not in rest and rest[0] in _NEW and rest[noun - 1] not in {"sick", "fit"}


def _is_full_order(rest: Sequence[str], inside: range, places: Places) -> bool:
    """Dose and frequency, and nobody in general: "can you give 1 g im" and "… bd to a child" ask what can be done."""
    anyone = any(one in {"to", "in"} and other in {"a", "an", "someone", "patients"} for one, other in pairwise(rest))
    return not anyone and places.has(inside, "doses") and places.has(inside, "frequencies")


def _reacts(verb: str, rest: Sequence[str], inside: range, places: Places) -> bool:
    """ "Record anaphylaxis to peanuts": a reaction and what caused it."""
    if verb not in RECORDING or not places.has(inside, "substances") or not places.has(inside, "reactions"):
        return False
    return not places.has(inside, "doses", "frequencies") and not _NOTHING & {*rest[:1]}


class _Said:
    """The words from an ordering verb on, and what was found among them."""

    def __init__(self, verb: str, rest: Sequence[str], span: Sequence[Word], inside: range, places: Places) -> None:
        self.verb, self.rest, self._span, self._places = verb, rest, span, places
        self.listed = places.has(inside, "drugs", "unlisted_drugs")
        self.amount = places.has(inside, "doses", "frequencies")
        self.someone = places.has(inside, "patient_ids", "person_names")
        self.anchored = self.someone or bool(ANCHOR & {*rest})
        self.person = self.someone or bool(_PERSON & {*rest[:2]})
        dosed = places.has(inside, "doses") and self.anchored
        self.medicine = self.listed or dosed or bool(MEDICINE & {*rest})
        self.full = places.has(inside, "doses") and places.has(inside, "frequencies")

    def orders(self) -> bool:
        verb, rest = self.verb, self.rest
        if hands_over(self._span, self._places) or (verb in BEGINNING and rest[:1] == ["it"] and self.full):
            return True
        if verb == "prescribe" and not self.medicine and _ALL_OF_IT & {*rest}:
            return False
        if verb == "prescribe":
            return (
                bool(rest) and rest[0] not in _NOTHING and (self.medicine or self.person or not rest[0].endswith("ly"))
            )
        if (
            not rest
            or INFORMATION & {*takewhile(lambda low: low not in _SUBJECTS, rest)}
            or _ASIDE & {*rest[:1]}
            or _NOTHING & {*rest[:1]}
        ):
            return False
        if verb in PLACING and verb != "put":
            return (self._onto() or self._has_prescribed()) and self.medicine
        if verb in CHOOSING:
            return self._chooses()
        if not self._leads_to_medicine():
            return False
        if verb in {"give", "put"}:
            usual = bool({"usual", "same", "regular"} & {*rest})
            return (self.person and (self.medicine or usual)) or (verb == "give" and self.medicine and self.amount)
        if verb in BEGINNING or verb in PRESCRIBING:
            return self._begins()
        if verb in GIVING:
            return self.medicine and self.amount
        if verb in WRITING_UP:
            written = verb == "chart" or "up" in rest[:4] or rest[0] == "for" or rest[0] in _FORMS
            return self.medicine and self.amount and written
        if verb in ISSUING and self._names_at_once():
            return self.listed and self.amount and self.anchored
        return self._adds_or_repeats()

    def _leads_to_medicine(self) -> bool:
        """Whether nothing stands between the verb and the medicine that is another object: "add more detail on …"."""
        for index, word in enumerate(self._span[1:], 1):
            here = range(word.start, word.end)
            if self._places.has(here, "drugs", "unlisted_drugs", "doses") or word.low in _OBJECTS:
                return True
            known = word.low in PASSED or not word.low.isalpha() or self._places.is_person(word)
            if not (known or self._places.within(word, "doses", "frequencies") or self._named(index)):
                return False
        return True

    def _named(self, index: int) -> bool:
        """A name that no rule knows, in "start okafor on …"."""
        following = [word.low for word in self._span[index + 1 : index + 3]]
        return self.verb in BEGINNING | {"put"} and "on" in following and not self._span[index].low.endswith("ing")

    def _begins(self) -> bool:
        if self.rest[0] == "with":  # "start with the labs"
            return self.listed and self.amount
        if self.verb == "order" and _SORTING & {*self.rest}:
            return False
        return self.medicine or (self.person and "on" in self.rest and self.verb != "order")

    def _chooses(self) -> bool:
        """ "Do doxycycline 100 mg bd", "go with …", "make it …": drug and dose right after."""
        skipped = 1 if self.rest[0] in {"with", "for", "it"} else 2 if self.rest[:2] == ["ahead", "with"] else 0
        if self.verb == "use" or (self.verb in {"go", "make"} and not skipped):
            return False
        return self._names(1 + skipped) and self.listed and self.amount

    def _names(self, place: int) -> bool:
        """Whether a drug or its dose stands at this place."""
        word = self._span[min(place, len(self._span) - 1)]
        return self._places.has(range(word.start, word.end), "drugs", "unlisted_drugs", "doses")

    def _has_prescribed(self) -> bool:
        """ "Have melatonin 2 mg prescribed", "need tramadol 50 mg written up"."""
        done = self.amount and self.anchored and bool(_PRESCRIBED & {*self.rest})
        return self._names(1) and (self.verb == "have" or done)

    def _names_at_once(self) -> bool:
        """ "Issue metformin …"; not "issue with metformin" nor "issue: metformin"."""
        return self._span[1].start - self._span[0].end == 1 and self.rest[0] not in {"with", "of", "is", "was", "for"}

    def _onto(self) -> bool:
        """ "her on", "abc-123 started on", "the patient back on": the person, then "on"."""
        place = 1
        while place < len(self._span) and (
            self._span[place].low in _PERSON | {"the", "this", "my", "mr", "mrs", "ms"}
            or self._places.is_person(self._span[place])
        ):
            place += 1
        if place == 1:
            return False
        following = [word.low for word in self._span[place : place + 5]]
        following = following[2:] if following[:2] == ["to", "be"] else following
        return bool(following) and ("on" in following[:2] if following[0] in _STARTED else following[0] == "on")

    def _adds_or_repeats(self) -> bool:
        verb, rest = self.verb, self.rest
        if verb == "add":
            return rest[0] != "up" and self.medicine and (self.amount or bool(_REGIMEN & {*rest}))
        if verb in REPEATING:
            if verb == "repeat":
                return bool(_SCRIPT_NOUNS & {*rest}) or (self.listed and self.amount)
            return self.medicine or bool(_SCRIPT_NOUNS & {*rest})
        if verb == "advise":  # Indian usage: "advise tab pantoprazole 40 mg od"
            first = self._span[1]
            form = rest[0] in _FORMS or self._places.has(range(first.start, first.end), "drugs", "unlisted_drugs")
            return form and self.listed and self.amount
        if undoable.new_prescription(rest):
            return verb in CHANGING and self.medicine
        return verb in CHANGING and bool({"dose", "dosage"} & {*rest}) and bool(ANCHOR & {*rest} or self.someone)


def _noun(rest: Sequence[str], index: int) -> bool:
    word = rest[index]
    if word in {"order", "orders"}:
        return index > 0 and rest[index - 1] in {"a", "an", "new"}
    if word == "summary":
        return index > 0 and rest[index - 1] == "discharge"
    if word == "repeat":
        return index > 0 and rest[index - 1] in {"a", "another"}
    if word == "reaction":
        return index > 0 and rest[index - 1] in {"adverse", "allergic", "drug"}
    return word in _ALLERGY_NOUNS or word in _SCRIPT_NOUNS or word in {"note", "notes"}


def _by_noun(verb: str, rest: Sequence[str], noun: int, substance: bool) -> WriteKind | None:
    word, before = rest[noun], rest[noun - 1] if noun else ""
    if word in _ALLERGY_NOUNS or word == "reaction":
        talked_of = verb == "note" and not {"when", "while"}.isdisjoint(rest)  # "note her allergy when choosing …"
        if DOCUMENTS & {*rest} or talked_of or (word == "allergic" and not substance and before != "as"):
            return None
        after = rest[noun + 1 : noun + 3]
        empty = _EMPTY & {*after[:2]} - ({"unknown"} if substance else set()) or after == ["no", "known"]
        made = (
            verb in RECORDING
            and (verb not in {"list", "make"} or substance)
            and not (INFORMATION - {"list"} | _ALLERGY_THINGS) & {*after[:1]}
        )
        if (verb == "list" and "as" not in rest) or (verb == "make" and not {"of", "entry"} & {*rest}):
            return None
        return "allergy" if made and not empty and (substance or word != "allergies") else None
    if word in {"note", "notes", "summary"}:
        if word == "notes" and before not in _WHOSE and not before.endswith("'s"):  # "write notes on heart failure"
            return None
        about = any(one in DOCUMENTS and other in _ABOUT for one, other in pairwise(rest[:noun]))
        bare = about or before == "mental" or (verb in {"take", "make", "put", "leave"} and before in {"", "of"})
        return "note" if verb in NOTING and not bare else None
    asked_for = noun == 0 and verb in {"issue", "send", "write", "submit", "raise", "make", "create"}
    return "prescribe" if verb in SCRIPTING and (asked_for or before in _NEW_THING - {"the", "this"}) else None


def by_heading(parts: Sequence[Clause], places: Places, *, asked: bool) -> WriteKind | None:
    """A request without a verb: "new script for abc-123: …", "progress note for abc-123: …"."""
    first = parts[0].words
    low = [word.low for word in first]
    if asked or _FINITE & {*low}:
        return None
    sentence = range(first[0].start, parts[-1].words[-1].end)
    needed = 1 if low[:1] in (["need"], ["needs"]) else 0  # "need a note writing for abc-123: …"
    place = next((index for index in range(needed, len(low)) if low[index] not in _NEW_THING | _MORE), len(low))
    if _heads_script(parts, low, place):
        return "prescribe" if places.has(sentence, "drugs", "unlisted_drugs", "doses") else None
    noun = next((index for index in range(place, min(place + 4, len(low))) if low[index] == "note"), None)
    if noun is None or places.note_of(sentence) is None:
        return None
    behind = [word for word in first[noun + 1 :] if not (needed and base_form(word.low) in NOTING)]
    if not all(word.low in _FOR_WHOM or places.is_person(word) for word in behind):
        return None
    if noun == place:  # a bare "note" needs somebody whose it is: "Note: …" is an aside
        return "note" if "new" in low[:place] or places.has(sentence, "patient_ids", "person_names") else None
    before = first[place:noun]
    if not _EARLIER.isdisjoint(low[:noun]):
        return None
    kind = [word for word in before if word.low not in _NOTE_ADJECTIVES and not places.is_person(word)]
    typed = not kind or places.has(range(kind[0].start, kind[0].end), "note_types")  # "see physio note …" asks for none
    return "note" if typed else None


def _heads_script(parts: Sequence[Clause], low: Sequence[str], place: int) -> bool:
    """ "New prescription", "script please", "prescription for abc-123:"."""
    if place == len(low):
        return False
    marked = place > 0 or "please" in low or any(part.joiner == ":" for part in parts[1:])
    if low[place] == "order":
        return "new" in low[:place]
    return marked and low[place] in _SCRIPT_NOUNS and (place > 0 or low[place] != "rx")


def divided(kind: WriteKind, span: Sequence[Word], places: Places) -> Iterator[tuple[WriteKind, int, int]]:
    """ "Add penicillin allergy and aspirin 81 mg daily" is one allergy and one order, cut where they are joined."""
    start, end = span[0].start, span[-1].end
    joints = range(2, len(span) - 1) if kind == "allergy" and base_form(span[0].low) in {"add", "put", "enter"} else ()
    for index in joints:
        rest = range(span[index + 1].start, end)
        if span[index].low not in _MORE or not _dosed_drug(span, index + 1, places):
            continue
        if not places.has(rest, "substances") and places.has(range(start, span[index].start), "substances"):
            yield "allergy", start, span[index - 1].end
            yield "prescribe", rest.start, end
            return
    yield kind, start, end


def _dosed_drug(span: Sequence[Word], index: int, places: Places) -> bool:
    """A drug with its dose right after it."""
    here, after = span[index], span[min(index + 1, len(span) - 1)]
    drug = places.has(range(here.start, here.end), "drugs", "unlisted_drugs")
    return drug and places.has(range(after.start, after.end), "doses")
