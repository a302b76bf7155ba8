"""What can be said of a model file and of this machine's memory before anything is loaded."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docgemma.errors import Unavailable
from docgemma.llm.engine import free_bytes, memory_left
from docgemma.llm.gguf import GgufFile, read_gguf

GB = 10**9


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def entry(key: str, value: int | str | list[int] | list[str]) -> bytes:
    if isinstance(value, str):
        return text(key) + struct.pack("<I", 8) + text(value)
    if isinstance(value, int):
        return text(key) + struct.pack("<II", 4, value)
    texts = [item for item in value if isinstance(item, str)]
    if texts:
        return text(key) + struct.pack("<IIQ", 9, 8, len(texts)) + b"".join(map(text, texts))
    return text(key) + struct.pack(f"<IIQ{len(value)}I", 9, 4, len(value), *value)


ENTRIES: Mapping[str, int | str | list[int] | list[str]] = {
    "general.architecture": "gemma3",
    "gemma3.context_length": 4096,
    "gemma3.block_count": 34,
    "gemma3.embedding_length": 2560,
    "gemma3.attention.head_count": 8,
    "gemma3.attention.head_count_kv": 4,
    "gemma3.attention.key_length": 256,
    "gemma3.attention.value_length": 256,
    "tokenizer.ggml.tokens": ["<pad>", "<eos>", "of"],
    "tokenizer.ggml.token_type": [3, 3, 1],
}


def model_file(entries: Mapping[str, int | str | list[int] | list[str]] = ENTRIES, tensor_bytes: int = 4096) -> bytes:
    """A header with two tensors, and their bytes."""
    tensors = b"".join(
        text(f"blk.{number}") + struct.pack("<IQIQ", 1, 1024, 0, number * tensor_bytes // 2) for number in range(2)
    )
    head = b"GGUF" + struct.pack("<IQQ", 3, 2, len(entries)) + b"".join(entry(*item) for item in entries.items())
    padding = -(len(head) + len(tensors)) % 32
    return head + tensors + bytes(padding + tensor_bytes)


def written(folder: Path, data: bytes) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(data)
    return path


def test_a_header_tells_what_a_conversation_costs(tmp_path: Path) -> None:
    file = read_gguf(written(tmp_path, model_file()))
    assert file.trained_context == 4096
    assert file.context_bytes(4096) == 34 * 4 * (256 + 256) * 2 * 4096
    assert file.size == len(model_file())


def test_other_ways_to_say_it(tmp_path: Path) -> None:
    plain = {key: value for key, value in ENTRIES.items() if "length" not in key or "embedding" in key}
    read = read_gguf(written(tmp_path, model_file(plain)))
    assert (read.trained_context, read.context_bytes(1)) == (None, 34 * 4 * 2 * (2560 // 8) * 2)
    by_layer = read_gguf(written(tmp_path, model_file({**ENTRIES, "gemma3.attention.head_count_kv": [4] * 33 + [0]})))
    assert by_layer.context_bytes(1) == 33 * 4 * 512 * 2
    assert read_gguf(written(tmp_path, model_file({"general.architecture": "new"}))).context_bytes(99) == 0
    parts = read_gguf(written(tmp_path, model_file({**ENTRIES, "split.count": 3})))
    assert parts.size == 3 * parts.path.stat().st_size


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "There is no file .*DOCGEMMA_GGUF"),
        (b"", "is not a GGUF file"),
        (b"PK\x03\x04 something else", "is not a GGUF file"),
        (b"GGUF", "damaged or incomplete. Fetch it again"),
        (b"GGUF" + struct.pack("<IQQ", 77, 1, 1), "damaged or incomplete"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1, 2**60), "damaged or incomplete"),
        (model_file()[:-2048], "its end is missing. Fetch it again"),
    ],
    ids=["missing", "empty", "another format", "magic alone", "unknown version", "nonsense", "cut"],
)
def test_a_file_that_cannot_be_used_is_told_in_one_sentence(tmp_path: Path, data: bytes | None, words: str) -> None:
    path = tmp_path / "model.gguf"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(Unavailable, match=words):
        read_gguf(path)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be read"):
        read_gguf(tmp_path)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(at=st.integers(4, 700), byte=st.integers(0, 255), cut=st.integers(0, 600))
def test_damage_is_either_told_or_harmless(tmp_path: Path, at: int, byte: int, cut: int) -> None:
    data = bytearray(model_file(tensor_bytes=64))
    data[min(at, len(data) - 1)] = byte
    path = written(tmp_path, bytes(data[: len(data) - cut]))
    try:
        assert read_gguf(path).context_bytes(10) >= 0
    except Unavailable as error:
        assert str(path) in str(error)


def test_a_model_larger_than_the_memory_is_refused_with_what_helps() -> None:
    file = GgufFile(Path("medgemma.gguf"), 3 * GB, dict.fromkeys(["x"], 1))
    with pytest.raises(Unavailable, match=r"medgemma.gguf needs about 3.3 GB of memory .*8192.* and 900 MB are free"):
        memory_left(file, 8192, 900_000_000)
    assert memory_left(file, 8192, 4 * GB) == (4 * GB - 3 * GB - (256 << 20)) // 2
    assert memory_left(file, 8192, 64 * GB) == 1 << 30
    assert memory_left(file, 8192, None) == 1 << 30, "nothing is known of the memory: the engine may try"


def machine(root: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


MEMINFO = {"proc/meminfo": "MemTotal:       16000000 kB\nMemAvailable:    8000000 kB\n"}


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({}, None),
        (MEMINFO, 8_000_000 * 1024),
        (MEMINFO | {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 8_000_000 * 1024),
        (
            MEMINFO
            | {
                "proc/self/cgroup": "0::/user/app\n",
                "sys/fs/cgroup/user/memory.max": "2000\n",
                "sys/fs/cgroup/user/memory.current": "1500\n",
                "sys/fs/cgroup/user/memory.stat": "anon 7\ninactive_file 100\n",
            },
            600,
        ),
        (
            MEMINFO
            | {
                "proc/self/cgroup": "5:cpu:/\n4:memory:/\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "1000\n",
                "sys/fs/cgroup/memory/memory.usage_in_bytes": "1200\n",
            },
            0,
        ),
    ],
    ids=["unknown", "machine", "no limit", "group above", "first layout, used up"],
)
def test_the_memory_that_is_left(tmp_path: Path, files: Mapping[str, str], free: int | None) -> None:
    assert free_bytes(machine(tmp_path, files)) == free
