"""Drug names: the DrugBank vocabulary and MedlinePlus as one package gathered them, and our own shipped dictionary.

The package's MeSH ids are not read: for common drugs they are those of other descriptors (it gives metformin the id
of the hypoglycemic agents). Its names are held against our own dictionary, which was corrected by hand: a brand of a
combination must not become one of its ingredients.
"""

from __future__ import annotations

import bz2
import io
import pickle
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any

from docgemma.errors import Unavailable
from docgemma.terminology.sources.mesh_types import type_of_trees
from docgemma.terminology.sources.record import Record, distinct, well_formed

MORE_NAMES = "DRUGS without an id"


def dictionary() -> dict[str, str]:
    """Our own shipped drug names: name → ingredients joined by +."""
    text = (files("docgemma") / "entities" / "data" / "drugs.tsv").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            ingredients, names = line.split("\t")
            found.update((name.removeprefix("*"), ingredients) for name in names.split(","))
    return found


def drug_names(packed: bytes, known: Mapping[str, str]) -> Iterator[Record]:
    """The package's drugs; those without a DrugBank or MedlinePlus id only add names. `known` is `dictionary()`."""
    tables = plain_tables(packed)
    variants: dict[str, list[str]] = {}
    for variant, canonicals in tables["drug_variant_to_canonical"].items():
        if len(canonicals) == 1:
            variants.setdefault(canonicals[0], []).append(variant)
    for canonical, data in tables["drug_canonical_to_data"].items():
        name = data.get("name")
        if not name:
            continue
        agreed = distinct(_agreed(canonical, variants.get(canonical, ()), known), but=name)
        ids = _ids(data)
        if ids:
            yield Record(ids[0][0], *ids[0], name, agreed, tuple(ids[1:]), "Medication")
        elif agreed:
            yield Record(MORE_NAMES, "", "", name, agreed, (), type_of_trees(data.get("mesh_tree", ())) or "Medication")


def ingredient_names(known: Mapping[str, str]) -> Iterator[Record]:
    """The dictionary's single ingredients as records of their own: names without an identifier."""
    grouped: dict[str, list[str]] = {}
    for name, ingredients in known.items():
        if "+" not in ingredients:
            grouped.setdefault(ingredients, []).append(name)
    for ingredient, names in grouped.items():
        yield Record("DRUGS", "", "", ingredient, distinct(names, but=ingredient), (), "Medication")


def _ids(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    pairs = (("DRUGBANK", data.get("drugbank_id")), ("MEDLINEPLUS", data.get("medline_plus_id")))
    return [(system, str(value)) for system, value in pairs if value and well_formed(system, str(value))]


def _agreed(canonical: str, variants: Iterable[str], known: Mapping[str, str]) -> list[str]:
    """The variants that our dictionary does not give to other ingredients."""
    own = known.get(canonical, canonical)
    return [variant for variant in variants if known.get(variant, own) == own]


class _PlainUnpickler(pickle.Unpickler):
    """Reads dictionaries, lists, strings and numbers; whoever asks for a class or a function is refused."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        raise pickle.UnpicklingError(f"the data asks for {module_name}.{global_name}; only plain values are read")


def plain_tables(packed: bytes) -> dict[str, Any]:
    """The tables of a bz2-packed pickle."""
    try:
        tables = _PlainUnpickler(io.BytesIO(bz2.decompress(packed))).load()
    except (pickle.UnpicklingError, OSError, EOFError, ValueError, IndexError, KeyError) as error:
        raise Unavailable(f"The drug names cannot be read ({error}). Fetch the wheel again.") from error
    if not isinstance(tables, dict):
        raise Unavailable("The drug names are not a table. Fetch the wheel again.")
    return tables
