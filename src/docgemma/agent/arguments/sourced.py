"""A value and where it was found: what every argument of a call carries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from docgemma.agent.arguments.stranger import is_name_of, stranger
from docgemma.agent.understanding.needs import is_one_person
from docgemma.clinical import Patient
from docgemma.entities.model import Entities, Mention
from docgemma.entities.words import without_quotes
from docgemma.tools.registry import REGISTRY, ToolName
from docgemma.tools.results import PatientMatch

ArgumentSource = Literal["message", "earlier", "pin", "pick", "result", "model"]


@dataclass(frozen=True, slots=True)
class Sourced:
    """A value and where it was found. The span is a place in the text it came from."""

    value: str | list[str]
    source: ArgumentSource
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a call has and what it still needs, in the order in which the tool declares it."""

    args: dict[str, Sourced] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    def values(self) -> dict[str, str | list[str]]:
        """The bare values, as a call takes them."""
        return {name: sourced.value for name, sourced in self.args.items()}


@dataclass(frozen=True, slots=True)
class Context:
    """Everything an argument may be taken from."""

    entities: Entities
    """The message, as it was read."""
    subject: str | None = None
    """Which of several drugs, people or topics of the message the call is about."""
    earlier: Sequence[Entities] = ()
    """The user's own earlier messages, newest last."""
    pinned: Patient | None = None
    known_ids: Sequence[str] = ()
    found: PatientMatch | None = None
    """The one patient who has the full name that the message gives, as a search of this turn found it."""
    taken: Sequence[str] = ()
    """The medicines of the chart that this turn has read: "does it interact with her meds?" means those."""

    @property
    def message(self) -> str:
        return self.entities.text


def declared(tool: ToolName, args: dict[str, Sourced]) -> Found:
    """Arguments in the tool's own order, with the required ones that are not there."""
    fields = REGISTRY[tool].call.model_fields
    ordered = {name: args[name] for name in fields if name in args}
    return Found(ordered, tuple(name for name, info in fields.items() if info.is_required() and name not in args))


def from_mention(mention: Mention) -> Sourced:
    here = mention.start >= 0
    return Sourced(mention.value, "message" if here else "earlier", (mention.start, mention.end) if here else None)


def patient_id(context: Context, *, writing: bool) -> Sourced | None:
    """Who the call is about.

    A write takes an id that a look-up gave only where the message names that patient in full and nobody else has the
    name; else a person has to pick. Somebody named by kinship or by a bed alone is nobody we know.
    """
    mentions = context.entities.patient_ids
    if writing:
        mentions = tuple(_outside_notes(context.message, context.entities, unquoted(context.message, mentions)))
    ids = {mention.value: mention for mention in mentions}
    kin = [one for one in context.entities.relatives if any(0 <= each.start - one.end <= 1 for each in ids.values())]
    if kin:  # "the son of uvw-101" is not uvw-101
        return None
    if ids:
        several = len({name.value for name in context.entities.person_names}) > 1  # of one, the record tells
        unclear = writing and (several or (len(ids) > 1 and not is_one_person(context.entities)))
        return None if unclear else from_mention(next(iter(ids.values())))
    unnamed = not context.entities.person_names
    if unnamed and (context.entities.relatives or context.entities.places):
        return None
    if writing and context.found is not None and not unnamed and is_named(context.entities, context.found.name):
        return Sourced(context.found.patient_id, "result")
    if (unnamed or writing) and stranger(context.message, context.entities, context.pinned):
        return None
    if not writing and len(set(context.known_ids)) == 1:
        return Sourced(context.known_ids[0], "result")
    if context.pinned and (unnamed or is_pinned(context.entities, context.pinned)):
        return Sourced(context.pinned.id, "pin")
    return _earlier_id(context) if unnamed and not context.pinned else None


def _outside_notes(text: str, entities: Entities, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """What the text of a note says is not whom it is for: "Sister of patient rki-201".

    Where no text was made out, whatever follows a colon may be one.
    """
    noted = any(write.kind == "note" for write in entities.writes)
    colon = text.find(": ") if noted and not entities.note_texts else -1
    for mention in mentions:
        inside = noted and any(
            note.start <= mention.start and not text[note.end : mention.start].strip() for note in entities.note_texts
        )
        if not inside and not -1 < colon < mention.start:
            yield mention


def unquoted(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Those in the user's own words: an id inside a quotation says nothing of whom the request is about."""
    own = without_quotes(text)
    return [mention for mention in mentions if own[mention.start : mention.end].strip()]


def is_pinned(entities: Entities, pinned: Patient) -> bool:
    """Whether every name in the message is the pinned patient's. A banner starts with the name."""
    return is_named(entities, pinned.banner.partition(",")[0])


def is_named(entities: Entities, name: str) -> bool:
    """Whether every name of the message is this person's."""
    return all(is_name_of(said.value, name) for said in entities.person_names)


def _earlier_id(context: Context) -> Sourced | None:
    """The id of the newest earlier message that speaks of a patient; a name without an id ends the search."""
    for found in reversed(context.earlier):
        text = found.text
        ids = {mention.value: mention for mention in _outside_notes(text, found, unquoted(text, found.patient_ids))}
        if len(ids) == 1:
            mention = next(iter(ids.values()))
            return Sourced(mention.value, "earlier", (mention.start, mention.end))
        if ids or found.person_names or stranger(text, found, None):
            return None
    return None
