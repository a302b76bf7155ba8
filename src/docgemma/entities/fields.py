"""The fields of a chart entry as the user stated them. Two answers to one question are none: it is asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docgemma.entities.amounts.dose_traps import dose_traps
from docgemma.entities.amounts.doses import dose_key, parse_dose
from docgemma.entities.amounts.frequencies import combine, is_banned
from docgemma.entities.amounts.units import COUNTED
from docgemma.entities.model import Entities, Mention, WriteKind, WriteRequest

NOTES_LIMIT = 120
"""As long as the tool takes them; what is cut ends in "…", so that it is seen."""


def prescription_fields(found: Entities, subject: str | None = None) -> dict[str, Mention]:
    """Drug, dose and frequency of one order: of the asked drug, else of the first. Never those of another."""
    if found.orders:
        order = next((order for order in found.orders if order.drug.value == subject), None)
        if order is None and (subject is None or len(found.orders) == 1):
            order = found.orders[0]
        if order is None:
            return {}
        details = (*order.routes, *order.durations, *order.reasons)
        return _amounts(order.doses, order.frequencies, details) | {"medication_name": order.drug}
    start, end = _span(found, "prescribe")
    reacting = {substance.start for substance in found.substances}
    named = [drug for drug in (*found.drugs, *found.unlisted_drugs) if drug.start not in reacting]
    if any(start <= drug.start < end for drug in named):  # one drug or another: which one is not said
        return {}
    if not named:
        end = max(end, _message_end(found))
    return _amounts(
        [dose for dose in found.doses if start <= dose.start < end],
        [often for often in found.frequencies if start <= often.start < end],
        [detail for detail in (*found.routes, *found.durations) if start <= detail.start < end],
    )


def _amounts(
    doses: Sequence[Mention], frequencies: Sequence[Mention], details: Sequence[Mention]
) -> dict[str, Mention]:
    fields = {"dosage": only_dose(doses), "frequency": join_frequencies(frequencies), "notes": join_details(details)}
    return {name: mention for name, mention in fields.items() if mention}


def join_details(found: Sequence[Mention]) -> Mention | None:
    """Route, duration and reason in standard words, as the notes of an order: "by mouth; for 7 days"."""
    if not found:
        return None
    values = list(dict.fromkeys(mention.value for mention in found))
    text = "; ".join(values)
    if len(text) > NOTES_LIMIT:
        text = text[: NOTES_LIMIT - 1] + "…"
    whole = _joined(sorted(found, key=lambda mention: mention.start), "; ")
    return replace(whole, value=text)


def allergy_fields(found: Entities, subject: str | None = None) -> dict[str, Mention]:
    """Substance, reaction and severity of one entry: of the asked substance, else of the only one."""
    entry = next((entry for entry in found.allergies if entry.substance.value == subject), None)
    if entry is None and len(found.allergies) == 1:
        entry = found.allergies[0]
    if entry is not None:
        return {"substance": entry.substance} | _reactions(entry.reactions, entry.severities)
    if found.allergies or len({item.value for item in found.substances}) > 1:
        return {}
    named: dict[str, Mention] = {"substance": found.substances[0]} if found.substances else {}
    return named | _reactions(found.reactions, found.severities)


def _reactions(reactions: Sequence[Mention], severities: Sequence[Mention]) -> dict[str, Mention]:
    fields: dict[str, Mention] = {"reaction": _joined(reactions, ", ")} if reactions else {}
    if len({item.value for item in severities}) == 1:
        fields["severity"] = severities[0]
    return fields


def note_fields(found: Entities) -> dict[str, Mention]:
    """Kind and text of a note."""
    fields: dict[str, Mention] = {}
    limit = found.note_texts[0].start if found.note_texts else None
    kinds = [kind for kind in found.note_types if limit is None or kind.start < limit]
    if len({kind.value for kind in kinds}) == 1:
        fields["note_type"] = kinds[0]
    if found.note_texts:
        fields["note_text"] = found.note_texts[0]
    return fields


def join_frequencies(found: Sequence[Mention]) -> Mention | None:
    """All parts as one frequency in standard words; with a banned form, as written. A contradiction is none."""
    distinct = list({mention.value.lower(): mention for mention in found}.values())
    banned = any(is_banned(mention.value) for mention in distinct)
    joined = combine(mention.value for mention in distinct)
    if joined is None:
        return distinct[0] if banned and len(distinct) == 1 else None
    whole = _joined(distinct, " ")
    return whole if banned else replace(whole, value=joined.render())


def _plainly(dose: Mention) -> Mention:
    """A form that is only warned of ("5.0 mg") is written in the standard way; one to be asked about stays as it is."""
    traps, read = tuple(dose_traps(dose)), parse_dose(dose.text)
    return replace(dose, value=read.render()) if read and traps and {t.severity for t in traps} == {"warn"} else dose


def only_dose(found: Sequence[Mention]) -> Mention | None:
    """The dose, when only one is stated. A number of pieces and a strength are one: "2 tabs … 500 mg"."""
    distinct = list({dose_key(dose.text) or dose.text: dose for dose in reversed(found)}.values())[::-1]
    if len(distinct) == 1:
        return _plainly(distinct[0])
    if len(distinct) != 2:
        return None
    counts = [dose for dose in distinct if _is_count(dose)]
    strengths = [dose for dose in distinct if not _is_count(dose)]
    strength = parse_dose(strengths[0].text) if len(counts) == 1 else None
    if len(counts) != 1 or (strength and strength.each):
        return None
    return replace(_joined(distinct, " "), value=f"{counts[0].value} of {strengths[0].value}")


def _is_count(dose: Mention) -> bool:
    parsed = parse_dose(dose.text)
    return parsed is not None and parsed.unit in COUNTED and parsed.each is None


def _joined(mentions: Sequence[Mention], glue: str) -> Mention:
    first, last = mentions[0], mentions[-1]
    values = list(dict.fromkeys(mention.value for mention in mentions))
    texts = glue.join(mention.text for mention in mentions)
    return Mention(texts, first.start, last.end, glue.join(values))


def _span(found: Entities, kind: WriteKind) -> tuple[int, int]:
    """Where the first request of this kind stands; without one, the whole message."""
    write: WriteRequest | None = next((write for write in found.writes if write.kind == kind), None)
    return (write.start, write.end) if write else (0, _message_end(found))


def _message_end(found: Entities) -> int:
    mentions = (*found.drugs, *found.doses, *found.frequencies, *found.substances, *found.reactions)
    ends = [mention.end for mention in mentions]
    return max([*ends, *(write.end for write in found.writes)], default=0)


def fold(text: str) -> str:
    """For comparing words: without case, punctuation at the ends and doubled space."""
    return " ".join(text.split()).strip(" .,;:!?\"'“”‘’()").casefold()
