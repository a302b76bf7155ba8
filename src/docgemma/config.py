"""Settings: flag > DOCGEMMA_* environment > config.toml > default.

`Settings(...)` itself reads nothing but its arguments; `load_settings` is the one place that looks at the
environment and the file, and the doors call it. Every mistake in either is told in one sentence that names the key
and where it stands, never the value: a value may be a secret.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import platformdirs
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError

from docgemma.clinical import GraphName
from docgemma.errors import BadInput

APP = "docgemma"
ENV_PREFIX = "DOCGEMMA_"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing `doctor` looked at: how it stands, and the command or setting that mends it."""

    area: str
    state: Literal["ok", "missing", "broken", "off"]
    text: str
    mend: str = ""


def _http_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("it should be an address that starts with http:// or https://")
    return value.rstrip("/")


def _full_path(value: Path) -> Path:
    return Path(os.path.abspath(value.expanduser()))  # noqa: PTH100 - resolve() would follow links


Url = Annotated[str, AfterValidator(_http_url)]
FullPath = Annotated[Path, AfterValidator(_full_path)]
Seconds = Annotated[float, Field(gt=0, le=3600)]


def _data_dir() -> Path:
    return Path(platformdirs.user_data_dir(APP, appauthor=False))


class ToolServer(BaseModel):
    """Another MCP server that takes one tool's place. Its description is pinned, writes are off unless allowed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: Url
    pin: str | None = None
    allow_writes: bool = False
    allow_http: bool = False
    token: SecretStr | None = None


class Settings(BaseModel):
    """Everything that may be set from outside, with what holds when nothing is.

    A plain value: a test or a program that builds it is never surprised by its environment.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    home: FullPath = Field(default_factory=_data_dir)

    model: Literal["auto", "openai", "llamacpp", "rules"] = "auto"
    model_url: Url | None = None
    model_name: str | None = None
    fast_model_name: str | None = None
    model_api_key: SecretStr | None = None
    model_timeout_s: Seconds = 60
    allow_http_model: bool = False
    gguf: FullPath | None = None
    gguf_context: int = Field(default=8192, ge=512, le=1_048_576, description="Tokens of a question and its answer")
    gguf_threads: int | None = Field(default=None, ge=1, le=512, description="Processor threads; else as many as cores")

    graph: GraphName = Field(
        default="routed",
        description="How a question is worked through; the older graphs are there to be measured against it",
    )
    shortcuts: bool = True
    reader: FullPath | None = Field(default=None, description="A folder with another reader's weights")
    embedder: FullPath | None = None
    tool_deadline_s: Seconds = 10
    tools_budget_s: Seconds = 30
    tool_servers: dict[str, ToolServer] = Field(default_factory=dict)

    fhir_url: Url | None = None
    fhir_client_id: str | None = None
    fhir_client_secret: SecretStr | None = None
    fhir_client_key: FullPath | None = None
    fhir_client_key_id: str | None = None
    fhir_scopes: str | None = None
    allow_http_fhir: bool = False

    database_url: SecretStr | None = None

    qdrant_url: Url | None = None
    qdrant_api_key: SecretStr | None = None
    allow_http_qdrant: bool = False
    consult_role: str = Field(
        default="general_practitioner", description="Whose entries answer a Vietnamese question that names no role"
    )
    consult_deadline_s: Seconds = Field(
        default=60, description="For all model calls of one consultation; then the entries answer word for word"
    )

    sources: Literal["auto", "live", "pack"] = "auto"
    openfda_url: Url | None = None
    openfda_api_key: SecretStr | None = None
    dailymed_url: Url | None = None
    europepmc_url: Url | None = None
    pubmed_url: Url | None = None
    ncbi_api_key: SecretStr | None = None
    ctgov_url: Url | None = None
    rxnav_url: Url | None = None
    uts_url: Url | None = None
    umls_api_key: SecretStr | None = None
    allow_http_sources: bool = False

    terms: Literal["auto", "embedded", "uts"] = Field(
        default="auto",
        description="Where concepts are looked up: auto is UTS with a key, else an index here",
    )
    terms_index: FullPath | None = None
    terminology_server: dict[str, ToolServer] = Field(default_factory=dict)
    ground_threshold: float = Field(
        default=0.7, ge=0, le=1, description="Below this confidence an entity is left to an expert"
    )
    ground_batch: int = Field(default=20, ge=1, le=1000, description="Criteria that are grounded together")
    ground_concurrency: int = Field(default=2, ge=1, le=256, description="Batches at once, in one process")
    ground_hints: bool = Field(default=True, description="Whether a model sees what the dictionary found")

    prescriber: bool = Field(
        default=True,
        description="Whether the person at this machine may prescribe; if not, prescriptions are saved as drafts",
    )
    card_minutes: int = Field(default=60, ge=1, le=1440, description="How long an entry waits for its approval")

    token: SecretStr | None = None
    batch_concurrency: int = Field(default=4, ge=1, le=256)

    @property
    def store_address(self) -> str:
        """Where sessions and the audit log are kept."""
        return self._database("docgemma.sqlite")

    @property
    def knowledge_address(self) -> str:
        """Where the entries of the knowledge base are kept."""
        return self._database("knowledge.sqlite")

    @property
    def grounding_address(self) -> str:
        """Where grounded criteria and decisions of experts are kept."""
        return self._database("grounding.sqlite")

    def _database(self, file: str) -> str:
        """PostgreSQL where an address is given, else this file."""
        return self.database_url.get_secret_value() if self.database_url is not None else str(self.home / file)

    @property
    def charts_file(self) -> Path:
        """Where the embedded record system keeps its patients."""
        return self.home / "charts.sqlite"

    @property
    def knowledge_folder(self) -> Path:
        """Where the knowledge base's indexes lie, and the vectors they are made from."""
        return self.home / "knowledge"

    @property
    def terms_folder(self) -> Path:
        """Where terminology indexes lie."""
        return self.home / "terms"

    @property
    def packs_folder(self) -> Path:
        """Where built packs lie."""
        return self.home / "packs"

    @property
    def cache_file(self) -> Path:
        """Where the answers of public services are kept."""
        return self.home / "cache.sqlite"


