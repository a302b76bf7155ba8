"""Whether a resource is FHIR R4: elements, cardinalities, primitives, closed codes, references, invariants."""

from docgemma.ehr.validation.checker import check
from docgemma.ehr.validation.definitions import is_kind, kinds

__all__ = ["check", "is_kind", "kinds"]
