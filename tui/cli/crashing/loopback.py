"""A small HTTP server on loopback, in threads, for programs that are tried out from outside."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class LoopbackServer:
    """Serves POST requests on a free port of 127.0.0.1 from construction to `close`.

    Args:
        answer: given the handler and the request's body, in a thread for each connection; writes
            the whole response. That the client goes away meanwhile is nobody's fault.
    """

    def __init__(self, answer: Callable[[BaseHTTPRequestHandler, bytes], None]) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                try:
                    answer(self, body)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                """Connections of a killed client are reset; whoever tries it out sees that."""

        self._http = Quiet(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def port(self) -> int:
        port: int = self._http.server_address[1]
        return port

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
