"""The configuration page shows a file that can be read, and every key that there is."""

from __future__ import annotations

import re
from pathlib import Path

from tui.config.settings import load_settings

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"


def example() -> str:
    found = re.search(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def test_the_example_is_a_configuration(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(example(), "utf-8")
    settings = load_settings(file)
    endpoint = settings.endpoint()
    assert (endpoint.name, endpoint.dialect, endpoint.model) == ("gateway", "openai-chat", "large")
    assert [server.name for server in settings.mcp] == ["files", "remote"]
    assert settings.tools[2] == str(tmp_path / "my_tools.py")
    assert settings.approvals.tools == {"create_ticket": "ask"}
