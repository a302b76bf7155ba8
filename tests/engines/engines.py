"""The two grammar engines behind vLLM, as one question: would the engine let a model write this text?"""

from __future__ import annotations

import json
from typing import Any, Protocol

from llguidance import LLMatcher, LLTokenizer
from outlines_core import Index, Vocabulary
from outlines_core.json_schema import build_regex_from_schema


class Engine(Protocol):
    def accepts(self, text: str) -> bool: ...


class Outlines:
    """outlines-core: the schema as a regular expression, the expression as an automaton over bytes."""

    def __init__(self, schema: dict[str, Any]) -> None:
        bytes_alone = {bytes([byte]): [byte + 1] for byte in range(256)}
        self._index = Index(build_regex_from_schema(json.dumps(schema)), Vocabulary(0, bytes_alone))

    def accepts(self, text: str) -> bool:
        state: int | None = self._index.get_initial_state()
        for byte in text.encode():
            state = self._index.get_next_state(state, byte + 1)
            if state is None:
                return False
        return bool(self._index.is_final_state(state))


class Guidance:
    """llguidance: the schema as a grammar, driven byte by byte."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._tokenizer = LLTokenizer("byte")
        self._grammar = LLMatcher.grammar_from_json_schema(schema)
        failed, messages = LLMatcher.validate_grammar_with_warnings(self._grammar, self._tokenizer)
        if failed or messages:
            raise ValueError(f"llguidance does not take the schema as it is: {messages}")

    def accepts(self, text: str) -> bool:
        matcher = LLMatcher(self._tokenizer, self._grammar, log_level=0)
        tokens = self._tokenizer.tokenize_str(text)
        return bool(matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting())


ENGINES: dict[str, type[Outlines] | type[Guidance]] = {"outlines": Outlines, "guidance": Guidance}
