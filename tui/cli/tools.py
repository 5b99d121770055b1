"""`verbatim tools`: what tools look like to a model and to each provider; one called by hand."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any, Final

from tui.cli import compose
from tui.core import dialects
from tui.core.errors import UsageError
from tui.core.plaintext import clean, clean_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.core.conversation import ToolSpec
    from tui.session.opening import Opening
    from tui.tools.dispatcher import Outcome
    from tui.tools.inspect import SchemaFinding
    from tui.tools.policy import Policy
    from tui.tools.registry import Registered, Registry

CALL: Final = "call"
_WHO: Final = {
    "any": "every provider",
    "openai-strict": "OpenAI, were strict asked for",
    "anthropic": "Anthropic",
    "gemini": "Gemini",
}
_VERDICTS: Final = {"allow": "runs unasked", "ask": "asks first", "deny": "is denied"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.usage = (
        "verbatim tools [--json] [--dialect D] [SPEC ...]\n"
        "       verbatim tools call [--json] [--tools SPEC] NAME [JSON|-]"
    )
    parser.description = (
        "Without SPEC: the configured tools and MCP servers. A SPEC is what --tools takes:\n"
        "shop, time, files:DIR, fetch, shell, a .py, .toml or .json file, mcp:FILE.\n\n"
        "`call` runs one tool with arguments checked as a model's would be; nobody is asked.\n"
        "Its exit status: 0 returned, 1 failed or invalid, 2 usage."
    )
    parser.add_argument("words", nargs="*", metavar="SPEC", help=argparse.SUPPRESS)
    parser.add_argument(
        "--tools", action="append", metavar="SPEC", help="where `call` finds its tool; repeatable"
    )
    parser.add_argument("--dialect", choices=dialects.NAMES, help="only as this one writes it")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """List: 1 when something gives no tools or every provider would refuse one. Or call one."""
    import asyncio

    words: list[str] = arguments.words
    is_call = words[:1] == [CALL]
    if is_call and not 2 <= len(words) <= 3:
        raise UsageError(
            "a call needs the name of a tool, and its arguments as one JSON object",
            hint="""verbatim tools call current_time '{"timezone": "Europe/Berlin"}' --tools time""",
        )
    given = list(arguments.tools or ()) + ([] if is_call else words)
    setting = compose.read_setting()
    named = given or compose.tool_specs(arguments, setting.settings, setting.settings.endpoint())
    # Whoever names tools wants to see those, not to start every configured server.
    registry = compose.make_registry(named, setting, with_servers=not given)
    if is_call:
        raw = words[2] if len(words) == 3 else "{}"
        raw = sys.stdin.read() if raw == "-" else raw
        return asyncio.run(_call(registry, words[1], raw, as_json=arguments.json))
    policy = compose.make_policy(setting.settings, None, interactive=True)
    names = [arguments.dialect] if arguments.dialect else list(dialects.NAMES)
    return asyncio.run(_list(registry, policy, names, as_json=arguments.json))


async def _opened(registry: Registry) -> Opening:
    from tui.session.opening import Opening

    opening = Opening(registry)
    opening.begin()
    await opening.all(waiting=compose.tell_waiting)
    return opening


# Listing ----------------------------------------------------------------------------------


async def _list(registry: Registry, policy: Policy, names: Sequence[str], *, as_json: bool) -> int:
    opening = await _opened(registry)
    try:
        entries = [_described(entry, policy, names) for entry in registry.entries()]
        problems = [
            {"origin": each.origin, "problem": str(each.error), "hint": each.error.hint}
            for each in registry.problems
        ]
        problems += [
            {"origin": source.origin, "problem": "it has not started in time", "hint": ""}
            for source in registry.opening
        ]
    finally:
        await opening.stop()
        await registry.close()
    if as_json:
        print(json.dumps({"tools": entries, "problems": problems}))
    else:
        _print(entries, problems, indented=len(names) == 1)
    refused = any(
        finding["provider"] == "any" and finding["severity"] == "error"
        for entry in entries
        for finding in entry["findings"]
    )
    return 1 if problems or refused else 0


def _described(entry: Registered, policy: Policy, names: Sequence[str]) -> dict[str, Any]:
    from tui.tools.inspect import inspect
    from tui.tools.policy import decide

    spec, tool = entry.spec, entry.tool
    verdict = decide(spec, entry.origin, policy, trusted=tool.trusted, rule_name=entry.rule_name)
    wire, left_out = {}, {}
    for name in names:
        wire[name], left_out[name] = as_written(spec, name)
    return {
        "name": spec.name,
        "own_name": tool.spec.name,
        "rule_name": entry.rule_name,
        "origin": entry.origin,
        "description": spec.description,
        "kind": spec.kind,
        "read_only": spec.read_only,
        "trusted": tool.trusted,
        "claims": list(getattr(tool, "hints", ())),
        "answered_by_hand": tool.answered_by_hand,
        "policy": {"rule": verdict.rule, "reason": verdict.reason},
        "schema": spec.schema,
        "wire": wire,
        "left_out": {name: words for name, words in left_out.items() if words},
        "findings": [_plain(finding) for finding in inspect(spec)],
    }


def as_written(spec: ToolSpec, dialect: str) -> tuple[Any, str]:
    """How `dialect` writes this tool into a request, and why not where it leaves it out."""
    from tui.core.conversation import TextPart, TurnRequest, TurnSettings, UserMessage

    message = UserMessage((TextPart("-"),))
    request = TurnRequest(TurnSettings("any"), (message,), (spec,))
    encoded = dialects.load(dialect).encode(request)
    tools = json.loads(encoded.request.body).get("tools") or [None]
    return tools[0], " ".join(encoded.left_out)


def _plain(finding: SchemaFinding) -> dict[str, str]:
    return {
        "provider": finding.provider,
        "severity": finding.severity,
        "path": finding.path,
        "message": finding.message,
    }


def _print(
    entries: Sequence[dict[str, Any]], problems: Sequence[dict[str, str]], *, indented: bool
) -> None:
    origin = None
    for entry in entries:
        if entry["origin"] != origin:
            origin = entry["origin"]
            print(f"{clean_line(origin)}")
        print(f"\n  {clean_line(entry['name'])} · {_effect(entry)} · {_ruling(entry)}")
        for line in clean(entry["description"]).splitlines():
            print(f"    {line}")
        for name, written in entry["wire"].items():
            text = json.dumps(written, ensure_ascii=False, indent=2 if indented else None)
            if written is None:
                text = entry["left_out"].get(name, "left out")
            if indented:
                text = "\n      ".join(["", *clean(text).splitlines()])
                print(f"    {name}{text}")
            else:
                print(f"    {name:17}{clean_line(text)}")
        for finding in entry["findings"]:
            mark = "✗" if finding["severity"] == "error" else "!"
            place = f"{finding['path']}: " if finding["path"] else ""
            words = f"{_WHO[finding['provider']]}: {place}{finding['message']}"
            print(f"    {mark} {clean_line(words)}")
        print()
    if not entries:
        print("No tools are on offer.")
    for problem in problems:
        print(f"✗ {clean_line(problem['origin'])}: {clean_line(problem['problem'])}")
        if problem["hint"]:
            print(f"  {clean_line(problem['hint'])}")


def _effect(entry: dict[str, Any]) -> str:
    if entry["answered_by_hand"]:
        words = "answered by hand"
    elif entry["read_only"] and entry["trusted"]:
        words = "reads only"
    else:
        words = "may change things"
    claims = ", ".join(entry["claims"])
    return f"{words} (the server says: {claims})" if claims else words


def _ruling(entry: dict[str, Any]) -> str:
    policy = entry["policy"]
    return f"{_VERDICTS[policy['rule']]}: {clean_line(policy['reason'])}"


# Calling ----------------------------------------------------------------------------------


async def _call(registry: Registry, name: str, raw: str, *, as_json: bool) -> int:
    from tui.core.finalise import Invalid, finalise
    from tui.core.states import CallState
    from tui.tools.dispatcher import Dispatcher

    opening = await _opened(registry)
    try:
        entry = registry.get(name)
        call = finalise(
            ref="by-hand",
            id=None,
            name=name,
            raw=raw,
            kind=entry.spec.kind if entry is not None else "function",
            tools=registry.specs_by_name,
        )
        if isinstance(call, Invalid):
            _tell_invalid(registry, call.problem, as_json=as_json)
            return 1
        progress = None if as_json else _tell_progress
        outcome = await Dispatcher(registry).run(call, progress=progress)
    finally:
        await opening.stop()
        await registry.close()
    _tell_outcome(name, outcome, as_json=as_json)
    return 0 if outcome.state is CallState.RETURNED else 1


def _tell_invalid(registry: Registry, problem: str, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"state": "invalid", "problem": problem}))
        return
    _say(f"the call is invalid: {problem}")
    for each in registry.problems:
        _say(f"{each.error} {each.error.hint}")


def _tell_progress(text: str, fraction: float | None) -> None:
    _say(text if fraction is None else f"{fraction:.0%} {text}")


def _tell_outcome(name: str, outcome: Outcome, *, as_json: bool) -> None:
    from tui.core.codec import encode_result
    from tui.core.conversation import CallResult

    if as_json:
        value = {
            "state": str(outcome.state),
            "result": json.loads(encode_result(outcome.result)),
            "cut": outcome.cut,
            "printed": outcome.printed,
            "traceback": outcome.traceback,
            "seconds": outcome.seconds,
        }
        print(json.dumps(value))
        return
    text = CallResult("by-hand", outcome.full_content).text
    shown = clean(text) if sys.stdout.isatty() else text.encode("utf-8", "replace").decode()
    print(shown)
    if outcome.printed:
        _say(f"it printed: {outcome.printed.rstrip()}")
    if outcome.traceback:
        _say(outcome.traceback.rstrip())
    if outcome.cut:
        _say("a model would be sent a shortened result")
    _say(f"{name} {outcome.state} after {outcome.seconds:.2f} s")


def _say(words: str) -> None:
    print(f"verbatim: {clean(words)}", file=sys.stderr, flush=True)
