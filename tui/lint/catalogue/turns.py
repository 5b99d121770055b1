"""Catalogue entries: how turns end, and calls as such."""

from __future__ import annotations

from typing import Final

from tui.lint.catalogue.entry import Entry

_TURN: Final = (
    Entry(
        "turn.cut", "The stream stopped before the turn did", "error", "transport",
        "No stop reason and no end marker came. Nobody said that the answer is complete.",
        "The turn is incomplete; no call runs.",
        "Send the request again.",
    ),
    Entry(
        "turn.cut-in-call", "The stream stopped inside a call", "error", "transport",
        "The body ends while a call was being written. A tolerant parser would close the braces "
        "and run half of it.",
        "The call is incomplete and is not run.",
        "Send the request again.",
    ),
    Entry(
        "turn.no-ending", "End marker without a stop reason", "error", "server",
        "The end marker came, but nothing said why the turn ended, so a limit or a filter cannot "
        "be ruled out.",
        "The turn is incomplete; no call runs.",
        "Ask the server's maker; where a Chat server never sends a reason, set `done_ends_turn`.",
        "older Ollama, LM Studio, gateways that drop the last chunk",
    ),
    Entry(
        "turn.limit", "Output limit", "warning", "client",
        "The turn was cut because the output limit or the context window was reached.",
        "The turn is incomplete; the prose is kept.",
        "Raise the limit of output tokens, or ask for less.",
    ),
    Entry(
        "turn.limit-in-call", "Output limit in a turn with calls", "error", "client",
        "The limit was reached in a turn that holds calls. Even a call that was closed may be the "
        "first half of what the model meant to do.",
        "No call of the turn runs.",
        "Raise the limit of output tokens, and send the request again.",
    ),
    Entry(
        "turn.filtered", "Content filter", "warning", "server",
        "A content filter stopped the turn.",
        "The turn is incomplete; the prose is kept.",
        "Ask in other words, or look at the filter's settings.",
        "Azure OpenAI",
    ),
    Entry(
        "turn.filtered-in-call", "Content filter in a turn with calls", "error", "server",
        "A content filter stopped a turn that holds calls.",
        "No call of the turn runs.",
        "Ask in other words, or look at the filter's settings.",
        "Azure OpenAI",
    ),
    Entry(
        "turn.refusal", "Refusal", "warning", "model",
        "The model or the provider refused. What came before may be half an answer or half a call.",
        "Shows the refusal; no call of the turn runs when the turn ended by it.",
        "Ask in other words.",
        "Anthropic (stop reason `refusal`), OpenAI (field `refusal`)",
    ),
    Entry(
        "turn.paused", "Paused turn", "note", "server",
        "The provider paused a long turn. It goes on when the turn is sent back as it is.",
        "No call runs; the turn can be continued.",
        "Continue the turn.",
        "Anthropic with server tools",
    ),
    Entry(
        "turn.gave-up", "The provider gave up", "error", "server",
        "The stop reason says that the provider failed, was cancelled or ran out of resources.",
        "The turn is incomplete; no call runs.",
        "Send the request again later.",
        "DeepSeek, Zhipu, vLLM (`abort`)",
    ),
    Entry(
        "turn.unknown-ending", "Unknown stop reason", "warning", "server",
        "The stop reason is not in the table of endings, so nobody can say that calls may run.",
        "No call runs.",
        "Tell us the server and the word, so that the table can have a row for it.",
    ),
    Entry(
        "turn.stop-with-calls", "Ordinary stop reason with calls", "note", "server",
        "The turn ended by a plain `stop` although it holds calls. Clients that wait for "
        "`tool_calls` never run them.",
        "Runs them: the ending lets calls run.",
        "Nothing.",
        "Ollama, Gemini's bridge, OpenAI with a forced tool",
    ),
    Entry(
        "turn.calls-missing", "Calls announced, none came", "warning", "server",
        "The stop reason says that the model asked for tools, and the turn holds no call: a parser "
        "of the server lost it, or left it in the prose.",
        "Shows the turn as it is.",
        "Look into the prose and the thinking for the call; report it to the server's maker.",
        "vLLM and SGLang tool parsers, LM Studio",
    ),
    Entry(
        "turn.empty", "Empty turn", "warning", "model",
        "The turn is complete and holds nothing to show or run.",
        "Shows that it is empty.",
        "Ask again; check the chat template of a local model.",
    ),
    Entry(
        "turn.error-at-once", "Nothing but an error", "error", "server",
        "The status promised a turn, and the stream's first word is an error.",
        "Reports it like an error status.",
        "Follow what the server said.",
        "OpenRouter, LiteLLM, Azure",
    ),
    Entry(
        "turn.error-in-stream", "Error in mid-stream", "error", "server",
        "The provider or a gateway reported an error after the turn had begun.",
        "Keeps what came; no call runs.",
        "Send the request again; `overloaded` passes.",
        "Anthropic (`overloaded_error`), OpenRouter",
    ),
    Entry(
        "turn.error-after-call", "Error after a whole call", "error", "server",
        "An error came after calls were closed. Clients that run a call when its block ends have "
        "run it by now, and run it again when the request is repeated.",
        "No call runs.",
        "Send the request again.",
    ),
    Entry(
        "turn.after-end", "Events after the end", "warning", "server",
        "Events came after the end marker of the turn.",
        "Keeps them in the record only.",
        "Look at them: a second turn may have been appended to the first.",
    ),
    Entry(
        "turn.unattributed", "Arguments that belong to no call", "error", "server",
        "A fragment of arguments names no call that we know, and no rule says whose it is.",
        "Shows it; the calls it may belong to are not run.",
        "Report the stream to the server's maker.",
    ),
    Entry(
        "turn.malformed-event", "Malformed event", "error", "server",
        "An event is not what the dialect promises. Fragments may have been lost with it.",
        "The turn ends in an error; calls that were open here are not run.",
        "Send the request again; when it stays, report the bytes.",
    ),
    Entry(
        "turn.unknown-event", "Unknown event", "note", "server",
        "An event or block of a type we do not know: a newer feature, or a gateway's own.",
        "Keeps and shows it; goes on.",
        "Nothing; a newer Verbatim may know it.",
    ),
    Entry(
        "turn.provider-tools", "Tools the provider ran", "note", "server",
        "The turn holds calls that the provider runs itself (web search, code execution, MCP "
        "connectors). Clients that run every call answer them a second time.",
        "Shows them, sends them back, never runs them.",
        "Nothing.",
    ),
    Entry(
        "turn.thinking-with-calls", "Thinking beside calls", "note", "model",
        "The turn holds thinking and calls. Providers that sign thinking refuse the next request "
        "when it does not come back as it was.",
        "Keeps thinking and signatures, and sends them back as they came.",
        "Nothing.",
        "Anthropic, DeepSeek, OpenAI reasoning items",
    ),
    Entry(
        "turn.several-choices", "Several choices", "note", "client",
        "The request asked for more than one choice. Clients that forget the choice index join them.",
        "Keeps them apart; only calls of the first can run.",
        "Ask for one choice when tools are offered.",
    ),
)  # fmt: skip

