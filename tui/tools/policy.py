"""The approval policy: does a final call run, wait for a person, or not run at all.

Values in, a verdict and its reason out; who asks the person and what is remembered is the
session's. Rules for one tool go before rules for an origin, and those before the mode.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, assert_never

from tui.core.conversation import ToolSpec

Rule = Literal["ask", "allow", "deny"]

Mode = Literal["all", "read-only", "none"]
"""What runs unasked: everything, what only reads, or nothing (`verbatim ask --approve`)."""

Otherwise = Literal["ask", "deny"]
"""For what the mode does not let run: ask a person, or, where there is none, deny."""


@dataclass(frozen=True, slots=True)
class Policy:
    mode: Mode = "none"
    otherwise: Otherwise = "ask"
    tools: Mapping[str, Rule] = field(default_factory=dict)
    """By `Registered.rule_name`: the name that the model knows, with the server before it where
    the tool is a server's (`files__read`)."""
    origins: Mapping[str, Rule] = field(default_factory=dict)
    """By origin, for people: `demo shop`, `MCP server files`."""

    def with_tool(self, name: str, rule: Rule) -> Policy:
        """The same policy with a rule for one tool ("always allow this tool")."""
        return replace(self, tools={**self.tools, name: rule})

    def with_origin(self, origin: str, rule: Rule) -> Policy:
        """The same policy with a rule for all tools of one origin."""
        return replace(self, origins={**self.origins, origin: rule})


@dataclass(frozen=True, slots=True)
class Verdict:
    rule: Rule
    reason: str
    """Why, in words; a person sees it beside the call, the model in the result of a denied one."""


def decide(
    spec: ToolSpec, origin: str, policy: Policy, *, trusted: bool = True, rule_name: str = ""
) -> Verdict:
    """The verdict on a call of this tool.

    Args:
        rule_name: what rules for single tools call it, where that is not its name.
        trusted: whether `spec.read_only` is our own or the user's word. The claim of a foreign
            server that its tool only reads is shown, but it lets nothing run.
    """
    name = rule_name or spec.name
    if (rule := policy.tools.get(name)) is not None:
        return Verdict(rule, f"the policy for the tool {name} says {rule}")
    if (rule := policy.origins.get(origin)) is not None:
        return Verdict(rule, f"the policy for {origin} says {rule}")
    match policy.mode:
        case "all":
            return Verdict("allow", "all calls run unasked")
        case "read-only":
            if spec.read_only and trusted:
                return Verdict("allow", "it is declared to read only")
            if spec.read_only:
                return Verdict(policy.otherwise, "only the server itself says that it reads only")
            return Verdict(policy.otherwise, "it is not declared to read only")
        case "none":
            return Verdict(policy.otherwise, "no call runs unasked")
        case _:
            assert_never(policy.mode)
