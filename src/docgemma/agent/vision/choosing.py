"""Which images a turn is about: the one that came with it, or the one that it goes on asking about.

An image belongs to whom the session was about when it came. It is never carried over to another patient.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from docgemma.agent.consulting import is_consult
from docgemma.agent.state import AttachedImage
from docgemma.agent.understanding.card_changes import CARD
from docgemma.agent.understanding.reading import read
from docgemma.agent.vision.album import Album
from docgemma.agent.vision.requests import asks_to_compare, refers_to_image
from docgemma.clinical import Patient
from docgemma.ehr.folding import fold_words
from docgemma.entities.model import Entities
from docgemma.entities.words import word_set
from docgemma.errors import Unavailable, UnknownId
from docgemma.reader.contract import Reader
from docgemma.store.rows import Session, Turn

OF_ANOTHER = (
    "An earlier image of this conversation may be of another patient and was not used. Attach it again if it is of "
    "this one."
)
LOST = "An earlier image of this conversation cannot be read any more. Attach it again."
NAMES_ANOTHER = (
    "The message names somebody other than the patient on screen. Check whose image this is: it is not used for that "
    "patient's next questions."
)
SENT_FOR_ANOTHER = (
    "This image was sent while this conversation was about another patient. Check that it is of the patient on screen."
)
NOTHING_EARLIER = "There is no earlier image in this conversation to compare with: only this one was looked at."


@dataclass(frozen=True, slots=True)
class Chosen:
    """`note`: why an image that was asked for is not among them."""

    image: AttachedImage | None = None
    prior: AttachedImage | None = None
    note: str = ""


NO_IMAGE = Chosen()


SOMEBODY = "somebody else"
"""In place of an id, for an image that a message called another person's. No id has a blank."""


@dataclass(frozen=True, slots=True)
class Sent:
    """An image that an earlier turn was about, and whom the session was about then."""

    image_id: str
    prior_id: str
    patient_id: str
    turn_id: str


async def choose_images(
    album: Album, reader: Reader, session: Session, text: str, image_id: str | None, prior_id: str | None
) -> Chosen:
    """What the turn looks at: what came with the message, or the image that it goes on asking about."""
    if not (image_id or await album.holds_any(session.id)):
        return NO_IMAGE
    found = read(reader, text, on_screen=session.patient is not None)
    if image_id is not None:
        return await _attached(album, reader, session, found, image_id, prior_id or "")
    about = refers_to_image(text, found)
    if about == "no" or (about == "perhaps" and _waits(session)):
        return NO_IMAGE
    if session.patient is not None and names_another(found, session.patient):
        return Chosen(note=OF_ANOTHER)
    sent = _EarlierImages(await album.turns(session.id), session.patient, reader)
    current = sent.last(right_before=about == "perhaps")
    if current is None:
        return Chosen(note=OF_ANOTHER if about == "this" and sent.others else "")
    comparing = asks_to_compare(text)
    before = (current.prior_id or sent.before(current.image_id)) if comparing else ""
    note = sent.why_none() if comparing and not before else ""
    try:
        return await _shown(album, text, current.image_id, before, note, earlier=True)
    except (Unavailable, UnknownId):  # a question is no reason to fail over an image that nobody attached to it
        return Chosen(note=LOST)


async def _attached(
    album: Album, reader: Reader, session: Session, found: Entities, image_id: str, prior_id: str
) -> Chosen:
    """An image that came with the message is looked at, whoever it is of; what speaks against this patient is said."""
    text = found.text
    comparing = not prior_id and asks_to_compare(text)
    if session.patient is None and not comparing:
        return await _shown(album, text, image_id, prior_id)
    sent = _EarlierImages(await album.turns(session.id), session.patient, reader)
    note = ""
    if names_another(found, session.patient):
        note = OF_ANOTHER if comparing else NAMES_ANOTHER
    elif sent.while_about_another(image_id, await album.since(image_id)):
        note = SENT_FOR_ANOTHER
    elif comparing:
        prior_id = sent.before(image_id)
        note = "" if prior_id else sent.why_none()
    return await _shown(album, text, image_id, prior_id, note)


def _waits(session: Session) -> bool:
    """Whether the user was asked something: a few words then answer that. A card waits for no words."""
    return session.pending is not None and session.pending.get("reason") != CARD


async def _shown(
    album: Album, text: str, image_id: str, prior_id: str = "", note: str = "", *, earlier: bool = False
) -> Chosen:
    image = await album.image(image_id, text, prior_id=prior_id, earlier=earlier)
    if not prior_id:
        return Chosen(image, None, note)
    # What was seen in both is known: the earlier one need not be drawn again.
    prior = await (album.image(prior_id) if image.known else album.picture(prior_id))
    return Chosen(image, replace(prior, earlier=True), note)


