"""The quick look at a text's words never shuts out a rule that the text meets."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from docgemma.entities.drugs.disguise import fold
from docgemma.entities.instruction_gate import suspected
from docgemma.entities.instruction_rules import RULES
from docgemma.entities.instruction_rules_vi import RULES_VI
from tests.entities.test_instructions import ATTACKS, OWN_ATTACKS, PROSE
from tests.entities.test_instructions_vi import ORDERS

ALL = (*RULES, *RULES_VI)


def lost(low: str) -> list[str]:
    may = set(suspected(low))
    return [rule.pattern[:80] for rule in ALL if rule not in may and rule.search(low)]


def ways(rule: re.Pattern[str]) -> list[str]:
    """The expression at its outermost bars."""
    found, depth, begun, in_class = [], 0, 0, False
    signs = list(re.finditer(r"\\.|\[\^?\]?|[\]()|]", rule.pattern))
    for sign in signs:
        kind = sign.group()[0]
        if in_class:
            in_class = kind != "]"
        elif kind == "[":
            in_class = True
        elif kind == "|" and depth == 0:
            found.append(rule.pattern[begun : sign.start()])
            begun = sign.end()
        else:
            depth += {"(": 1, ")": -1}.get(kind, 0)
    return [*found, rule.pattern[begun:]]


@cache
def matching(way: str) -> st.SearchStrategy[str]:
    """Made once for each: to make it takes longer than to draw from it."""
    return st.from_regex(re.compile(way))


@pytest.mark.parametrize("number", range(len(ALL)))
@settings(
    derandomize=True,
    max_examples=75,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_what_an_expression_can_match_opens_its_gate(number: int, data: st.DataObject) -> None:
    way = data.draw(st.sampled_from(ways(ALL[number])))
    assert lost(data.draw(matching(way))) == []


@pytest.mark.parametrize("number", range(len(ALL)))
def test_a_rule_is_taken_apart_into_its_ways(number: int) -> None:
    apart = ways(ALL[number])
    assert "|".join(apart) == ALL[number].pattern
    assert len(apart) > 1
    assert all(re.compile(way) for way in apart)


@pytest.mark.parametrize("texts", [ATTACKS, PROSE, ORDERS], ids=["attacks", "prose", "orders"])
def test_no_hit_is_lost(texts: list[str]) -> None:
    assert [missing for text in texts for missing in lost(plain(text))] == []


@pytest.mark.skipif(not OWN_ATTACKS.is_file(), reason="the collected attacks are not beside the checkout")
def test_no_hit_in_a_collected_injection_is_lost() -> None:
    with OWN_ATTACKS.open(encoding="utf-8") as lines:
        texts = [plain(json.loads(line)["text"]) for line in lines]
    assert len(texts) > 1_000
    assert [missing for text in texts for missing in lost(text)] == []


DEMO = Path(__file__).parents[2] / "src" / "docgemma" / "knowledge" / "demo"


def test_a_clean_text_is_hardly_ever_read_by_a_rule() -> None:
    """What makes the look worth while: one in twenty would already cost more than it saves."""
    texts = [json.loads(line)["answer"] for path in DEMO.glob("*.jsonl") for line in path.open(encoding="utf-8")]
    read = sum(len(list(suspected(plain(text)))) for text in texts)
    assert read < 0.05 * len(texts) * len(ALL)


def plain(text: str) -> str:
    return fold(text).text.lower().replace("đ", "d")
