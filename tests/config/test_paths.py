"""Where things lie."""

from pathlib import Path

import platformdirs
import pytest

from tui.config import Paths


def test_verbatim_home_moves_everything_below_it(tmp_path: Path) -> None:
    paths = Paths.from_environment({"VERBATIM_HOME": str(tmp_path)})
    assert paths == Paths(tmp_path / "config", tmp_path / "data", tmp_path / "state")
    assert paths.config_file == tmp_path / "config" / "config.toml"
    assert paths.themes == tmp_path / "config" / "themes"
    assert list(tmp_path.iterdir()) == []


def test_a_relative_home_is_taken_from_where_the_program_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Paths.from_environment({"VERBATIM_HOME": "here"}).data == tmp_path / "here" / "data"


@pytest.mark.parametrize("environment", [{}, {"VERBATIM_HOME": ""}])
def test_without_it_the_platform_decides(environment: dict[str, str]) -> None:
    paths = Paths.from_environment(environment)
    assert paths.config == Path(platformdirs.user_config_dir("verbatim", appauthor=False))
    assert paths.data == Path(platformdirs.user_data_dir("verbatim", appauthor=False))
    assert paths.state == Path(platformdirs.user_state_dir("verbatim", appauthor=False))
