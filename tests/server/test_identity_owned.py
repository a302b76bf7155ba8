"""What belongs to somebody: for everybody else it is like what never was."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest

from docgemma.clinical import Purpose, acting
from tests.cli.cards import note
from tests.server.people import ROUTES, Ward, filled
from tests.support.images import png


@dataclass(frozen=True)
class Things:
    """One of everything that belongs to somebody."""

    session_id: str
    turn_id: str
    run_id: str
    image_id: str
    order_id: str
    hash: str

    def ids(self) -> dict[str, str]:
        return {name: str(value) for name, value in vars(self).items()}


async def _things(ward: Ward, owner: str) -> Things:
    headers = await ward.browser(owner)
    async with ward.client() as client:
        made = await client.post("/runs", json={"text": "What is the boxed warning of dofetilide?"}, headers=headers)
        assert made.status_code == 202, made.text
        run = made.json()
        told = await client.get(f"/runs/{run['run_id']}/events", headers=headers)
        assert "event: done" in told.text
        image = await client.post(
            f"/sessions/{run['session_id']}/images", content=png(), headers=headers | {"Content-Type": "image/png"}
        )
        assert image.status_code < 300, image.text
        found = re.search(r"img-[0-9a-f]{32}", image.text)
        assert found is not None
    with acting(Purpose(who=owner, why="turn", session_id=run["session_id"])):
        row = await ward.site.app.orders.propose(note())
    return Things(run["session_id"], run["run_id"], run["run_id"], found[0], row.id, row.hash)


BODIES: dict[str, dict[str, Any]] = {
    "approve": {"hash": "x"},
    "reject": {"hash": "x"},
    "undo": {"hash": "x", "reason": "written for another patient"},
    "title": {"title": "Mine now"},
    "patient": {"patient_id": "abc-123"},
    "{session_id}": {"title": "Mine now"},
}
OWNED = [route for route in ROUTES if re.search(r"\{(session|turn|run|image|order)_id\}", route)]


async def test_what_belongs_to_somebody_else_is_like_what_never_was(ward: Ward) -> None:
    """For whoever has the right to the route; the answer tells nothing but that there is no such thing."""
    theirs = await _things(ward, "paul")
    mine = await _things(ward, "pru")
    never = {name: _other(value) for name, value in theirs.ids().items()}
    headers, wrong = await ward.browser("pru"), []
    for route in OWNED:
        body = BODIES.get(route.rsplit("/", 1)[1], {})
        answers = []
        for ids in (theirs.ids(), never, mine.ids()):
            method, path = filled(route, ids)
            given = {"json": body | ({"hash": ids["hash"]} if "hash" in body else {})} if method != "GET" else {}
            if route.endswith("/images"):
                given = {"content": png()}
            async with ward.client() as client:
                answer = await client.request(method, path, headers=headers, **given)
            text = answer.text
            for name, value in ids.items():
                text = text.replace(value, f"<{name}>")
            answers.append((answer.status_code, text))
        if answers[0] != answers[1] or answers[0][0] != 404:
            wrong.append(f"{route}: theirs {answers[0]}, never {answers[1]}")
        if answers[2][0] == 404:
            wrong.append(f"{route}: even one's own is not found: {answers[2]}")
    assert not wrong, "\n".join(wrong)
    assert (await ward.site.app.orders.get(theirs.order_id)).state == "proposed"
    assert (await ward.site.app.store.get_session(theirs.session_id)).title != "Mine now"


def _other(value: str) -> str:
    """An id of the same form."""
    last = value[-1]
    return value[:-1] + ("0" if last != "0" else "1")


@pytest.mark.parametrize("field", ["session_id", "run_id", "image_id"])
async def test_a_question_names_nothing_of_somebody_else(ward: Ward, field: str) -> None:
    theirs = await _things(ward, "paul")
    headers = await ward.browser("pru")
    async with ward.client() as client:
        for value in (theirs.ids()[field], _other(theirs.ids()[field])):
            if field == "run_id" and value != theirs.run_id:
                continue  # a fresh one is for whoever asks to choose
            asked = {"text": "What is the boxed warning of dofetilide?", field: value}
            answer = await client.post("/runs", json=asked, headers=headers)
            assert answer.status_code in ((409,) if field == "run_id" else (400, 404)), answer.text
            assert "paul" not in answer.text
    assert len(await ward.site.app.store.turns(theirs.session_id)) == 1


@pytest.mark.parametrize("name", ["pat", "rose", "ada"])
async def test_who_may_only_consult_reaches_no_chart_through_a_question(ward: Ward, name: str) -> None:
    headers = await ward.browser(name)
    async with ward.client() as client:
        roles = {each.id: each.audience for each in await ward.site.app.knowledge.roles()}
        patients = next(each for each, audience in roles.items() if audience == "patient")
        nurses = next(each for each, audience in roles.items() if audience == "professional")
        plain = await client.post("/runs", json={"text": "Find patient Maria Garcia"}, headers=headers)
        assert plain.status_code == 403, plain.text
        if name == "pat":
            professional = {"text": "sick day rules?", "role": nurses}
            assert (await client.post("/runs", json=professional, headers=headers)).status_code == 403
        told = []
        for patient in ("abc-123", "no-such-patient"):
            asked = {"text": "Is a cold dangerous?", "role": patients, "patient_id": patient}
            answer = await client.post("/runs", json=asked, headers=headers)
            assert answer.status_code in (400, 403), answer.text
            told.append(answer.text)
        assert len(set(told)) == 1  # not even whether there is such a patient
