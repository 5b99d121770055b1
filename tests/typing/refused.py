"""What the type checker must refuse. Checked by `test_refused`, never run.

Each line with an ignore must be an error without it, of that kind, and no other line is one:
mypy itself complains of an ignore that it does not need.
"""

from __future__ import annotations

from tui.core.arguments import ArgumentBuffer
from tui.core.conversation import CallPart
from tui.core.finalise import FinalCall, Invalid
from tui.core.parts import LiveCall
from tui.core.provisional import ProvisionalView
from tui.tools.contract import RunContext, Tool
from tui.tools.dispatcher import Dispatcher


async def dispatch(
    dispatcher: Dispatcher,
    view: ProvisionalView,
    forming: LiveCall,
    stored: CallPart,
    invalid: Invalid,
    buffer: ArgumentBuffer,
    found: FinalCall | Invalid,
    final: FinalCall,
) -> None:
    await dispatcher.run(view)  # type: ignore[arg-type]
    await dispatcher.run(forming)  # type: ignore[arg-type]
    await dispatcher.run(stored)  # type: ignore[arg-type]
    await dispatcher.run(invalid)  # type: ignore[arg-type]
    await dispatcher.run(buffer)  # type: ignore[arg-type]
    await dispatcher.run({"order_id": "A-4471"})  # type: ignore[arg-type]
    await dispatcher.run(found)  # type: ignore[arg-type]
    await dispatcher.run(final)


async def run(tool: Tool, view: ProvisionalView, final: FinalCall, context: RunContext) -> None:
    await tool.run(view, context)  # type: ignore[arg-type]
    await tool.run(final, context)


def change(final: FinalCall) -> None:
    final.raw = "{}"  # type: ignore[misc]
    final.arguments["order_id"] = "A-1"  # type: ignore[index]
