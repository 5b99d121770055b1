"""Catalogue entries: how a stream differs from Anthropic Messages as documented."""

from __future__ import annotations

from typing import Final

from tui.core.events import Culprit, Severity
from tui.lint.catalogue.entry import Entry

_REPORT: Final = "Report it to the maker of the server or gateway."
_NOTHING: Final = "Nothing."


def _entry(
    code: str, title: str, severity: Severity, culprit: Culprit, meaning: str, verbatim: str,
    advice: str = _REPORT, seen_at: str = "",
) -> Entry:  # fmt: skip
    return Entry(f"anthropic.{code}", title, severity, culprit, meaning, verbatim, advice, seen_at)


ENTRIES: Final = (
    # The message.
    _entry("message-start-missing", "No message_start", "note", "gateway",
           "A block or message_delta came before message_start. Official clients raise.",
           "Reads on; the turn has no id and no model until one comes."),
    _entry("second-message-start", "Second message_start", "warning", "gateway",
           "The message began again before it ended: a gateway retried behind the client's back.",
           "Calls that came before are not run when the second message has another id.",
           "Turn retries of streams off in the gateway."),
    _entry("content-in-message-start", "Content in message_start", "note", "server",
           "message_start already holds content blocks. Clients that wait for block events lose them.",
           "Reads them like finished blocks.", _NOTHING, "Anthropic, programmatic tool calling"),
    _entry("message-stop-missing", "No message_stop", "warning", "gateway",
           "The body ended after the stop reason, without message_stop.",
           "Takes the stop reason as the ending.", "Look for a proxy that closes streams early."),
    _entry("done-instead-of-message-stop", "[DONE] in place of message_stop", "warning", "gateway",
           "OpenAI's end marker stands where message_stop belongs.",
           "Takes it as the end of the message.", seen_at="gateways that translate from Chat Completions"),
    _entry("done-marker", "[DONE] after message_stop", "note", "gateway",
           "OpenAI's end marker follows the end of the message. Clients that parse it as JSON raise.",
           "Ignores it.", _NOTHING, "gateways that translate from Chat Completions"),
    _entry("event-after-end", "Event after message_stop", "warning", "server",
           "An event came after the end of the message.", "Keeps it in the record only."),
    _entry("stop-reason-missing", "message_stop without a stop reason", "warning", "server",
           "The message ended and no message_delta said why.", "The turn is incomplete; no call runs."),
    _entry("stop-reason-changed", "Stop reason changed", "warning", "server",
           "A second stop reason differs from the first.",
           "The last counts, but an ending that lets no call run is not taken back."),
    _entry("stop-reason-not-string", "Stop reason that is no string", "warning", "server",
           "The stop reason is not a string.", "Reads it as none."),
    _entry("stop-reason-early", "Stop reason before the last block's stop", "note", "gateway",
           "message_delta came while a block was open. Clients that finish at the stop reason miss "
           "what follows.", "Decides when the stream is over.", _NOTHING),
    _entry("type-missing", "Events without a type", "note", "gateway",
           "The JSON of events has no type; only the event line names them.", "Goes by the event line."),
    _entry("event-name-differs", "Event line and JSON disagree", "note", "server",
           "The event line names another type than the JSON.", "Goes by the JSON."),
    _entry("error-without-type", "Error without a type", "note", "gateway",
           "An error object came without `type: error`. Clients that switch on the type skip it.",
           "Reports the error.", _NOTHING, "LiteLLM, API gateways"),
    _entry("error-not-json", "Error in plain text", "note", "gateway",
           "An error event carries text in place of JSON.", "Reports the text.", _NOTHING),
    _entry("not-utf8", "Event that is not UTF-8", "warning", "unknown",
           "Bytes of an event are not UTF-8.", "A call it touches is not run.",
           "See sse.invalid-utf8 for the bytes."),
    # Blocks.
    _entry("index-gap", "Gap in the block indexes", "note", "server",
           "Block indexes skip a number. Clients that use them as list positions fail or mix blocks.",
           "Uses the index as a key.", _NOTHING, "Anthropic with withheld blocks, Bedrock"),
    _entry("index-missing", "Block events without an index", "note", "server",
           "Block events do not say which block they mean.", "They mean the newest one."),
    _entry("index-not-number", "Block index that is no number", "note", "server",
           "A block index is not a number.", "Uses it as a key all the same."),
    _entry("index-reused", "Block index used again", "warning", "server",
           "A new block has the index of one that was stopped.", "They are two blocks."),
    _entry("index-reopened", "Block begun inside an open one", "warning", "server",
           "A new block has the index of one that is still open.",
           "They are two blocks; the first one never closes."),
    _entry("start-duplicate", "Call begun twice", "warning", "server",
           "The start of a call came again while the call was open.", "Ignores the second one."),
    _entry("block-unclosed", "Block without a stop", "warning", "server",
           "The message ended and a block was never stopped.",
           "A call in it is incomplete; prose is kept."),
    _entry("stop-without-start", "Stop without a start", "warning", "server",
           "A content_block_stop names a block that never began.", "Ignores it."),
    _entry("stop-duplicate", "Block stopped twice", "note", "server",
           "A block was stopped a second time.", "Ignores the second one.", _NOTHING),
    _entry("delta-without-start", "Delta without a start", "warning", "server",
           "A delta names a block that never began.", "Prose is shown; arguments belong to no call."),
    _entry("delta-after-stop", "Delta after the stop", "warning", "server",
           "A delta came for a block that was stopped.", "A call it touches is not run."),
    _entry("delta-in-wrong-block", "Delta of another kind", "warning", "server",
           "A delta does not fit the kind of its block.", "Does not mix it into the block."),
    _entry("delta-type-missing", "Delta without a type", "warning", "server",
           "A delta has no type.", "Keeps it in the record."),
    _entry("field-not-string", "Delta that is no string", "warning", "server",
           "The text of a delta is not a string.", "Keeps it in the record."),
    _entry("empty-delta", "Empty deltas", "note", "server",
           "Deltas after the first carry nothing. Clients that take an empty string for the end stop.",
           "Counts them, changes nothing.", _NOTHING),
    _entry("text-in-start", "Text in the start of a block", "note", "server",
           "content_block_start carries text that deltas should bring. Clients that read deltas only "
           "lose it.", "Takes it.", _NOTHING),
    _entry("citation-missing", "Citation without content", "note", "server",
           "A citations_delta holds no citation.", "Keeps it in the record.", _NOTHING),
    # Calls.
    _entry("input-in-start", "Input in the start of a call", "note", "gateway",
           "content_block_start carries the whole input. Clients that read deltas only run the call "
           "with nothing.", "Takes it as the argument text, as it stands.", _NOTHING,
           "gateways over providers that do not stream arguments"),
    _entry("input-twice", "Input twice", "note", "gateway",
           "The input came in the start and again in deltas. Clients that join both get two objects.",
           "Takes it once.", _NOTHING),
    _entry("input-conflict", "Two inputs that differ", "error", "gateway",
           "The input of the start and that of the deltas disagree.", "The call is invalid."),
    _entry("input-not-object", "Start without an input object", "note", "server",
           "The start of a call has no input object. Official clients raise.", "Waits for deltas.",
           _NOTHING, "llama-server"),
    _entry("call-id-missing", "Call without an id", "note", "server",
           "A call has no id, so no result can name it.", "Makes one up.", _REPORT),
    _entry("call-name-missing", "Call without a name", "warning", "server",
           "A call has no name.", "The call is invalid."),
    _entry("partial-json-not-string", "Arguments that are no string", "warning", "server",
           "partial_json is not a string.", "Takes its JSON text as it stands."),
    # Items that go back as they came.
    _entry("item-not-rebuilt", "Item that cannot go back", "note", "unknown",
           "A block of an unknown kind came in pieces, and cannot be put together for the next request.",
           "Keeps it; it is left out of requests.", "A newer Verbatim may know it."),
    _entry("item-input-invalid", "Server tool with broken input", "warning", "server",
           "The input of a tool that the provider runs is not a JSON object.",
           "Keeps it; it is left out of requests."),
)  # fmt: skip