def config_file() -> Path:
    """Where config.toml is looked for: DOCGEMMA_HOME, else the platform's folder for settings."""
    home = os.environ.get(f"{ENV_PREFIX}HOME")
    folder = Path(home) if home else Path(platformdirs.user_config_dir(APP, appauthor=False))
    return _full_path(folder) / "config.toml"


def load_settings(**flags: Any) -> Settings:
    """Settings from flags, environment and file. A flag that is None was not given."""
    given = {name: value for name, value in flags.items() if value is not None}
    file = config_file()
    merged = _read_table(file)
    for source in (_read_environment(), given):
        merged = _merged(merged, source)
    try:
        return Settings(**merged)
    except ValidationError as error:
        raise BadInput(_explain(error, given, file)) from None


def _read_environment() -> dict[str, Any]:
    """The variables that are settings, their names in any case. An empty one counts as not set; tables are JSON."""
    variables = {name.upper(): value for name, value in os.environ.items() if value}
    found: dict[str, Any] = {}
    for name, field in Settings.model_fields.items():
        value = variables.get(f"{ENV_PREFIX}{name}".upper())
        if value is None:
            continue
        try:
            found[name] = json.loads(value) if field.default_factory is dict else value
        except ValueError:
            told = f'error parsing value for field "{name}" from source "EnvSettingsSource"'
            raise BadInput(f"An environment variable cannot be read: {told}. It should be JSON.") from None
    return found


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Both, the one above where they disagree. Tables are merged key by key."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(under, Mapping) and isinstance(value, Mapping):
            value = _merged(under, value)
        merged[key] = value
    return merged


def _read_table(file: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{file} is not valid TOML: {error}.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{file} is not UTF-8 text.") from None
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}.") from None
    for key in table:
        if key not in Settings.model_fields:
            hint = did_you_mean(key, Settings.model_fields) or "Remove it, or check its spelling."
            raise BadInput(f"{file} has an unknown key '{key}'. {hint}")
    return table


def did_you_mean(key: str, known: Iterable[str]) -> str:
    """The question that helps whoever mistyped a key; empty when nothing known is like it."""
    import difflib  # only on the way out with an error

    close = difflib.get_close_matches(key.lower(), list(known), n=1)
    return f"Did you mean '{close[0]}'?" if close else ""


def _explain(error: ValidationError, flags: dict[str, Any], file: Path) -> str:
    """The first mistake in one sentence: which key, where it was set, what it should be."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    path = [str(part) for part in first["loc"]]
    key = ".".join(path)
    top = path[0] if path else ""
    if top in flags:
        where = f"The option --{top.replace('_', '-')}"
    elif any(value and name.upper() == f"{ENV_PREFIX}{top}".upper() for name, value in os.environ.items()):
        where = f"The environment variable {ENV_PREFIX}{top.upper()}"
        where += f" ({key})" if len(path) > 1 else ""
    else:
        where = f"'{key}' in {file}"
    if first["type"] == "extra_forbidden":
        return f"{where} is not a known setting."
    reason = first["msg"].removeprefix("Value error, ").replace("Input should be", "it should be")
    return f"{where} cannot be used: {reason}."
