"""Files of cases, one JSON object a line. Read strictly: a misspelt key would silently leave a field unscored."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, ValidationError

from docgemma.clinical import Frozen
from docgemma.errors import BadInput, UnknownId

Split = Literal["dev", "held"]
Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[\w.:-]+$")]


Message = Annotated[str, Field(min_length=1, max_length=20_000)]


class BaseCase(Frozen):
    """What a case of any suite has."""

    id: Name
    kind: Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,39}$")]
    voice: str = ""

    @property
    def split(self) -> Split:
        """A third is held out, by the id alone: a case stays where it is when others come or go."""
        return "held" if int(hashlib.sha256(self.id.encode()).hexdigest(), 16) % 3 == 0 else "dev"

    @property
    def about(self) -> str:
        """What the case says, for whoever reads a miss."""
        return str(getattr(self, "say", ""))


class SpokenCase(BaseCase):
    """A message of a clinician, perhaps after earlier ones of the same session, with a patient on screen or none."""

    patient: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    before: Annotated[tuple[Message, ...], Field(max_length=8)] = ()
    say: Message

    @property
    def pictures(self) -> tuple[int, ...]:
        """Which of the messages, by place, come with a picture: the last one of a case that has an `image`."""
        return (len(self.before),) if getattr(self, "image", None) else ()


C = TypeVar("C", bound=BaseCase)


@cache
def table(name: str) -> dict[str, Any]:
    """A table of this package, from its TOML file."""
    return tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))


def load(model: type[C], packaged: str, path: Path | None = None) -> tuple[C, ...]:
    """The cases of a file; without one, those that come with the package."""
    source, name = (path, path.name) if path else (files(__package__).joinpath("cases", packaged), packaged)
    try:
        return parse(model, source.read_text(encoding="utf-8"), name)
    except UnicodeDecodeError:
        raise BadInput(f"{name} is not UTF-8 text.") from None
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {error.strerror}. Name a file of cases with --cases FILE.") from None


def parse(model: type[C], text: str, name: str) -> tuple[C, ...]:
    """One case a line; the first mistake is told with its line."""
    found: dict[str, C] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        case = _case(model, line, f"{name}, line {number}")
        if case.id in found:
            raise BadInput(f"{name}, line {number}: the id '{case.id}' was already used by an earlier line.")
        found[case.id] = case
    if not found:
        raise BadInput(f"{name} holds no cases.")
    return tuple(found.values())


def select(
    cases: Sequence[C],
    *,
    kinds: Collection[str] = (),
    ids: Collection[str] = (),
    split: Split | None = None,
    limit: int | None = None,
    sample: int | None = None,
) -> tuple[C, ...]:
    """Those that all filters leave. A filter that names nothing there is a mistake, not an empty answer."""
    known, there = dict.fromkeys(case.kind for case in cases), {case.id for case in cases}
    if unknown := [id_ for id_ in ids if id_ not in there]:
        raise UnknownId(f"There is no case '{unknown[0]}'.")
    if unknown := [kind for kind in kinds if kind not in known]:
        raise BadInput(f"There is no case of kind '{unknown[0]}'. The kinds are: {', '.join(known)}.")
    kept = tuple(
        case
        for case in cases
        if (not ids or case.id in ids) and (not kinds or case.kind in kinds) and (split is None or case.split == split)
    )
    if not kept:
        raise BadInput("No case fits all the filters.")
    return (stratified(kept, sample) if sample is not None else kept)[:limit]


def stratified(cases: Sequence[C], number: int) -> tuple[C, ...]:
    """So many cases, every kind in proportion but none left out, the same ones every time; in the order of the file.

    By the hash of the id, so that no order of the file decides, and a case that is added displaces at most one.
    """
    if number >= len(cases):
        return tuple(cases)
    left = _shares(Counter(case.kind for case in cases), number)
    chosen = set()
    for case in sorted(cases, key=lambda one: hashlib.sha256(f"sample {one.id}".encode()).hexdigest()):
        if left[case.kind]:
            left[case.kind] -= 1
            chosen.add(case.id)
    return tuple(case for case in cases if case.id in chosen)


def digest(cases: Iterable[BaseCase]) -> str:
    """One hash over the cases as they were read: two runs are compared only over the same ones."""
    found = hashlib.sha256()
    for case in cases:
        found.update(case.model_dump_json().encode() + b"\n")
    return found.hexdigest()[:16]


def _shares(sizes: Counter[str], number: int) -> dict[str, int]:
    """By largest remainder, one at least where there is room for one of each."""
    least = 1 if number >= len(sizes) else 0
    exact = {kind: number * size / sizes.total() for kind, size in sizes.items()}
    shares = {kind: max(least, int(part)) for kind, part in exact.items()}
    while short := number - sum(shares.values()):
        if short > 0:
            shares[min(shares, key=lambda name: (shares[name] - exact[name], name))] += 1
        else:
            shares[max(shares, key=lambda name: (shares[name] > least, shares[name] - exact[name], name))] -= 1
    return shares


def _case(model: type[C], line: str, place: str) -> C:
    try:
        return model.model_validate(json.loads(line))
    except ValidationError as error:
        raise BadInput(f"{place}: {_explained(error)}.") from None
    except (ValueError, RecursionError):
        raise BadInput(f"{place}: this is not valid JSON.") from None


def _explained(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    key = ".".join(map(str, first["loc"]))
    reason = first["msg"].removeprefix("Value error, ")
    match first["type"]:
        case "missing":
            return f"'{key}' is missing"
        case "extra_forbidden":
            return f"'{key}' is not a key of a case"
        case "value_error":
            return reason
        case _:
            return f"'{key}' cannot be used: {reason[0].lower()}{reason[1:]}" if key else reason
