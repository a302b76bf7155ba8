"""Schemathesis against a running server: whatever is sent to whichever route, the server never fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from tests.support.images import CHEST
from tests.support.web_server import WebServer

EXAMPLES = 6
"""For each route, each for proper and for improper requests."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with WebServer(tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture(scope="module")
def session(server: WebServer) -> Iterator[requests.Session]:
    """The person at this machine, with the page's own token."""
    with requests.Session() as made:
        page = made.get(f"{server.url}/ask", headers={"Accept": "text/html"}, timeout=60)
        made.headers["X-CSRF-Token"] = page.text.partition('<meta name="csrf" content="')[2].partition('"')[0]
        yield made


@pytest.fixture(scope="module")
def known(server: WebServer, session: requests.Session) -> dict[str, list[str]]:
    """Ids that exist, by the kind of route that takes them: unknown ones alone would never get past the first check."""
    order = {"text": "Prescribe amlodipine 5 mg once daily", "patient_id": "abc-123"}
    run = session.post(f"{server.url}/runs", json=order, timeout=60).json()
    events = session.get(f"{server.url}/runs/{run['run_id']}/events", timeout=60).text
    record = session.get(f"{server.url}/turns/{run['run_id']}", timeout=60).json()
    image = session.post(
        f"{server.url}/sessions/{run['session_id']}/images",
        data=CHEST,
        headers={"Content-Type": "image/png"},
        timeout=60,
    )
    assert "event: done" in events
    assert image.status_code < 300, image.text
    return {
        "sessions": [run["session_id"]],
        "runs": [run["run_id"]],
        "turns": [run["run_id"]],
        "patients": ["abc-123"],
        "orders": [record["approval"]["id"]],
        "images": [image.json()["id"]],
        "consult": [run["session_id"]],
    }


def test_no_request_makes_the_server_fail(
    server: WebServer, session: requests.Session, known: dict[str, list[str]]
) -> None:
    schema = schemathesis.openapi.from_dict(session.get(f"{server.url}/openapi.json", timeout=60).json())
    failed: list[str] = []
    met: dict[str, set[int]] = {}
    for result in schema.get_all_operations():
        operation = result.ok()
        ids = known.get(operation.path.split("/")[1], [])
        for mode in GenerationMode:
            cases = _cases(operation, mode)
            _send_all(cases, ids, server.url, session, failed, met.setdefault(operation.label, set()))
    assert not failed, failed[:10]
    assert len(met) > 30, "the schema lists the routes"
    assert any(200 in statuses for label, statuses in met.items() if "{" in label), "some ids were known ones"


def _cases(operation: Any, mode: GenerationMode) -> st.SearchStrategy[Any]:
    return operation.as_strategy(generation_mode=mode)  # type: ignore[no-any-return]


def _send_all(
    cases: st.SearchStrategy[Any],
    ids: list[str],
    url: str,
    session: requests.Session,
    failed: list[str],
    met: set[int],
) -> None:
    @seed(9)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases, st.booleans(), st.data())
    def send(case: Any, real: bool, data: st.DataObject) -> None:
        if real and ids:
            for name in case.path_parameters or {}:
                case.path_parameters[name] = data.draw(st.sampled_from(ids))
        sent = case.as_transport_kwargs(base_url=url)
        sent["headers"] = {**sent.get("headers", {}), "X-CSRF-Token": session.headers["X-CSRF-Token"]}
        answer = session.request(**sent, timeout=60, allow_redirects=False)
        met.add(answer.status_code)
        if answer.status_code >= 500 and not (answer.status_code == 503 and "error" in answer.text):
            failed.append(f"{answer.status_code} {case.as_curl_command()[:400]} → {answer.text[:200]}")
        if answer.status_code >= 400 and re.search(r"Traceback|File \"", answer.text):
            failed.append(f"a traceback was shown: {case.as_curl_command()[:400]}")

    try:
        send()
    except Exception as error:
        if type(error).__name__ not in ("Unsatisfiable", "UnsatisfiedAssumption"):
            raise
