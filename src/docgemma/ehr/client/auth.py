"""Who we are to a record system: a fixed token, a client secret, or a key that signs (SMART Backend Services).

No secret is shown by `repr`, and none is named in an error.
"""

from __future__ import annotations

import re
import secrets
import time
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from docgemma.errors import BadInput

if TYPE_CHECKING:
    from jwt import PyJWK

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_ASSERTION_S = 240
"""Servers take at most five minutes; a minute is left for clocks that differ."""

_HEADER_TEXT = re.compile(r"[\x21-\x7e]+")
_BAD_KEY = "The private key for the record system cannot be used. It should be an RSA or P-384 key, as PEM or JWK."

Form = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """What goes to the token endpoint, and nowhere else."""

    form: Form = field(repr=False)
    headers: dict[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class BearerToken:
    """A token somebody gave us. It cannot be renewed."""

    token: str = field(repr=False)

    def __post_init__(self) -> None:
        if not is_token(self.token):
            raise BadInput("The token for the record system holds characters that no token holds.")


@dataclass(frozen=True, slots=True)
class ClientSecret:
    """A client id and its secret. Without `scope` the least is asked for that reading charts needs."""

    client_id: str
    secret: str = field(repr=False)
    scope: str | None = None

    def request(self, token_url: str, methods: Sequence[str]) -> TokenRequest | None:
        """None when the server takes no secret. Without a word from it, Basic is what OAuth lays down."""
        basic = not methods or "client_secret_basic" in methods
        post = "client_secret_post" in methods
        user, password = quote(self.client_id, safe=""), quote(self.secret, safe="")
        if post and (not basic or (user, password) != (self.client_id, self.secret)):
            # Servers disagree on whether Basic carries a secret encoded; in a form there is no doubt.
            return TokenRequest([("client_id", self.client_id), ("client_secret", self.secret)])
        if not basic:
            return None
        return TokenRequest([], {"authorization": f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"})


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """A client id and the key that signs for it: PEM or JWK text, RSA (RS384) or P-384 (ES384)."""

    client_id: str
    key: str = field(repr=False)
    key_id: str | None = None
    scope: str | None = None
    clock: Callable[[], float] = field(default=time.time, repr=False, compare=False)

    def __post_init__(self) -> None:
        _signer(self.key)

    def request(self, token_url: str, methods: Sequence[str]) -> TokenRequest | None:
        if methods and "private_key_jwt" not in methods:
            return None
        assertion = self.assertion(token_url)
        return TokenRequest([("client_assertion_type", ASSERTION_TYPE), ("client_assertion", assertion)])

    def assertion(self, audience: str) -> str:
        """A signed word, good once and for minutes, that it is us who ask at this address."""
        import jwt

        signer = _signer(self.key)
        now = int(self.clock())
        claims = {
            "iss": self.client_id,
            "sub": self.client_id,
            "aud": audience,
            "iat": now,
            "exp": now + _ASSERTION_S,
            "jti": secrets.token_urlsafe(24),
        }
        key_id = self.key_id or signer.key_id
        return jwt.encode(claims, signer.key, signer.algorithm_name, headers={"kid": key_id} if key_id else None)


Auth = BearerToken | ClientSecret | PrivateKey


def is_token(text: object) -> bool:
    """Whether this can stand in a header as it is."""
    return isinstance(text, str) and _HEADER_TEXT.fullmatch(text) is not None


def _signer(text: str) -> PyJWK:
    """The key as something that signs. Loaded on use: most deployments have no key, and loading takes its time."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from jwt.exceptions import PyJWTError

    try:
        signer = _from_jwk(text) if text.lstrip().startswith("{") else _from_pem(text)
    except (ValueError, TypeError, KeyError, UnsupportedAlgorithm, PyJWTError):
        raise BadInput(_BAD_KEY) from None
    if signer is None:
        raise BadInput(_BAD_KEY)
    return signer


def _from_pem(text: str) -> PyJWK | None:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from jwt.algorithms import ECAlgorithm, RSAAlgorithm

    key = load_pem_private_key(text.strip().encode(), password=None)
    if isinstance(key, RSAPrivateKey):
        return _from_jwk(RSAAlgorithm.to_jwk(key))
    if isinstance(key, EllipticCurvePrivateKey):
        return _from_jwk(ECAlgorithm.to_jwk(key))
    return None


def _from_jwk(text: str) -> PyJWK | None:
    """One key, or the first private one of a set. A public key signs nothing."""
    import json

    from jwt import PyJWK

    told = json.loads(text)
    for one in told.get("keys", [told]):
        if one.get("d") and one.get("kty") == "RSA":
            return PyJWK({**one, "alg": "RS384"}, algorithm="RS384")
        if one.get("d") and one.get("kty") == "EC" and one.get("crv") == "P-384":
            return PyJWK({**one, "alg": "ES384"}, algorithm="ES384")
    return None
