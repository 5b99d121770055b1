"""`verbatim record`: one exchange with an endpoint, kept as a recording.

The request is a prompt, written by the endpoint's dialect, or a body read from a file and sent
as it stands. No tool is run: what is wanted is the stream.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tui.cli import compose
from tui.core.errors import EndpointError, UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", metavar="OUT", help="writes OUT.sse and OUT.json")
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--prompt", metavar="TEXT", help="- reads standard input")
    asked.add_argument("--request", metavar="FILE", help="a request body, sent as it stands")
    parser.add_argument("--overwrite", action="store_true")
    compose.add_endpoint_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Record; 0 when the response was complete, 3 when the endpoint refused or it broke."""
    import asyncio

    return asyncio.run(_record(arguments))


async def _record(arguments: argparse.Namespace) -> int:
    from tui.core import dialects
    from tui.core.conversation import TextPart, TurnRequest, UserMessage
    from tui.core.source import WireRequest
    from tui.recording.format import save
    from tui.recording.recorder import RecordingSource

    setting = compose.read_setting()
    endpoint = compose.endpoint_of(arguments, setting)
    target = compose.make_target(
        endpoint, setting.environment, system=arguments.system or setting.settings.system
    )
    source = RecordingSource(target.source, endpoint=target.name, model=target.settings.model)
    registry = compose.make_registry(
        compose.tool_specs(arguments, setting.settings, endpoint), setting
    )
    async with registry:
        if arguments.request:
            paths = {
                "anthropic": "/v1/messages",
                "openai-chat": "/chat/completions",
                "openai-responses": "/responses",
            }
            headers = (
                (("anthropic-version", "2023-06-01"),) if target.dialect == "anthropic" else ()
            )
            request = WireRequest(
                target.dialect, paths[target.dialect], _body(arguments.request), headers
            )
        else:
            prompt = sys.stdin.read() if arguments.prompt == "-" else arguments.prompt
            message = UserMessage((TextPart(prompt),))
            request = (
                dialects.load(target.dialect)
                .encode(TurnRequest(target.settings, (message,), registry.specs()))
                .request
            )
    trouble: EndpointError | None = None
    try:
        async with source.open(request) as response:
            async for _ in response.chunks():
                pass
    except EndpointError as error:
        trouble = error
    finally:
        if (close := getattr(target.source, "aclose", None)) is not None:
            await close()
    if not source.recordings:
        raise trouble or EndpointError("no response came")
    recording = source.recordings[0]
    path = save(recording, Path(arguments.out), overwrite=arguments.overwrite)
    print(
        f"{path}: {len(recording.body)} bytes in {len(recording.chunks)} chunks, "
        f"{recording.ending}{f' ({recording.problem})' if recording.problem else ''}",
        file=sys.stderr,
    )
    failed = (
        recording.ending != "complete" or recording.head is None or recording.head.status >= 300
    )
    return 3 if failed else 0


def _body(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {name!r}: {error.strerror}") from error
