"""The documents say what is there: names, settings, commands, fields and pictures are compared with the code."""

from __future__ import annotations

import html
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Any, get_args

import click
import pytest
from pydantic import BaseModel

from docgemma import errors
from docgemma.agent.graphs import GRAPHS, build
from docgemma.agent.record import Approval, Clarification, ToolCall, TurnRecord
from docgemma.agent.shortcuts import Shortcut
from docgemma.cli.conversation import HELP
from docgemma.cli.doctor import MODEL_NOTICE
from docgemma.cli.main import BROKEN_PIPE, COMMANDS, INTERRUPTED, cli
from docgemma.clinical import ErrorType, Source, Status, TimelineStep
from docgemma.config import ENV_PREFIX, Settings
from docgemma.drugs.classes import classes
from docgemma.drugs.interactions.pairs import rows as rows_of_pairs
from docgemma.knowledge.consult.graph import build as consult_graph
from docgemma.knowledge.demo.entries import demonstration
from docgemma.sources.starter import medicines
from docgemma.tools.registry import TOOLS, Tool
from scripts import draw_graph, picture
from tests.repository.pages import DOCUMENTS, anchors, fenced, names, read, rows, section
from tests.repository.tree import ROOT

SHARED_OPTIONS = {"--model", "--model-url", "--model-name", "--gguf"}

every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


@every_document
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        linked = (document.parent / path).resolve() if path else document
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked.read_text(encoding="utf-8")), target


@every_document
def test_files_that_are_named_exist(document: Path) -> None:
    for path in re.findall(r"`((?:src|tests|scripts|docs|bench)/[\w./-]+)`", document.read_text(encoding="utf-8")):
        assert (ROOT / path).exists(), path


@every_document
def test_commands_that_are_shown_can_be_typed(document: Path) -> None:
    """`docgemma …` in a code block uses a command and options that exist."""
    for line in "\n".join(fenced(document.read_text(encoding="utf-8"))).splitlines():
        for command, rest in re.findall(r"\bdocgemma ([a-z]+)([^|#]*)", line):
            assert command in COMMANDS, line
            assert set(re.findall(r"(?<!\S)--[a-z-]+", rest)) <= options(command) | SHARED_OPTIONS, line


def test_make_targets_that_are_named_exist() -> None:
    """Walkthroughs are drawn and checked elsewhere."""
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    pages = [page.read_text(encoding="utf-8") for page in DOCUMENTS]
    named = {name for text in pages for name in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE)}
    assert {"demo", "test"} <= named <= targets


class TestReadme:
    def test_it_is_one_screen(self) -> None:
        assert len(read("README.md").splitlines()) <= 60

    def test_it_carries_the_notices_word_for_word(self) -> None:
        text = " ".join(read("README.md").split())
        assert MODEL_NOTICE in text
        assert "Decision support for professionals, not a medical device." in text

    def test_every_page_is_reached_from_it(self) -> None:
        text = read("README.md")
        assert [page.name for page in DOCUMENTS[2:] if f"(docs/{page.name})" not in text] == []


class TestPicture:
    async def test_it_shows_what_the_product_prints_today(self, tmp_path: Path) -> None:
        shown = picture.draw(await picture.shown(tmp_path))
        assert self.words(shown) == self.words(picture.PICTURE.read_text(encoding="utf-8"))

    def test_it_fetches_nothing(self) -> None:
        assert "url(http" not in picture.PICTURE.read_text(encoding="utf-8")

    @staticmethod
    def words(svg: str) -> list[str]:
        """The text without what differs from run to run: times and the session."""
        pieces = re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
        text = html.unescape("\n".join(pieces)).replace("\xa0", " ")
        return re.sub(r"\d+ ms|--session \w+", "…", text).split()


@pytest.mark.parametrize("name", draw_graph.DOCUMENTS, ids=str)
def test_drawings_are_the_graphs(name: str) -> None:
    text = read(f"docs/{name}")
    assert "flowchart" in text
    assert draw_graph.drawn(name, text) == text, "run `make docs`"


class TestKnowledge:
    def test_every_node_is_explained(self) -> None:
        nodes = [name for name in consult_graph().get_graph().nodes if not name.startswith("__")]
        assert [names(row[0])[0] for row in rows(section("docs/knowledge.md", "A consultation"))] == nodes

    def test_the_roles_are_those_that_ship(self) -> None:
        counted = Counter((entry.role, entry.language) for entry in demonstration())
        for role, _, told in rows(section("docs/knowledge.md", "Roles")):
            (name,) = names(role)
            assert told == f"{counted[name, 'en']} / {counted[name, 'vi']}"
        assert f"{sum(counted.values())} entries" in read("docs/knowledge.md")


