"""What every command prints: lines and tables for people, `--json` for programs, one error or exit code at the end."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import click

from docgemma.cli.services import needs
from docgemma.entities.printable import plain
from docgemma.errors import DocGemmaError

Style = Literal["plain", "strong", "warning", "danger", "dim"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the screen; `text` is already safe to print. A terminal that must break it indents by `hang`."""

    text: str = ""
    style: Style = "plain"
    hang: int = 0


@dataclass(frozen=True, slots=True)
class Output:
    """What a command found: facts for `--json`, lines for people, and how it ends.

    Facts may hold records and models anywhere. Those that are an iterator are printed as one object a line; text is
    JSON already. Lines may raise a DocGemmaError.
    """

    facts: Any
    lines: Iterable[Line | str] = ()
    code: int = 0
    error: DocGemmaError | None = None


def json_option(text: str = "Print the result as one line of JSON.") -> Callable[[Callable[..., Any]], Any]:
    return click.option("--json", "as_json", is_flag=True, help=text)


def reports(opens: Callable[..., Any] | None = None, *text: str) -> Callable[[Callable[..., Any]], Callable[..., int]]:
    """Gives a command the option --json, prints the Output it returns, and ends as that says.

    With `opens` the command is a coroutine, whose first argument is the service that was opened.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., int]:
        work = needs(opens)(command) if opens else command

        @functools.wraps(command)
        def run(*, as_json: bool, **given: Any) -> int:
            return printed(work(**given), as_json=as_json)

        return json_option(*text)(run)  # type: ignore[no-any-return]

    return decorate


def printed(output: Output, *, as_json: bool) -> int:
    """Print the facts or the lines; gives the exit code, or raises the output's error."""
    if as_json:
        for facts in output.facts if isinstance(output.facts, Iterator) else (output.facts,):
            click.echo(facts if isinstance(facts, str) else json_text(facts))
    else:
        show(output.lines)
    if output.error is not None:
        raise output.error
    return output.code


def json_text(facts: Any) -> str:
    """One line of JSON, of facts that may hold records and models anywhere."""
    return json.dumps(facts, ensure_ascii=False, default=_as_object)


def _as_object(value: Any) -> Any:
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else asdict(value)


def show(lines: Iterable[Line | str]) -> None:
    """Print lines; those that are mere text have no style on any terminal."""
    from docgemma.cli.screen import screen

    view = screen()
    for line in lines:
        if isinstance(line, str):
            click.echo(line)
        else:
            view.lines([line])


def one_line(text: str, limit: int | None = None) -> str:
    """The text on a single line, cut at the limit with a mark."""
    flat = " ".join(plain(text).split())
    return f"{flat[: limit - 1].rstrip()}…" if limit is not None and len(flat) > limit else flat


def counted(count: int, one: str, many: str = "") -> str:
    """For example: 1 row, 1,200 rows."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def moment(text: str) -> str:
    """A time to the minute. Receipts and the audit log count in UTC, so this does."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return one_line(text, 40)
    return f"{found.astimezone(UTC) if found.tzinfo else found:%Y-%m-%d %H:%M} UTC"


def indented(text: str, by: str = "  ") -> Iterator[str]:
    """The lines of a text that others wrote."""
    return (f"{by}{line}" for line in plain(text).splitlines())


def table(heading: Sequence[str], rows: Iterable[Sequence[str]], *, empty: str = "") -> Iterator[str]:
    """Columns side by side below their heading, or the sentence `empty` where there is no row.

    Cells are cleaned of what a terminal obeys. A name may have characters that are two columns wide.
    """
    from rich.cells import cell_len

    cells = [heading, *([one_line(cell) for cell in row] for row in rows)]
    if empty and len(cells) == 1:
        yield empty
        return
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        filled = (cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(filled).rstrip()


def styled(lines: Iterable[str], styles: Iterable[Style]) -> Iterator[Line]:
    """The lines of a table below a strong heading, each in its own style."""
    return (Line(text, style) for text, style in zip(lines, ("strong", *styles), strict=True))
