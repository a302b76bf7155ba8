"""How large the house is: `python -m scripts.size [REVISION …]`, the working tree last.

For each revision: lines of code (no blank lines, comments, docstrings), files, modules with exactly one importer,
compiled expressions, and rows of tables and word lists in data files. Then lines and files of each package.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tarfile
import tempfile
import tokenize
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "docgemma"
TABLES = frozenset({".tsv", ".txt", ".toml", ".csv"})
NOT_WRITTEN_BY_HAND = frozenset({"vocab.txt"})
QUIET = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
)


@dataclass
class Size:
    """What was counted in one tree."""

    lines: Counter[str] = field(default_factory=Counter)
    files: Counter[str] = field(default_factory=Counter)
    expressions: int = 0
    rows: int = 0
    importers: dict[str, set[str]] = field(default_factory=dict)

    @property
    def with_one_importer(self) -> int:
        return sum(len(importers) == 1 for importers in self.importers.values())


def measure(source: Path) -> Size:
    """Count a `src` folder."""
    size = Size()
    modules = {_name(path, source): path for path in sorted(source.rglob("*.py"))}
    size.importers = {name: set() for name, path in modules.items() if path.name not in ("__init__.py", "__main__.py")}
    for name, path in modules.items():
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        package = name.split(".")[1] if name.count(".") else "(root)"
        size.lines[package] += code_lines(text, tree)
        size.files[package] += 1
        size.expressions += sum(
            isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile" for node in ast.walk(tree)
        )
        for found in _imports(tree):
            if found in size.importers and found != name:
                size.importers[found].add(name)
    for path in source.rglob("*"):
        if path.suffix in TABLES and path.name not in NOT_WRITTEN_BY_HAND:
            size.rows += sum(bool(line.strip()) for line in path.read_text(encoding="utf-8").splitlines())
    return size


def code_lines(text: str, tree: ast.Module) -> int:
    """Lines that hold something other than blanks, comments and docstrings."""
    held = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in QUIET and token.type != tokenize.ENDMARKER
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            held -= {line for text_ in _docstring(node) for line in range(text_.lineno, (text_.end_lineno or 0) + 1)}
    return len(held)


def _docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.Expr]:
    """The text of a module, class or function, and texts below constants."""
    return [
        each
        for each in node.body
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) and isinstance(each.value.value, str)
    ]


def _imports(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return found


def _name(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def at(revision: str) -> Size:
    """Count `src` as it was at a revision."""
    git = ["git", "-C", str(ROOT), "archive", revision, "src"]
    data = subprocess.run(git, check=True, capture_output=True).stdout  # noqa: S603 - our own repository
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            archive.extractall(folder, filter="data")
        return measure(Path(folder) / "src")


def main() -> None:
    columns = [*((revision, at(revision)) for revision in sys.argv[1:]), ("now", measure(ROOT / "src"))]
    rows: list[tuple[str, list[int]]] = [
        ("code lines", [sum(size.lines.values()) for _, size in columns]),
        ("files", [sum(size.files.values()) for _, size in columns]),
        ("modules with one importer", [size.with_one_importer for _, size in columns]),
        ("compiled expressions", [size.expressions for _, size in columns]),
        ("rows in tables", [size.rows for _, size in columns]),
    ]
    last = columns[-1][1]
    packages = {package for _, size in columns for package in size.lines}
    for package in sorted(packages, key=lambda package: -last.lines[package]):
        rows.append((f"  {package}: lines", [size.lines[package] for _, size in columns]))
        rows.append((f"  {package}: files", [size.files[package] for _, size in columns]))
    sys.stdout.write(f"{'':32}" + "".join(f"{name[:12]:>14}" for name, _ in columns) + "\n")
    for name, values in rows:
        sys.stdout.write(f"{name:32}" + "".join(f"{value:14,}" for value in values) + "\n")


if __name__ == "__main__":
    main()
