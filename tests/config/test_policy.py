"""Approval rules written back: one line changes, the person's file stays the person's."""

import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.config import ConfigError, load_settings, update_policy


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "below" / "config.toml"


def updated(file: Path, text: str, name: str = "look_up") -> str:
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode())
    update_policy(file, name, "allow")
    return file.read_bytes().decode()


def test_a_file_that_does_not_exist_is_made(file: Path) -> None:
    update_policy(file, "look_up", "deny")
    update_policy(file, "MCP server files", "allow", scope="origins")
    approvals = load_settings(file).approvals
    assert approvals.tools == {"look_up": "deny"}
    assert approvals.origins == {"MCP server files": "allow"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "# mine\nmax_turns = 3 # few\n",
            '# mine\nmax_turns = 3 # few\n\n[approval.tools]\nlook_up = "allow"\n',
        ),
        ("max_turns = 3", 'max_turns = 3\n\n[approval.tools]\nlook_up = "allow"\n'),
        (
            '[approval.tools]\na = "ask" # one\n\n# about the next\n[keymap]\n',
            '[approval.tools]\na = "ask" # one\nlook_up = "allow"\n\n# about the next\n[keymap]\n',
        ),
        (
            '[ approval . tools ] # rules\nlook_up = "ask"  # hm\nb = "deny"\n',
            '[ approval . tools ] # rules\nlook_up = "allow"  # hm\nb = "deny"\n',
        ),
        ("[approval.tools]", '[approval.tools]\nlook_up = "allow"\n'),
        ("[approval.tools]\n\"look_up\" = 'deny'", '[approval.tools]\nlook_up = "allow"\n'),
        (
            '[approval.tools]\r\nlook_up_too = "ask"\r\n',
            '[approval.tools]\r\nlook_up_too = "ask"\r\nlook_up = "allow"\r\n',
        ),
        (
            'system = """\n[approval.tools_]\n"""\n[approval]\nmode = "all"\n',
            'system = """\n[approval.tools_]\n"""\n[approval]\nmode = "all"\n'
            '\n[approval.tools]\nlook_up = "allow"\n',
        ),
        ("# a\u2028b\n", '# a\u2028b\n\n[approval.tools]\nlook_up = "allow"\n'),
    ],
)
def test_one_line_is_added_or_changed_and_nothing_else(file: Path, old: str, new: str) -> None:
    assert updated(file, old) == new
    assert load_settings(file).approvals.tools["look_up"] == "allow"


def test_the_same_rule_twice_is_one_line(file: Path) -> None:
    once = updated(file, "")
    assert updated(file, once) == once


@pytest.mark.parametrize(
    "text",
    [
        'approval = {tools = {a = "ask"}}\n',
        '[approval]\ntools = {a = "ask"}\n',
        '[approval]\ntools.a = "ask"\n',
        '[approval.tools]\nlook_up = """ask"""\n',
        'system = """\n[approval.tools]\n"""\n',
        "not toml",
        "tools = 1\n[approval]\ntools = 5\n",
    ],
)
def test_what_cannot_be_edited_safely_is_left_alone_with_the_line_to_add(
    file: Path, text: str
) -> None:
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(ConfigError, match="could not be written") as caught:
        update_policy(file, "look_up", "allow")
    assert caught.value.hint.endswith('the line look_up = "allow"')
    assert file.read_text() == text
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@given(name=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_name_can_be_written_and_read_back(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("policy") / "config.toml"
    file.write_text("[approval.tools]\nother = 'ask'\n")
    update_policy(file, name, "allow")
    update_policy(file, name, "deny")
    rules = tomllib.loads(file.read_text(encoding="utf-8"))["approval"]["tools"]
    assert rules == {"other": "ask", name: "deny"}


def test_permissions_and_links_are_kept(file: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("")
    real.chmod(0o600)
    file.parent.mkdir()
    file.symlink_to(real)
    update_policy(file, "look_up", "allow")
    assert file.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert load_settings(real).approvals.tools == {"look_up": "allow"}
