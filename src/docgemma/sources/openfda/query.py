"""How openFDA is asked for a drug: a ladder of queries, each wider than the one before.

Every name is quoted: words without quotes are joined by OR, and another drug's label comes back. Spaces are spaces, as
the door encodes them; a plus sign of our own would be refused. A query never asks for a section: a label that lacks
it would count as no label.
"""

from __future__ import annotations

import re

from docgemma.sources.contract import SourceError
from docgemma.sources.openfda.texts import plain, words

LIMIT = 10
"""Many labels share one ingredient: fewer, and chance decides which of them is read."""

PRESCRIPTION = 'openfda.product_type.exact:"HUMAN PRESCRIPTION DRUG"'

_NAMES = ("openfda.generic_name", "openfda.brand_name", "openfda.substance_name")
_INGREDIENTS = ("openfda.generic_name", "openfda.substance_name")
_ELEMENTS = "spl_product_data_elements"
_OPERATORS = re.compile(r"[+^~*?]+")
_JOINED = re.compile(r"\s*[/+,&;]\s*|\s+(?:and|with)\s+", re.IGNORECASE)
_LONGEST = 200
_MOST_PARTS = 8


def asked_name(drug: str) -> str:
    """The name as it can be asked for. What has no letter or digit, or is too long, is no drug name."""
    name = plain(drug)
    if not words(name) or len(name) > _LONGEST:
        raise SourceError("invalid_args", "This is no drug name that can be looked up. Give the name of one drug.")
    return name


def rungs(drug: str) -> tuple[str, ...]:
    """The queries for a drug name in the order of asking: whole names, names with these words, product data."""
    name = plain(_OPERATORS.sub(" ", drug))
    exact = " OR ".join(f"{field}.exact:{quoted(name.upper())}" for field in _NAMES)
    spoken = " OR ".join(f"{field}:{quoted(name)}" for field in _NAMES)
    return exact, spoken, *_combination(drug), f"{_ELEMENTS}:{quoted(name)}"


def among_prescriptions(query: str) -> str:
    return f"({query}) AND {PRESCRIPTION}"


def quoted(text: str) -> str:
    """A phrase. The backslash first: one at the end would take the closing quote's meaning."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _combination(drug: str) -> tuple[str, ...]:
    """A product of several ingredients is named in any order and with any word between: each one must be there."""
    parts = [name for part in _JOINED.split(drug) if words(name := plain(_OPERATORS.sub(" ", part)))]
    if not 2 <= len(parts) <= _MOST_PARTS:
        return ()
    return (" AND ".join(f"({' OR '.join(f'{field}:{quoted(part)}' for field in _INGREDIENTS)})" for part in parts),)
