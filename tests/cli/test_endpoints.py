"""`verbatim endpoints`: what can be named, what is missing, what was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui.cli import compose, main
from tui.store import Store


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    main(["endpoints", "--json", *arguments])
    value: dict[str, object] = json.loads(capsys.readouterr().out)
    return value


def test_every_preset_is_listed_with_what_it_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    found = listed(capsys)["endpoints"]
    assert isinstance(found, list)
    by_name = {each["name"]: each for each in found}
    assert by_name["demo"]["ready"] is True
    assert by_name["anthropic"]["missing"] == ["ANTHROPIC_API_KEY is not set"]
    assert {"ollama", "llamacpp", "lmstudio", "vllm", "openrouter", "azure"} <= set(by_name)


def test_the_findings_made_at_an_endpoint_are_counted(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    assert listed(capsys, "demo")["findings"] == {}
    with Store.open(compose.read_setting().store_path) as store:
        store.count_findings("demo", "chat.index-missing", 3)
        store.flush()
    assert listed(capsys, "demo")["findings"] == {"chat.index-missing": 3}


def test_an_endpoint_that_does_not_exist_is_a_usage_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["endpoints", "nowhere"]) == 2
    assert "there is no endpoint 'nowhere'" in capsys.readouterr().err
