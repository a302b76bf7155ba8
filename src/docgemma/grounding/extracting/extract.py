"""The rule behind the extract prompt: the entities of a criterion by code alone.

What counts as what (the types of the verified core, and for the rest the habit of people who annotate criteria):
- Demographic: age, sex, race, ethnicity, childbearing potential, menopause, pregnancy, breast-feeding, contraception,
  smoking, in- or outpatient, family history: the core has them there.
- Lab_Value: whatever is measured or scored, with body weight, BMI, blood pressure, ECOG, NYHA class and test results.
- Procedure: surgery, radiotherapy, chemotherapy, imaging, dialysis, transplants. Medication: drugs, classes, vaccines.
- Biomarker: genes, receptors and their alterations, one entity with the alteration ("EGFR mutation").
- No entity: consent, willingness, language, logistics, life expectancy, response and progression, "disease" by itself.
A span holds the words that change which concept is meant, not those that grade it ("severe"), date it or quantify it.
A short form in the bracket that defines it is the same entity again and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.grounding.extracting.ages import unnamed_age
from docgemma.grounding.extracting.biomarkers import aimed_at, altered, speaks_of_genes, supported, variants
from docgemma.grounding.extracting.choosing import chosen
from docgemma.grounding.extracting.chunks import headed
from docgemma.grounding.extracting.episodes import with_episodes
from docgemma.grounding.extracting.measured import compared
from docgemma.grounding.extracting.model import Extracted, Found
from docgemma.grounding.extracting.peoples import peoples
from docgemma.grounding.extracting.phrases import listed_phrases
from docgemma.grounding.extracting.retyping import retyped
from docgemma.terminology.contract import Linked
from docgemma.terminology.linking.coordination import shared_heads
from docgemma.terminology.linking.mentions import Run, modified
from docgemma.terminology.linking.short_forms import Kind, definitions, in_brackets, short_runs
from docgemma.terminology.linking.words import Word, words

_CORE = "CORE"
_SHORT = 4


def extract(text: str, mentions: Sequence[Linked], context: str = "") -> list[Extracted]:
    """The entities in order, without overlaps. `context` may define abbreviations that the text uses."""
    spelled = words(text)
    meanings = definitions(text, context)
    skipped = in_brackets(spelled, text, meanings)
    found = chosen(_everything(text, spelled, mentions), len(spelled))
    runs = [Run(one.first, one.last, one.type, one.term) for one in found if one.type and one.first not in skipped]
    kinds = {text[spelled[run.first].start : spelled[run.last - 1].end].lower(): run.type for run in runs}
    shorts = short_runs(spelled, meanings, skipped, lambda long: kinds.get(long.lower()) or _kind(long))
    runs = [run for run in runs if not any(run.overlaps(short) for short in shorts)] + shorts
    runs = shared_heads(spelled, modified(spelled, sorted(runs, key=lambda run: run.first)))
    runs = with_episodes(spelled, runs)
    return [_extracted(text, spelled, run) for run in runs]


def _kind(long: str) -> Kind:
    """What a long form is that only the context has: the type of the entity that it ends in."""
    spelled = words(long)
    found = chosen(_everything(long, spelled, []), len(spelled))
    return found[-1].type if found and found[-1].last == len(spelled) else None


def _everything(text: str, spelled: Sequence[Word], mentions: Sequence[Linked]) -> list[Found]:
    """What each way of looking finds, overlaps and all."""
    listed = [one for one in listed_phrases(spelled) if supported(spelled, one)]
    from_index = _from_index(spelled, mentions, listed)
    certain = chosen([*listed, *from_index, *variants(spelled)], len(spelled))
    certain = [altered(spelled, one) if one.type == "Biomarker" else one for one in certain]
    certain = [aimed_at(spelled, one) if one.type in {"Biomarker", "Condition"} else one for one in certain]
    certain = [retyped(text, spelled, one) for one in certain]
    chunks = [retyped(text, spelled, one) for one in headed(spelled, certain)]
    found = [*certain, *chunks, *compared(spelled), *peoples(spelled)]
    if not any(one.type == "Demographic" for one in certain):
        age = unnamed_age(spelled)
        found += [age] if age is not None else []
    return found


def _from_index(spelled: Sequence[Word], mentions: Sequence[Linked], listed: Sequence[Found]) -> list[Found]:
    """The mentions as words; a gene that nothing else supports is more likely an abbreviation.

    So is a short old symbol of a verified one: "AIS" is a scale before it is the androgen receptor.
    """
    starts = {word.start: place for place, word in enumerate(spelled)}
    ends = {word.end: place + 1 for place, word in enumerate(spelled)}
    genes = speaks_of_genes(spelled)
    found = []
    for mention in mentions:
        first, last = starts.get(mention.start), ends.get(mention.end)
        if first is None or last is None or first >= last or mention.type is None:
            continue
        one = Found(first, last, mention.type, mention.term, rank=2)
        unsure = (
            mention.type == "Biomarker"
            and not genes
            and (not _verified(mention) or len(mention.text) <= _SHORT)
            and altered(spelled, one).last == last
        )
        if not unsure and supported(spelled, one) and (mention.type != "Demographic" or _person(mention, one, listed)):
            found.append(one)
    return [one for one in found if not any(_same_words(one, other) for other in listed)]


def _person(mention: Linked, one: Found, listed: Sequence[Found]) -> bool:
    """Vocabularies know many kinds of people ("athletes"); criteria mean those that the tables list.

    "Pregnant women" is two of them; "preterm infants" holds one and is a kind of its own.
    """
    if one.size == 1 and (_verified(mention) or mention.term not in {"", mention.text}):
        return True
    inside = [other for other in listed if other.type == "Demographic" and one.first <= other.first < one.last]
    return 0 < sum(other.size for other in inside) < one.size


def _verified(mention: Linked) -> bool:
    return any(candidate.ontology == _CORE for candidate in mention.candidates[:1])


def _same_words(one: Found, other: Found) -> bool:
    return (one.first, one.last) == (other.first, other.last)


def _extracted(text: str, spelled: Sequence[Word], run: Run) -> Extracted:
    start, end = spelled[run.first].start, spelled[run.last - 1].end
    return Extracted(text[start:end], start, end, run.type, run.term or text[start:end])
