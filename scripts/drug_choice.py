"""Which names of the drug package ship, what the hand-written lists add, and what each name stands for.

The package holds a hundred thousand names, most of them laboratory chemicals. Kept are the names that clinicians type:
drugs that a public formulary describes, other drugs under one-word names, and international nonproprietary names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docgemma.entities.words import word_set

LISTS = Path(__file__).resolve().parent / "drug_lists"
SHIPPED = LISTS.parent.parent / "src" / "docgemma" / "entities" / "data" / "drugs.tsv"

BY_HAND = ("common", "synonyms", "brands_us", "brands_british", "brands_indian")

_SALTS = word_set(
    "hydrochloride dihydrochloride hcl hydrobromide sulfate sulphate phosphate acetate citrate tartrate bitartrate "
    "maleate fumarate hemifumarate succinate mesylate mesilate besylate besilate tosylate bromide chloride nitrate "
    "sodium disodium potassium calcium magnesium trihydrate dihydrate monohydrate anhydrous pamoate embonate stearate "
    "gluconate lactate oxalate valerate dipropionate propionate furoate hemihydrate decanoate enanthate cypionate "
    "undecanoate palmitate axetil proxetil medoxomil cilexetil etexilate mofetil disoproxil alafenamide meglumine "
    "tromethamine trometamol arginine lysine erbumine tert-butylamine hyclate polistirex resinate napsylate edisylate"
)
_RELEASE = word_set("xr er sr cr la xl mr cd ir odt dr ec depot retard chrono")
_FORMS = re.compile(
    r"\s(?:patch|implant|otic|nasal.*|vaginal|buccal|sublingual.*|inhal.*|eye drops|capsules|injections|intramuscular"
    r"|subcutaneous|urogenital|intrapleural|intravesical|pyelocalyceal|lozenges?|gum|cream|spray|resin|viscous|liposomal"
    r"|lipid complex|mixture|solution|supplements?|combination products)$"
)
_SUFFIX = re.compile(r"(?<=[a-z]{4})-[a-z]{4}$")
"""The four letters that tell biosimilars apart: "infliximab-dyyb"."""

_STEM = re.compile(
    r"(?:mab|nib|ciclib|parib|lisib|sertib|metinib|clax|degib|zomib|domide|stat|cept|tide|gliptin|gliflozin|glitazone"
    r"|sartan|pril|prilat|olol|dipine|afil|entan|ciguat|xaban|gatran|parin|grel|grelor|plase|setron|pitant|prazole|prazan"
    r"|tidine|triptan|gepant|ditan|oxetine|pramine|triptyline|faxine|zodone|peridol|piprazole|apine|idone|azepam|azolam"
    r"|barbital|bamate|bital|racetam|gabalin|caine|curium|curonium|fentanil|morphone|codone|tadol|orphan|profen|fenac|coxib"
    r"|oxicam|solone|sone|onide|terol|tropium|lukast|milast|astine|tadine|conazole|fungin|floxacin|oxacin|cillin|penem"
    r"|bactam|mycin|micin|cycline|planin|vancin|zolid|nidazole|bendazole|quine|antel|vir|vudine|citabine|trexate|trexed"
    r"|platin|rubicin|taxel|tecan|poside|vastatin|fibrate|dronate|gestrel|gesterone|relin|relix|tocin|pressin|grastim"
    r"|poetin|siran|rsen|leucel|tinib|mustine|sulfan|lutamide|dutamide|trozole|ifene|cef[a-z]{3,})$|^cef|^sulfa|^gli"
)
_NAME = re.compile(r"[a-z][a-z0-9]+(?:[ -][a-z0-9]+){0,3}")
_SYSTEMATIC = re.compile(r"phenyl|benz|methyl|ethyl|propyl|butyl|chlor|amin|nitro|hydro|oxy|carb|sulf|acet|phosph|pyri")
_LONGEST, _SHORTEST = 28, 5
_AND = re.compile(r",? and |, |/")
_JOINED = re.compile(r" and |/")


@dataclass(frozen=True, slots=True)
class Entry:
    """What one name stands for."""

    ingredients: tuple[str, ...]
    by_hand: bool = False


Dictionary = dict[str, Entry]


def plain(text: str) -> str:
    """Lower case without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))


def listed(name: str) -> frozenset[str]:
    """A list of words to leave out: commas and line ends divide."""
    lines = _lines(LISTS / f"{name}.txt")
    return frozenset(part.strip() for line in lines for part in line.split(", ")) | frozenset(lines)


def by_hand() -> dict[str, tuple[str, ...]]:
    """The hand-written names in the order of the lists; a later list wins."""
    table: dict[str, tuple[str, ...]] = {}
    for stem in BY_HAND:
        for line in _lines(LISTS / f"{stem}.txt"):
            name, *parts = (part.strip() for part in line.split(","))
            table[name] = tuple(parts) or (name,)
    return table


