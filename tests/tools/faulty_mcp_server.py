"""An MCP server over stdio that misbehaves on request. Standard library only: it starts fast.

Speaks 2025-11-25. How it starts is its first argument; what goes wrong later is its tools' names.
"""

import json
import os
import sys
from typing import Any

TOOLS = [
    *("echo", "die", "garble", "hang", "grow", "flood", "odd.name", "content", "refuse", "ask"),
    *("roots", "sample"),
]
CONTENT = [
    {"type": "text", "text": '{"a": 1}'},
    {"type": "image", "mimeType": "image/jpeg", "data": "iVBORw0KGgoAAAAA"},
    {"type": "image", "mimeType": "image/png", "data": "bm90IGFuIGltYWdl"},
    {"type": "image", "mimeType": "image/png", "data": "%%%"},
    {"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="},
    {"type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": "text/plain"},
    {"type": "resource", "resource": {"uri": "demo://t", "mimeType": "text/plain", "text": "T"}},
    {"type": "resource", "resource": {"uri": "demo://b", "blob": "AAEC"}},
]


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def listed(name: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    return {
        "name": name,
        "description": f"Does {name}.",
        "inputSchema": schema,
        "annotations": {"readOnlyHint": name == "echo"},
    }


def page(cursor: str | None) -> dict[str, Any]:
    """Three tools a page, as a server with many would."""
    first = int(cursor or 0)
    tools = [listed(name) for name in TOOLS[first : first + 3]]
    more = {"nextCursor": str(first + 3)} if first + 3 < len(TOOLS) else {}
    return {"tools": tools, **more}


def call(request: Any, params: dict[str, Any]) -> None:
    name, meta = params["name"], params.get("_meta", {})
    arguments = params.get("arguments", {})
    result: dict[str, Any] = {"content": [{"type": "text", "text": arguments.get("text", "")}]}
    match name:
        case "die":
            say("out of paper")
            os._exit(7)
        case "garble":
            sys.stdout.write("this is not JSON\n\n{\n")
        case "hang":
            say(f"hanging as process {os.getpid()}")
            if "progressToken" in meta:
                progress = {"progressToken": meta["progressToken"], "progress": 1, "total": 4}
                send(method="notifications/progress", params={**progress, "message": "hanging"})
            return
        case "grow":
            TOOLS.append("grown")
            for _ in range(3):
                send(method="notifications/tools/list_changed")
        case "flood":
            say("x" * 3_000_000)
            say("flooded")
        case "content":
            result = {"content": CONTENT, "structuredContent": {"a": 1}}
        case "refuse":
            send(id=request, error={"code": -32602, "message": "not today"})
            return
        case "ask":
            schema = {"type": "object", "properties": {"size": {"type": "integer"}}}
            question = {"mode": "form", "message": "Which size?", "requestedSchema": schema}
            send(id=f"ask {request}", method="elicitation/create", params=question)
            return
        case "roots":
            send(id=f"ask {request}", method="roots/list")
            return
        case "sample":
            said = {"role": "user", "content": {"type": "text", "text": "Write me a poem"}}
            wanted = {"messages": [said], "maxTokens": 100}
            send(id=f"ask {request}", method="sampling/createMessage", params=wanted)
            return
        case "odd.name":
            result["isError"] = True
        case _:
            pass
    send(id=request, result=result)


def main() -> None:
    start = sys.argv[1]
    say(f"starting {start} as process {os.getpid()}")
    if start == "dies":
        sys.exit("no configuration found")
    for line in sys.stdin:
        message = json.loads(line)
        request, params = message.get("id"), message.get("params", {})
        if start == "silent":
            continue
        if str(request).startswith("ask "):
            answered = json.dumps(message.get("result", message.get("error")))
            content = [{"type": "text", "text": answered}]
            send(id=int(request.removeprefix("ask ")), result={"content": content})
            continue
        match message["method"]:
            case "initialize":
                say(f"capabilities {json.dumps(sorted(params['capabilities']))}")
                send(
                    id=request,
                    result={
                        "protocolVersion": "2025-11-25",
                        "capabilities": {"tools": {"listChanged": True}},
                        "serverInfo": {"name": "faulty", "version": "1"},
                    },
                )
            case "tools/list":
                send(id=request, result=page(params.get("cursor")))
            case "tools/call":
                call(request, params)
            case "notifications/cancelled":
                say(f"cancelled {params['requestId']}")
            case _ if request is not None:
                send(id=request, error={"code": -32601, "message": "no such method"})
            case _:
                pass


if __name__ == "__main__":
    main()
