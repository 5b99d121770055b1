from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tui.store.owners import Owner, is_alive, sweep

HOLDER = """
import sys
from pathlib import Path
from tui.store.owners import Owner
print(Owner(Path(sys.argv[1])).token, flush=True)
sys.stdin.readline()
"""


def test_an_owner_is_alive_until_it_is_released(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    one, two = Owner(database), Owner(database)
    assert one.token != two.token
    assert is_alive(database, one.token)
    one.release()
    assert not is_alive(database, one.token)
    assert is_alive(database, two.token)
    two.release()


def test_an_owner_in_another_process_is_alive_until_that_is_killed(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    token = process.stdout.readline().strip()
    assert is_alive(database, token)
    process.kill()
    process.communicate()
    lock = tmp_path / "a.db.owners" / token
    assert lock.exists()
    assert not is_alive(database, token)
    assert not lock.exists()


def test_sweeping_removes_the_locks_of_the_dead_only(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    living = Owner(database)
    dead = tmp_path / "a.db.owners" / ("0" * 24)
    dead.write_bytes(b"")
    sweep(database)
    assert [p.name for p in dead.parent.iterdir()] == [living.token]
    living.release()


def test_a_token_from_a_damaged_file_names_no_other_file(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"")
    (tmp_path / "a.db.owners").mkdir()
    for token in ("../precious", "", ".", "a/b"):
        assert not is_alive(tmp_path / "a.db", token)
    assert precious.exists()
