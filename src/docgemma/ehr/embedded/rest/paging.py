"""Pages and the links between them.

A link remembers the last resource that was shown, not how many: rows that come or go in between neither hide another
row nor show it twice. It holds an id and a version, never a value, so that no patient data gets into addresses.
"""

from __future__ import annotations

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from urllib.parse import quote, urlencode

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Params
from docgemma.ehr.embedded.contract import Stored
from docgemma.ehr.embedded.rest.exchange import Request, fault
from docgemma.ehr.embedded.searches.dates import stretch

PAGE_SIZE = 4 * 1024 * 1024
"""Characters of resources on a page, unless the first alone has more: charts with scanned documents stay readable."""

_PLACE = re.compile(r"[A-Za-z0-9\-./]{1,200}")


def cursor(*parts: str | int) -> str:
    return urlsafe_b64encode("/".join(map(str, parts)).encode()).decode().rstrip("=")


def place(text: str, parts: int) -> list[str]:
    """What a cursor of ours holds. Anything else is refused: it must not quietly begin from the start."""
    try:
        read = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        read = ""
    found = read.split("/")
    if not _PLACE.fullmatch(read) or len(found) != parts:
        raise fault(400, "invalid", "This link to a page was not given out by this server. Start the search again.")
    return found


def number(text: str) -> int:
    """A number out of a cursor."""
    if not re.fullmatch(r"[0-9]{1,18}", text, re.ASCII):
        raise fault(400, "invalid", "This link to a page was not given out by this server. Start the search again.")
    return int(text)


def page_size(value: str, most: int) -> int:
    """What `_count` asks for, up to what one page holds."""
    if not re.fullmatch(r"[0-9]{1,9}", value, re.ASCII) or int(value) == 0:
        raise fault(400, "invalid", "The parameter _count takes a whole number above zero.")
    return min(int(value), most)


def beginning(value: str) -> int:
    """The moment that `_since` names."""
    when = stretch(value.replace(" ", "+"))
    if when is None:
        raise fault(400, "invalid", "The parameter _since takes a date and time.")
    return when.low


def is_after(stored: Stored, since: int | None) -> bool:
    when = stretch(stored.updated)
    return since is None or when is None or when.low >= since


def link(request: Request, path: str, params: Params, next_: str | None = None) -> str:
    """The address of this page, or of the one that begins at a cursor."""
    kept = [(name, value) for name, value in params if name != "_cursor" or next_ is None]
    if next_ is not None:
        kept.append(("_cursor", next_))
    asked = f"?{urlencode(kept, quote_via=quote, errors='replace')}" if kept else ""
    return f"{request.base}/{path}{asked}"


def how_many(bodies: Sequence[str]) -> int:
    """How many of these fit on one page."""
    size = 0
    for index, body in enumerate(bodies):
        size += len(body)
        if index and size > PAGE_SIZE:
            return index
    return len(bodies)


def links(request: Request, path: str, params: Params, next_: str | None) -> str:
    """The links of a bundle, as JSON text."""
    shown = [{"relation": "self", "url": link(request, path, params)}]
    if next_ is not None:
        shown.append({"relation": "next", "url": link(request, path, params, next_)})
    return fhir_json.dumps(shown)


def bundle(type_: str, links_: str, entries: Iterable[str], total: int | None = None) -> str:
    """A bundle put together from texts: what is stored is sent as it is, digit by digit, and never parsed."""
    joined = ",".join(entries)
    counted = "" if total is None else f'"total":{total},'
    return (
        f'{{"resourceType":"Bundle","type":"{type_}",{counted}"link":{links_}'
        + (f',"entry":[{joined}]' if joined else "")
        + "}"
    )


def entry(base: str, stored: Stored, mode: str) -> str:
    return (
        f'{{"fullUrl":{fhir_json.dumps(f"{base}/{stored.kind}/{stored.id}")},'
        f'"resource":{stored.body},"search":{{"mode":"{mode}"}}}}'
    )


def entries(base: str, found: Sequence[Stored], mode: str = "match") -> list[str]:
    return [entry(base, one, mode) for one in found]
