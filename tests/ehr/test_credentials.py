"""The settings for a record system: what they must say together, and that they reach its token endpoint."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import httpx2
import pytest
from pydantic import SecretStr

from docgemma.config import Settings
from docgemma.errors import BadInput
from docgemma.fetch.door import Door
from docgemma.wiring.records import remote_ehr

URL = "https://records.test/fhir"
SECRET = SecretStr("not-to-be-told")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"fhir_client_id": "us"}, "DOCGEMMA_FHIR_CLIENT_SECRET"),
        ({"fhir_client_secret": SECRET}, "DOCGEMMA_FHIR_CLIENT_ID"),
        ({"fhir_client_key": Path("key.pem")}, "DOCGEMMA_FHIR_CLIENT_ID"),
        ({"fhir_client_id": "us", "fhir_client_secret": SECRET, "fhir_client_key": Path("key.pem")}, "not both"),
        ({"fhir_client_id": "us", "fhir_client_key": Path("nowhere.pem")}, "cannot be read"),
    ],
)
def test_half_a_credential_is_told_before_anything_is_asked(
    tmp_path: Path, given: dict[str, str | SecretStr | Path], named: str
) -> None:
    with pytest.raises(BadInput, match=named) as failure:
        remote_ehr(Settings(home=tmp_path, fhir_url=URL, **given), Door())
    assert SECRET.get_secret_value() not in str(failure.value)


async def test_the_secret_goes_to_the_token_endpoint_and_nowhere_else(tmp_path: Path) -> None:
    seen: list[tuple[str, str]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append((request.url.path, request.headers.get("authorization", "")))
        if request.url.path.endswith("smart-configuration"):
            return httpx2.Response(200, json={"token_endpoint": "https://login.test/token"})
        if request.url.host == "login.test":
            return httpx2.Response(200, json={"access_token": "short-lived", "token_type": "bearer"})
        return httpx2.Response(200, json={"resourceType": "Patient", "id": "p1"})

    settings = Settings(home=tmp_path, fhir_url=URL, fhir_client_id="us", fhir_client_secret=SECRET)
    async with Door(httpx2.MockTransport(answer)) as door:
        assert await remote_ehr(settings, door).read("Patient", "p1")
    basic = b64encode(f"us:{SECRET.get_secret_value()}".encode()).decode()
    assert seen == [
        ("/fhir/.well-known/smart-configuration", ""),
        ("/token", f"Basic {basic}"),
        ("/fhir/Patient/p1", "Bearer short-lived"),
    ]
