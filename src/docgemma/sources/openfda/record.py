"""One record of openFDA's label endpoint, or of its bulk files, as a Label.

A record is taken as it comes: sections may be missing, texts where lists are promised, or things that are no text at
all. What cannot be read makes the label one that was not read in full, so that its silence proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from docgemma.entities.words import word_set
from docgemma.sources.contract import Label
from docgemma.sources.openfda.texts import is_set_id, iso_day, name, plain, words

PAGE = "https://dailymed.nlm.nih.gov/dailymed/drugInfo.cfm?setid="
"""Where a person reads the whole label."""

ELEMENTS = "spl_product_data_elements"
SAFETY = word_set(
    "boxed_warning contraindications drug_interactions warnings warnings_and_cautions precautions "
    "general_precautions do_not_use ask_doctor ask_doctor_or_pharmacist when_using stop_use"
)
"""A label without any of these says nothing about safety, whatever else it has."""

_FACTS = frozenset({"id", "set_id", "version", "effective_time", "openfda"})
_LEFT_OUT = word_set(
    "animal_pharmacology_and_or_toxicology carcinogenesis_and_mutagenesis_and_impairment_of_fertility "
    "clinical_studies description how_supplied nonclinical_toxicology package_label_principal_display_panel "
    "questions references spl_indexing_data_elements statement_of_identity storage_and_handling"
)
"""Long, and read by nobody who asks whether a drug is safe to give."""

_CLASSES = ("pharm_class_epc", "pharm_class_moa", "pharm_class_cs", "pharm_class_pe")
_FIRST_WORDS = 4
_FIELD = re.compile(r"[a-z][a-z0-9_]{0,99}")
"""How openFDA spells its fields. What is spelled otherwise is none of its sections."""


def is_kept(section: str) -> bool:
    """Whether a section, or the tables of one, is worth keeping."""
    return section not in _FACTS and section.removesuffix("_table") not in _LEFT_OUT


def label_of(record: Mapping[str, Any]) -> Label:
    """The record as a Label. Never raises: what has the wrong shape is left out, and the label is then not full."""
    given = record.get("openfda")
    names: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    sections: dict[str, tuple[str, ...]] = {}
    readable = True
    for section, value in record.items():
        if not isinstance(section, str) or not is_kept(section):
            continue
        found, whole = _texts(value)
        spelled = _FIELD.fullmatch(section) is not None
        readable = readable and whole and spelled
        if found and spelled:
            sections[section] = found
    brands, generics = _names(names.get("brand_name")), _names(names.get("generic_name"))
    manufacturer = next(iter(_names(names.get("manufacturer_name"))), "")
    set_id = next(iter(_names(record.get("set_id")) + _names(names.get("spl_set_id"))), "")
    return Label(
        title=titled(brands, generics, sections, manufacturer),
        sections=sections,
        set_id=set_id,
        effective=iso_day(record.get("effective_time")),
        brands=brands,
        generics=generics,
        substances=_names(names.get("substance_name")),
        classes=tuple(dict.fromkeys(name for field in _CLASSES for name in _names(names.get(field)))),
        manufacturer=manufacturer,
        product_type=next(iter(_names(names.get("product_type"))), ""),
        original=_is_true(names.get("is_original_packager")),
        url=page_of(set_id),
        full=readable and says_safety(sections),
    )


def titled(
    brands: Iterable[str], generics: Iterable[str], sections: Mapping[str, tuple[str, ...]], manufacturer: str
) -> str:
    """What the label is called in a list of sources: the product, and who makes it."""
    elements = name(" ".join(" ".join(sections.get(ELEMENTS, ())).split()[:_FIRST_WORDS]))
    product = next((each for each in (*brands, *generics, elements) if each), "Unnamed label")
    return f"{product} ({manufacturer})" if manufacturer else product


def page_of(set_id: str) -> str | None:
    return f"{PAGE}{set_id.lower()}" if is_set_id(set_id) else None


def says_safety(sections: Mapping[str, tuple[str, ...]]) -> bool:
    return not SAFETY.isdisjoint(sections)


def is_about(label: Label, drug: str) -> bool:
    """Whether every word of the asked name is among the label's names or its product data.

    A query that a service misreads is answered with other drugs' labels, and with status 200.
    """
    return _among(drug, (*_all_names(label), *label.sections.get(ELEMENTS, ())))


def is_named(label: Label, drug: str) -> bool:
    """The same by its names alone, without the product data."""
    return _among(drug, _all_names(label))


def _all_names(label: Label) -> tuple[str, ...]:
    return (*label.brands, *label.generics, *label.substances)


def _among(drug: str, names: Iterable[str]) -> bool:
    asked = words(drug)
    return bool(asked) and set(asked) <= {word for name in names for word in words(name)}


def _texts(value: object) -> tuple[tuple[str, ...], bool]:
    """The texts of a section, and whether all of it was text."""
    items = value if isinstance(value, list) else [value]
    found = tuple(text for item in items if isinstance(item, str) and (text := plain(item)))
    return found, all(item is None or isinstance(item, str) for item in items)


def _names(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found for text in _texts(value)[0] if (found := name(text))))


def _is_true(value: object) -> bool:
    items = value if isinstance(value, list) else [value]
    return any(item is True or (isinstance(item, str) and item.strip().lower() == "true") for item in items)
