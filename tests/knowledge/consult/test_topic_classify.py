"""Topics come out of the role's own tree; a clear vote needs no model."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic import ValidationError

from docgemma.knowledge.consult.nodes.retrieve import retrieve
from docgemma.knowledge.consult.nodes.topic_classify import topic_classify
from docgemma.knowledge.consult.schemas import topic_choice
from tests.knowledge.consult.library import NURSE, Library, Model, entry, runtime, state


async def test_a_clear_vote_needs_no_model() -> None:
    model = Model()
    update = await topic_classify(state("How long do fillings last?"), runtime(llm=model))
    assert (update["demuc"], update["chu_de_con"]) == ("Treatments", "Fillings")
    assert update["classification_confidence"] == "high"
    assert model.asked == []


async def test_without_shortcuts_the_model_chooses_topic_and_then_subtopic() -> None:
    model = Model(
        topic_classify={"topic": "Treatments", "confidence": "medium", "reason": "so"},
        topic_classify_subtopic={"topic": "none", "confidence": "low", "reason": "so"},
    )
    update = await topic_classify(state("How long do fillings last?"), runtime(llm=model, shortcuts=False))
    assert (update["demuc"], update["chu_de_con"], update["classification_confidence"]) == ("Treatments", "", "medium")
    assert model.asked == ["topic_classify", "topic_classify_subtopic"]
    assert model.prompts[1].variables["options"] == ["Fillings", "Pain", "Whitening"]


async def test_only_topics_of_the_role_are_open() -> None:
    model = Model()
    await topic_classify(state("Why do gums bleed?", role=NURSE), runtime(llm=model, shortcuts=False))
    assert [prompt.variables["options"] for prompt in model.prompts] == [["Mouth care"]]


def test_the_schema_lets_nothing_else_through() -> None:
    schema = topic_choice(("Gums", "Treatments"))
    assert get_args(schema.model_fields["topic"].annotation) == ("Gums", "Treatments", "none")
    assert schema is topic_choice(["Gums", "Treatments"])
    with pytest.raises(ValidationError):
        schema.model_validate({"topic": "Heart", "confidence": "high", "reason": ""})


async def test_one_topic_needs_no_choice() -> None:
    model, library = Model(), Library([entry("a", "Why do gums bleed?", "Plaque.", subtopic="")])
    update = await topic_classify(state("Why do gums bleed?"), runtime(library, model))
    assert (update["demuc"], update["chu_de_con"], model.asked) == ("Gums", "", [])


async def test_what_only_comes_near_is_a_doubtful_topic() -> None:
    update = await topic_classify(state("Do gums like opera, ballet and football?"), runtime())
    assert update["classification_confidence"] == "low"


async def test_a_role_without_entries_has_no_topic() -> None:
    update = await topic_classify(state("Why?"), runtime(Library([])))
    assert (update["demuc"], update["classification_confidence"]) == ("", "low")


async def test_the_topic_of_many_does_not_hide_the_best_entry() -> None:
    best = entry("best", "Why do gums bleed at night?", "Dry air.", topic="Sleep", subtopic="")
    others = [entry(f"g{n}", "Why do gums bleed?", "Plaque.", subtopic="") for n in range(5)]
    given = state("Why do gums bleed at night?")
    update = await topic_classify(given, runtime(Library([best, *others])))
    assert update["classification_confidence"] == "low"
    found = await retrieve(given | update, runtime(Library([best, *others])))
    assert found["retrieved_candidates"][0].entry.id == "best"
