"""Two web workers over one PostgreSQL: whichever answers, a run, its events and a decision are the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from tests.support.charts import put_demo_charts
from tests.support.web_server import WebServer

ORDER = {"text": "Prescribe amlodipine 5 mg once daily", "patient_id": "abc-123"}


@pytest.fixture
def server(tmp_path: Path, postgres_url: str) -> Iterator[WebServer]:
    put_demo_charts(tmp_path)
    environment = {"DOCGEMMA_DATABASE_URL": postgres_url}
    with WebServer(tmp_path, arguments=("--workers", "2"), environment=environment) as made:
        yield made


@pytest.mark.postgres
def test_it_does_not_matter_which_worker_answers(server: WebServer) -> None:
    token = _token(server)
    run = _post(server, "/runs", token, ORDER).json()
    with ThreadPoolExecutor(8) as pool:  # a connection each: they are spread over the workers
        streams = list(pool.map(lambda _: _get(server, f"{run['events']}"), range(8)))
    assert len(set(streams)) == 1
    assert re.findall(r"^event: (\w+)$", streams[0], re.MULTILINE)[-1] == "done"

    card = requests.get(f"{server.url}/turns/{run['run_id']}", timeout=60).json()["approval"]["id"]
    shown = requests.get(f"{server.url}/orders/{card}", timeout=60).json()
    given = {"hash": shown["hash"], "acknowledge": "true"}
    with ThreadPoolExecutor(8) as pool:
        decided = list(pool.map(lambda _: _post(server, f"/orders/{card}/approve", token, given), range(8)))
    assert {answer.status_code for answer in decided} <= {200, 202}
    written = requests.get(f"{server.url}/orders/{card}", timeout=60).json()
    assert written["state"] == "written"
    assert {answer.json()["resource"] for answer in decided if answer.status_code == 200} == {written["resource"]}


def _token(server: WebServer) -> str:
    page = requests.get(f"{server.url}/ask", headers={"Accept": "text/html"}, timeout=60).text
    return page.partition('<meta name="csrf" content="')[2].partition('"')[0]


def _post(server: WebServer, path: str, token: str, body: dict[str, str]) -> requests.Response:
    headers = {"X-CSRF-Token": token, "Connection": "close"}
    return requests.post(f"{server.url}{path}", json=body, headers=headers, timeout=60)


def _get(server: WebServer, path: str) -> str:
    return requests.get(f"{server.url}{path}", headers={"Connection": "close"}, timeout=60).text
