from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.config import Settings, load_settings
from docgemma.errors import BadInput


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "home" / "config.toml"
    file.parent.mkdir()
    return file


def test_flag_beats_environment_beats_file_beats_default(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().model == "auto"
    config.write_text('model = "openai"\nmodel_name = "from-file"')
    assert load_settings().model == "openai"
    monkeypatch.setenv("DOCGEMMA_MODEL", "llamacpp")
    assert load_settings().model == "llamacpp"
    assert load_settings(model="rules").model == "rules"
    assert load_settings(model=None).model_name == "from-file"


def test_home_is_where_docgemma_home_says(tmp_path: Path) -> None:
    assert load_settings().home == tmp_path / "home"


def test_a_relative_home_does_not_move_with_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOCGEMMA_HOME", "here")
    assert load_settings().home == tmp_path / "here"


def test_tool_servers_come_from_their_tables(config: Path) -> None:
    config.write_text('[tool_servers.check_drug_safety]\nurl = "https://mcp.example/mcp/"\npin = "abc"')
    server = load_settings().tool_servers["check_drug_safety"]
    assert (server.url, server.pin, server.allow_writes) == ("https://mcp.example/mcp", "abc", False)


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCGEMMA_MODEL_URL", "")
    assert load_settings().model_url is None


def test_settings_built_by_a_program_ignore_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCGEMMA_MODEL", "openai")
    assert Settings().model == "auto"


def test_secrets_are_not_shown() -> None:
    settings = load_settings(token="hush-token", database_url="postgresql://u:hush-db@h/d", model_api_key="hush-key")
    assert "hush" not in repr(settings)
    assert settings.token is not None
    assert settings.token.get_secret_value() == "hush-token"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('modle = "rules"', "Did you mean 'model'"),
        ("nothing_like_it = 1", "unknown key 'nothing_like_it'"),
        ("model = ", "not valid TOML"),
        ('model = "gpt"', "'model'"),
        ('model_url = "localhost:8000"', "'model_url'"),
        ('model_url = "http://[::1"', "'model_url'"),
        ("model_timeout_s = 0", "'model_timeout_s'"),
        ('shortcuts = "perhaps"', "'shortcuts'"),
        ("batch_concurrency = 1000", "'batch_concurrency'"),
        ("card_minutes = 0", "'card_minutes'"),
        ("card_minutes = 1441", "'card_minutes'"),
        ('prescriber = "sometimes"', "'prescriber'"),
        ('[tool_servers.x]\npin = "p"', "'tool_servers.x.url'"),
        ('[tool_servers.x]\nurl = "http://h"\nallow = true', "'tool_servers.x.allow'"),
    ],
)
def test_a_mistake_in_the_file_names_key_and_file_in_one_line(config: Path, text: str, key: str) -> None:
    config.write_text(text)
    with pytest.raises(BadInput) as caught:
        load_settings()
    assert key in str(caught.value)
    assert str(config) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_binary_file_is_refused_in_one_line(config: Path) -> None:
    config.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="not UTF-8"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [("DOCGEMMA_MODEL", "hush"), ("DOCGEMMA_MODEL_URL", "hush"), ("DOCGEMMA_TOOL_DEADLINE_S", "hush")],
)
def test_a_mistake_in_the_environment_names_the_variable_and_not_its_value(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(BadInput) as caught:
        load_settings()
    assert name in str(caught.value)
    assert value not in str(caught.value)


@pytest.mark.parametrize("value", ["{broken", '{"x": {}}', "3"])
def test_tool_servers_in_the_environment_must_be_json_tables(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("DOCGEMMA_TOOL_SERVERS", value)
    with pytest.raises(BadInput, match=r"(?i)tool_servers"):
        load_settings()


def test_a_mistake_in_a_flag_names_the_option() -> None:
    with pytest.raises(BadInput, match="--model-url"):
        load_settings(model_url="nowhere")
