"""Writes requirements/*.txt: exact versions without registry addresses, good on every supported target.

pip resolves for the machine it runs on. So the metadata of what it chose is walked once per target, and what only
another target needs is resolved as well and carries a marker. Run it on the oldest supported Python (`make lock`):
versions that install there install on the newer ones too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "requirements"
OLDEST = (3, 11)
PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = (("linux", "Linux", "x86_64"), ("linux", "Linux", "aarch64"), ("darwin", "Darwin", "arm64"))
MARKERS = (
    "",
    'python_version < "3.12"',
    'python_version < "3.13"',
    'python_version >= "3.12"',
    'python_version >= "3.13"',
    'sys_platform == "linux"',
    'sys_platform == "darwin"',
    'platform_machine == "x86_64"',
    'platform_machine != "x86_64"',
)


@dataclass(frozen=True, slots=True)
class Package:
    """One resolved distribution: its exact version and what it asks for in turn."""

    name: str
    version: str
    requires: tuple[Requirement, ...]


Resolved = dict[str, Package]
Target = Mapping[str, str]


def targets() -> Iterator[Target]:
    """Marker environments of every interpreter and machine the lock is for."""
    for python, (sys_platform, system, machine) in product(PYTHONS, PLATFORMS):
        yield {
            "python_version": python,
            "python_full_version": f"{python}.0",
            "implementation_version": f"{python}.0",
            "sys_platform": sys_platform,
            "platform_system": system,
            "platform_machine": machine,
            "os_name": "posix",
        }


def ask_pip(requirements: Iterable[str], pins: Iterable[str]) -> Resolved:
    """What pip would install into an empty environment here."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "-qq", "--report", "-"]
    done = subprocess.run([*command, *requirements, *pins], stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit("lock: pip found no set of versions that fits together; its reason stands above.")
    metadata = [entry["metadata"] for entry in json.loads(done.stdout)["install"]]
    return {
        canonicalize_name(entry["name"]): Package(
            canonicalize_name(entry["name"]),
            entry["version"],
            tuple(Requirement(text) for text in entry.get("requires_dist", ())),
        )
        for entry in metadata
    }


def applies(requirement: Requirement, target: Target, extras: Iterable[str]) -> bool:
    """Whether the requirement counts on this target for a package asked for with these extras."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({**target, "extra": extra}) for extra in ("", *extras))


def closure(roots: Iterable[Requirement], resolved: Resolved, target: Target) -> tuple[set[str], list[Requirement]]:
    """Names the target needs, and the requirements among them that nothing resolved answers yet."""
    seen: set[tuple[str, frozenset[str]]] = set()
    unanswered: list[Requirement] = []
    queue = [root for root in roots if applies(root, target, ())]
    while queue:
        requirement = queue.pop()
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        package = resolved.get(key[0])
        if package is None:
            unanswered.append(requirement)
            continue
        queue += [child for child in package.requires if applies(child, target, requirement.extras)]
    return {name for name, _ in seen}, unanswered


def without_marker(requirement: Requirement) -> str:
    bare = Requirement(str(requirement))
    bare.marker = None
    return str(bare)


def resolve(roots: list[Requirement], pins: list[str]) -> Resolved:
    """Resolve here, then keep adding what only other targets need until every target is answered."""
    asked = [str(root) for root in roots]
    while True:
        resolved = ask_pip(asked, pins)
        missing = {without_marker(need) for target in targets() for need in closure(roots, resolved, target)[1]}
        if not missing:
            return resolved
        asked += sorted(missing)


def marker_for(name: str, needed: Mapping[int, set[str]]) -> str | None:
    """The plainest marker that is true exactly where the package is needed; none: everywhere, None: nowhere."""
    everywhere = list(targets())
    wanted = [name in needed[index] for index in range(len(everywhere))]
    if not any(wanted):
        return None
    for marker in MARKERS:
        requirement = Requirement(f"{name}; {marker}" if marker else name)
        if [applies(requirement, target, ()) for target in everywhere] == wanted:
            return marker
    return ""


def lines(roots: list[Requirement], resolved: Resolved) -> list[str]:
    needed = {index: closure(roots, resolved, target)[0] for index, target in enumerate(targets())}
    found = []
    for name, package in sorted(resolved.items()):
        marker = marker_for(name, needed)
        if marker is not None:
            found.append(f"{name}=={package.version}" + (f" ; {marker}" if marker else ""))
    return found


def declared() -> tuple[list[str], dict[str, list[str]]]:
    """The project's dependencies and extras, with references to its own extras replaced by what they hold."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]

    def expand(texts: list[str]) -> list[str]:
        found: list[str] = []
        for text in texts:
            requirement = Requirement(text)
            if requirement.name == project["name"]:
                found += expand([inner for extra in sorted(requirement.extras) for inner in extras[extra]])
            else:
                found.append(text)
        return found

    return project["dependencies"], {name: expand(texts) for name, texts in extras.items()}


def write(name: str, what: str, body: list[str]) -> None:
    head = [f"# {what} Written by `make lock`; do not edit.", ""]
    (FOLDER / name).write_text("\n".join([*head, *body]) + "\n", encoding="utf-8")
    sys.stdout.write(f"requirements/{name}: {len(body)} lines\n")


def main() -> None:
    if sys.version_info[:2] != OLDEST:
        raise SystemExit("lock: run it on Python {}.{}, the oldest one supported.".format(*OLDEST))
    dependencies, extras = declared()
    roots = [Requirement(text) for text in dependencies]
    base = lines(roots, resolve(roots, []))
    write("lock.txt", "What docgemma needs to run.", base)
    for extra, what in (
        ("dev", "What tests and checks add."),
        ("bench", "The peers that `make bench` measures."),
        ("ray", "What grounding on Ray adds."),
    ):
        more = [*roots, *(Requirement(text) for text in extras[extra])]
        added = [line for line in lines(more, resolve(more, base)) if line not in base]
        write(f"{extra}.txt", what, ["-r lock.txt", *added])


if __name__ == "__main__":
    main()
