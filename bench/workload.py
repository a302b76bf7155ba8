"""The work every contender is given: the same question, the same ten tools, answered at once by code."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

Turn = Callable[[str], Awaitable[None]]
"""Runs one turn of the named session: ask the model, call one tool, answer; the session remembers it."""

MODEL = "bench"
QUESTION = "Check the safety of dofetilide."
INSTRUCTIONS = "You are a clinical assistant. Use a tool when it helps and answer from what it returns."
TOOL_RESULT = "Start dofetilide only where the ECG is monitored; torsade de pointes can occur."
