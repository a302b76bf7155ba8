from __future__ import annotations

from typing import Any

import pytest

from docgemma.clinical import ErrorType
from docgemma.sources.contract import Labels, SourceError
from docgemma.sources.dailymed.client import DailyMed, day
from tests.sources.asking import asking, soon
from tests.support.fake_dailymed import BASE, FakeDailyMed
from tests.support.fake_service import Question, Said
from tests.support.labels import set_id, spl

LISTED = {
    "spl_version": 1,
    "published_date": "May 21, 2026",
    "title": "WARFARIN TABLET [X]",
    "setid": set_id("warfarin"),
}
SOME = {"total_elements": 1, "db_published_date": "null"}


def shelf() -> FakeDailyMed:
    names = ("warfarin", "warfarin sodium", "Jantoven warfarin", "aspirin and warfarin")
    return FakeDailyMed({name: spl(name, id_=name) for name in names})


async def look_up(fake: FakeDailyMed, drug: str = "warfarin") -> Labels | None:
    async with asking(fake) as (web, url):
        return await DailyMed(web, f"{url}{BASE}").labels(drug, ends_at=soon())


def documents(fake: FakeDailyMed) -> list[str]:
    return [question.path.rpartition("/")[2] for question in fake.questions if question.path.endswith(".xml")]


async def test_the_two_likeliest_labels_are_read() -> None:
    fake = shelf()
    fake.published = {set_id("warfarin sodium"): "June 3, 2026", set_id("aspirin and warfarin"): "July 1, 2026"}
    found = await look_up(fake)
    assert found is not None
    assert [label.generics for label in found.labels] == [("warfarin sodium",), ("warfarin",)]
    assert (found.source, found.origin, found.data_date, found.total) == (
        "DailyMed drug labels",
        "live",
        "2026-08-11",
        4,
    )
    assert len(documents(fake)) == 2


async def test_nothing_listed_is_none() -> None:
    assert await look_up(shelf(), "sotalol") is None


async def test_one_readable_label_is_enough() -> None:
    fake = shelf()
    fake.documents[set_id("warfarin")] = b"<html>"
    found = await look_up(fake)
    assert found is not None
    assert len(found.labels) == 1


@pytest.mark.parametrize(
    ("document", "error_type"),
    [(b"<html>", "invalid_response"), (b"", "invalid_response"), (spl("sotalol"), "invalid_response")],
)
async def test_labels_that_cannot_be_read_or_are_about_others_are_a_failure(
    document: bytes, error_type: ErrorType
) -> None:
    fake = shelf()
    fake.documents = dict.fromkeys(fake.documents, document)
    with pytest.raises(SourceError) as caught:
        await look_up(fake)
    assert caught.value.error_type == error_type


@pytest.mark.parametrize(
    "listed",
    [
        {},
        [],
        b"",
        b"<html>",
        {"data": "null", "metadata": SOME},
        {"data": [], "metadata": SOME},
        {"data": [], "metadata": {}},
        {"data": [], "metadata": {"total_elements": "null"}},
        {"data": [LISTED]},
        {"data": ["null"], "metadata": SOME},
        {"data": [{**LISTED, "setid": "null"}], "metadata": SOME},
        {"data": [{**LISTED, "setid": "../../../etc"}], "metadata": SOME},
        {"metadata": {"total_elements": 0}},
    ],
)
async def test_a_list_of_another_shape_is_never_none(listed: Any) -> None:
    fake = shelf()
    fake.always = Said(200, listed)
    with pytest.raises(SourceError) as caught:
        await look_up(fake)
    assert caught.value.error_type == "invalid_response"
    assert documents(fake) == []


async def test_the_word_null_is_no_value() -> None:
    fake = shelf()
    true_answer = fake.answer

    def answer(question: Question) -> Said:
        if question.path.endswith(".json"):
            row = {**LISTED, "title": "null", "published_date": "null"}
            return Said(200, {"data": ["null", row], "metadata": {**SOME, "total_elements": "1"}})
        return true_answer(question)

    fake.answer = answer  # type: ignore[method-assign]
    found = await look_up(fake)
    assert found is not None
    assert found.data_date is None
    assert found.labels[0].generics == ("warfarin",)


@pytest.mark.parametrize(
    ("text", "found"),
    [("May 21, 2026", "2026-05-21"), ("Aug 1, 2026 10:15:00AM EST", "2026-08-01"), ("August 01, 2026", "2026-08-01")]
    + [(wrong, "") for wrong in ("", "null", "Feb 30, 2026", "Foo 1, 2026", "2026-05-21")],
)
def test_days(text: str, found: str) -> None:
    assert day(text) == found
