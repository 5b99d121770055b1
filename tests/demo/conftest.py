"""The demo server on a loopback port, for the tests that need real HTTP."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def demo_url() -> Iterator[str]:
    """The base URL, without `/v1`, of a demo server that waits for nothing."""
    pytest.importorskip("uvicorn", reason="the extra `server` is not installed")
    from tui.demo.server import HOST, build_app, listening, server_for

    server = server_for(build_app(speed=math.inf))
    with listening(0) as listener:
        # The listener accepts (and queues) connections before the server runs: nothing to wait for.
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield f"http://{HOST}:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(timeout=10)
    assert not thread.is_alive()
