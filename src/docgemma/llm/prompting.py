"""Prompts are files beside the node that owns them. Whatever a template prints is taken for untrusted text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template

from docgemma.llm.contract import Image, Message, Prompt
from docgemma.llm.gemma import Neutraliser, alternate

_SEPARATOR = re.compile(r"^---[ \t]*$\n?", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


class Trusted(str):
    """Our own fixed text, such as a tool description: printed into a prompt as it is."""

    __slots__ = ()


class PromptFolder:
    """The templates of one package: `<name>.md`, a system part and a user part with a line `---` between.

    Every `{{ … }}` is neutralised here, so that no node can forget it. Files are read on first use.
    """

    def __init__(self, package: str, folder: str, *, labels: tuple[str, ...] = ()) -> None:
        self._package = package
        self._folder = folder
        self._neutralise = Neutraliser(labels)
        self._environment = Environment(
            loader=FunctionLoader(self._read),
            undefined=StrictUndefined,
            finalize=self._printed,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,  # noqa: S701 - prompts are not HTML; `finalize` does the escaping that matters here
        )
        self._templates: dict[str, tuple[Template, Template]] = {}

    def render(
        self, name: str, images: Sequence[Image] = (), history: Sequence[Message] = (), **variables: Any
    ) -> Prompt:
        """The prompt as the model will get it. What is fixed comes first, so that a server can cache the prefix."""
        system, user = self._templates.get(name) or self._compile(name)
        messages = (
            Message("system", _tidy(system.render(variables))),
            *(Message(turn.role, self._neutralise(turn.text)) for turn in history),
            Message("user", _tidy(user.render(variables))),
        )
        return Prompt(name, variables, alternate(messages), tuple(images))

    def _compile(self, name: str) -> tuple[Template, Template]:
        first, *rest = _SEPARATOR.split(self._read(f"{name}.md"), maxsplit=1)
        system, user = (first, rest[0]) if rest else ("", first)
        compiled = self._environment.from_string(system), self._environment.from_string(user)
        self._templates[name] = compiled
        return compiled

    def _read(self, file_name: str) -> str:
        return files(self._package).joinpath(self._folder, file_name).read_text(encoding="utf-8")

    def _printed(self, value: object) -> object:
        if isinstance(value, Trusted | int | float):
            return value
        return self._neutralise(str(value))


def _tidy(text: str) -> str:
    return _BLANK_LINES.sub("\n\n", text).strip()