_CALL: Final = (
    Entry(
        "call.id-duplicated", "Two calls with one id", "warning", "server",
        "Two calls of the turn have the same id, so that a result cannot be matched to one of them.",
        "Keeps them apart by the stream's own key; results go back in order.",
        "Report it to the server's maker.",
        "Kimi K2 (`functions.NAME:0`), gateways that make ids up",
    ),
    Entry(
        "call.same-twice", "The same call twice", "note", "model",
        "Two calls have the same name and the same arguments: the model repeats itself, or a "
        "gateway sent a call again.",
        "Both are calls; each runs once at most, and is asked for separately.",
        "Look at the second one before you approve it.",
    ),
    Entry(
        "call.contradicted", "Call that contradicts itself", "error", "server",
        "The end of the call repeats its arguments, or another event does, and they differ.",
        "The call is invalid; both texts are shown.",
        "Report the stream to the server's maker.",
    ),
    Entry(
        "call.under-suspicion", "Call held back", "error", "server",
        "An event that may have been part of the call could not be read or attributed.",
        "The call is incomplete and is not run.",
        "Send the request again.",
    ),
    Entry(
        "call.nameless", "Call without a name", "error", "server",
        "No event gave the call a name.",
        "The call is invalid.",
        "Report the stream to the server's maker.",
    ),
    Entry(
        "call.unclosed", "Call that was never closed", "error", "unknown",
        "No marker said that the call's arguments are complete.",
        "The call is incomplete and is not run, even when its text parses.",
        "See the finding about the turn's ending for why.",
    ),
    Entry(
        "call.unknown-tool", "Unknown tool", "error", "model",
        "The model called a tool that was not offered.",
        "The call is invalid; the model is told which tools there are.",
        "Nothing, or offer the tool.",
    ),
    Entry(
        "call.schema-misfit", "Arguments against the schema", "error", "model",
        "The arguments are strict JSON and do not fit the tool's schema.",
        "The call is invalid; the model is told what does not fit.",
        "Nothing, or make the schema's descriptions plainer.",
    ),
)  # fmt: skip

ENTRIES: Final = (_TURN, _CALL)
