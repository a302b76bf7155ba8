"""A FHIR R4 server that others wrote, over real HTTP: one process for all tests, an empty server for each of them.

`make peer` installs it. Where it or Node is absent the tests are skipped, but not under CI=true: there a missing peer
is a failure.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from tests.support.weights import missing

_ROOT = Path(__file__).resolve().parents[2]
_SOURCE = _ROOT / "tests" / "peer"
_HOME = _ROOT / ".cache" / "fhir-peer"

CLIENT_ID = "docgemma-tests"
CLIENT_SECRET = "se:cret/+%"  # what Basic authentication must percent-encode
KEY_ID = "docgemma-tests-1"
ALGORITHMS = ("RS384", "ES384")


@dataclass(frozen=True, slots=True)
class FhirPeer:
    """One server without a resource on it. The peer knows the client by its secret and by one key per algorithm."""

    home: str
    keys: dict[str, str]
    """JWT algorithm → the client's private key in PEM."""
    client_id: str = CLIENT_ID
    client_secret: str = CLIENT_SECRET
    key_id: str = KEY_ID

    @property
    def url(self) -> str:
        """The FHIR base address; SMART discovery lies under it."""
        return f"{self.home}/fhir/R4"

    def revoke_tokens(self) -> int:
        """Every token given out so far is worthless from here on. How many there were."""
        request = urllib.request.Request(f"{self.home}/tokens", method="DELETE")
        with urllib.request.urlopen(request, timeout=30) as response:
            return int(json.load(response)["issued"])


@dataclass(frozen=True, slots=True)
class FhirPeers:
    """The running process: hands out servers."""

    origin: str
    keys: dict[str, str]

    def empty(self, *, token_seconds: int = 3600) -> FhirPeer:
        """A new, empty server, whose tokens live this long."""
        return FhirPeer(f"{self.origin}/{secrets.token_hex(8)}/{token_seconds}", self.keys)


@pytest.fixture(scope="session")
def fhir_peers() -> Iterator[FhirPeers]:
    """For tests that need several servers, or tokens that die soon."""
    with running_peers() as peers:
        yield peers


@contextmanager
def running_peers() -> Iterator[FhirPeers]:
    """The process itself, for what runs without a test around it."""
    node = _node()
    private: dict[str, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey] = {
        "RS384": rsa.generate_private_key(65537, 2048),
        "ES384": ec.generate_private_key(ec.SECP384R1()),
    }
    public = {name: key.public_key().public_bytes(_PEM, _PUBLIC).decode() for name, key in private.items()}
    given = {
        "FHIR_PEER_HOME": str(_HOME),
        "FHIR_PEER_CLIENT_ID": CLIENT_ID,
        "FHIR_PEER_CLIENT_SECRET": CLIENT_SECRET,
        "FHIR_PEER_KEYS": json.dumps(public),
    }
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [node, _SOURCE / "fhir_peer.mjs"], env={**os.environ, **given}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True,
        )  # fmt: skip
        try:
            port = _port(process, log)
            pems = {name: key.private_bytes(_PEM, _PRIVATE, _OPEN).decode() for name, key in private.items()}
            yield FhirPeers(f"http://127.0.0.1:{port}", pems)
        finally:
            process.kill()
            process.communicate()


@pytest.fixture
def fhir_peer(fhir_peers: FhirPeers) -> FhirPeer:
    """An empty server for this test."""
    return fhir_peers.empty()


_PEM = serialization.Encoding.PEM
_PUBLIC = serialization.PublicFormat.SubjectPublicKeyInfo
_PRIVATE = serialization.PrivateFormat.PKCS8
_OPEN = serialization.NoEncryption()


def _node() -> str:
    node = shutil.which("node")
    if node is None:
        missing("the FHIR peer needs Node 18 or newer: no node on PATH")
    installed = _HOME / "package.json"
    wanted = (_SOURCE / "package.json").read_bytes()
    if not (_HOME / "node_modules").is_dir() or not installed.is_file() or installed.read_bytes() != wanted:
        missing("the FHIR peer is not here, or another version of it is: run `make peer`")
    return node


def _port(process: subprocess.Popen[str], log: IO[bytes]) -> int:
    """The peer prints its port when it is ready, and nothing else ever; without it, its last words are shown."""
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line.isdecimal():
        process.wait(timeout=30)
        log.seek(0)
        pytest.fail(f"The FHIR peer did not start:\n{log.read()[-2000:].decode(errors='replace')}")
    return int(line)
