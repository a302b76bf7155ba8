"""What people react to, in standard words and by kind. An engineering proposal, not reviewed by a clinician.

A substance that stands in no table is recorded in the user's own words, without a kind.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from docgemma.entities.drugs.names import drugs_in, ingredients
from docgemma.entities.drugs.spelling import resolve
from docgemma.entities.substances import ALLERGENS, PAIRS, SINGULAR, known_substances
from docgemma.entities.words import phrase_list, word_set, words
from docgemma.orders.unclear import Unclear

Category = Literal["medication", "food", "environment", ""]

_FOODS = word_set(
    "peanut peanuts groundnut groundnuts nut nuts almond almonds cashew cashews walnut walnuts hazelnut hazelnuts "
    "pistachio pistachios pecan pecans shellfish shrimp shrimps prawn prawns crab lobster squid mussels fish salmon "
    "tuna egg eggs milk dairy lactose soy soya wheat gluten sesame mustard celery lupin lentils chickpea chickpeas "
    "strawberry strawberries kiwi kiwis kiwifruit banana bananas avocado mango mangoes pineapple peach apple apples "
    "tomato tomatoes citrus coconut corn chocolate garlic honey msg aspartame brinjal aubergine"
) | frozenset(
    phrase_list(
        "tree nuts, tree nut, brazil nut, brazil nuts, cow's milk, cows milk, kiwi fruit, food colouring, food coloring"
    )
)
_SURROUNDINGS = word_set(
    "latex rubber bee bees wasp wasps hornet ant pollen dust mold mould ragweed grass cat cats dog dogs horse nickel "
    "adhesive tape plaster plasters elastoplast micropore perfume fragrance henna"
) | frozenset(
    phrase_list(
        "bee stings, bee sting, bee venom, wasp stings, wasp sting, hair dye, house dust, dust mite, dust mites, "
        "animal dander, cat dander, dog dander, latex gloves, sticking plaster, sticking plasters, micropore tape"
    )
)
_MEDICINES = word_set(
    "sulfa sulfas sulpha sulphas sulfonamide sulfonamides sulphonamide sulphonamides cephalosporin "
    "cephalosporins nsaid nsaids opioid opioids opiate opiates statins quinolone quinolones fluoroquinolone "
    "fluoroquinolones macrolide macrolides tetracyclines aminoglycosides carbapenems anticonvulsants anaesthetics "
    "anesthetics contrast"
) | frozenset(
    phrase_list(
        "iv contrast, contrast dye, contrast media, ace inhibitors, ace inhibitor, beta blockers, beta blocker, sulfa "
        "drugs, sulpha drugs, sulfa drug, local anaesthetics, local anesthetics, iodine contrast, iodinated contrast, "
        "flu vaccine, flu jab"
    )
)
_WHY = {
    "disguised": "“{name}” is written with characters that look like others.",
    "shorthand": "“{name}” is shorthand, and shorthand is misread.",
}


@dataclass(frozen=True, slots=True)
class Substance:
    """`is_drug`: the whole name is one drug's. Else the ingredients are those of a drug that the words mention."""

    name: str
    category: Category = ""
    ingredients: tuple[str, ...] = ()
    is_drug: bool = False


def read_substance(text: str, confirmed: Collection[str] = ()) -> Substance | Unclear:
    """The substance in standard words. What is almost a drug's name is asked about, unless the user stands by it."""
    plain = " ".join(text.split())
    low = plain.lower()
    if kind := _kind(low):
        return Substance(SINGULAR.get(low, low), kind)
    found = resolve(plain)
    if found.kind == "known":
        return Substance(found.name, "medication", found.ingredients, is_drug=True)
    named = _named_in(plain)
    if len(named) > 1:
        said = f"Several substances are named: {', '.join(named)}. Each is an entry of its own: which one is it?"
        return Unclear("invalid_args", ("substance",), said, named)
    if parts := ingredients(named[0]) if named else ():
        return Substance(plain, "medication", parts)
    if low in ALLERGENS or low in PAIRS or found.kind == "unknown" or plain in confirmed:
        return Substance(SINGULAR.get(low, plain))
    why = _WHY.get(found.kind, "“{name}” is not a drug name I know.").format(name=plain)
    names = found.suggestions or (found.name,)
    return Unclear("ambiguous_drug_name", ("substance",), f"{why} Did you mean {' or '.join(names)}?", names)


def _named_in(text: str) -> tuple[str, ...]:
    """Everything in a phrase that a list knows: "penicillin and latex" are two."""
    known = known_substances(words(text), drugs_in(text))
    return tuple(dict.fromkeys(mention.value for _, mention in known.values()))


def _kind(low: str) -> Category:
    if low in _FOODS:
        return "food"
    if low in _SURROUNDINGS:
        return "environment"
    return "medication" if low in _MEDICINES else ""
