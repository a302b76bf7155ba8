"""What the medicines of a chart are made of. A name that is not, or only in part, understood says so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.ehr.chart.recorded.fields import identity, plain
from docgemma.ehr.chart.sections.medications import Medication, entry, is_forbidden, names, taken
from docgemma.ehr.chart.view import View
from docgemma.entities.drugs.abbreviations import meaning
from docgemma.entities.drugs.names import drugs_in, ingredients
from docgemma.entities.words import word_set
from docgemma.orders.facts.model import Recorded

_WORD = re.compile(r"[^\W\d_]{3,60}")
_FILL = word_set(
    "actuat actuation acting adult aerosol ampoule ampoules and application auto autoinjector bag bar base bitartrate "
    "bottle buccal cap caplet caplets caps capsule capsules cartridge chewable child children citrate coated code "
    "controlled cream daily day days delayed device disintegrating dispersible disp dose doses drop drops drug dry "
    "each effervescent elixir emulsion enema enteric ethyl extended eye ear film foam for fumarate gel given gram "
    "granules hcl hour hours hrs hydrobromide hydrochloride implant infant infusion inhalant inhalation inhaled "
    "inhaler inj injectable injection injector intramuscular intranasal intrauterine intravenous lactate liquid long "
    "lotion lozenge maleate matrix mcg mdi meq mesylate metered mite modified mouth nasal nda nebuliser nebulizer "
    "oil ointment once only ophthalmic oral orally orodispersible oromucosal otic pack packet paste patch patches "
    "pellet pen per pessary phosphate pill pills pouch powder prefilled preservative free product puff puffs rectal "
    "release sachet sachets salt shampoo sodium solution soluble spray sprays strip strips subcutaneous sublingual "
    "succinate sulfate sulphate suppositories suppository suspension sustained syringe syrup system tab tablet tablets "
    "tabs tartrate topical transdermal twice unit units use vaginal vial vials week weekly with"
)
"""Forms, routes, salts and counts: they stand beside the name of a drug and name none."""


def medicines(view: View) -> tuple[tuple[Recorded, ...], tuple[Recorded, ...]]:
    """What is ordered or taken now, and what must not be given, each in the order of the references."""
    found = [(is_forbidden(one), _recorded(one, view)) for one in taken(view)]
    found.sort(key=lambda each: (each[1].reference, each[1].name))
    return (
        tuple(each for forbidden, each in found if not forbidden),
        tuple(each for forbidden, each in found if forbidden),
    )


def _recorded(one: Medication, view: View) -> Recorded:
    given = names(one, view)
    parts, unknown = understood(given)
    state = "" if one.status == "active" else one.status or "status not recorded"
    return Recorded(plain(given[0]), identity(one.resource), entry(one, view).short, given, parts, unknown, state)


def understood(given: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ingredients that these names of one medicine stand for, and the words that are not understood.

    Words without any drug are forgiven where another name is clear ("water tablet" beside a code). What stands beside
    a known drug is not: it may be a second one.
    """
    read = [_read(name) for name in given]
    parts = tuple(dict.fromkeys(part for found, _ in read for part in found))
    beside = [word for found, left in read if found for word in left]
    clear = any(found and not left for found, left in read)
    alone = [] if clear else [" ".join(name.split()) for name, (found, _) in zip(given, read, strict=True) if not found]
    return parts, tuple(dict.fromkeys([*beside, *alone]))


def _read(name: str) -> tuple[tuple[str, ...], list[str]]:
    if whole := ingredients(name):
        return whole, []
    mentions = drugs_in(name)
    found = [part for mention in mentions for part in ingredients(mention.value)]
    left: list[str] = []
    for word in _WORD.finditer(name):
        if any(mention.start <= word.start() < mention.end for mention in mentions) or word.group().lower() in _FILL:
            continue
        short = ingredients(meaning(word.group()))
        found += short
        left += [] if short else [word.group()]
    return tuple(dict.fromkeys(found)), left
