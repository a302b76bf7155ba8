"""Logging to stderr, one line a message, and no tracing to anyone.

Only DocGemma's own loggers are heard: those of libraries may carry a request's contents, which here are a patient's.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import Literal

Level = Literal["debug", "info", "warning", "error"]

_TRACING = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")


class OneLine(logging.Formatter):
    """A message is one line; a traceback, whose values may be a patient's, is written only when debugging."""

    def __init__(self, *, tracebacks: bool) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")
        self._tracebacks = tracebacks

    def format(self, record: logging.LogRecord) -> str:
        line = " ".join(self.formatMessage(self._with_message(record)).split())
        if not record.exc_info or record.exc_info[0] is None:
            return line
        if self._tracebacks:
            return f"{line}\n{self.formatException(record.exc_info)}"
        return f"{line} ({record.exc_info[0].__name__})"

    @staticmethod
    def _with_message(record: logging.LogRecord) -> logging.LogRecord:
        record.message = record.getMessage()
        return record


def set_up_logging(level: Level = "warning") -> None:
    """Send DocGemma's messages to stderr. Libraries stay silent, and are heard from warnings on when debugging."""
    debug = level == "debug"
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine(tracebacks=debug))

    own = logging.getLogger("docgemma")
    own.handlers[:] = [handler]
    own.setLevel(level.upper())
    own.propagate = False

    root = logging.getLogger()  # a handler here also keeps libraries from installing their own
    root.handlers[:] = [handler if debug else logging.NullHandler()]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(True)


def switch_off_tracing() -> None:
    """LangSmith comes along with LangGraph and is led by the environment: say no before LangGraph is imported."""
    for name in _TRACING:
        os.environ[name] = "false"
