"""Why a request is turned away before its route is reached."""

from __future__ import annotations

from docgemma.accounts.model import SignInRefused, TooManyTries
from docgemma.errors import DocGemmaError

__all__ = ["Forbidden", "SignInNeeded", "SignInRefused", "TooManyTries", "WrongHost"]


class SignInNeeded(DocGemmaError):
    """Nobody is signed in, or no longer."""

    def __init__(self, sentence: str = "Sign in first.") -> None:
        super().__init__(sentence)


class Forbidden(DocGemmaError):
    """Known, but not allowed; or not sent by a page of ours."""


class WrongHost(DocGemmaError):
    """Addressed to a name that is not this server's."""

    def __init__(self) -> None:
        super().__init__("This server does not answer to that name. An administrator can add it to the allowed hosts.")
