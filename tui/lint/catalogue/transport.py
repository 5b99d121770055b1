"""Catalogue entries: the HTTP response and the event stream grammar."""

from __future__ import annotations

from typing import Final

from tui.lint.catalogue.entry import Entry

_HTTP: Final = (
    Entry(
        "http.error-status", "Error status", "error", "server",
        "The response has a status outside 200 to 299. Whatever its body is, it is no turn.",
        "Reads the server's own words out of the body (JSON, HTML, an event stream, plain text).",
        "Follow what the server said; 429 and 5xx may succeed later without a change.",
    ),
    Entry(
        "http.error-as-event-stream", "Error announced as an event stream", "note", "gateway",
        "An error response calls itself text/event-stream. Clients that look at the content type "
        "alone find no events and report an empty answer.",
        "Goes by the status, and reads the error.",
        "Check the status before the content type.",
        "gateways in front of OpenAI-compatible servers",
    ),
    Entry(
        "http.json-body", "A JSON document where a stream belongs", "error", "server",
        "The body is one JSON document: an error, a whole answer of a server that ignored "
        "`stream: true`, or another route's reply.",
        "Reports the document's words as the error. It takes no calls from it.",
        "Check the base URL and the route, and that the server can stream with tools.",
        "Ollama with tools (older releases), LiteLLM's mock, wrong base URLs",
    ),
    Entry(
        "http.html-body", "A web page where a stream belongs", "error", "gateway",
        "The body is markup: a proxy's login or error page, or the web interface of the server.",
        "Reports the page's title as the error.",
        "Check the base URL, and whether a proxy or captive portal stands in between.",
        "corporate proxies, Cloudflare, web interfaces of local servers",
    ),
    Entry(
        "http.empty-body", "Empty body", "error", "gateway",
        "The response is a success and has no body.",
        "Reports an error. Nothing is taken for an answer.",
        "Try again; when it stays, look for a gateway that swallows streams.",
    ),
    Entry(
        "http.not-an-event-stream", "Not an event stream", "error", "server",
        "The body is neither an event stream nor a known document.",
        "Shows its beginning as the error.",
        "Check the base URL and the dialect of the endpoint.",
    ),
    Entry(
        "http.content-type-missing", "No content type", "note", "server",
        "The stream comes without a content type. Browsers' EventSource and strict clients refuse it.",
        "Goes by the bytes.",
        "Have the server send `content-type: text/event-stream`.",
    ),
    Entry(
        "http.content-type-wrong", "Wrong content type", "warning", "gateway",
        "The body is an event stream, and the content type says something else. Strict clients "
        "refuse it, and proxies may buffer it.",
        "Goes by the bytes.",
        "Have the server send `content-type: text/event-stream`.",
        "proxies, serverless gateways",
    ),
    Entry(
        "http.compressed", "Compressed event stream", "note", "gateway",
        "The body is compressed although none was asked for. Compression buffers: events arrive in "
        "bursts, and clients that read raw bytes see no text at all.",
        "Decompresses as the bytes come.",
        "Turn compression of text/event-stream off in the proxy.",
        "nginx with gzip_types *, CDN edges",
    ),
    Entry(
        "http.compression-damaged", "Damaged compression", "error", "transport",
        "The compressed data is damaged or ends early.",
        "Keeps everything up to the damage; no call runs.",
        "Try again; turn compression off in the proxy.",
    ),
    Entry(
        "http.body-broken", "The body broke off", "error", "transport",
        "The transport reported that the body did not arrive whole.",
        "Keeps what came; no call runs.",
        "Send the request again.",
    ),
)  # fmt: skip

