"""`verbatim demo-server`: the embedded demo model behind a loopback port, for other clients."""

from __future__ import annotations

import argparse
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8642, help="0 takes a free one (default 8642)")
    parser.add_argument("--seed", type=int, default=0, help="how text is cut and paced")
    parser.add_argument("--speed", type=float, default=1.0, help="2 is twice as fast")


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from tui.demo.server import serve

    serve(arguments.port, seed=arguments.seed, speed=arguments.speed, ready=_say_where)
    return 0


def _say_where(base_url: str) -> None:
    print(
        f"The demo (scripted, no model) answers at {base_url}\n"
        f"  Anthropic Messages       base URL {base_url}\n"
        f"  OpenAI Chat, Responses   base URL {base_url}/v1\n"
        "No key is needed. Ctrl+C ends it.",
        file=sys.stderr,
        flush=True,
    )
