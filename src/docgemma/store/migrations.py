"""The schema, as a list of steps. A step that has shipped is never edited: a change is a new step.

`NUMBER` and `BLOB` stand for what the two databases call 64-bit numbers and bytes.
"""

from __future__ import annotations

from docgemma.errors import Unavailable
from docgemma.store.database import Cursor

_TYPES = {"sqlite": ("INTEGER", "BLOB"), "postgresql": ("BIGINT", "BYTEA")}

_SESSIONS = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, title TEXT NOT NULL, patient TEXT, pending TEXT,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, lease_holder TEXT NOT NULL DEFAULT '',
    lease_turn TEXT NOT NULL DEFAULT '', lease_until TEXT NOT NULL DEFAULT '');
CREATE INDEX sessions_of_owner ON sessions (owner, updated_at);
CREATE TABLE turns (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions (id), position INTEGER NOT NULL,
    status TEXT NOT NULL, made_by TEXT NOT NULL, query TEXT NOT NULL, image_id TEXT, record TEXT,
    holder TEXT NOT NULL, created_at TEXT NOT NULL, finished_at TEXT, UNIQUE (session_id, position));
CREATE TABLE images (
    id TEXT PRIMARY KEY, session_id TEXT REFERENCES sessions (id), media_type TEXT NOT NULL,
    data BLOB NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at TEXT NOT NULL)"""
"""Times are UTC ISO text of one width, so that they compare as text. An empty `lease_holder` is a free lease."""

_AUDIT = """
CREATE TABLE audit (
    position NUMBER PRIMARY KEY, at TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL,
    session_id TEXT NOT NULL, turn_id TEXT NOT NULL, action TEXT NOT NULL, kind TEXT NOT NULL,
    resource_id TEXT NOT NULL, patients TEXT NOT NULL, count NUMBER NOT NULL, outcome TEXT NOT NULL,
    previous TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE audit_head (count NUMBER NOT NULL, hash TEXT NOT NULL);
INSERT INTO audit_head (count, hash) VALUES (0, '')"""
"""The chain of chart accesses, and its head: how many rows there are and the hash of the last.

No index but the key: what finds a row and what is verified are the same table.
"""

_LEDGER = """
CREATE TABLE orders (
    position NUMBER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, patient_id TEXT NOT NULL,
    session_id TEXT NOT NULL, proposed_by TEXT NOT NULL, card TEXT NOT NULL, state TEXT NOT NULL,
    decision TEXT NOT NULL, decided_at TEXT NOT NULL, approval TEXT NOT NULL, approved_at TEXT NOT NULL,
    holder TEXT NOT NULL, held_until TEXT NOT NULL, attempts NUMBER NOT NULL, resource_kind TEXT NOT NULL,
    resource_id TEXT NOT NULL, resource_version TEXT NOT NULL, receipt TEXT NOT NULL, noted NUMBER NOT NULL,
    updated_at TEXT NOT NULL, seal TEXT NOT NULL);
CREATE INDEX orders_of_state ON orders (state, position);
CREATE INDEX orders_of_patient_id ON orders (patient_id, position);
CREATE INDEX orders_of_session_id ON orders (session_id, position);
CREATE INDEX orders_not_noted ON orders (position) WHERE noted = 0 AND receipt <> 'null'"""
"""What may be written to charts, once a person approves it. Each row is sealed over all of its columns.

`position` counts up, so that rows have an order of their own. What has no value is JSON's null or empty text.
"""

_TRACES = """
CREATE TABLE traces (turn_id TEXT PRIMARY KEY REFERENCES turns (id), body BLOB NOT NULL, digest TEXT NOT NULL)"""
"""What each turn was made from. `digest` covers the turn's own row, too."""

_ROLES = "ALTER TABLE turns ADD COLUMN role TEXT NOT NULL DEFAULT ''"
"""Who asked the knowledge base: a turn that was cut off is run again for the same reader, or not at all."""

_RUNS = """
CREATE TABLE runs (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, owner TEXT NOT NULL, asked TEXT NOT NULL,
    state TEXT NOT NULL, stop_wanted INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE INDEX runs_by_age ON runs (updated_at);
CREATE INDEX runs_to_stop ON runs (id) WHERE stop_wanted = 1;
CREATE TABLE events (
    run_id TEXT NOT NULL REFERENCES runs (id), number NUMBER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run_id, number))"""
"""What a turn told while it ran, so that a page that lost its connection can be told the rest.

A run has the id of its turn. No reference to the turn: one that is begun again is written anew. `asked` tells the
same question sent twice from another one under the same id.
"""

_IMAGE_FACTS = """
ALTER TABLE images ADD COLUMN facts TEXT NOT NULL DEFAULT '';
ALTER TABLE images ADD COLUMN depth BLOB"""
"""What is known of an image beside its pixels, and the full depth of one that can be windowed."""

_ACCOUNTS = """
CREATE TABLE users (
    name TEXT PRIMARY KEY, role TEXT NOT NULL, password TEXT NOT NULL, active INTEGER NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE logins (
    hash TEXT PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL REFERENCES users (name),
    created_at TEXT NOT NULL, seen_at TEXT NOT NULL);
CREATE INDEX logins_of_user ON logins (name);
CREATE TABLE tokens (
    hash TEXT PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL REFERENCES users (name),
    label TEXT NOT NULL, tail TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL);
CREATE INDEX tokens_of_user ON tokens (name);
CREATE TABLE sign_in_attempts (key TEXT PRIMARY KEY, failed INTEGER NOT NULL, at TEXT NOT NULL);
CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL)"""
"""Users, how they come in, and who guesses. Of passwords, cookies and tokens only hashes are here.

`secrets` holds what this installation made up for itself.
"""

_IMAGE_FRAMES = "ALTER TABLE images ADD COLUMN frames BLOB"
"""Of an image with several frames, those that a vision model is shown."""

_FINDINGS = """
CREATE TABLE findings (key TEXT PRIMARY KEY, image_id TEXT NOT NULL, body TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE INDEX findings_of_image ON findings (image_id);
CREATE INDEX images_of_session ON images (session_id);
ALTER TABLE turns ADD COLUMN prior_image_id TEXT"""
"""What was seen in an image, and which earlier image a question wants it compared with.

`key` is a hash over image, question, model and prompts; `image_id` is beside it so that a row can be found by it.
"""

MIGRATIONS = (
    _SESSIONS, _AUDIT, _LEDGER, _TRACES, _ROLES, _RUNS, _IMAGE_FACTS, _ACCOUNTS, _IMAGE_FRAMES, _FINDINGS,
)  # fmt: skip


def migrate(cursor: Cursor, steps: tuple[str, ...] = MIGRATIONS) -> None:
    """Bring the schema up to date. Processes that start together wait for each other here."""
    cursor.exclusive("docgemma schema")
    cursor.execute("CREATE TABLE IF NOT EXISTS docgemma_schema (version INTEGER NOT NULL)")
    found = cursor.row("SELECT MAX(version) AS version FROM docgemma_schema")
    version: int = (found and found["version"]) or 0
    if version > len(steps):
        raise Unavailable("The session store was made by a newer DocGemma. Update this one to use it.")
    number, blob = _TYPES[cursor.dialect]
    for done, step in enumerate(steps[version:], start=version + 1):
        for statement in step.replace("NUMBER", number).replace("BLOB", blob).split(";"):
            cursor.execute(statement)
        cursor.execute("INSERT INTO docgemma_schema (version) VALUES (?)", (done,))