def chosen(tables: Mapping[str, Any]) -> dict[str, str]:
    """Name → substance as the package calls it, for the names that are worth shipping."""
    substances: Mapping[str, Mapping[str, Any]] = tables["drug_canonical_to_data"]
    no_drug = listed("not_drugs")
    kept: dict[str, str] = {}
    for written, (substance, *_) in tables["drug_variant_to_canonical"].items():
        name, about = plain(written), substances.get(substance, {})
        if substance not in no_drug and _worth(name, plain(substance), about):
            kept.setdefault(name, substance)
    return {name: substance for name, substance in kept.items() if not _latin(name, kept)}


def merged(package: Mapping[str, str]) -> Dictionary:
    """The package's names under our ingredients, and over them the hand-written ones."""
    hand = by_hand()
    no_name = listed("not_names") - hand.keys()
    found: Dictionary = {}
    for name, substance in package.items():
        parts = tuple(dict.fromkeys(final for part in _parts(substance) for final in _ingredients(part, package, hand)))
        if name not in no_name:
            found[name] = Entry(parts)
    found |= {name: Entry(parts, by_hand=True) for name, parts in hand.items()}
    for part in sorted({part for entry in found.values() for part in entry.ingredients} - found.keys() - no_name):
        found[part] = Entry((part,))
    return _distinct(found)


def _distinct(found: Dictionary) -> Dictionary:
    """One spelling for names that differ in blanks and hyphens alone: they are matched as one, so they must agree."""
    spellings: dict[str, list[str]] = {}
    for name in sorted(found, key=lambda name: (not found[name].by_hand, name.count(" "), name)):
        spellings.setdefault(re.sub(r"[^a-z0-9]+", " ", name), []).append(name)
    for alike in spellings.values():
        if len({frozenset(found[name].ingredients) for name in alike}) > 1:
            raise ValueError(f"{' and '.join(alike)} are matched as one name but have different ingredients")
    return {alike[0]: found[alike[0]] for alike in sorted(spellings.values())}


def _worth(name: str, substance: str, about: Mapping[str, Any]) -> bool:
    if " and " in name:  # two drugs that are named together; whether they are one product the sentence does not say
        return False
    if not _NAME.fullmatch(name) or not _SHORTEST <= len(name) <= _LONGEST or not _is_drug(substance, about):
        return False
    if len(_SYSTEMATIC.findall(name)) > 2 and name != substance:
        return False
    words = name.split()
    if len(words) > 1 or any(character.isdigit() for character in name):
        return name == substance or (words[0] == substance and all(w in _SALTS or w in _RELEASE for w in words[1:]))
    described = "medline_plus_id" in about or "nhs_url" in about
    return described or "mesh_id" in about or name == substance or name[:4] == substance[:4]


def _is_drug(substance: str, about: Mapping[str, Any]) -> bool:
    """Described for patients, or known to the drug bank and either indexed or named like a drug."""
    if "medline_plus_id" in about or "nhs_url" in about:
        return True
    if "drugbank_id" not in about:
        return "wikipedia_url" in about and "mesh_id" not in about and _JOINED.search(substance) is not None
    old = int(about["drugbank_id"][2:]) < 1600  # the bank began with the approved drugs
    indexed = "mesh_id" in about or "wikipedia_url" in about
    return " " not in substance and (old or indexed or _STEM.search(substance) is not None)


def _latin(name: str, kept: Mapping[str, str]) -> bool:
    """ "warfarinum" beside "warfarin" is typed by nobody."""
    stem = name.removesuffix("um")
    return stem != name and any(kept.get(other) == kept[name] for other in (stem, f"{stem}e", f"{stem}a"))


def _parts(substance: str) -> Iterator[str]:
    """The substances of a combination, each without its form: "estradiol patch" is estradiol."""
    whole = re.sub(r"\s*\([^()]*\)", "", plain(substance)).strip(" ,")
    if not _JOINED.search(whole):
        whole = whole.split(",")[0]
    for part in _AND.split(whole):
        if part:
            yield _SUFFIX.sub("", _FORMS.sub("", part))


def _ingredients(part: str, package: Mapping[str, str], hand: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Our name for a substance: the hand-written lists decide, then the package, then the name without its salt."""
    part = re.sub(r"\s+", " ", part)
    if part in hand:
        return hand[part]
    known = package.get(part)
    if known and plain(known) != part:
        whole = [_FORMS.sub("", other) for other in _parts(known)]
        return tuple(final for other in whole for final in hand.get(other, (other,)))
    words = part.split()
    while len(words) > 1 and words[-1] in _SALTS:
        words.pop()
        base = " ".join(words)
        if base in hand or base in package:
            return _ingredients(base, package, hand)
    return (part,)


def _lines(path: Path) -> list[str]:
    lines: Iterable[str] = path.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
