import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.errors import BadInput, DocGemmaError
from docgemma.knowledge.reading.contract import Note, Problem, Row
from docgemma.knowledge.reading.jsonl import LONGEST_LINE
from tests.knowledge.reading.reading import entries, of_lines, of_text, problems, reading

GOOD = '{"question": "A?", "answer": "B"}'

BAD = {
    "not json": ("{question: A}", "not one JSON object"),
    "array": ('["A?", "B"]', "not one JSON object"),
    "text": ('"A?"', "not one JSON object"),
    "cut": (GOOD[:-1], "not one JSON object"),
    "two objects": (GOOD + GOOD, "not one JSON object"),
    "twice": ('{"question": "A?", "answer": "B", "answer": "C"}', "stands twice"),
    "twice inside": ('{"question": "A?", "answer": "B", "more": {"x": 1, "x": 2}}', "stands twice"),
    "two names": ('{"question": "A?", "CAUHOI": "C?", "answer": "B"}', "two columns for the question"),
    "number": ('{"question": "A?", "answer": 5}', "The answer is not text"),
    "list": ('{"question": "A?", "answer": ["B"]}', "The answer is not text"),
    "truth": ('{"question": "A?", "answer": true}', "The answer is not text"),
    "not a number": ('{"question": "A?", "answer": NaN}', "The answer is not text"),
    "id is true": ('{"question": "A?", "answer": "B", "id": true}', "The id is not text"),
    "null": ('{"question": "A?", "answer": null}', "There is no answer"),
    "no answer": ('{"question": "A?"}', "There is no answer"),
    "endless number": ('{"question": "A?", "answer": ' + "9" * 5_000 + "}", "not one JSON object"),
    "deep": ('{"question": "A?", "answer": "B", "x": ' + "[" * 100_000 + "]" * 100_000 + "}", "not one JSON object"),
    "long": ('{"question": "A?", "answer": "' + "x" * LONGEST_LINE + '"}', "more than 1,000,000 characters"),
}


@pytest.mark.parametrize(("line", "reason"), BAD.values(), ids=BAD)
def test_a_broken_line_is_a_problem_and_the_rest_goes_on(tmp_path: Path, line: str, reason: str) -> None:
    found = reading(of_text(tmp_path, f"{GOOD}\n\n{line}\n{GOOD.replace('A?', 'Z?')}", "kb.jsonl"))
    assert [one.row for one in found] == [1, 3, 4]
    assert isinstance(found[1], Problem)
    assert reason in found[1].text
    assert isinstance(found[2], Row)


def test_a_line_of_exactly_the_limit_is_read_and_the_next_one_too(tmp_path: Path) -> None:
    line = GOOD + " " * (LONGEST_LINE - len(GOOD))
    assert len(entries(of_text(tmp_path, f"{line}\n{GOOD.replace('A?', 'Z?')}\n", "kb.jsonl"))) == 2


def test_the_first_object_without_an_answer_names_the_keys(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no column for the answer. Columns found: 'question', 'reply'"):
        reading(of_lines(tmp_path, {"question": "A?", "reply": "B"}))


def test_unused_keys_are_told_once(tmp_path: Path) -> None:
    notes: list[Note] = []
    rows = [
        {"question": f"{number}?", "answer": "B", "extra": 1, **({"more": []} if number else {})} for number in range(5)
    ]
    entries(of_lines(tmp_path, *rows), notes=notes)
    assert [str(note) for note in notes] == ["kb.jsonl: Columns that are not used: 'extra', 'more'."]


def test_whole_numbers_are_ids(tmp_path: Path) -> None:
    assert entries(of_lines(tmp_path, {"id": 17, "question": "A?", "answer": "B"}))[0].id == "17"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marks_at_the_beginning_are_understood(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "kb.ndjson"
    path.write_bytes(GOOD.encode(encoding))
    assert len(entries(path)) == 1


def test_an_array_is_read_with_the_lines_of_its_objects(tmp_path: Path) -> None:
    rows = [{"question": f"{number}?", "answer": "B"} for number in range(3)]
    found = reading(of_text(tmp_path, json.dumps(rows, indent=1), "kb.json"))
    assert [one.row for one in found if isinstance(one, Row)] == [2, 6, 10]


def test_a_bad_object_in_an_array_is_a_problem_and_the_rest_goes_on(tmp_path: Path) -> None:
    text = f'[{GOOD},\n{{"question": "C?", "answer": "x", "answer": "y"}},\n5,\n{GOOD.replace("A?", "Z?")}]'
    found = reading(of_text(tmp_path, text, "kb.json"))
    assert [isinstance(one, Row) for one in found] == [True, False, False, True]
    assert [one.row for one in found] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "text",
    ["", "[]", GOOD, "[", f"[{GOOD}", f"[{GOOD},]", f"[{GOOD}] x", f"[{GOOD} {GOOD}]", "[" * 100_000, '["' + "\\"],
    ids=["nothing", "no entries", "object", "open", "not closed", "comma", "behind", "no comma", "deep", "escape"],
)
def test_what_is_no_array_is_refused_as_a_whole(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput):
        reading(of_text(tmp_path, text, "kb.json"))


def test_a_file_without_any_object_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no entries"):
        reading(of_text(tmp_path, "\n\n", "kb.jsonl"))


@pytest.mark.parametrize("name", ["kb.jsonl", "kb.json"])
def test_another_encoding_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b'[{"question": "A?", "answer": "\xe9"}]')
    with pytest.raises(BadInput, match=r"not text in UTF-8 \(line 1\)"):
        reading(path)


def test_the_demonstration_entries_can_be_read() -> None:
    import docgemma.knowledge

    folder = Path(docgemma.knowledge.__file__).parent / "demo"
    assert len(entries(folder, role="", language="", source="", topic="")) > 20


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3)
)
KEYS = st.sampled_from(["question", "answer", "CAUHOI", "topic", "id", "reviewed", "url", "x", "role", "language"])


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.dictionaries(KEYS, JSON, max_size=6), max_size=4),
    st.binary(max_size=20),
    st.sampled_from(["kb.jsonl", "kb.json"]),
)
def test_no_json_brings_the_reader_down(rows: list[dict[str, object]], tail: bytes, name: str) -> None:
    lines = "\n".join(map(json.dumps, rows)) if name == "kb.jsonl" else json.dumps(rows)
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(lines.encode() + tail)
        try:
            reading(path)
        except DocGemmaError as error:
            assert str(error).isprintable()


def test_problems_are_one_line_each(tmp_path: Path) -> None:
    assert problems(of_lines(tmp_path, {"question": "A?", "answer": "B", "id": "a\nb"}))[0][1].isprintable()
