"""What runs unasked is a table."""

from __future__ import annotations

import pytest

from tui.core.conversation import ToolSpec
from tui.tools.policy import Mode, Policy, Rule, decide

WRITES = ToolSpec("create_ticket", "", {"type": "object"})
READS = ToolSpec("lookup_order", "", {"type": "object"}, read_only=True)


@pytest.mark.parametrize(
    ("mode", "spec", "trusted", "rule"),
    [
        ("all", WRITES, True, "allow"),
        ("all", READS, False, "allow"),
        ("read-only", READS, True, "allow"),
        ("read-only", READS, False, "ask"),
        ("read-only", WRITES, True, "ask"),
        ("none", READS, True, "ask"),
        ("none", WRITES, True, "ask"),
    ],
)
def test_the_mode_decides_where_no_rule_does(
    mode: Mode, spec: ToolSpec, trusted: bool, rule: Rule
) -> None:
    assert decide(spec, "demo shop", Policy(mode), trusted=trusted).rule == rule


def test_where_nobody_can_be_asked_the_rest_is_denied() -> None:
    assert decide(WRITES, "demo shop", Policy("read-only", otherwise="deny")).rule == "deny"


@pytest.mark.parametrize("mode", ["all", "read-only", "none"])
@pytest.mark.parametrize("rule", ["ask", "allow", "deny"])
def test_a_rule_for_a_tool_goes_before_everything(mode: Mode, rule: Rule) -> None:
    policy = Policy(mode, origins={"demo shop": "deny"}).with_tool("create_ticket", rule)
    assert decide(WRITES, "demo shop", policy).rule == rule
    assert decide(READS, "demo shop", policy).rule == "deny"


def test_a_rule_for_an_origin_goes_before_the_mode_and_says_why() -> None:
    policy = Policy("all", origins={"MCP server files": "ask"})
    verdict = decide(WRITES, "MCP server files", policy)
    assert verdict.rule == "ask"
    assert verdict.reason == "the policy for MCP server files says ask"
