"""What goes wrong, as one sentence: data for programs, a page for people. A bug tells its kind and nothing else."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from docgemma.errors import BadInput, Conflict, DocGemmaError, HardStop, Unavailable, UnknownId
from docgemma.server.identity.errors import Forbidden, SignInNeeded, TooManyTries
from docgemma.server.identity.guard import sign_in_address
from docgemma.server.pages.templating import wants_page

log = logging.getLogger(__name__)

STATUS: Mapping[type[DocGemmaError], int] = {
    BadInput: 400,
    SignInNeeded: 401,
    Forbidden: 403,
    UnknownId: 404,
    Conflict: 409,
    HardStop: 409,
    TooManyTries: 429,
    Unavailable: 503,
}
SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not take that kind of request.",
    408: "The request did not come to its end in time. Send it again.",
    413: "This is too large to be taken.",
}
BUG = "An unexpected error. Nothing was written by this request; try again, and tell your administrator."


def status_of(error: DocGemmaError) -> int:
    return next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)


def install(app: FastAPI) -> None:
    """Every way a request can fail."""

    @app.exception_handler(DocGemmaError)
    async def expected(request: Request, error: DocGemmaError) -> Response:
        if isinstance(error, SignInNeeded) and request.method == "GET" and wants_page(request):
            return RedirectResponse(sign_in_address(request), 303)
        headers = {"Retry-After": str(error.wait_s)} if isinstance(error, TooManyTries) else {}
        return answer(request, status_of(error), str(error), headers)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        return answer(request, 422, _explained(error))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        sentence = SENTENCES.get(error.status_code, str(error.detail))
        return answer(request, error.status_code, sentence, dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def bug(request: Request, error: Exception) -> Response:
        log.error("a request failed: %s", type(error).__name__)
        return answer(request, 500, BUG)


def answer(request: Request, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """The sentence in the form that whoever asked can read."""
    if wants_page(request):
        pages = request.app.state.site.pages
        page: Response = pages.page(request, None, "problem.html", status=status, sentence=sentence, code=status)
        page.headers.update(headers or {})
        return page
    return JSONResponse({"error": sentence}, status, dict(headers or {}))


def _explained(error: RequestValidationError) -> str:
    """The first mistake: where it is and what it should be; never the value, which may be about a patient."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first.get("loc", ()) if part not in ("body", "query", "path", "header"))
    reason = str(first.get("msg", "it cannot be read")).removeprefix("Value error, ")
    return f"{f'The field {where!r}' if where else 'The request'} cannot be used: {reason}."
