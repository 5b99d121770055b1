"""Whatever happens in a session, no key is in any file that is left behind."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests import wire
from tests.net.loopback import End, Step, answer, chunk, serving, stream_head
from tests.wire import READING
from tui.cli import main
from tui.core.conversation import TurnSettings
from tui.net.http_source import Connection, HttpSource
from tui.recording.format import save
from tui.recording.recorder import RecordingSource
from tui.session.calls import CallRunner
from tui.session.portable.whole import gather
from tui.session.session import Session, Target
from tui.session.stored import StoredJournal
from tui.session.updates import Idle
from tui.store import Store
from tui.tools.dispatcher import Dispatcher
from tui.tools.policy import Policy
from tui.tools.registry import Registry

KEY, PASSWORD, HEADER = "sk-test-SECRET-0123456789", "PASS-WORD-9", "TOKEN-IN-A-HEADER"


async def talk(home: Path) -> str:
    """Good answers, refusals that repeat the key, a stream error; recorded and stored."""
    refused = answer(401, f'{{"error":{{"message":"bad key {KEY}"}}}}'.encode())
    good = [stream_head(), chunk(wire.prose_turn("fine")), chunk(b"")]
    broken: list[Step] = [
        stream_head(),
        chunk(wire.start() + wire.text(0, "half")),
        End.CLOSE,
    ]
    async with serving(good, [refused], broken) as server:
        inner = HttpSource(
            Connection(
                "work",
                f"http://user:{PASSWORD}@127.0.0.1:{server.port}",
                key=KEY,
                headers=(("x-extra-token", HEADER),),
                retries=0,
            )
        )
        source = RecordingSource(inner)
        with Store.open(home / "data" / "verbatim.sqlite") as store:
            conversation = store.create_conversation()
            journal = StoredJournal(store, conversation)
            registry = Registry([])
            session = Session(
                Target("work", "anthropic", source, TurnSettings("m")),
                journal=journal,
                reading=READING,
                calls=CallRunner(registry, Dispatcher(registry), Policy(), journal, lambda _: None),
            )
            for _ in range(4):  # The fourth finds nobody.
                session.send("hello")
                async for update in session.updates():
                    if isinstance(update, Idle):
                        break
                await session.wait_idle()
        await inner.aclose()
    for number, recording in enumerate(source.recordings):
        save(recording, home / "recordings" / str(number))
    return conversation


def test_no_file_that_a_session_leaves_holds_a_key(home: Path) -> None:
    conversation = asyncio.run(talk(home))
    for form in ("json", "html", "markdown", "sse"):
        out = home / "exports" / form
        assert main(["export", conversation, "--as", form, "-o", str(out)]) == 0
    with Store.open(home / "data" / "verbatim.sqlite") as store:
        whole = gather(store, conversation)
    # What is packed in the files (zlib, base64) is looked at unpacked.
    unpacked = repr(whole).encode()
    for exchange, chunks in whole.exchanges:
        unpacked += exchange.request_body + b"".join(data for _, data in chunks)
    assert b"hello" in unpacked
    assert not [secret for secret in (KEY, PASSWORD, HEADER) if secret.encode() in unpacked]
    files = [path for path in home.rglob("*") if path.is_file()]
    assert len(files) >= 10
    for path in files:
        data = path.read_bytes()
        for secret in (KEY, PASSWORD, HEADER):
            assert secret.encode() not in data, f"{path.name} holds {secret}"
        assert path.stat().st_mode & 0o077 == 0, f"{path.name} may be read by others"
