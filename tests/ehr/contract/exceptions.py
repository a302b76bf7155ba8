"""Where a server of another maker does otherwise, and why we live with it. What is not listed here must be the same."""

from __future__ import annotations

from typing import Any

from tests.support.fhir_servers import FhirServer

_OTHER = "other maker"

EXCEPTIONS: dict[tuple[str, str], tuple[Any, str]] = {
    ("$everything", _OTHER): (404, "its router has no operations; the client reads kind by kind"),
    ("unknown parameter", _OTHER): (200, "it takes it for a parameter that nothing matches"),
    ("part of a word", _OTHER): (["ann"], "its memory repository looks inside words"),
    ("without accents", _OTHER): ([], "it compares letters as they are; the patient search folds on our side"),
    ("folds names", _OTHER): (False, "see above"),
    ("read of a deleted resource", _OTHER): (404, "its memory repository forgets what was deleted"),
    ("status banana", _OTHER): (201, "it does not check required bindings"),
    ("dangling subject", _OTHER): (201, "it does not check references"),
    ("paging links", _OTHER): (False, "it gives one page and the total; the client sees that there is more"),
    ("all or nothing", _OTHER): (False, "it takes a transaction for a batch; the client then says that it is unknown"),
    ("checks conditional creates", _OTHER): (False, "its memory repository lets in whatever a condition lets in"),
    ("digits", _OTHER): (False, "JavaScript's numbers drop trailing zeros"),
}


def expected(behaviour: str, server: FhirServer, usual: Any) -> Any:
    """What this server does: the usual, unless it is a declared exception."""
    return EXCEPTIONS.get((behaviour, server.name), (usual, ""))[0]
