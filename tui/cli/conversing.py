"""A workspace made of flags and configuration."""

from __future__ import annotations

import argparse
import time

from tui.cli import compose
from tui.cli.doctor import tidy
from tui.cli.storing import make_store, store_path
from tui.config.policy import update_policy
from tui.session.questions import Questions
from tui.session.session import Target
from tui.session.workspace import RuleScope, Workspace
from tui.store import Store, StoreUnusable, Trouble
from tui.tools.policy import Rule


def make_workspace(
    setting: compose.Setting, arguments: argparse.Namespace, *, interactive: bool
) -> Workspace:
    """The workspace the flags ask for; nothing is connected or started yet.

    Raises:
        UsageError, StoreError: it cannot be made, and why.
    """
    settings = setting.settings
    named = compose.endpoint_of(arguments, setting)

    def target_of(name: str) -> Target:
        endpoint = named if name in ("", named.name) else settings.endpoint(name)
        return compose.make_target(
            endpoint, setting.environment, system=arguments.system or settings.system
        )

    def keep_rule(scope: RuleScope, name: str, rule: Rule) -> None:
        update_policy(setting.paths.config_file, name, rule, scope=scope)

    questions = Questions()
    recorded = settings.record and not arguments.no_record
    opened: list[Workspace] = []

    def on_trouble(trouble: Trouble) -> None:
        for workspace in opened:
            workspace.hear(trouble)

    if recorded:
        store = make_store(store_path(arguments, setting), on_trouble)
        try:
            tidy(store, settings.retention, time.time())
        except StoreUnusable as error:
            # Full or damaged: what is too old can wait, what is said now is kept in memory.
            on_trouble(error.trouble)
    else:
        store = Store.memory()
    workspace = Workspace(
        store=store,
        registry=compose.make_registry(
            compose.tool_specs(arguments, settings, named), setting, ask_person=questions.ask
        ),
        policy=compose.make_policy(settings, arguments.approve, interactive=interactive),
        target_of=target_of,
        max_turns=arguments.max_turns or settings.max_turns,
        interactive=interactive,
        questions=questions,
        keep_rule=keep_rule,
    )
    opened.append(workspace)
    return workspace