_SSE: Final = (
    Entry(
        "sse.bom", "Byte order mark", "note", "server",
        "The body begins with a byte order mark. The grammar allows one; clients that do not strip "
        "it lose the first event.",
        "Strips it.",
        "Write the stream without it.",
    ),
    Entry(
        "sse.cr-only", "Lines that end with CR", "note", "server",
        "Lines end with CR alone. The grammar allows it; clients that split at LF see one endless line.",
        "Ends a line at LF, CR or CRLF.",
        "End lines with LF.",
    ),
    Entry(
        "sse.line-ends-mixed", "Mixed line ends", "note", "gateway",
        "Some lines end with CRLF and some with LF: two programs wrote this stream. Clients that "
        "split events at LF LF miss the boundary.",
        "Ends a line at LF, CR or CRLF.",
        "End all lines with LF.",
    ),
    Entry(
        "sse.comment", "Comment lines", "note", "server",
        "Lines that begin with a colon: keep-alives while the model is being waited for. Ordinary; "
        "clients that parse every line as JSON fail on them.",
        "Skips them; a comment inside an event does not end it.",
        "Nothing.",
        "OpenRouter (`: OPENROUTER PROCESSING`), llama-server, vLLM behind proxies",
    ),
    Entry(
        "sse.fields-without-data", "Block without data", "note", "server",
        "A block has an event, id or retry line and no data. By the grammar it is no event; clients "
        "that dispatch it parse an empty string.",
        "Dispatches nothing.",
        "Nothing.",
    ),
    Entry(
        "sse.empty-data", "Empty data", "note", "server",
        "An event's data is empty. No dialect gives it a meaning; clients that parse it raise.",
        "Dispatches nothing.",
        "Use a comment line as a keep-alive.",
    ),
    Entry(
        "sse.no-space-after-colon", "No space after the colon", "note", "server",
        "Fields are written `data:{...}`. The grammar makes the space optional; clients that look "
        "for `data: ` see no events.",
        "Takes off one space where there is one.",
        "Nothing.",
        "SGLang, several Go and Java gateways",
    ),
    Entry(
        "sse.unknown-field", "A line that is no field", "warning", "server",
        "A line begins with no field name of the grammar, so it is ignored: text that was wrapped "
        "onto a new line, an indented field, or JSON without `data:`.",
        "Ignores the line, as the grammar says, and shows it here.",
        "Look at the bytes: when it is data, the server must write `data:` before every line.",
    ),
    Entry(
        "sse.event-name-missing", "Events without their name", "note", "gateway",
        "The dialect names its events on an event line as well as in the JSON, and the line is "
        "missing. Clients that switch on the event line see nothing.",
        "Reads the type in the JSON.",
        "Have the gateway pass event lines on.",
        "proxies that forward data lines only",
    ),
    Entry(
        "sse.multi-line-data", "JSON over several data lines", "note", "server",
        "One JSON document is spread over several data lines. The grammar joins them with LF; "
        "clients that parse line by line fail.",
        "Joins them.",
        "Write the JSON on one line.",
    ),
    Entry(
        "sse.glued-events", "Events glued together", "error", "gateway",
        "Two events stand in one: the blank line between them, or bytes in the middle, were lost.",
        "Reads lines that are whole by themselves where that is certain; else the event is "
        "malformed, and calls that were open are not run.",
        "Look for a proxy or a writer without a lock that mixes or drops writes.",
        "gateways with several writers",
    ),
    Entry(
        "sse.malformed-data", "Data that is not JSON", "error", "server",
        "An event's data cannot be read: it was cut, overwritten, or is text for people.",
        "Keeps the bytes; calls that were open at this place are not run.",
        "Send the request again; when it stays, report the bytes to the server's maker.",
    ),
    Entry(
        "sse.invalid-utf8", "Bytes that are not UTF-8", "warning", "unknown",
        "The stream must be UTF-8. Bytes that are not are replaced by U+FFFD, so what the model "
        "wrote is not known.",
        "Marks the event; a call whose text is touched is not run.",
        "Look for a server that cuts tokens between bytes, or a proxy that recodes.",
        "servers that detokenise byte by byte",
    ),
    Entry(
        "sse.unicode-line-separators", "Unicode line separators in data", "note", "model",
        "The data holds U+2028, U+2029, U+0085, VT, FF or a separator control unescaped. JSON and "
        "the grammar allow it; clients that split lines with a Unicode splitter break the event.",
        "Ends lines at LF, CR and CRLF only.",
        "Nothing here; mend clients that use `str.splitlines` or httpx `aiter_lines`.",
    ),
    Entry(
        "sse.long-line", "A very long line", "note", "server",
        "A line of 64 KiB or more. Go's bufio.Scanner and asyncio's readline give up at that size "
        "by default.",
        "Has no limit on a line.",
        "Raise the limit in clients that have one.",
    ),
    Entry(
        "sse.done-unterminated", "[DONE] without a blank line", "note", "server",
        "The body ends right behind [DONE]. By the grammar that event was never dispatched.",
        "Takes it: it is whole, and takes nothing with it.",
        "End the stream with a blank line.",
        "llama-server",
    ),
    Entry(
        "sse.unterminated-last-event", "Last event without a blank line", "note", "server",
        "The body ends right behind a whole event. By the grammar a client discards it, with "
        "whatever it says.",
        "Keeps its prose; a stop reason or marker in it lets no call run.",
        "End the stream with a blank line; a file may have lost it when it was saved.",
        "streams saved from editors or terminals",
    ),
    Entry(
        "sse.event-cut", "The body ends inside an event", "error", "transport",
        "The last event is not whole: the connection was cut, or a limit of a proxy was reached.",
        "Keeps what came before; no call runs.",
        "Send the request again; look for timeouts and size limits on the way.",
    ),
)  # fmt: skip

ENTRIES: Final = (_HTTP, _SSE)
