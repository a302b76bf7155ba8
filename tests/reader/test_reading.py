"""The reader that ships: any message, of any length, from any thread; one clear sentence where it cannot be used."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.embed.wordpiece import WordPiece
from docgemma.errors import Unavailable
from docgemma.reader.card import CARD, FORMAT, MODEL, VOCABULARY
from docgemma.reader.contract import OpenQuestion
from docgemma.reader.decoding import best_tags
from docgemma.reader.encoder import MOST_CHARACTERS, WEIGHTS
from docgemma.reader.inputs import CONTEXT_ROOM, LONGEST, WINDOW, windows
from docgemma.reader.labels import TAGS, TAKES, WHO
from docgemma.reader.loading import PACKAGED, LazyReader

ORDER = "Prescribe metformin 500 mg twice daily for abc-123."
STORY = (
    "Mrs Bell came back to clinic this morning with her daughter. She is 72 and has had type 2 diabetes for ten years, "
    "managed with diet alone until now. She lives on the ground floor, cooks for herself and walks to the shops with a "
    "stick. Over the last three months she has been more tired than usual and gets up twice a night. She has lost a "
    "little weight without trying. There is no chest pain, no fever and no cough. Her feet feel normal, and the eye "
    "clinic saw her in May. On examination she looks well, the chest is clear and the abdomen is soft. Her ankles are "
    "not swollen. We talked about food, walking and what to do on days when she is ill. She is happy to start tablets "
    "and understands that they may upset her stomach at first. Her daughter will help with the box."
)
TOKENS = WordPiece.read(WEIGHTS / VOCABULARY)


def cut(message: str, **context: Any) -> list[Any]:
    given: dict[str, Any] = {"before": (), "question": None, "on_screen": False, "drugs": lambda text: ()} | context
    return windows(message, tokens=TOKENS, **given)


def test_an_order_is_read_with_its_words() -> None:
    request = PACKAGED.request(ORDER)
    assert request.sure() == ("prescribe_medication",)
    assert [(span.type, span.text) for span in request.spans] == [
        ("drug", "metformin"),
        ("dose", "500 mg"),
        ("frequency", "twice daily"),
        ("patient_id", "abc-123"),
    ]
    assert request.relation is None


@pytest.mark.parametrize(
    "message",
    [
        "prescribe furosemide 40 mg bd for 402",
        "402 - codeine - vomiting",
        "402's last creatinine",
        "402 ki reports dikhao",
        "telephone note 402 pls: daughter rang",
        "plz give to 402 tab furosemide 40 mg 2 times a day",
        "what meds is 402 on",
        "is 402 allergic to penicillin",
    ],
)
def test_a_number_alone_is_somebodys(message: str) -> None:
    assert [span.text for span in PACKAGED.request(message).of("patient_id")] == ["402"]


def test_an_open_question_is_answered() -> None:
    asked = OpenQuestion("missing", "How often should she take metformin?")
    request = PACKAGED.request("twice daily", before=["Prescribe metformin 500 mg for abc-123"], asked=asked)
    assert request.relation == "answers"
    assert [span.text for span in request.of("frequency")] == ["twice daily"]


@pytest.mark.parametrize("text", [f"{STORY} {ORDER}", f"{ORDER} {STORY}"], ids=["last", "first"])
def test_an_order_is_found_in_a_long_message(text: str) -> None:
    request = PACKAGED.request(text)
    assert "prescribe_medication" in [asked.ask for asked in request.asks]
    [drug] = request.of("drug")
    assert (drug.start, drug.end) == (text.index("metformin"), text.index("metformin") + 9)


@pytest.mark.parametrize("chatter", ["The clinic was full this morning.", "I will be in theatre until four."])
def test_chatter_does_not_hide_an_order(chatter: str) -> None:
    for text in (f"{chatter} {ORDER}", f"{ORDER} {chatter}"):
        request = PACKAGED.request(text)
        assert [asked.ask for asked in request.asks] == ["prescribe_medication"], text
        assert [span.text for span in request.of("drug", "dose")] == ["metformin", "500 mg"], text


@pytest.mark.parametrize("length", [0, 1, WINDOW, WINDOW + 1, 5 * WINDOW + 7])
def test_windows_hold_every_piece_and_fit(length: int) -> None:
    message = "pain " * length
    found = cut(message, before=["a long story " * 90] * 4, question=("missing", "Which? " * 60), on_screen=True)
    held = {part.offset + number for part in found for number in range(len(part.pieces))}
    assert held == set(range(length))
    for part in found:
        assert len(part.ids) == len(part.segments) == len(part.features) <= LONGEST
        assert part.first <= CONTEXT_ROOM + 2
        assert part.ids[: part.first] == found[0].ids[: part.first]


def test_of_the_context_the_oldest_goes_first() -> None:
    before = [f"{word} " * 50 for word in ("one", "two", "three")]
    [part] = cut("hello", before=before)
    assert TOKENS.id("one") not in part.ids
    assert part.ids.index(TOKENS.id("two")) < part.ids.index(TOKENS.id("three"))


@pytest.mark.parametrize("text", ["", " \n", "\u200b"])
def test_no_words_ask_for_nothing(text: str) -> None:
    request = PACKAGED.request(text)
    assert (request.asks, request.spans) == ((), ())


def test_of_pasted_text_the_first_twenty_thousand_characters_are_read() -> None:
    text = f"{ORDER} " * (MOST_CHARACTERS // len(ORDER) + 20)
    request = PACKAGED.request(text)
    assert request.spans
    assert max(span.end for span in request.spans) <= MOST_CHARACTERS
    assert all(span.text == text[span.start : span.end] for span in request.spans)


_WORDS = st.lists(
    st.sampled_from([*ORDER.split(), "allergic", "to", "[SEP]", "K?", "血圧", "\u200b", "é"]), max_size=40
)


@given(_WORDS.map(" ".join) | st.text(st.characters(exclude_categories=()), max_size=120))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read_and_each_span_stands_where_it_says(text: str) -> None:
    request = PACKAGED.request(text, before=(text,), asked=OpenQuestion("missing", text), patient_on_screen=True)
    place = 0
    for span in request.spans:
        assert place <= span.start < span.end <= len(text)
        assert span.text == text[span.start : span.end]
        assert span.ask is None or (span.type in TAKES[span.ask] and span.type not in WHO)
        place = span.end
    assert all(0 <= chance <= 1 for _, chance in request.probabilities)


@given(st.integers(0, 2**32 - 1), st.integers(0, 30))
@settings(deadline=None)
def test_no_span_goes_on_that_did_not_begin(seed: int, length: int) -> None:
    chances = np.random.default_rng(seed).dirichlet(np.full(len(TAGS), 0.1), size=length)
    chain = ["O", *(TAGS[number] for number in best_tags(chances))]
    assert len(chain) == length + 1
    for before, tag in pairwise(chain):
        assert not tag.startswith("I-") or before[2:] == tag[2:]


def test_four_threads_read_what_one_reads() -> None:
    texts = [ORDER, "What was her last potassium?", STORY, "Is warfarin safe with aspirin?"] * 3
    reader = LazyReader()
    with ThreadPoolExecutor(4) as threads:
        opened = {id(one) for one in threads.map(lambda _: reader.opened(), range(4))}
        together = list(threads.map(reader.request, texts))
    assert len(opened) == 1
    assert together == [PACKAGED.request(text) for text in texts]


def test_nothing_is_loaded_before_the_first_message() -> None:
    program = (
        "import sys; import docgemma.wiring.app\n"
        "from docgemma.reader.loading import PACKAGED, LazyReader; LazyReader()\n"
        "assert PACKAGED._opened is None\n"
        "assert not {'onnxruntime', 'numpy'} & sys.modules.keys(), sorted(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def copied(folder: Path) -> Path:
    """A folder with the weights that ship; the model as a link."""
    folder.mkdir()
    (folder / MODEL).symlink_to(WEIGHTS / MODEL)
    for name in (VOCABULARY, CARD):
        (folder / name).write_bytes((WEIGHTS / name).read_bytes())
    return folder


@pytest.mark.parametrize("name", [MODEL, VOCABULARY, CARD])
@pytest.mark.parametrize("harm", ["missing", "damaged", "empty"])
def test_weights_that_cannot_be_used_are_said_in_one_sentence(name: str, harm: str, tmp_path: Path) -> None:
    folder = copied(tmp_path / "weights")
    (folder / name).unlink()
    if harm != "missing":
        (folder / name).write_bytes(b"" if harm == "empty" else b"\x00\xff" * 100)
    assert_said(folder, "not in" if (name, harm) == (CARD, "missing") else name)


def test_no_folder_and_a_card_of_another_version_are_said(tmp_path: Path) -> None:
    assert_said(tmp_path / "nowhere", "not in")
    folder = copied(tmp_path / "weights")
    card = json.loads((folder / CARD).read_bytes())
    (folder / CARD).write_text(json.dumps(card | {"format": "docgemma-reader-0"}), encoding="utf-8")
    assert_said(folder, f"docgemma-reader-0, not {FORMAT}")
    (folder / CARD).write_text(json.dumps(card | {"thresholds": {}}), encoding="utf-8")
    assert_said(folder, "damaged")


def assert_said(folder: Path, what: str) -> None:
    with pytest.raises(Unavailable) as refused:
        LazyReader(folder).request("hello")
    said = str(refused.value)
    assert what in said
    assert str(folder) in said
    assert "make reader" in said
    assert "\n" not in said
    assert refused.value.__cause__ is None


def test_weights_that_were_mended_are_used_without_a_restart(tmp_path: Path) -> None:
    folder = copied(tmp_path / "weights")
    (folder / VOCABULARY).rename(folder / "elsewhere")
    reader = LazyReader(folder)
    with pytest.raises(Unavailable):
        reader.request("hello")
    (folder / "elsewhere").rename(folder / VOCABULARY)
    assert reader.request(ORDER).sure() == ("prescribe_medication",)
