"""The review page as an expert works with it: look, decide by one key, take it back, and never overrule unseen."""

from __future__ import annotations

import asyncio
import csv
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from fastapi import FastAPI

from docgemma.config import Settings
from docgemma.grounding.contract import UNSURE, Criterion, Grounded
from docgemma.grounding.review.decision import Choice, Decision, Example, item_key
from docgemma.grounding.review.desk import Desk
from docgemma.server.context import Site
from docgemma.server.pages.review import ReviewRoom
from docgemma.server.pages.review_view import exported, sentence
from docgemma.terminology.contract import Candidate
from tests.grounding.runs.jobs import candidate, criterion, entity, run_to

PAGE = {"Accept": "text/html"}
PART = {"Accept": "text/html", "X-Fragment": "1"}
MI, FLU, RASH = (item_key(text, "Condition") for text in ("MI", "flu", "<b>rash</b>"))
TWO = (candidate("Myocardial infarction", "C0027051", snomed_code="22298006"), candidate("Mitral", "C0026264"))
FOUND = {
    "MI": {"umls_cui": "C0027051", "snomed_code": "22298006", "preferred_term": "Myocardial infarction"},
    "flu": {"umls_cui": "C0026264", "preferred_term": "Mitral"},
}
SURE = {"MI": 0.65, "flu": 0.2, "<b>rash</b>": 0.0}


async def ground(criteria: Sequence[Criterion], batch_id: str) -> list[Grounded]:
    def met(word: str) -> Any:
        known: dict[str, Any] = {"candidates": TWO, "reason": UNSURE, **FOUND.get(word, {"candidates": ()})}
        return entity(word, grounding_confidence=SURE[word], **known)

    return [
        Grounded(
            **each.model_dump(exclude={"context"}),
            batch_id=batch_id,
            entities=tuple(met(word) for word in each.text.split() if word in SURE),
        )
        for each in criteria
    ]


class Terms:
    """A terminology of two concepts that is there when it is told to be."""

    def __init__(self) -> None:
        self.ready = asyncio.Event()

    async def search(self, term: str, **_: object) -> list[Candidate]:
        known = [candidate("Influenza", "C0021400"), candidate("Influenza vaccine", None)]
        return known if "flu" in term.lower() else []


@pytest.fixture
def terms() -> Terms:
    return Terms()


@pytest.fixture
async def room(
    site_app: FastAPI, site: Site, settings: Settings, terms: Terms, tmp_path: Path
) -> AsyncIterator[ReviewRoom]:
    """Three items wait; their terminology is the one above."""
    texts = ("Previous MI within 6 months", "flu or <b>rash</b>")
    entries = [criterion(number, text) for number, text in enumerate(texts)]
    await run_to(tmp_path / "out.jsonl", settings.grounding_address, entries, ground=ground)

    @asynccontextmanager
    async def opened(_: Settings) -> AsyncIterator[Any]:
        await terms.ready.wait()
        yield terms

    async with ReviewRoom(settings, terms=opened) as made:
        site_app.state.site = replace(site, review=made)
        yield made


async def test_without_results_the_page_says_which_command_makes_some(client: httpx.AsyncClient) -> None:
    page = await client.get("/review", headers=PAGE)
    assert page.status_code == 200 and "docgemma ground criteria.jsonl" in page.text
    assert (await client.get("/review")).json() == {"total": 0, "waiting": 0, "decided": 0, "items": []}


async def test_the_least_sure_first_with_words_marked_and_text_of_others_harmless(
    client: httpx.AsyncClient, room: ReviewRoom
) -> None:
    listed = (await client.get("/review")).json()
    assert [each["item"] for each in listed["items"]] == [RASH, FLU, MI]
    page = (await client.get("/review", headers=PAGE)).text
    assert "<b>rash</b>" not in page and "<mark>&lt;b&gt;rash&lt;/b&gt;</mark>" in page
    assert "0 decided, 3 waiting" in page
    pane = (await client.get(f"/review/items/{MI}", headers=PART)).text
    assert "Previous <mark>MI</mark> within 6 months" in pane and UNSURE in pane
    for words in ("C0027051", "22298006", "Confidence", "TEST", 'data-key="1"', 'data-key="a"', 'data-key="r"'):
        assert words in pane
    assert (await client.get("/review?q=mi&show=waiting")).json()["total"] == 1
    assert (await client.get("/review?type=Nonsense")).status_code == 400
    assert (await client.get("/review/items/000000000000", headers=PAGE)).status_code == 404
    vietnamese = await client.get(f"/review/items/{MI}", headers={**PAGE, "Accept-Language": "vi"})
    assert '<html lang="vi">' in vietnamese.text and "Độ tin cậy dưới ngưỡng." in vietnamese.text
    assert '<span lang="en">MI</span>' in vietnamese.text and "0.65" in vietnamese.text


async def test_accepting_leads_on_to_the_next_and_can_be_undone(client: httpx.AsyncClient, room: ReviewRoom) -> None:
    form = {"seen": "none", "candidate": "1"}
    after = await client.post(f"/review/items/{FLU}/accept", data=form, headers=PART)
    assert after.status_code == 200 and ">MI</span>" in after.text  # the next item, and a way back
    assert f"/review/items/{FLU}/undo" in after.text and "1 decided, 2 waiting" in after.text
    made = (await client.get(f"/review/items/{FLU}")).json()["decision"]
    assert (made["action"], made["who"], made["after"]["umls_cui"]) == ("accept", "local", "C0027051")
    shown = (await client.get(f"/review/items/{FLU}", headers=PAGE)).text
    assert "by local, " in shown
    plain = await client.post(f"/review/items/{FLU}/undo", data={"seen": made["at"]}, headers=PAGE)
    assert plain.status_code == 303 and plain.headers["location"].startswith(f"/review/items/{FLU}")
    assert (await client.get("/review")).json()["waiting"] == 3


