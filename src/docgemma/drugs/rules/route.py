"""Routes by which a medicine must never be given. Not a list of those by which it may."""

from __future__ import annotations

from docgemma.drugs.rules.outcome import Finding
from docgemma.drugs.rules.tables import about, basis, subject


def check_route(ingredient: str, route: str) -> Finding:
    """One ingredient by one route, as the order words it ("intrathecal", "intravenous push")."""
    rows = about("routes", ingredient)
    if not rows:
        return Finding("route", "not_checked", f"No rule for {ingredient} and its route in the shipped table.")
    if not route:
        return Finding("route", "not_checked", f"The route is not known, and {ingredient} must not be given by some.")
    for row in rows:
        if route in row["never"].split(","):
            text = f"Never {route}: {subject(row, ingredient)}. {row['note']}"
            return Finding("route", "hard_stop", text, basis(row))
    return Finding("route", "passed", f"{ingredient} {route}: not among the routes that are ruled out.", basis(rows[0]))
