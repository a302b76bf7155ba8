"""Drug labels in the shapes that openFDA and DailyMed give them, in words of our own; and real ones where they lie
beside the checkout."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "api"
DERIVED = ("cough", "haloperidol_legacy", "lipitor-orig", "lipitor-repack", "viagra")
Record = dict[str, Any]


def set_id(name: str) -> str:
    """Always the same id for the same name."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


def record(
    generic: str,
    *,
    brand: str = "",
    substances: Sequence[str] = (),
    maker: str = "Example Pharma",
    effective: str = "20240131",
    kind: str = "HUMAN PRESCRIPTION DRUG",
    harmonised: bool = True,
    original: bool = False,
    id_: str = "",
    **sections: Any,
) -> Record:
    """A label as openFDA has it. `harmonised=False`: openFDA knows no names for it, only its product data."""
    active = list(substances) or [generic]
    names = {
        "brand_name": [brand or generic],
        "generic_name": [generic.upper()],
        "substance_name": [name.upper() for name in active],
        "manufacturer_name": [maker],
        "product_type": [kind],
        "spl_set_id": [set_id(id_ or brand or generic)],
        "is_original_packager": [original],
    }
    texts = sections or {
        "contraindications": f"4 CONTRAINDICATIONS Known allergy to {generic}.",
        "warnings_and_cautions": f"5 WARNINGS AND PRECAUTIONS Watch patients who start {generic}.",
    }
    return {
        "set_id": set_id(id_ or brand or generic),
        "id": set_id(f"version of {id_ or brand or generic}"),
        "version": "3",
        "effective_time": effective,
        "spl_product_data_elements": [" ".join([brand or generic, generic, *active, "LACTOSE MONOHYDRATE"])],
        **{field: [text] if isinstance(text, str) else text for field, text in texts.items()},
        "openfda": names if harmonised else {},
    }


def derived(name: str) -> Record:
    """A real label of the past in openFDA's shape. Skips the test where it is not there."""
    if not FOLDER.is_dir():
        pytest.skip("the derived labels are not beside the checkout")
    return _read(name)


@cache
def _read(name: str) -> Record:
    found: Record = json.loads((FOLDER / f"derived_label_{name}.json").read_bytes())["results"][0]
    return found


def section(code: str, title: str, *paragraphs: str, inside: str = "", text: str = "") -> str:
    """A section of an SPL document. `text` is markup beside the paragraphs, `inside` are sections in this one."""
    body = "".join(f"<paragraph>{escape(words)}</paragraph>" for words in paragraphs)
    return (
        f'<component><section><id root="{set_id(title)}"/><code code="{code}"/><title>{escape(title)}</title>'
        f"<text>{body}{text}</text>{inside}</section></component>"
    )


def spl(
    generic: str,
    *,
    brand: str = "",
    moiety: str = "",
    maker: str = "Example Pharma",
    effective: str = "20240131",
    id_: str = "",
    sections: Sequence[str] = (),
) -> bytes:
    """A label as DailyMed has it."""
    body = "".join(sections) or section("34070-3", "4 CONTRAINDICATIONS", f"Known allergy to {generic}.")
    product = (
        f"<manufacturedProduct><manufacturedProduct><name>{escape(brand or generic)}</name><asEntityWithGeneric>"
        f"<genericMedicine><name>{escape(generic)}</name></genericMedicine></asEntityWithGeneric>"
        '<ingredient classCode="ACTIM"><ingredientSubstance>'
        f"<name>{escape(generic.upper())}</name><activeMoiety><activeMoiety><name>{escape((moiety or generic).upper())}"
        "</name></activeMoiety></activeMoiety></ingredientSubstance></ingredient>"
        '<ingredient classCode="IACT"><ingredientSubstance><name>TALC</name></ingredientSubstance></ingredient>'
        "</manufacturedProduct></manufacturedProduct>"
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><document xmlns="urn:hl7-org:v3" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f'<id root="{set_id("document")}"/><code code="34391-3" displayName="HUMAN PRESCRIPTION DRUG LABEL"/>'
        f'<title>Label of {escape(generic)}</title><effectiveTime value="{effective}"/>'
        f'<setId root="{set_id(id_ or brand or generic)}"/><versionNumber value="2"/>'
        f"<author><assignedEntity><representedOrganization><name>{escape(maker)}</name></representedOrganization>"
        '</assignedEntity></author><component><structuredBody><component><section><code code="48780-1"/>'
        f"<subject>{product}</subject></section></component>{body}</structuredBody></component></document>"
    ).encode()
