"""Signing in: the way the server offers, once for all who wait, early, and to nobody but the token endpoint."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from docgemma.ehr.client.address import Base
from docgemma.ehr.client.asking import Budget
from docgemma.ehr.client.auth import BearerToken, ClientSecret, PrivateKey
from docgemma.ehr.client.client import FhirClient
from docgemma.ehr.client.tokens import Tokens
from docgemma.ehr.contract import EhrError
from docgemma.errors import BadInput
from docgemma.fetch.door import Door
from tests.ehr.client.charts import ANN, HERS
from tests.support.scripted_fhir import BASE, Answer, Asked, ScriptedFhir, outcome

SECRET = "se:cret/+%"
TOKEN_URL = "http://localhost/oauth2/token"
_PEM, _PKCS8, _OPEN = (
    serialization.Encoding.PEM,
    serialization.PrivateFormat.PKCS8,
    serialization.NoEncryption(),
)
RSA_KEY = rsa.generate_private_key(65537, 2048)
EC_KEY = ec.generate_private_key(ec.SECP384R1())


class Clinic(ScriptedFhir):
    """A server with a token endpoint. Only the newest token is good."""

    def __init__(self, *, methods: list[str] | None = None, life: Any = 3600, **discovery: Any) -> None:
        super().__init__(HERS)
        self.discovery = {"token_endpoint": TOKEN_URL, **discovery}
        if methods is not None:
            self.discovery["token_endpoint_auth_methods_supported"] = methods
        self.life = life
        self.given = 0
        self.revoked: set[str] = set()
        self.token_answer: Callable[[], Answer] | None = None

    def truth(self, asked: Asked) -> Answer:
        if asked.path == ".well-known/smart-configuration":
            return Answer(body=self.discovery)
        if asked.path == "/oauth2/token":
            if self.token_answer is not None:
                return self.token_answer()
            self.given += 1
            told = {"access_token": f"token-{self.given}", "token_type": "Bearer", "expires_in": self.life}
            return Answer(body={name: value for name, value in told.items() if value is not None}, delay_s=0.01)
        scheme, _, token = asked.headers.get("authorization", "").partition(" ")
        if asked.path != "metadata" and (scheme != "Bearer" or token in self.revoked):
            return outcome(401, "login")
        return super().truth(asked)

    def sign_ins(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.path == "/oauth2/token"]


def client_of(server: ScriptedFhir, auth: Any = None, **options: Any) -> FhirClient:
    auth = auth or ClientSecret("us", SECRET)
    return FhirClient(Door.in_process(server), BASE, auth=auth, **options)


@pytest.mark.parametrize(
    ("methods", "secret", "how"),
    [
        (None, "plain", "basic"),
        (["client_secret_basic", "client_secret_post"], "plain", "basic"),
        (["client_secret_basic", "client_secret_post"], SECRET, "post"),
        (["client_secret_post"], "plain", "post"),
        (["client_secret_basic"], SECRET, "basic"),
    ],
)
async def test_a_secret_is_given_the_way_the_server_offers(methods: list[str] | None, secret: str, how: str) -> None:
    server = Clinic(methods=methods)
    assert await client_of(server, ClientSecret("us", secret, scope="system/*.rs")).read("Patient", ANN) == HERS[0]
    (asked,) = server.sign_ins()
    assert (asked.method, asked.params["grant_type"], asked.params["scope"]) == (
        "POST",
        "client_credentials",
        "system/*.rs",
    )
    assert asked.query == []
    if how == "post":
        assert (asked.params["client_id"], asked.params["client_secret"]) == ("us", secret)
        assert "authorization" not in asked.headers
    else:
        encoded = {"plain": "plain", SECRET: "se%3Acret%2F%2B%25"}[secret]
        assert asked.headers["authorization"] == "Basic " + base64.b64encode(f"us:{encoded}".encode()).decode()
        assert "client_secret" not in asked.params


@pytest.mark.parametrize(("spoken", "scope"), [(["permission-v2"], "system/Patient.rs"), ([], "system/Patient.read")])
async def test_the_least_scopes_are_asked_for(spoken: list[str], scope: str) -> None:
    server = Clinic(capabilities=spoken)
    await client_of(server).read("Patient", ANN)
    asked = server.sign_ins()[0].params["scope"].split()
    assert scope in asked and not any("*" in one or one.endswith((".write", ".cruds")) for one in asked)


KEYS: dict[str, tuple[str, Any, str]] = {
    "RSA in PEM": (RSA_KEY.private_bytes(_PEM, _PKCS8, _OPEN).decode(), RSA_KEY, "RS384"),
    "RSA as JWK": (RSAAlgorithm.to_jwk(RSA_KEY), RSA_KEY, "RS384"),
    "P-384 in PEM": (EC_KEY.private_bytes(_PEM, _PKCS8, _OPEN).decode(), EC_KEY, "ES384"),
    "P-384 in a set of JWKs": (json.dumps({"keys": [json.loads(ECAlgorithm.to_jwk(EC_KEY))]}), EC_KEY, "ES384"),
}


@pytest.mark.parametrize("name", KEYS)
async def test_a_key_signs_a_word_that_is_good_once_and_for_minutes(name: str) -> None:
    text, key, algorithm = KEYS[name]
    server = Clinic(methods=["private_key_jwt"])
    auth = PrivateKey("us", text, key_id="k1", clock=lambda: 1_000_000.0)
    client = client_of(server, auth)
    await client.read("Patient", ANN)
    server.revoked.add("token-1")
    await client.read("Patient", ANN)
    seen = set()
    for asked in server.sign_ins():
        assert asked.params["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        word = asked.params["client_assertion"]
        claims = jwt.decode(
            word, key.public_key(), [algorithm], audience=TOKEN_URL, options={"verify_exp": False, "verify_iat": False}
        )
        assert jwt.get_unverified_header(word) == {"alg": algorithm, "kid": "k1", "typ": "JWT"}
        assert (claims["iss"], claims["sub"]) == ("us", "us")
        assert 1_000_000 < claims["exp"] <= 1_000_300
        seen.add(claims["jti"])
    assert len(seen) == 2


async def test_a_word_that_is_good_once_is_signed_anew_when_the_server_was_busy() -> None:
    server = Clinic(methods=["private_key_jwt"])

    def busy_once() -> Answer:
        server.token_answer = None
        return Answer(503, b"", {"retry-after": "0"})

    server.token_answer = busy_once
    assert await client_of(server, PrivateKey("us", KEYS["P-384 in PEM"][0])).read("Patient", ANN) == HERS[0]
    words = [asked.params["client_assertion"] for asked in server.sign_ins()]
    assert len({jwt.decode(word, options={"verify_signature": False})["jti"] for word in words}) == 2


def _p256() -> str:
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(_PEM, _PKCS8, _OPEN).decode()


@pytest.mark.parametrize(
    "text",
    ["", "no key", "{", "{}", '{"keys":[]}', '{"keys":7}', RSAAlgorithm.to_jwk(RSA_KEY.public_key()), _p256()],
)
def test_a_key_that_cannot_sign_is_refused_at_once_and_not_repeated(text: str) -> None:
    with pytest.raises(BadInput) as failure:
        PrivateKey("us", text)
    assert "private key" in str(failure.value)
    assert failure.value.__cause__ is None and (not text or text not in str(failure.value))


@pytest.mark.parametrize(
    ("auth", "methods"),
    [
        (ClientSecret("us", SECRET), ["private_key_jwt"]),
        (PrivateKey("us", KEYS["P-384 in PEM"][0]), ["client_secret_basic"]),
    ],
)
async def test_a_proof_that_the_server_does_not_take_is_not_sent(auth: Any, methods: list[str]) -> None:
    server = Clinic(methods=methods)
    with pytest.raises(EhrError) as failure:
        await client_of(server, auth).read("Patient", ANN)
    assert failure.value.error_type == "not_configured" and server.sign_ins() == []


async def test_however_many_read_at_once_one_signs_in() -> None:
    server = Clinic()
    client = client_of(server)
    assert await asyncio.gather(*(client.read("Patient", ANN) for _ in range(12))) == [HERS[0]] * 12
    assert len(server.sign_ins()) == 1
    server.revoked.add("token-1")
    await asyncio.gather(*(client.read("Patient", ANN) for _ in range(12)))
    assert len(server.sign_ins()) == 2


async def test_when_signing_in_fails_all_who_wait_hear_it_from_one_try() -> None:
    server = Clinic()
    server.token_answer = lambda: Answer(500, b"", delay_s=0.01)
    client = client_of(server)
    results = await asyncio.gather(*(client.read("Patient", ANN) for _ in range(12)), return_exceptions=True)
    assert all(isinstance(one, EhrError) for one in results)
    assert len(server.sign_ins()) == 1
    server.token_answer = None
    assert await client.read("Patient", ANN) == HERS[0]


async def test_a_refused_token_is_renewed_once_and_no_more() -> None:
    server = Clinic()
    client = client_of(server)
    await client.read("Patient", ANN)
    server.revoked |= {f"token-{number}" for number in range(1, 100)}
    with pytest.raises(EhrError, match="refused access"):
        await client.read("Patient", ANN)
    assert len(server.sign_ins()) == 2
    assert len([asked for asked in server.asked if asked.path == f"Patient/{ANN}"]) == 3


@pytest.mark.parametrize(("life", "good_for"), [(3600, 2880), (60, 48), ("60", 48), (None, 240)])
async def test_a_token_is_renewed_before_it_dies(life: Any, good_for: float) -> None:
    server, now = Clinic(life=life), [1000.0]
    door = Door.in_process(server)
    tokens = Tokens(door, Base(BASE), ClientSecret("us", SECRET), allow_http=False, clock=lambda: now[0])
    budget = Budget.of(30, 1_000_000)
    assert await tokens.current(budget) == "token-1"
    now[0] += good_for - 1
    assert await tokens.current(budget) == "token-1"
    now[0] += 2
    assert await tokens.current(budget) == "token-2"


async def test_a_token_that_cannot_be_renewed_early_serves_out_its_time() -> None:
    server, now = Clinic(life=100), [1000.0]
    door = Door.in_process(server)
    tokens = Tokens(door, Base(BASE), ClientSecret("us", SECRET), allow_http=False, clock=lambda: now[0])
    budget = Budget.of(30, 1_000_000)
    await tokens.current(budget)
    server.token_answer = lambda: Answer(500, b"")
    now[0] += 90
    assert await tokens.current(budget) == "token-1"
    now[0] += 20
    with pytest.raises(EhrError):
        await tokens.current(budget)


@pytest.mark.parametrize(
    ("answer", "error_type"),
    [
        (Answer(400, {"error": "invalid_client", "error_description": SECRET}), "not_configured"),
        (Answer(401, b""), "not_configured"),
        (Answer(500, b""), "server_error"),
        (Answer(302, b"", {"location": "http://elsewhere.test/"}), "invalid_response"),
        (Answer(200, b"<html>"), "invalid_response"),
        (Answer(200, []), "invalid_response"),
        (Answer(200, {"access_token": 7}), "invalid_response"),
        (Answer(200, {"access_token": "a\r\nb", "token_type": "Bearer"}), "invalid_response"),
        (Answer(200, {"access_token": "a", "token_type": "mac"}), "invalid_response"),
        (Answer(200, {"access_token": "a", "token_type": "Bearer", "expires_in": "soon"}), "invalid_response"),
        (Answer(200, {"access_token": "a", "token_type": "Bearer", "expires_in": -5}), "invalid_response"),
    ],
)
async def test_a_token_endpoint_that_gives_none_is_a_typed_error(answer: Answer, error_type: str) -> None:
    server = Clinic()
    server.token_answer = lambda: answer
    with pytest.raises(EhrError) as failure:
        await client_of(server).read("Patient", ANN)
    assert failure.value.error_type == error_type and SECRET not in str(failure.value)


def _oauth_uris(url: str) -> dict[str, Any]:
    inner = [{"url": "authorize", "valueUri": "http://x/"}, {"url": "token", "valueUri": url}]
    outer = {"url": "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris", "extension": inner}
    return {"resourceType": "CapabilityStatement", "rest": [{"security": {"extension": [outer]}}]}


async def test_an_older_server_says_in_its_description_where_tokens_are() -> None:
    server = Clinic()
    old = {".well-known/smart-configuration": outcome(404), "metadata": Answer(body=_oauth_uris(TOKEN_URL))}
    server.faults.append(lambda asked: old.get(asked.path))
    assert await client_of(server).read("Patient", ANN) == HERS[0]


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({}, "where it gives out tokens"),
        ({"token_endpoint": 7}, "where it gives out tokens"),
        ({"token_endpoint": "http://login.elsewhere.test/token"}, "https"),
        ({"token_endpoint": "file:///etc/passwd"}, "address"),
    ],
)
async def test_a_secret_goes_to_no_endpoint_that_is_not_fit_for_it(told: dict[str, Any], why: str) -> None:
    server = Clinic()
    server.discovery = told
    with pytest.raises(EhrError, match=why) as failure:
        await client_of(server).read("Patient", ANN)
    assert failure.value.error_type == "not_configured"
    assert not any(asked.form for asked in server.asked)


async def test_discovery_that_fails_for_the_moment_is_no_missing_setting() -> None:
    server = Clinic()
    server.faults.append(lambda asked: outcome(500) if asked.path == ".well-known/smart-configuration" else None)
    client = client_of(server)
    with pytest.raises(EhrError) as failure:
        await client.read("Patient", ANN)
    assert failure.value.error_type == "server_error"
    server.faults.clear()
    assert await client.read("Patient", ANN) == HERS[0]


async def test_tokens_go_to_the_base_alone_and_secrets_to_the_token_endpoint_alone() -> None:
    server = Clinic()
    server.page = 3
    server.resources += [{**HERS[1], "id": f"more-{number}"} for number in range(9)]
    elsewhere = Answer(
        body={"resourceType": "Bundle", "link": [{"relation": "next", "url": "http://elsewhere.test/fhir/x"}]}
    )
    server.faults.append(lambda asked: elsewhere if asked.path == "Condition" else None)
    client = client_of(server)
    await client.record(ANN)
    await client.search("Condition", [("patient", ANN)])
    assert {asked.host for asked in server.asked} == {"localhost"}
    for asked in server.asked:
        carries_token = "token-" in asked.headers.get("authorization", "")
        carries_secret = "client_secret" in asked.params or "Basic" in asked.headers.get("authorization", "")
        assert carries_secret == (asked.path == "/oauth2/token")
        if asked.path in ("/oauth2/token", ".well-known/smart-configuration"):
            assert not carries_token


async def test_a_given_token_is_used_as_it_is_and_not_renewed() -> None:
    server = Clinic()
    client = client_of(server, BearerToken("token-given"))
    assert await client.read("Patient", ANN) == HERS[0]
    server.revoked.add("token-given")
    with pytest.raises(EhrError, match="refused access"):
        await client.read("Patient", ANN)
    assert server.sign_ins() == []
    with pytest.raises(BadInput):
        BearerToken("a\nb")


async def test_no_secret_is_ever_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    pem = KEYS["RSA in PEM"][0]
    auths = (ClientSecret("us", SECRET), PrivateKey("us", pem), BearerToken("token-given"))
    shown = [repr(auth) for auth in auths]
    for auth in auths:
        server = Clinic()
        server.faults.append(lambda asked: outcome(401, "login", SECRET) if asked.kind == "Patient" else None)
        client = client_of(server, auth)
        shown.append(repr(client))
        with pytest.raises(EhrError) as failure:
            await client.read("Patient", ANN)
        shown.append(repr(failure.value))
    told = " ".join([*shown, caplog.text])
    assert not any(secret in told for secret in (SECRET, pem[40:80], "token-given", "token-1"))


def test_what_goes_to_the_token_endpoint_is_not_shown() -> None:
    for methods in (["client_secret_post"], ["client_secret_basic"]):
        request = ClientSecret("us", SECRET).request("https://records.test/token", methods)
        assert request is not None
        assert SECRET in str(request.form) or request.headers
        assert repr(request) == "TokenRequest()"
