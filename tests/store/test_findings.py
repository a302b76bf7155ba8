"""What was seen in images: found again by the same model with the same question, and by nobody else."""

from __future__ import annotations

from docgemma.store.findings import ANY, Eyes, FindingsStore
from docgemma.store.sessions import Store

GEMMA = Eyes("medgemma", "p1")
NOW = "2026-03-01T12:00:00.000000+00:00"


async def test_a_finding_is_kept_under_its_question_and_as_the_first(store: Store) -> None:
    findings = FindingsStore(store.database)
    assert await findings.find(GEMMA, "img-1", "") is None
    await findings.keep(GEMMA, "img-1", "", "is there an effusion", {"findings": ["yes \x00 \ud800"]}, NOW)
    await findings.keep(GEMMA, "img-1", "", "and the heart", {"findings": ["large"]}, NOW)
    await findings.keep(GEMMA, "img-1", "", "and the heart", {"findings": ["small"]}, NOW)
    first = {"findings": ["yes \x00 \ud800"]}
    assert await findings.find(GEMMA, "img-1", "", ANY) == first
    assert await findings.find(GEMMA, "img-1", "", "is there an effusion") == first
    assert await findings.find(GEMMA, "img-1", "", "and the heart") == {"findings": ["large"]}, "the first one stays"


async def test_another_image_pair_model_or_prompt_is_another_finding(store: Store) -> None:
    findings = FindingsStore(store.database)
    await findings.keep(GEMMA, "img-1", "", "q", {"n": 1}, NOW)
    for eyes, image, prior in (
        (GEMMA, "img-2", ""),
        (GEMMA, "img-1", "img-0"),
        (Eyes("other", "p1"), "img-1", ""),
        (Eyes("medgemma", "p2"), "img-1", ""),
    ):
        assert await findings.find(eyes, image, prior, "q") is None
        assert await findings.find(eyes, image, prior) is None


async def test_whether_a_session_ever_got_an_image(store: Store) -> None:
    findings = FindingsStore(store.database)
    session, other = await store.create_session("ann"), await store.create_session("ann")
    await store.put_image(session.id, "image/png", b"pixels", width=1, height=1)
    assert await findings.has_image(session.id)
    assert not await findings.has_image(other.id)


async def test_a_turn_keeps_which_image_it_compares_with(store: Store) -> None:
    session = await store.create_session("ann")
    await store.begin_turn(
        session.id, "t1", "changed?", image_id="img-2", prior_image_id="img-1", holder="h", lease_seconds=5
    )
    await store.interrupt_turn(session.id, "t1", holder="h")
    turn = await store.interrupted_turn(session.id)
    assert turn is not None
    assert (turn.image_id, turn.prior_image_id) == ("img-2", "img-1")
