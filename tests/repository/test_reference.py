"""Every sub-command with its options, every setting with its meaning, every tool with its results and errors."""

from __future__ import annotations

import re
from typing import get_args

import click

from docgemma.cli.main import COMMANDS
from docgemma.clinical import ErrorType, ToolResult
from docgemma.tools.registry import TOOLS, Tool
from tests.repository.pages import fenced, names, rows, section
from tests.repository.test_docs import SHARED_OPTIONS, command_named
from tests.support.tables import each_of


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], click.Command]:
    """What can be run, by the words that are typed behind the group."""
    if not isinstance(command, click.Group):
        return {path: command}
    return {
        where: leaf for name, inner in command.commands.items() for where, leaf in leaves(inner, (*path, name)).items()
    }


def long_options(command: click.Command) -> set[str]:
    every = {option for parameter in command.params for option in parameter.opts if option.startswith("--")}
    return every - SHARED_OPTIONS


def shown(text: str) -> set[str]:
    return {name.split()[0] for name in names(text) if name.startswith("--")}


GROUPS = [name for name in COMMANDS if isinstance(command_named(name), click.Group)]
LEAVES = [(group, path) for group in GROUPS for path in leaves(command_named(group))]


@each_of(("group", "path"), LEAVES)
def test_every_sub_command_has_a_row_with_its_own_options(group: str, path: tuple[str, ...]) -> None:
    """An option stands in the row of its command, or in the words below the table where several have it."""
    text = section("docs/terminal.md", f"docgemma {group}")
    told = [row for row in rows(text) if any(tuple(name.split()[: len(path)]) == path for name in names(row[0]))]
    assert told, "no row"
    for block in fenced(text):
        text = text.replace(block, "")
    prose = "\n".join(line for line in text.splitlines() if not line.startswith("|"))
    own = long_options(leaves(command_named(group))[path])
    in_rows = shown(" ".join(cell for row in told for cell in row))
    assert own <= in_rows | shown(prose)
    beside = {name for row in told for name in names(row[0])}
    shared = {
        option
        for name in beside
        for where, leaf in leaves(command_named(group)).items()
        if tuple(name.split()[: len(where)]) == where
        for option in long_options(leaf)
    }
    assert in_rows <= shared


def test_every_setting_has_its_meaning() -> None:
    for row in rows(section("docs/backends.md", "Settings")):
        assert len(row) == 3, row
        assert re.search(r"\w{3}", row[2]), row[0]


SHARED_FIELDS = set(ToolResult.model_fields)


@each_of("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_tells_its_results_and_errors(tool: Tool) -> None:
    table = {name: row for row in rows(section("docs/tools.md", "What each tool returns")) for name in names(row[0])}
    _, fields, errors = table[tool.name]
    assert names(fields) == [name for name in tool.result.model_fields if name not in SHARED_FIELDS]
    assert set(names(errors)) <= set(get_args(ErrorType))
    assert names(errors)


def test_the_fields_that_every_result_has_are_told() -> None:
    below = section("docs/tools.md", "What each tool returns").rpartition("|\n")[2]
    assert set(names(below)) >= SHARED_FIELDS
