"""A table of many rows as one test: a test of its own costs a row more time than what it checks."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

SHOWN = 20
"""Rows that are told in full; the others by name."""


def each_of(
    names: str | tuple[str, ...], rows: Iterable[Any], ids: Callable[[Any], object] = repr
) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """As `pytest.mark.parametrize`, for a test of pure rules: all rows are tried, and every one that fails is named.

    A test that takes fixtures, marks single rows or changes something stays with `pytest.mark.parametrize`.
    """
    table = list(rows)

    def over_all(test: Callable[..., None]) -> Callable[[], None]:
        def run() -> None:
            __tracebackhide__ = True
            assert table, "the table is empty"
            failed = []
            for row in table:
                try:
                    test(row) if isinstance(names, str) else test(**dict(zip(names, row, strict=True)))
                except Exception as error:  # noqa: BLE001 - what the rule itself raises is this row's failure, too
                    failed.append((f"[{ids(row)}]", error))
            if failed:
                pytest.fail(f"{len(failed)} of {len(table)} rows failed:\n{_told(failed)}", pytrace=False)

        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(run, name, getattr(test, name))
        return run

    return over_all


def _told(failed: Sequence[tuple[str, Exception]]) -> str:
    """The first ones with where and why, the others by name. The line above that called the test is left out."""
    full = []
    for row, error in failed[:SHOWN]:
        where = error.__traceback__.tb_next if error.__traceback__ else None
        full.append(row + "\n" + "".join(traceback.format_exception(error.with_traceback(where))))
    return "\n".join([*full, *(row for row, _ in failed[SHOWN:])])