class TestArchitecture:
    def test_every_node_is_explained(self) -> None:
        nodes = [name for name in build("routed").get_graph().nodes if not name.startswith("__")]
        assert [names(row[0])[0] for row in rows(section("docs/architecture.md", "A turn"))] == nodes

    def test_every_node_of_the_older_graphs_is_explained(self) -> None:
        shared = set(build("routed").get_graph().nodes)
        own = {(node, name) for name in GRAPHS[1:] for node in build(name).get_graph().nodes if node not in shared}
        told = section("docs/architecture.md", "Older graphs")
        assert {(names(row[0])[0], row[1]) for row in rows(told)} == own
        assert [name for name in GRAPHS[1:] if f"<!-- graph {name} -->" not in told] == []

    def test_the_layers_are_the_enforced_ones(self) -> None:
        linter = ConfigParser()
        linter.read(ROOT / ".importlinter")
        lines = linter["importlinter:contract:layers"]["layers"].split("\n")
        enforced = [set(re.findall(r"(?<![(\w])[a-z]+(?!\w*\))", line)) for line in lines]
        documented = [set(names(row[0])) for row in rows(section("docs/architecture.md", "Layers"))]
        assert documented == [layer for layer in enforced if layer]

    def test_the_shortcuts_are_all_there(self) -> None:
        documented = [names(row[0])[0] for row in rows(section("docs/architecture.md", "Shortcuts"))]
        assert documented == list(get_args(Shortcut))

    def test_the_turn_record_is_documented_field_by_field(self) -> None:
        documented = {names(row[0])[0]: row[1] for row in rows(section("docs/architecture.md", "The turn record"))}
        assert list(documented) == list(TurnRecord.model_fields)
        parts: dict[str, type[BaseModel]] = {
            "tool_calls": ToolCall,
            "clarification": Clarification,
            "approval": Approval,
            "sources": Source,
            "timeline": TimelineStep,
        }
        for field, part in parts.items():
            assert set(part.model_fields) <= set(names(documented[field])), field


class TestTools:
    @pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
    def test_the_table_is_the_registry(self, tool: Tool) -> None:
        table = {names(row[0])[0]: row for row in rows(read("docs/tools.md")) if len(row) == 5}
        assert len(table) == len(TOOLS)
        _, label, arguments, patient, _ = table[tool.name]
        assert label == tool.label
        assert arguments == ", ".join(
            f"`{name}`" + ("" if field.is_required() else "?") for name, field in tool.call.model_fields.items()
        )
        assert patient == ("yes, proposes" if tool.writes else "yes" if tool.patient else "no")

    def test_every_end_of_a_look_up_is_explained(self) -> None:
        explained = [name for row in rows(section("docs/tools.md", "How a look-up ends")) for name in names(row[0])]
        assert sorted(explained) == sorted([*get_args(Status), *get_args(ErrorType)])

    def test_the_examples_work(self) -> None:
        text = read("docs/tools.md")
        for example in fenced(text, "json"):
            started = json.loads(example)["mcpServers"]["docgemma"]
            assert started["command"] == "docgemma"
            assert started["args"][0] in COMMANDS
        for example in fenced(text, "toml"):
            assert Settings(**tomllib.loads(example)).tool_servers
        client, scripted = fenced(text, "python")
        compile(client, "docs/tools.md", "exec")
        exec(scripted, {})


class TestSettings:
    TABLE = {names(row[0])[0]: row for row in rows(section("docs/backends.md", "Settings"))}

    def test_every_setting_is_in_the_table(self) -> None:
        assert sorted(self.TABLE) == sorted(f"{ENV_PREFIX}{name.upper()}" for name in Settings.model_fields)

    def test_the_defaults_are_the_real_ones(self) -> None:
        for name, field in Settings.model_fields.items():
            shown = names(self.TABLE[f"{ENV_PREFIX}{name.upper()}"][1])
            if field.get_default() is not None and field.default_factory is None:
                assert shown == [self.written(field.get_default())], name

    def test_no_document_names_a_setting_that_does_not_exist(self) -> None:
        named = {name for page in DOCUMENTS for name in re.findall(r"DOCGEMMA_[A-Z_]+\b", page.read_text("utf-8"))}
        assert named - set(self.TABLE) - {ENV_PREFIX} == set()

    @staticmethod
    def written(value: object) -> str:
        return (
            str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
        )


def command_named(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


def parts(command: click.Command) -> Iterator[click.Command]:
    """The command, or what the group and the groups in it hold."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from parts(inner)
    else:
        yield command


def options(command: str) -> set[str]:
    """Every long option that click knows for it, but for the shared ones."""
    declared = {
        option for part in parts(command_named(command)) for parameter in part.params for option in parameter.opts
    }
    return {option for option in declared if option.startswith("--")} - SHARED_OPTIONS


class TestTerminal:
    @pytest.mark.parametrize("command", COMMANDS)
    def test_every_option_is_documented_and_no_other(self, command: str) -> None:
        text = section("docs/terminal.md", f"docgemma {command}")
        documented = {name.split()[0] for name in names(text) if name.startswith("--")}
        assert documented == options(command)

    def test_the_options_for_all_are_documented(self) -> None:
        head = read("docs/terminal.md").partition("\n## ")[0]
        own = {option for parameter in cli.params for option in parameter.opts if option.startswith("--")}
        documented = {name.split()[0] for name in names(head) if name.startswith("--")}
        assert documented - {"--help"} == own | SHARED_OPTIONS

    def test_the_commands_of_a_conversation(self) -> None:
        documented = [names(row[0])[0] for row in rows(section("docs/terminal.md", "docgemma chat"))]
        assert sorted(documented) == sorted(["/help", *(name for name, _ in HELP)])

    def test_the_exit_codes(self) -> None:
        raised = {error.exit_code for error in vars(errors).values() if self.is_error(error)}
        documented = {int(row[0]) for row in rows(section("docs/terminal.md", "Exit codes"))}
        assert documented == raised | {0, 1, INTERRUPTED, BROKEN_PIPE}

    @staticmethod
    def is_error(value: Any) -> bool:
        return isinstance(value, type) and issubclass(value, errors.DocGemmaError)


class TestDrugs:
    def test_the_counts_are_those_of_the_tables(self) -> None:
        page = read("docs/drugs.md")
        assert f"table of {len(classes())} classes" in page
        assert f"table of {len(rows_of_pairs())} pairs" in page
        assert f"{len(medicines())} hand-written entries" in page
