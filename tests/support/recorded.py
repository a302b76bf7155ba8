"""HTTP recorded once and replayed in tests: a transport to put behind the door, and a JSON file a person can read.

Secrets are masked before anything is compared or written. A recording holds public data only: never make one of a
request about a patient.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2

SECRET_PARAMS = frozenset({"api_key", "apikey", "token", "email"})
KEPT_HEADERS = ("content-type", "location", "retry-after", "link")
"""What a reader of replies may go by. The rest tells of the day and the server it was recorded on."""


class RecordedTransport(httpx2.AsyncBaseTransport):
    """Replays the file. With `live`, asks that instead and writes down what it said when closed."""

    def __init__(self, path: Path, live: httpx2.AsyncBaseTransport | None = None) -> None:
        self._path = path
        self._live = live
        self._saved: dict[str, dict[str, Any]] = {} if live else json.loads(path.read_text("utf-8"))
        self.asked: list[str] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        key = _key(request)
        self.asked.append(key)
        if self._live is not None:
            self._saved[key] = await _recorded(await self._live.handle_async_request(request))
        if key not in self._saved:
            known = "\n  ".join(sorted(self._saved))
            raise LookupError(f"{self._path.name} has no {key}. It has:\n  {known}")
        return _replayed(self._saved[key])

    async def aclose(self) -> None:
        if self._live is not None:
            await self._live.aclose()
            text = json.dumps(self._saved, indent=2, sort_keys=True, ensure_ascii=False)
            self._path.write_text(text + "\n", "utf-8")


def _key(request: httpx2.Request) -> str:
    """A request without its secrets; the order of its parameters does not matter."""
    url = request.url
    params = sorted((name, "***" if name in SECRET_PARAMS else value) for name, value in url.params.multi_items())
    asked = "&".join(f"{name}={value}" for name, value in params)
    return f"{request.method} {url.scheme}://{url.netloc.decode()}{url.path}{'?' if asked else ''}{asked}"


async def _recorded(response: httpx2.Response) -> dict[str, Any]:
    body = await response.aread()
    headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    try:
        return {"status": response.status_code, "headers": headers, "json": json.loads(body)}
    except ValueError:
        return {"status": response.status_code, "headers": headers, "text": body.decode("utf-8")}


def _replayed(saved: dict[str, Any]) -> httpx2.Response:
    said = saved["text"] if "text" in saved else json.dumps(saved["json"], ensure_ascii=False)
    return httpx2.Response(saved["status"], headers=saved["headers"], content=said.encode())