async def test_what_somebody_else_decided_meanwhile_is_told_and_kept(
    client: httpx.AsyncClient, room: ReviewRoom
) -> None:
    await (await room.desk("dr.bob")).reject(MI)
    for action, more in (("accept", {"candidate": "1"}), ("reject", {}), ("undo", {})):
        late = await client.post(f"/review/items/{MI}/{action}", data={"seen": "none", **more}, headers=PART)
        assert late.status_code == 409 and late.json()["error"].startswith("dr.bob decided on this item meanwhile")
    assert (await client.post(f"/review/items/{MI}/reject", json={})).status_code == 422  # what was seen must be told
    assert len(await (await room.desk("x")).history(MI)) == 1


async def test_another_concept_needs_a_reason_and_is_looked_up(
    client: httpx.AsyncClient, room: ReviewRoom, terms: Terms
) -> None:
    waiting = await client.get("/review/concepts?q=flu", headers=PART)
    assert "being prepared" in waiting.text and "wait=true" in waiting.text
    form = {"seen": "none", "concept": "C0021400||Influenza", "reason": "As the protocol says"}
    early = await client.post(f"/review/items/{FLU}/change", data=form, headers=PART)
    assert early.status_code == 503 and "being prepared" in early.json()["error"]
    holds_on = asyncio.create_task(client.get("/review/concepts?q=flu&wait=true", headers=PART))
    terms.ready.set()
    found = (await holds_on).text
    assert 'value="C0021400||Influenza"' in found
    assert re.search(r'value="\|\|Influenza vaccine" disabled', found)  # no code: cannot be chosen
    assert "at least two letters" in (await client.get("/review/concepts?q=f", headers=PART)).text
    for bad, code in (({"reason": ""}, 400), ({"concept": ""}, 400), ({"cui": "C12"}, 400)):
        refused = await client.post(f"/review/items/{FLU}/change", data=form | bad, headers=PART)
        assert refused.status_code == code
    known = await client.post(f"/review/items/{FLU}/change", data=form)
    assert known.json()["after"]["umls_cui"] == "C0021400" and known.json()["known"]
    form = {"seen": "none", "cui": "c7654321", "reason": "Not in the index"}
    unknown = (await client.post(f"/review/items/{MI}/change", data=form, headers=PART)).text
    assert "does not know this concept" in unknown


async def test_many_are_counted_before_they_are_accepted_and_come_back_together(
    client: httpx.AsyncClient, room: ReviewRoom
) -> None:
    counted = await client.post("/review/accept-above", data={"at_least": "0.6"}, headers=PART)
    assert "Items that would be accepted: 1" in counted.text and (await client.get("/review")).json()["decided"] == 0
    dry = (await client.post("/review/accept-above", json={"at_least": 0.6})).json()
    assert (dry["count"], dry["items"][0]["item"]) == (1, MI)
    changed = await client.post("/review/accept-above", json={"at_least": 0.1, "names": dry["names"]})
    assert changed.status_code == 409
    done = (await client.post("/review/accept-above", json={"at_least": 0.6, "names": dry["names"]})).json()
    assert done["count"] == 1 and (await client.get("/review")).json()["decided"] == 1
    back = await client.post("/review/undo-all", data={"bulk": done["bulk"]}, headers=PART)
    assert "Undone: 1" in back.text and (await client.get("/review")).json()["decided"] == 0
    exports = await client.get("/review/export?format=csv")
    assert "attachment" in exports.headers["content-disposition"] and len(exports.text.splitlines()) == 3
    lines = [json.loads(line) for line in (await client.get("/review/export")).text.splitlines()]
    assert [(line["action"], line["holds"]) for line in lines] == [("accept", False), ("undo", False)]


async def test_a_store_that_is_out_of_order_keeps_nobody_from_the_rest(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    Path(settings.grounding_address).parent.mkdir(parents=True, exist_ok=True)
    Path(settings.grounding_address).write_bytes(b"no database" * 1000)
    async with ReviewRoom(settings) as room:
        with pytest.raises(Exception, match="grounding store"):
            await room.desk("ann")
        Path(settings.grounding_address).unlink()
        assert isinstance(await room.desk("ann"), Desk)


@pytest.mark.parametrize(
    ("text", "words", "marked"),
    [
        ("MI or mi, no MINOR", "MI", ["MI", "mi"]),
        ("non–small cell  lung", "non-small cell lung", ["non–small cell  lung"]),
        ("recurrent seizures", "seizure", ["seizures"]),
        ("MINOR surgery", "MI", []),
        ("nothing of it", "asthma", []),
        ("aa aa aa", "aa aa", ["aa aa"]),
    ],
    ids=["twice", "dashes", "ending", "another word", "absent", "overlapping"],
)
def test_where_the_words_stand(text: str, words: str, marked: list[str]) -> None:
    made = sentence(Example(protocol_id="p", criterion_id="c", text=text), words)
    assert [piece for piece, is_marked in made.pieces if is_marked] == marked
    assert "".join(piece for piece, _ in made.pieces) == text


def test_a_spreadsheet_runs_nothing_of_an_export() -> None:
    made = Decision(
        item="i",
        text='=HYPERLINK("x")',
        entity_type="Condition",
        action="change",
        after=Choice(umls_cui="C1", preferred_term="-1+1"),
        reason="@SUM(A1)",
        who="ann",
        at="now",
    )
    row = next(csv.DictReader(list(exported([made], "csv"))))
    assert (row["text"], row["term"], row["reason"]) == ('\'=HYPERLINK("x")', "'-1+1", "'@SUM(A1)")
    assert row["holds"] == "true"
