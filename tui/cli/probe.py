"""`verbatim probe`: what endpoints really send, measured with a fixed set of requests.

Says first what it will send and what that may cost, and asks. Every answer is kept as a recording;
the table is read off those recordings and nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tui.cli import compose
from tui.core import dialects
from tui.core.errors import EndpointError, UsageError
from tui.core.source import WireRequest
from tui.recording.auditing.seen import Seen, see
from tui.recording.format import Recording, save
from tui.recording.probing.features import (
    FEATURES,
    Answers,
    as_words,
    features_of,
    findings_of,
)
from tui.recording.probing.requests import PROBES, Cost, Probe, cost_of
from tui.recording.recorder import RecordingSource
from tui.session.session import Target

_PRICES: Final = "3,15"
"""US dollars per million tokens in and out: what a middling model costs in 2026."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One endpoint to be probed, with its requests ready."""

    label: str
    """Unique among the subjects; also its folder."""
    target: Target
    free: bool
    requests: tuple[tuple[Probe, WireRequest], ...]


@dataclass(slots=True)
class Found:
    """What came of one subject."""

    subject: Subject
    answers: dict[str, Seen] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    """Why a probe has no response, or what the transport said."""
    files: dict[str, str] = field(default_factory=dict)

    def features(self) -> dict[str, Any]:
        return features_of(Answers(self.answers))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "endpoints", nargs="*", metavar="ENDPOINT[=MODEL]", help="configured endpoints or presets"
    )
    parser.add_argument("--dialect", choices=dialects.NAMES)
    parser.add_argument("--base-url", metavar="URL", help="with or without /v1")
    parser.add_argument("--model", metavar="NAME", help="for every endpoint that names none")
    parser.add_argument("--yes", action="store_true", help="send without asking")
    parser.add_argument("--out", metavar="DIR", default="probe", help="where recordings are kept")
    parser.add_argument("--overwrite", action="store_true")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PROBE",
        help=f"of: {', '.join(probe.code for probe in PROBES)}",
    )
    parser.add_argument(
        "--price",
        default=_PRICES,
        metavar="IN,OUT",
        help=f"dollars per million tokens, for the estimate (default {_PRICES})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Probe; 0 every request got a stream, 1 some did not, 3 none did."""
    prices = _prices(arguments.price)
    subjects = _subjects(arguments, _probes(arguments.only))
    _announce(subjects, prices)
    if not _agreed(arguments, subjects):
        print("Nothing was sent.", file=sys.stderr)
        return 0
    found = asyncio.run(_probe_all(subjects, Path(arguments.out), arguments.overwrite))
    if arguments.json:
        print(json.dumps({"folder": arguments.out, "endpoints": [_as_json(one) for one in found]}))
    else:
        _print_table(found)
        print(f"Recordings are in {arguments.out}")
    good = sum(len(Answers(one.answers).streams()) for one in found)
    asked = sum(len(subject.requests) for subject in subjects)
    return 0 if good == asked else 1 if good else 3


# Before -----------------------------------------------------------------------------------------


def _probes(only: Sequence[str]) -> list[Probe]:
    wanted = [code for words in only for code in words.split(",") if code]
    for code in wanted:
        if code not in {probe.code for probe in PROBES}:
            raise UsageError(
                f"there is no probe {code!r}",
                hint=f"there are: {', '.join(probe.code for probe in PROBES)}",
            )
    return [probe for probe in PROBES if not wanted or probe.code in wanted]


def _prices(words: str) -> tuple[float, float]:
    try:
        first, second = (float(part) for part in words.split(","))
    except ValueError:
        first = second = -1.0
    if first < 0 or second < 0:
        raise UsageError(f"--price {words!r} is no pair of prices", hint="write IN,OUT as in 3,15")
    return first, second


def _subjects(arguments: argparse.Namespace, probes: Sequence[Probe]) -> list[Subject]:
    setting = compose.read_setting()
    if arguments.base_url and arguments.endpoints:
        raise UsageError("endpoints and --base-url exclude each other", hint="give one of them")
    names = arguments.endpoints or [""]
    labels: dict[str, int] = {}
    subjects: list[Subject] = []
    for words in names:
        name, _, model = words.partition("=")
        given = argparse.Namespace(
            endpoint=name or None,
            base_url=arguments.base_url,
            dialect=arguments.dialect,
            model=model or (arguments.model if arguments.base_url else None),
        )
        endpoint = compose.endpoint_of(given, setting)
        if arguments.model and not endpoint.model:
            endpoint = replace(endpoint, model=arguments.model)
        target = compose.make_target(endpoint, setting.environment)
        label = (
            re.sub(r"[^\w.-]+", "-", words or _host(endpoint.base_url) or endpoint.name).strip("-.")
            or "endpoint"
        )
        labels[label] = labels.get(label, 0) + 1
        if labels[label] > 1:
            label = f"{label}-{labels[label]}"
        dialect = dialects.load(target.dialect)
        requests = tuple(
            (probe, dialect.encode(probe.request(target.settings, target.dialect)).request)
            for probe in probes
        )
        subjects.append(Subject(label, target, endpoint.demo, requests))
    return subjects


def _host(base_url: str) -> str:
    """Host and port, for an endpoint that has no better name."""
    return base_url.partition("://")[2].partition("/")[0].rpartition("@")[2]


def _announce(subjects: Sequence[Subject], prices: tuple[float, float]) -> None:
    probes = [probe for probe, _ in subjects[0].requests]
    lines = [f"{len(probes)} requests to each of {len(subjects)} endpoint(s):"]
    lines += [
        f"  {probe.code:16} {probe.shows} (at most {probe.most_tokens} tokens)" for probe in probes
    ]
    for subject in subjects:
        cost = _cost(subject)
        words = (
            "free"
            if subject.free
            else f"at most ${cost.price(*prices):.3f} at ${prices[0]:g} in and ${prices[1]:g} out "
            "per million tokens (yours may differ: --price)"
        )
        lines.append(
            f"{subject.label}: {subject.target.settings.model}, {subject.target.dialect}: about "
            f"{cost.input_tokens} tokens in, at most {cost.output_tokens} out; {words}"
        )
    print("\n".join(lines), file=sys.stderr)


def _cost(subject: Subject) -> Cost:
    return cost_of([(probe, request.body) for probe, request in subject.requests])


def _agreed(arguments: argparse.Namespace, subjects: Sequence[Subject]) -> bool:
    if arguments.yes or all(subject.free for subject in subjects):
        return True
    if not sys.stdin.isatty():
        raise UsageError(
            "this may cost money, and there is nobody to ask", hint="give --yes to send it"
        )
    print("Send them? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


# Sending ----------------------------------------------------------------------------------------


async def _probe_all(subjects: Sequence[Subject], folder: Path, overwrite: bool) -> list[Found]:
    """All endpoints at the same time; each is asked one thing after the other."""
    return list(await asyncio.gather(*(_probe(subject, folder, overwrite) for subject in subjects)))


async def _probe(subject: Subject, folder: Path, overwrite: bool) -> Found:
    found = Found(subject)
    target = subject.target
    try:
        for probe, request in subject.requests:
            source = RecordingSource(
                target.source, endpoint=subject.label, model=target.settings.model
            )
            try:
                async with source.open(request) as response:
                    async for _ in response.chunks():
                        pass
            except EndpointError as error:
                found.problems[probe.code] = str(error)
            for recording in source.recordings:
                _keep(found, probe, recording, folder, overwrite)
            print(f"{subject.label}: {probe.code}", file=sys.stderr)
    finally:
        if (close := getattr(target.source, "aclose", None)) is not None:
            await close()
    return found


def _keep(found: Found, probe: Probe, recording: Recording, folder: Path, overwrite: bool) -> None:
    path = save(recording, folder / found.subject.label / probe.code, overwrite=overwrite)
    found.files[probe.code] = str(path)
    found.answers[probe.code] = see(probe.code, recording)


# After ------------------------------------------------------------------------------------------


def _print_table(found: Sequence[Found]) -> None:
    rows = [["", *(f"{one.subject.label} ({one.subject.target.dialect})" for one in found)]]
    columns = [one.features() for one in found]
    for feature in FEATURES:
        rows.append([feature.label, *(as_words(values[feature.code]) for values in columns)])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = [f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())
    for one in found:
        lines = _remarks(one)
        if lines:
            print(f"\n{one.subject.label}:")
            print("\n".join(lines))


def _remarks(one: Found) -> list[str]:
    """Findings by code, with the probes that show them; then what failed."""
    shown: dict[str, tuple[str, list[str]]] = {}
    lines: list[str] = []
    for code, seen in one.answers.items():
        for finding in findings_of(seen):
            shown.setdefault(finding["code"], (finding["message"], []))[1].append(code)
        if seen.turn.outcome == "error":
            lines.append(f"  {code}: {_shown(seen.turn.error or seen.turn.damage)}")
    lines += [f"  {code}: {_shown(words)}" for code, words in one.problems.items()]
    lines += [
        f"  {code} ({', '.join(dict.fromkeys(probes))}): {_shown(message)}"
        for code, (message, probes) in shown.items()
    ]
    return lines


def _as_json(one: Found) -> dict[str, Any]:
    probes: dict[str, Any] = {}
    for probe, _ in one.subject.requests:
        seen = one.answers.get(probe.code)
        answered = (
            {
                "status": seen.recording.head.status if seen.recording.head else None,
                "outcome": seen.turn.outcome,
                "stop_reason": seen.turn.stop_reason,
                "text": seen.turn.text,
                "calls": [
                    {"id": call.id, "name": call.name, "raw": call.text, "state": str(call.state)}
                    for call in seen.calls
                ],
                "error": seen.turn.error or None,
                "findings": findings_of(seen),
                "bytes": len(seen.body),
                "chunks": len(seen.recording.chunks),
                "file": one.files[probe.code],
            }
            if seen is not None
            else {"status": None}
        )
        probes[probe.code] = {**answered, "problem": one.problems.get(probe.code)}
    target = one.subject.target
    return {
        "name": one.subject.label,
        "dialect": target.dialect,
        "model": target.settings.model,
        "features": one.features(),
        "probes": probes,
    }


def _shown(text: str) -> str:
    # What a server sent never reaches the terminal as it is.
    return ascii(text)[1:-1][:300]
