"""Catalogue entries: how a stream differs from OpenAI Responses as documented."""

from __future__ import annotations

from typing import Final

from tui.core.events import Culprit, Severity
from tui.lint.catalogue.entry import Entry

_REPORT: Final = "Report it to the maker of the server or gateway."
_NOTHING: Final = "Nothing."


def _entry(
    code: str, title: str, severity: Severity, meaning: str, verbatim: str,
    advice: str = _REPORT, seen_at: str = "", culprit: Culprit = "server",
) -> Entry:  # fmt: skip
    return Entry(f"responses.{code}", title, severity, culprit, meaning, verbatim, advice, seen_at)


ENTRIES: Final = (
    # The response.
    _entry("cut", "Cut short", "warning", "The body ended without an event that ends the response.",
           "The turn is incomplete; no call runs.", "Send the request again.", culprit="unknown"),
    _entry("created-missing", "No response.created", "note",
           "The first item came before response.created. Official clients raise.", "Reads on."),
    _entry("second-created", "Second response.created", "warning",
           "A second response began before the first one ended: a gateway retried, or announced the "
           "response anew.", "Reads one response; calls that would come twice are not run.",
           "Turn retries of streams off in the gateway.", culprit="gateway"),
    _entry("response-missing", "Ending without a response", "warning",
           "The last event carries no response object.", "Its name says how the response ended."),
    _entry("status-missing", "Ending without a status", "note",
           "The response of the last event has no status.", "The event's name says how it ended."),
    _entry("status-differs", "Ending that contradicts itself", "warning",
           "The event says `completed` and the status of its response says something else.",
           "The status counts.", _REPORT, "xAI, gateways over other providers"),
    _entry("done-instead-of-end", "[DONE] in place of an ending", "warning",
           "[DONE] came where an event that ends the response belongs.",
           "The turn is incomplete; no call runs."),
    _entry("after-end", "Events after the end", "warning", "Events came after the end of the response.",
           "Keeps them in the record only."),
    _entry("type-missing", "Events without a type", "note",
           "The JSON of events has no type; only the event line names them.", "Goes by the event line."),
    _entry("event-name-differs", "Event line and JSON disagree", "note",
           "The event line names another type than the JSON.", "Goes by the JSON."),
    _entry("error-without-type", "Error without a type", "note",
           "An error object came without `type: error`.", "Reports the error."),
    _entry("events-glued", "Events without a blank line between them", "warning",
           "Events follow each other without the blank line that ends one.",
           "Reads each line by itself: each is whole."),
    _entry("not-utf8", "Event that is not UTF-8", "warning", "Bytes of the stream are not UTF-8.",
           "A call they touch is not run.", "See sse.invalid-utf8 for the bytes."),
    _entry("sequence-gap", "Gap in the sequence numbers", "warning",
           "The sequence number jumps: events may have been lost on the way.",
           "Reads on; what the endings repeat is compared.", "Look for a proxy that drops events."),
    _entry("sequence-falls", "Sequence number falls back", "note",
           "The sequence number falls back: events were reordered or sent again.", "Reads in order of arrival."),
    _entry("keepalive", "Keep-alive event", "note",
           "A keep-alive came as an event of its own. Official clients of some releases raise on it.",
           "Skips it.", _NOTHING, "OpenAI during long reasoning"),
    # Items.
    _entry("item-added-missing", "Item without an announcement", "note",
           "Events came for an item that was not announced.", "Begins it when it is met."),
    _entry("item-added-twice", "Item announced twice", "warning", "An item was announced a second time.",
           "Reads it as one."),
    _entry("item-done-missing", "No output_item.done", "warning",
           "The response ended, and no output_item.done closed one of its items.",
           "A call without any statement that it is complete is not run."),
    _entry("item-done-twice", "Item done twice", "note", "An item was said to be done a second time.",
           "Ignores the second one.", _NOTHING),
    _entry("item-only-in-response", "Item only in the finished response", "warning",
           "An item stands in the finished response and no event announced it.", "Takes it."),
    _entry("item-id-missing", "Events without an item id", "note", "Events do not say the id of their item.",
           "Goes by the output index.", _NOTHING, "llama-server, vLLM"),
    _entry("item-id-changes", "Item id changes", "note",
           "Events name an item by ids it was not announced with.", "The output index says which it is.",
           _NOTHING, "GitHub Copilot, vLLM"),
    _entry("index-missing", "Events without an output index", "note",
           "Events do not say the output index of their item.", "Goes by the item id.", _NOTHING, "llama-server"),
    _entry("index-string", "Output index as a string", "note", "The output index of an event is a string.",
           "Reads it as a number."),
    _entry("index-reused", "Output index used twice", "note",
           "One output index is used for more than one item. Clients that key by it mix prose into "
           "arguments.", "The item id says whose an event is.", _REPORT, "vLLM, gateways"),
    _entry("index-drifts", "Output index changes", "note", "The output index of an item changes.",
           "The item id says whose an event is."),
    _entry("event-unattributed", "Event that belongs to no item", "note",
           "An event without arguments names no item.", "Ignores it."),
    _entry("text-unattributed", "Text that belongs to no item", "warning", "A text names no item.",
           "It goes to the newest item of its kind."),
    _entry("delta-missing", "Delta without content", "note", "A delta carries none.", "Skips it."),
    _entry("empty-delta", "Empty deltas", "note",
           "Deltas carry an empty string. Clients that take it for the end stop.", "Counts them, changes nothing.",
           _NOTHING, "Azure OpenAI, vLLM"),
    _entry("client-item", "Item for the client that we cannot answer", "warning",
           "The model wants the client to answer an item of a kind that Verbatim does not run "
           "(computer use, local shell, ...).", "Shows it; nothing is run.",
           "Do not offer that tool.", culprit="client"),
    # Prose.
    _entry("text-without-deltas", "Text without deltas", "note",
           "A text came whole. Clients that read deltas only show nothing.", "Takes it.", _NOTHING),
    _entry("text-done-differs", "Text that ends otherwise", "warning",
           "The end of a text repeats it, and it is not the same.", "Keeps what streamed."),
    _entry("text-after-done", "Text after its end", "warning",
           "Text came for a message that is done.", "Shows it, but not in the item that goes back."),
    _entry("thinking-done-differs", "Thinking that ends otherwise", "note",
           "The end of a thinking text repeats it, and it is not the same.", "Keeps what streamed."),
    # Calls.
    _entry("call-named-late", "Late id or name", "note",
           "The id or the name of a call came after its beginning.", "Takes it.", _NOTHING),
    _entry("call-id-missing", "Call without an id", "note", "A call never got a call id.", "Makes one up."),
    _entry("call-id-changed", "Call id changes", "warning", "The id of a call changed.", "Keeps the first."),
    _entry("call-id-shared", "One id for two calls", "warning", "Two calls have the same id.", "Keeps them apart."),
    _entry("call-cut", "Call with the status incomplete", "warning",
           "A call ended with a status that says it was cut.", "The call is incomplete.",
           "Raise the limit of output tokens.", culprit="model"),
    _entry("marker-missing", "Call without an end", "warning",
           "The response ended, and nothing said that the arguments of a call are complete.",
           "The call is incomplete and is not run.", _REPORT, "llama-server, gateways"),
    _entry("delta-after-done", "Fragment after the end of the arguments", "warning",
           "A fragment came after the whole arguments were stated. Clients that append it break the "
           "text they had.", "Ignores the fragment: the whole text was stated."),
    _entry("arguments-in-added", "Arguments in the announcement", "note",
           "The announcement of a call already holds arguments.", "Takes them once.", _NOTHING),
    _entry("arguments-without-deltas", "Arguments without deltas", "note",
           "The arguments came whole, in an event that ends the call. Clients that read deltas only "
           "run the call with nothing.", "Takes them.", _NOTHING, "xAI, Azure, gateways"),
    _entry("arguments-respelled", "Arguments in another spelling", "note",
           "The finished response has the arguments in another spelling (spacing, escapes).",
           "Keeps the spelling that streamed.", _NOTHING),
    _entry("arguments-not-string", "Arguments as an object", "note",
           "The arguments are JSON where a string of JSON belongs.", "Takes the JSON's text as it stands."),
)  # fmt: skip
