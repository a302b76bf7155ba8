"""The lock answers pyproject.toml, and carries to other machines what only they need."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.lock import Package, Resolved, closure, declared, lines, targets
from tests.repository.tree import ROOT

LINE = re.compile(r"[a-z0-9-]+==[^\s;@/]+( ; [^/@]+)?")


def pins(name: str) -> dict[str, Requirement]:
    """The pinned requirements of one file and of those it builds on."""
    found: dict[str, Requirement] = {}
    for line in (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            found |= pins(line.removeprefix("-r "))
        elif line and not line.startswith("#"):
            assert LINE.fullmatch(line), f"{name}: {line}"
            requirement = Requirement(line)
            found[canonicalize_name(requirement.name)] = requirement
    return found


@pytest.mark.parametrize(
    ("name", "extra"), [("lock.txt", None), ("dev.txt", "dev"), ("bench.txt", "bench"), ("ray.txt", "ray")]
)
def test_every_declared_dependency_is_pinned_within_its_bounds(name: str, extra: str | None) -> None:
    dependencies, extras = declared()
    locked = pins(name)
    for text in [*dependencies, *(extras[extra] if extra else ())]:
        asked = Requirement(text)
        version = str(locked[canonicalize_name(asked.name)].specifier).removeprefix("==")
        assert asked.specifier.contains(version, prereleases=True), f"{text} is locked at {version}: run `make lock`"


def test_the_supported_interpreters_are_the_declared_ones() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert all(Requirement(f"x{project['requires-python']}").specifier.contains(t["python_version"]) for t in targets())


def resolved(**packages: tuple[str, ...]) -> Resolved:
    return {name: Package(name, "1.0", tuple(map(Requirement, requires))) for name, requires in packages.items()}


def test_what_only_another_target_needs_carries_a_marker() -> None:
    packages = resolved(
        app=('old; python_version < "3.12"', 'mac; sys_platform == "darwin"', "any"), old=(), mac=(), any=()
    )
    assert lines([Requirement("app")], packages) == [
        "any==1.0",
        "app==1.0",
        'mac==1.0 ; sys_platform == "darwin"',
        'old==1.0 ; python_version < "3.12"',
    ]


def test_an_extra_is_followed_only_where_it_is_asked_for() -> None:
    packages = resolved(app=("plain",), lib=("more; extra == 'fast'",), plain=(), more=())
    target = next(targets())
    assert closure([Requirement("lib")], packages, target)[0] == {"lib"}
    assert closure([Requirement("lib[fast]")], packages, target)[0] == {"lib", "more"}


def test_a_need_that_nothing_answers_is_reported() -> None:
    unanswered = closure([Requirement("app")], resolved(app=('gone; sys_platform == "darwin"',)), list(targets())[2])[1]
    assert [need.name for need in unanswered] == ["gone"]
