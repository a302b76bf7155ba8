"""What a model may answer, one shape for each phase. It names numbers, never codes.

A decoder that can be held to a schema sees only the lean shape. A model that cannot may answer in the longer shape of
the specification (`entity_text`, `selected_cui`, spans): that is read too, and code checks it against what was shown.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, create_model
from pydantic.json_schema import SkipJsonSchema

from docgemma.terminology.contract import MOST_RESULTS, EntityType

MOST_ENTITIES = 24
LONGEST_ENTITY, LONGEST_SEARCH = 160, 120

Action = Literal["extract", "evaluate", "refine"]

Confidence = Annotated[
    float,
    Field(ge=0, le=1),
    # Tenths: a number without end would use up the answer's tokens. Whole ones, since grammars differ on "1.0".
    WithJsonSchema({"type": "number", "enum": [0, *(tenths / 10 for tenths in range(1, 10)), 1]}),
]
Number = Annotated[int, Field(ge=0, le=1_000)]
Unread = SkipJsonSchema[Annotated[str | None, Field(max_length=2_000)]]


def _lean(schema: dict[str, Any]) -> None:
    """A decoder writes every field it is shown, and needs no word about it: the prompt speaks to the model."""
    schema.pop("description", None)
    schema["required"] = list(schema["properties"])


class Decision(BaseModel):
    """Unknown fields are passed over: a decoder cannot write them, and a free model adds what it likes."""

    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra=_lean)


class ExtractedEntityAction(Decision):
    """One entity as it stands in the criterion, and what to search for. The span is code's, found by the text."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_ENTITY)]
    entity_type: EntityType
    search_term: Annotated[str, Field(max_length=LONGEST_SEARCH)]
    span_start: SkipJsonSchema[int] = 0
    span_end: SkipJsonSchema[int] = 0


class Extraction(Decision):
    """The entities of one criterion."""

    action_type: Literal["extract"]
    entities: Annotated[tuple[ExtractedEntityAction, ...], Field(max_length=MOST_ENTITIES)]


class GroundingSelection(Decision):
    """One entity's candidate by its number; 0 when none of them is what the entity means."""

    entity: Number = 0
    candidate: Number = 0
    confidence: Confidence = 0.0
    entity_text: Unread = None
    selected_cui: Unread = None


class NewSearch(Decision):
    """Another term to search for, for one entity."""

    entity: Number
    search_term: Annotated[str, Field(max_length=LONGEST_SEARCH)]


class Evaluation(Decision):
    """`evaluate`: the candidates chosen. `refine`: the entities to search again, beside those already chosen."""

    action_type: Literal["evaluate", "refine"]
    selections: Annotated[tuple[GroundingSelection, ...], Field(max_length=MOST_ENTITIES)] = ()
    searches: Annotated[tuple[NewSearch, ...], Field(max_length=MOST_ENTITIES)] = ()
    entities: SkipJsonSchema[Annotated[tuple[ExtractedEntityAction, ...], Field(max_length=MOST_ENTITIES)]] = ()


@lru_cache(maxsize=256)
def evaluation(entities: int, candidates: int, *, refine: bool) -> type[Evaluation]:
    """Evaluation as it is asked for so many entities with at most so many candidates.

    Only what a decoder may write is narrowed. A number out of range that comes all the same spoils one entity, which
    code notices, and not the whole answer.
    """
    number = _enum(int, range(1, min(entities, MOST_ENTITIES) + 1))
    candidate = _enum(int, range(min(candidates, MOST_RESULTS) + 1))
    selection = create_model(
        "GroundingSelection", __base__=GroundingSelection, entity=(number, 0), candidate=(candidate, 0)
    )
    search = create_model("NewSearch", __base__=NewSearch, entity=(number, ...))
    actions = ["evaluate", "refine"] if refine else ["evaluate"]
    action = Annotated[Literal["evaluate", "refine"], WithJsonSchema({"type": "string", "enum": actions})]
    most = Field(max_length=MOST_ENTITIES, json_schema_extra={"maxItems": entities})
    searches: Any = (
        Annotated[tuple[search, ...], most] if refine else SkipJsonSchema[Annotated[tuple[search, ...], most]]
    )
    narrowed = create_model(
        "Evaluation",
        __base__=Evaluation,
        action_type=(action, ...),
        selections=(Annotated[tuple[selection, ...], most], ()),
        searches=(searches, ()),
    )
    return cast(type[Evaluation], narrowed)


def _enum(kind: type[int], values: range) -> Any:
    return Annotated[kind, Field(ge=0, le=1_000), WithJsonSchema({"type": "integer", "enum": list(values)})]