class _EarlierImages:
    """The images of the turns, and which of them may be taken up for the patient on screen."""

    def __init__(self, turns: Sequence[Turn], patient: Patient | None, reader: Reader) -> None:
        self._reader = reader
        asked = [turn for turn in turns if turn.by == "agent" and turn.record and not is_consult(turn)]
        people = {_patient(turn) for turn in asked} - {""}
        self._patient = patient
        self._here = patient.id if patient else ""
        self._newest = asked[-1].id if asked else ""
        self._asked = asked
        self._all = [self._owned(sent, turn) for turn in asked if (sent := _sent(turn)) is not None]
        self._nobody_else = people <= {self._here}

    @property
    def others(self) -> bool:
        """Whether there are images that were sent about somebody else."""
        return any(sent.patient_id not in ("", self._here) for sent in self._all) or not self._nobody_else

    def last(self, *, right_before: bool) -> Sent | None:
        """The newest image of this patient. One that came before anybody was on screen counts as long as nobody else
        has been there since. `right_before`: only if the last turn was about it.
        """
        mine = [sent for sent in self._all if self._mine(sent) or (not sent.patient_id and self._nobody_else)]
        found = mine[-1] if mine else None
        return None if found is None or (right_before and found.turn_id != self._newest) else found

    def before(self, image_id: str) -> str:
        """The image of this very patient that was sent before this one; empty where there is none."""
        ids = list(dict.fromkeys(sent.image_id for sent in self._all if self._mine(sent)))
        earlier = ids[: ids.index(image_id)] if image_id in ids else ids
        return earlier[-1] if earlier else ""

    def while_about_another(self, image_id: str, since: str) -> bool:
        """Whether the conversation was about somebody else when the image came, or has been after that."""
        if not self._here or any(sent.image_id == image_id and self._mine(sent) for sent in self._all):
            return False
        people = [(turn.finished_at or "", _patient(turn)) for turn in self._asked if _patient(turn)]
        then = [who for when, who in people if when <= since][-1:]
        return any(who != self._here for who in (*then, *(who for when, who in people if when > since)))

    def why_none(self) -> str:
        return OF_ANOTHER if any(not self._mine(sent) for sent in self._all) else NOTHING_EARLIER

    def _mine(self, sent: Sent) -> bool:
        return sent.patient_id == self._here

    def _owned(self, sent: Sent, turn: Turn) -> Sent:
        """An image that came with somebody else's name is that person's, whoever was on screen."""
        if (
            self._patient is None
            or not turn.image_id
            or not names_another(read(self._reader, turn.query), self._patient)
        ):
            return sent
        return replace(sent, patient_id=SOMEBODY)


def _sent(turn: Turn) -> Sent | None:
    """What the turn was about; of one that took up an earlier image, that one."""
    taken_up = ((turn.record or {}).get("findings") or {}).get("image_id", "")
    image_id = turn.image_id or taken_up
    return Sent(image_id, turn.prior_image_id or "", _patient(turn), turn.id) if image_id else None


def _patient(turn: Turn) -> str:
    return str(((turn.record or {}).get("patient") or {}).get("id", ""))


_IMAGE = (
    r"(?i:images?|x-?rays?|cxrs?|axrs?|scans?|films?|pictures?|photos?|slides?|cts?|mris?|radiographs?|ultrasounds?"
    r"|mammograms?|dicoms?|echos?)"
)
_OWNER = re.compile(
    rf"(?<!\w)(?P<who>(?:[^\W\d_a-z][\w.-]{{0,30}}\s){{0,2}}[^\W\d_a-z][\w-]{{0,30}})['’]s?\s(?P<kind>(?:[\w-]{{1,20}}\s)"
    rf"{{0,2}}?){_IMAGE}(?!\w)"
)
""" "Anna Holm's chest film": a name in capitals that an image belongs to."""

_NOBODY = word_set(
    "today yesterday what that it here there who how where when let he she this patient pt baby mother father monday "
    "tuesday wednesday thursday friday saturday sunday hospital clinic ward radiology doctor dr nurse gp surgeon week "
    "month year tonight morning child boy girl man woman lady"
)
_EPONYM = word_set("fracture sign cyst line lines node nodes spot triangle lesion disease syndrome tumour tumor on in")


def names_another(found: Entities, patient: Patient | None) -> bool:
    """Whether the message names somebody, by name, number, kinship or place, and not the one on screen."""
    own = set(fold_words(patient.banner.partition(",")[0])) if patient else set()
    here = patient.id.casefold() if patient else ""
    named = [*(mention.value for mention in found.person_names), *_owners(found.text)]
    if found.places or found.relatives or any(id_.value.casefold() != here for id_ in found.patient_ids):
        return True
    return any(not set(fold_words(name)) <= own for name in named)


def _owners(text: str) -> Iterator[str]:
    for match in _OWNER.finditer(text):
        who = [word for word in fold_words(match["who"]) if word not in _NOBODY]
        if who and not _EPONYM & set(fold_words(match["kind"])):
            yield " ".join(who)
