"""What the recorded streams and the wire cases should come to, and how to compare.

Expected values come from the folders' own manifests, written by other people's code. The
comparison is a list of differences in words, so that a test can name each one it accepts.
"""

from __future__ import annotations

import hashlib
from typing import Any

from tests.shared import RecordedStream, WireCase
from tui.cli.check import Options, as_json, read
from tui.core.dialects import DecoderSettings
from tui.core.source import ResponseHead
from tui.recording.split import Split

WHOLE = Split()
BYTES = Split("bytes", size=1)
RANDOM = tuple(Split(f"random:{seed}", seed=str(seed)) for seed in range(3))


def verdict(body: bytes, dialect: str, split: Split = WHOLE, **others: Any) -> dict[str, Any]:
    """What `verbatim check --json` says of `body`, without the file name."""
    options = Options(
        dialect=dialect,
        split=split,
        cut=others.get("cut"),
        head=others.get("head"),
        content_encoding=others.get("content_encoding", ""),
        tools=None,
        settings=DecoderSettings(),
    )
    said = as_json("", *read(body, options))
    del said["file"]
    return said


def case_verdict(case: WireCase, split: Split = WHOLE) -> dict[str, Any]:
    spec = case.spec
    headers = (("content-type", spec["content_type"]),)
    return verdict(
        case.read(),
        case.dialect,
        split,
        head=ResponseHead(spec["status"], headers),
        content_encoding=spec.get("content_encoding", ""),
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def stream_differences(stream: RecordedStream, said: dict[str, Any]) -> list[str]:
    """Where `said` is not what the manifest states of the stream."""
    told = stream.manifest
    found = []
    if _digest(said["text"]) != told["text_sha256"]:
        found.append("text")
    reason = told["stop_reason"]
    if said["stop_reason"] != (reason.partition(":")[0] if reason else None):
        found.append(f"stop_reason: {said['stop_reason']} for {reason}")
    wanted = [call for call in told["calls"] if call["kind"] != "server"]
    if len(said["calls"]) != len(wanted):
        return [*found, f"calls: {len(said['calls'])} for {len(wanted)}"]
    for ours, theirs in zip(said["calls"], wanted, strict=True):
        if ours["id"] != theirs["id"] or ours["name"] != theirs["name"]:
            found.append(f"call {theirs['name']}: id or name")
        if _digest(ours["raw"]) != theirs["raw_sha256"]:
            found.append(f"call {theirs['name']}: raw")
        if ours["fragments"] != theirs["fragments"] and "raw_from" not in theirs:
            found.append(
                f"call {theirs['name']}: {ours['fragments']} fragments for {theirs['fragments']}"
            )
    return found


def case_differences(case: WireCase, said: dict[str, Any]) -> list[str]:
    """Where `said` is not what the case's specification allows."""
    expect = case.spec["expect"]
    found = []
    for name, plural in (
        ("text", "accept_texts"),
        ("outcome", "accept_outcomes"),
        ("stop_reason", "accept_stop_reasons"),
    ):
        if said[name] not in [expect[name], *expect.get(plural, [])]:
            found.append(f"{name}: {said[name]!r} for {expect[name]!r}")
    if "thinking" in expect and said["thinking"] != expect["thinking"]:
        found.append(f"thinking: {said['thinking']!r} for {expect['thinking']!r}")
    if "refusal" in expect and said["refusal"] != expect["refusal"]:
        found.append(f"refusal: {said['refusal']!r}")
    if not said["calls"] and expect.get("accept_no_calls"):
        return found
    if len(said["calls"]) != len(expect["calls"]):
        return [*found, f"calls: {len(said['calls'])} for {len(expect['calls'])}"]
    for ours, theirs in zip(said["calls"], expect["calls"], strict=True):
        found += _call_differences(ours, theirs)
    return found


def _call_differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    found = []
    name = theirs["name"]
    if ours["name"] not in [name, *theirs.get("accept_names", [])]:
        found.append(f"name: {ours['name']!r} for {name!r}")
    if ours["id"] != theirs["id"] and not theirs.get("id_may_differ"):
        found.append(f"{name}: id {ours['id']!r} for {theirs['id']!r}")
    if ours["state"] not in [theirs["state"], *theirs.get("accept_states", [])]:
        found.append(f"{name}: {ours['state']} for {theirs['state']}")
    if ours["raw"] not in [theirs["raw"], *theirs.get("accept_raws", [])]:
        spaced = theirs.get("raw_may_be_respaced") and ours["raw"].replace(" ", "") == theirs[
            "raw"
        ].replace(" ", "")
        if not spaced:
            found.append(f"{name}: raw {ours['raw']!r} for {theirs['raw']!r}")
    if ours["state"] == "final":
        allowed = [theirs["arguments"], *theirs.get("accept_arguments", [])]
        if ours["arguments"] not in allowed or ours["arguments"] in theirs.get(
            "never_arguments", []
        ):
            found.append(f"{name}: arguments {ours['arguments']!r}")
    return found
