"""Which turn endings let calls run: a table, one row per dialect and stop reason.

Comes in: the provider's own word. Goes out: whether closed calls may become final, how the
turn counts (`complete` or `incomplete`), and words for a person. A reason without a row lets
nothing run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tui.core.conversation import Outcome


@dataclass(frozen=True, slots=True)
class Ending:
    calls_may_run: bool
    outcome: Outcome
    words: str
    """Completes the sentence "the turn ended because ..."."""
    continues: bool = False
    """Sending the turn back as it is makes the provider go on with it."""


_STOPPED = Ending(True, "complete", "the model was done")
_CALLS = Ending(True, "complete", "the model asked for tools")
_PAUSED = Ending(False, "complete", "the provider paused it", continues=True)
_REFUSED = Ending(False, "complete", "the provider refused to go on")
_LIMIT = Ending(False, "incomplete", "the output limit was reached")
_CONTEXT = Ending(False, "incomplete", "the model's context window was full")
_FILTERED = Ending(False, "incomplete", "a content filter stopped it")
_FAILED = Ending(False, "error", "the provider reported an error")
_CANCELLED = Ending(False, "incomplete", "it was cancelled")
_NO_ROOM = Ending(False, "incomplete", "the server ran out of resources")

TABLE: Final[dict[tuple[str, str], Ending]] = {
    # Anthropic Messages: https://docs.anthropic.com/en/api/handling-stop-reasons
    ("anthropic", "end_turn"): _STOPPED,
    ("anthropic", "stop_sequence"): _STOPPED,
    ("anthropic", "tool_use"): _CALLS,
    ("anthropic", "pause_turn"): _PAUSED,
    ("anthropic", "compaction"): _PAUSED,
    ("anthropic", "refusal"): _REFUSED,
    ("anthropic", "max_tokens"): _LIMIT,
    ("anthropic", "model_context_window_exceeded"): _CONTEXT,
    # OpenAI Responses: the `status` of the response object decides, not the event's name.
    ("openai-responses", "completed"): _CALLS,
    ("openai-responses", "incomplete"): _LIMIT,
    ("openai-responses", "failed"): _FAILED,
    ("openai-responses", "cancelled"): _CANCELLED,
    # OpenAI Chat Completions and those who imitate it. Forced tool choice, Ollama, Gemini and
    # many bridges say `stop` where OpenAI says `tool_calls`.
    ("openai-chat", "stop"): _STOPPED,
    ("openai-chat", "eos"): _STOPPED,  # Together
    ("openai-chat", "end_turn"): _STOPPED,  # bridges to Anthropic
    ("openai-chat", "tool_calls"): _CALLS,
    ("openai-chat", "tool_use"): _CALLS,
    ("openai-chat", "function_call"): _CALLS,
    ("openai-chat", "length"): _LIMIT,
    ("openai-chat", "max_tokens"): _LIMIT,
    ("openai-chat", "model_length"): _CONTEXT,  # Mistral
    ("openai-chat", "content_filter"): _FILTERED,
    ("openai-chat", "insufficient_system_resource"): _NO_ROOM,  # DeepSeek
    ("openai-chat", "abort"): _CANCELLED,  # vLLM, SGLang
    ("openai-chat", "sensitive"): _FILTERED,  # Zhipu
    ("openai-chat", "network_error"): _FAILED,  # Zhipu
    ("openai-chat", "error"): _FAILED,
    # Bridges to Gemini pass its own words through.
    ("openai-chat", "STOP"): _STOPPED,
    ("openai-chat", "MAX_TOKENS"): _LIMIT,
    ("openai-chat", "SAFETY"): _FILTERED,
    ("openai-chat", "RECITATION"): _FILTERED,
    ("openai-chat", "MALFORMED_FUNCTION_CALL"): _FAILED,
}


def ending_of(dialect: str, reason: str | None) -> Ending:
    """The row for `reason`; None means that no reason came before the stream ended."""
    if reason is None:
        return Ending(False, "incomplete", "the stream stopped before saying why")
    row = TABLE.get((dialect, reason))
    if row is not None:
        return row
    return Ending(False, "complete", f"of a reason we do not know ({reason!r})")
