"""Users, what each role may do, and who stands behind a request."""

from __future__ import annotations

from typing import ClassVar, Literal, get_args

from docgemma.clinical import Frozen
from docgemma.errors import DocGemmaError

UserRole = Literal["prescriber", "clinician", "reviewer", "patient", "admin"]
Capability = Literal["ask", "decide", "consult", "review", "users"]
"""`ask`: charts and the agent. `decide`: about chart entries. `consult`: the knowledge base. `review`: codes of trial
criteria. `users`: accounts."""

ROLES: tuple[UserRole, ...] = get_args(UserRole)
CAPABILITIES: tuple[Capability, ...] = get_args(Capability)

_CLINICAL: frozenset[Capability] = frozenset({"ask", "decide", "consult", "review"})
ALLOWED: dict[UserRole, frozenset[Capability]] = {
    "prescriber": _CLINICAL,
    "clinician": _CLINICAL,
    "reviewer": frozenset({"review", "consult"}),
    "patient": frozenset({"consult"}),
    "admin": frozenset({"users", "consult"}),
}
"""An administrator sees no chart: whoever hands out access is not thereby let in."""

LOCAL = "local"


class User(Frozen):
    """An account. Its password is never part of it."""

    name: str
    role: UserRole
    active: bool
    created_at: str
    updated_at: str


class Identity(Frozen):
    """Who acts, how that is known, and what follows from it.

    `local`: the person at this machine, where there are no accounts. `login_id` names the sign-in or the token; it is
    no secret and opens nothing.
    """

    name: str
    role: UserRole | Literal["local"]
    via: Literal["local", "login", "token"]
    login_id: str
    prescriber: bool = False
    """Of the person at this machine alone: whether the settings let them prescribe."""

    @classmethod
    def at_this_machine(cls, name: str, *, prescriber: bool) -> Identity:
        return cls(name=name, role=LOCAL, via=LOCAL, login_id=LOCAL, prescriber=prescriber)

    def can(self, capability: Capability) -> bool:
        return capability != "users" if self.role == "local" else capability in ALLOWED[self.role]

    @property
    def may_prescribe(self) -> bool:
        return self.prescriber if self.role == "local" else self.role == "prescriber"


class SignInRefused(DocGemmaError):
    """One sentence for a wrong password, an unknown name and a closed account: none may be told from another."""

    status: ClassVar[int] = 401
    exit_code = 2

    def __init__(self) -> None:
        super().__init__("Name or password is not right.")


class TooManyTries(DocGemmaError):
    """Somebody guesses; also the person whose account it is has to wait."""

    status: ClassVar[int] = 429
    exit_code = 5

    def __init__(self, wait_s: int) -> None:
        wait = f"{wait_s} seconds" if wait_s < 120 else f"{-(-wait_s // 60)} minutes"
        super().__init__(f"Too many attempts to sign in. Try again in {wait}.")
        self.wait_s = wait_s
