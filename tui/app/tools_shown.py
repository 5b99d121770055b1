"""The tools on offer, grouped by where they live, as a person sees them: facts in words.

Comes in: the registry and the policies. Goes out: rows. Words of servers are in `claims`,
`description` and `problem`; whoever draws them cleans them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.tools.inspect import inspect
from tui.tools.mcp.source import McpServer
from tui.tools.policy import Policy, Rule, decide
from tui.tools.registry import Registered, Registry, ToolSource


@dataclass(frozen=True, slots=True)
class OriginRow:
    """A file, a server, or tools of ours."""

    origin: str
    source: ToolSource
    state: str
    """`connected`, `connecting`, `loaded`, `loading`, `has ended`, `failed`."""
    version: str
    """Of the protocol, as negotiated; empty for everything but a connected server."""
    count: int
    rule: Rule | None
    """The policy for all of it, where there is one."""
    left_out: int = 0
    """Tools of a server that its configuration keeps from being offered."""
    problem: str = ""
    hint: str = ""

    @property
    def id(self) -> str:
        return f"{self.origin}/"

    @property
    def good(self) -> bool:
        return not self.problem


@dataclass(frozen=True, slots=True)
class ToolRow:
    name: str
    rule_name: str
    """What its rule is kept under."""
    origin: str
    description: str
    effect: str
    """In our own words: what we or the user vouch for."""
    claims: tuple[str, ...]
    """What the server says of it."""
    rule: Rule
    reason: str
    here_only: bool
    """The rule holds in this conversation alone."""
    findings: tuple[str, ...]

    @property
    def id(self) -> str:
        return f"{self.origin}/{self.name}"


Row = OriginRow | ToolRow


def rows_of(registry: Registry, policy: Policy, kept: Policy) -> tuple[Row, ...]:
    """Every source followed by its tools.

    Args:
        policy: what decides in the open conversation.
        kept: what decides in a new one.
    """
    rows: list[Row] = []
    for source in registry.sources:
        mine = {id(tool) for tool in source.tools}
        entries = [entry for entry in registry.entries() if id(entry.tool) in mine]
        rows.append(_origin(registry, source, len(entries), policy))
        rows += [_tool(entry, policy, kept) for entry in entries]
    return tuple(rows)


def log_of(source: ToolSource) -> Sequence[str]:
    """What a server said beside the protocol, oldest first; nothing for other sources."""
    return source.log.lines if isinstance(source, McpServer) else ()


def _origin(registry: Registry, source: ToolSource, count: int, policy: Policy) -> OriginRow:
    server = source if isinstance(source, McpServer) else None
    error = registry.problem_of(source)
    if source in registry.opening:
        state = "connecting" if server is not None else "loading"
        error = None
    elif server is not None and server.connected:
        state = "connected"
    elif error is not None:
        state = "has ended" if source.problem is not None else "failed"
    else:
        state = "connected" if server is not None else "loaded"
    return OriginRow(
        source.origin,
        source,
        state,
        server.protocol_version if server is not None and state == "connected" else "",
        count,
        policy.origins.get(source.origin),
        server.left_out if server is not None else 0,
        "" if error is None else str(error),
        "" if error is None else error.hint,
    )


def _tool(entry: Registered, policy: Policy, kept: Policy) -> ToolRow:
    spec, tool = entry.spec, entry.tool
    verdict = decide(spec, entry.origin, policy, trusted=tool.trusted, rule_name=entry.rule_name)
    if tool.answered_by_hand:
        effect = "you answer it by hand"
    elif spec.read_only and tool.trusted:
        effect = "reads only"
    else:
        effect = "may change things"
    findings = tuple(
        f"{each.path}: {each.message}" if each.path else each.message
        for each in inspect(spec)
        if each.provider == "any"
    )
    return ToolRow(
        spec.name,
        entry.rule_name,
        entry.origin,
        spec.description,
        effect,
        tuple(getattr(tool, "hints", ())),
        verdict.rule,
        verdict.reason,
        policy.tools.get(entry.rule_name) != kept.tools.get(entry.rule_name),
        findings,
    )
