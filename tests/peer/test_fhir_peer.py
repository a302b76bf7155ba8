"""The peer is worth testing against only if it refuses what a real server refuses."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx2
import jwt
import pytest

from tests.support.fhir_peer import ALGORITHMS, FhirPeer, FhirPeers

ANN = {"resourceType": "Patient", "name": [{"family": "Lee", "given": ["Ann"]}], "birthDate": "1970-01-02"}
JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


@pytest.fixture
def http() -> Iterator[httpx2.Client]:
    with httpx2.Client(timeout=30) as client:
        yield client


def token_response(http: httpx2.Client, peer: FhirPeer, **form: str) -> httpx2.Response:
    found = http.get(f"{peer.url}/.well-known/smart-configuration").json()
    return http.post(found["token_endpoint"], data={"grant_type": "client_credentials", **form})


def signed_in(http: httpx2.Client, peer: FhirPeer) -> dict[str, str]:
    given = token_response(http, peer, client_id=peer.client_id, client_secret=peer.client_secret).json()
    return {"Authorization": f"Bearer {given['access_token']}"}


def assertion(peer: FhirPeer, algorithm: str, **changed: Any) -> dict[str, str]:
    claims = {"iss": peer.client_id, "sub": peer.client_id, "aud": f"{peer.home}/oauth2/token", "jti": "one"}
    claims |= {"exp": int(time.time()) + 240} | changed
    text = jwt.encode(claims, peer.keys[algorithm], algorithm, headers={"kid": peer.key_id})
    return {"client_assertion_type": JWT_BEARER, "client_assertion": text}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_signed_assertion_is_taken_once(http: httpx2.Client, fhir_peer: FhirPeer, algorithm: str) -> None:
    form = assertion(fhir_peer, algorithm)
    assert [token_response(http, fhir_peer, **form).status_code for _ in range(2)] == [200, 401]


@pytest.mark.parametrize("changed", [{"aud": "https://other.example"}, {"iss": "x"}, {"sub": "x"}, {"exp": 1}])
def test_an_assertion_for_another_purpose_is_refused(
    http: httpx2.Client, fhir_peer: FhirPeer, changed: dict[str, Any]
) -> None:
    assert token_response(http, fhir_peer, **assertion(fhir_peer, "ES384", **changed)).status_code == 401


def test_an_assertion_signed_with_another_key_is_refused(http: httpx2.Client, fhir_peer: FhirPeer) -> None:
    form = assertion(fhir_peer, "ES384")
    form["client_assertion"] = form["client_assertion"][:-8] + "AAAAAAAA"
    assert token_response(http, fhir_peer, **form).status_code == 401


def test_basic_authentication_percent_encodes_the_secret(http: httpx2.Client, fhir_peer: FhirPeer) -> None:
    form = {"grant_type": "client_credentials"}
    secret = quote(fhir_peer.client_secret, safe="")
    answers = [
        http.post(f"{fhir_peer.home}/oauth2/token", data=form, auth=(fhir_peer.client_id, tried))
        for tried in (secret, secret + "x")
    ]
    assert [answer.status_code for answer in answers] == [200, 401]


def test_a_wrong_secret_gives_no_token(http: httpx2.Client, fhir_peer: FhirPeer) -> None:
    assert token_response(http, fhir_peer, client_id=fhir_peer.client_id, client_secret="x").status_code == 401


def test_nothing_is_read_without_a_living_token(http: httpx2.Client, fhir_peers: FhirPeers) -> None:
    lasting, dying = fhir_peers.empty(), fhir_peers.empty(token_seconds=0)
    headers = signed_in(http, lasting)
    assert http.get(f"{lasting.url}/Patient", headers=headers).status_code == 200
    assert lasting.revoke_tokens() == 1
    assert http.get(f"{lasting.url}/Patient", headers=headers).status_code == 401
    assert http.get(f"{dying.url}/Patient", headers=signed_in(http, dying)).status_code == 401


def test_each_server_is_empty_at_first_and_keeps_to_itself(http: httpx2.Client, fhir_peers: FhirPeers) -> None:
    one, other = fhir_peers.empty(), fhir_peers.empty()
    created = http.post(f"{one.url}/Patient", json=ANN, headers=signed_in(http, one))
    assert created.status_code == 201
    assert created.headers["location"].startswith(f"{one.url}/Patient/")
    assert created.headers["etag"].startswith('W/"')
    found = [http.get(f"{peer.url}/Patient?family=lee", headers=signed_in(http, peer)).json() for peer in (one, other)]
    assert [len(bundle.get("entry", [])) for bundle in found] == [1, 0]


def test_a_conditional_create_creates_once(http: httpx2.Client, fhir_peer: FhirPeer) -> None:
    headers = {**signed_in(http, fhir_peer), "If-None-Exist": "family=Lee"}
    answers = [http.post(f"{fhir_peer.url}/Patient", json=ANN, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert answers[0].json()["id"] == answers[1].json()["id"]


def test_what_is_no_json_is_refused(http: httpx2.Client, fhir_peer: FhirPeer) -> None:
    headers = {**signed_in(http, fhir_peer), "Content-Type": "application/fhir+json"}
    answer = http.post(f"{fhir_peer.url}/Patient", content=b"{", headers=headers)
    assert (answer.status_code, answer.json()["resourceType"]) == (400, "OperationOutcome")
