"""Links to the next page: followed on the same server, under the same base, and nowhere else."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.ehr.client.address import Base

BASE = Base("https://fhir.example.org/R4/")


@pytest.mark.parametrize(
    ("link", "followed"),
    [
        ("https://fhir.example.org/R4/Patient?page=2", "https://fhir.example.org/R4/Patient?page=2"),
        ("https://fhir.example.org/R4?_getpages=a-b", "https://fhir.example.org/R4?_getpages=a-b"),
        ("https://fhir.example.org/R4/?_getpages=a-b", "https://fhir.example.org/R4?_getpages=a-b"),
        ("HTTPS://FHIR.example.org:443/R4/Patient?p=2", "https://fhir.example.org/R4/Patient?p=2"),
        ("Patient?page=2", "https://fhir.example.org/R4/Patient?page=2"),
        ("/R4/Patient?page=2", "https://fhir.example.org/R4/Patient?page=2"),
        (
            "https://fhir.example.org/R4/Patient?name=Lee%20Ann&x=a|b c",
            "https://fhir.example.org/R4/Patient?name=Lee%20Ann&x=a%7Cb%20c",
        ),
        ("https://fhir.example.org/R4/Patient?name=Márta", "https://fhir.example.org/R4/Patient?name=M%C3%A1rta"),
    ],
)
def test_follows(link: str, followed: str) -> None:
    assert BASE.page(link) == followed


@pytest.mark.parametrize(
    "link",
    [
        "http://fhir.example.org/R4/Patient?page=2",
        "https://elsewhere.test/R4/Patient?page=2",
        "//elsewhere.test/R4/Patient",
        "https://fhir.example.org.elsewhere.test/R4/Patient",
        "https://fhir.example.org@elsewhere.test/R4/Patient",
        "https://user@fhir.example.org/R4/Patient",
        "https://elsewhere.test\\@fhir.example.org/R4/Patient",
        "https://fhir.example.org:8443/R4/Patient",
        "https://fhir.example.org/R4b/Patient",
        "https://fhir.example.org/R4/../admin",
        "https://fhir.example.org/R4/%2e%2e/admin",
        "https://fhir.example.org/R4/..%2fadmin",
        "https://fhir.example.org/admin",
        "/admin",
        "../admin",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://[::1",
        "https://fhir.example.org:x/R4",
        "https://fhir.example.org/R4/a b",
    ],
)
def test_does_not_follow(link: str) -> None:
    assert BASE.page(link) is None


@given(
    st.text()
    | st.text().map("https://fhir.example.org{}".format)
    | st.text().map("https://fhir.example.org/R4/{}".format)
)
def test_no_text_leads_elsewhere(link: str) -> None:
    url = BASE.page(link)
    if url is not None:
        parts = urlsplit(url)
        assert (parts.scheme, parts.netloc) == ("https", "fhir.example.org")
        assert parts.path == "/R4" or parts.path.startswith("/R4/")
        assert url.isascii() and url.isprintable()
