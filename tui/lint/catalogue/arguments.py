"""Catalogue entries: the argument text of calls."""

from __future__ import annotations

from typing import Final

from tui.core.events import Culprit
from tui.lint.catalogue.entry import Entry

_NOT_RUN: Final = "The call is invalid: it is not run, and the model is told why."
_KEPT: Final = "Runs the parsed value; keeps and sends back the text as it came."
_TELL: Final = "Nothing: the model gets the reason back and can mend its call."


def _invalid(
    code: str, title: str, meaning: str, advice: str = _TELL, culprit: Culprit = "model",
    seen_at: str = "",
) -> Entry:  # fmt: skip
    return Entry(f"args.{code}", title, "error", culprit, meaning, _NOT_RUN, advice, seen_at)


ENTRIES: Final = (
    _invalid(
        "duplicate-keys", "Duplicate key",
        "A key stands twice in one object. Parsers disagree which one counts, so what was approved "
        "may not be what runs.",
    ),
    _invalid(
        "trailing-text", "Text behind the object",
        "Something follows the end of the object. Clients that stop at the first parse run it early.",
    ),
    _invalid(
        "special-token", "Template token behind the object",
        "A token of the chat template (`<|im_end|>`, `</s>`, ...) leaked into the arguments.",
        "Mend the server's stop tokens or its tool parser.", "server",
        "llama.cpp, vLLM and Ollama with custom templates",
    ),
    _invalid(
        "repeated", "The object twice",
        "The same object stands twice in one buffer: a server sent the whole text again behind "
        "the fragments.",
        "Report it: the last chunk of the server repeats the arguments.", "server",
        "vLLM and SGLang (final flush), LiteLLM",
    ),
    _invalid(
        "two-objects", "Two objects in one call",
        "Two objects stand one behind the other: two calls were written as one, or their "
        "fragments were merged.",
        "Look at how the server tells parallel calls apart.", "server",
        "Gemini's bridge with parallel calls at index 0",
    ),
    _invalid(
        "not-an-object", "Not an object",
        "The arguments are valid JSON, but a list, null, a number, a string or a boolean.",
    ),
    _invalid(
        "double-encoded", "Object inside a JSON string",
        "The arguments are a JSON string that holds the object: encoded twice on the way.",
        "Mend the server or gateway that serialises the arguments a second time.", "gateway",
        "gateways between dialects",
    ),
    _invalid("invalid-escape", "Bad escape", "A backslash in a string begins no JSON escape (a path, a regular expression)."),
    _invalid("control-character", "Raw control character", "A line end or another control character stands unescaped in a string."),
    _invalid("nan", "NaN or Infinity", "NaN, Infinity or -Infinity is not JSON, though Python's parser takes it."),
    _invalid("trailing-comma", "Trailing comma", "A comma stands before a closing bracket."),
    _invalid("not-json-syntax", "Another language's literal", "Single quotes, bare keys, `None`, `True` or `undefined`: Python or JavaScript, not JSON."),
    _invalid("invalid-json", "Not JSON", "The arguments break the grammar of JSON in some other way."),
    _invalid(
        "unfinished", "Document that ends early",
        "The provider said the call is complete, and its document is not: the model stopped early, "
        "or fragments were lost.",
        "When it happens often, look for a limit of output tokens or a proxy that drops events.",
    ),
    _invalid(
        "first-fragment-missing", "The beginning is missing",
        "The text starts in the middle of an object: the first fragment was lost.",
        "Look for a gateway or server that drops the first delta of a call.", "server",
        "gateways that rewrite the first chunk",
    ),
    _invalid("fenced", "Markdown fence", "The object stands in a Markdown code fence.",
             "Mend the server's tool parser.", "server"),
    _invalid("markup", "Markup instead of JSON", "The arguments are XML-like markup: the model's own call format was not converted.",
             "Use the tool parser that fits the model.", "server"),
    _invalid("not-json", "Prose instead of JSON", "The arguments are plain words."),
    _invalid("too-deep", "Nested too deeply", "The document is nested more than 500 levels deep."),
    _invalid("number-too-large", "Number too large", "A number is larger than a tool can be given."),
    Entry(
        "args.big-integer", "Integer beyond 2^53", "warning", "client",
        "An integer is too large for a double. Clients written in JavaScript, and parsers that read "
        "numbers as doubles, change its last digits without a word.",
        "Keeps every digit.", "Have tools take such ids as strings.",
        "ids of Discord, Twitter, snowflakes",
    ),
    Entry(
        "args.number-respelling", "Number that changes when written again", "note", "client",
        "A number (1.0, 1e2, -0, 0.10) comes back from a parser in another spelling, so a client "
        "that sends parsed arguments back changes the model's words and its cache key.",
        _KEPT, "Nothing.",
    ),
    Entry(
        "args.lone-surrogate", "Half a surrogate pair", "warning", "model",
        "A string holds half a surrogate pair that stays alone. It cannot be written as UTF-8; "
        "many tools and databases raise.",
        "Keeps it; it survives storage and goes back as it came.",
        "Look whether the half was lost on the way: the character is not known.",
    ),
    Entry(
        "args.surrogate-split", "Surrogate pair in two fragments", "note", "server",
        "Two fragments hold one half each of one character. Clients that decode or encode fragment "
        "by fragment lose it.",
        "Joins the halves.", "Nothing.",
    ),
    Entry(
        "args.escape-cut", "Fragment that ends inside an escape", "note", "server",
        "A join of two fragments lies inside an escape sequence. Normal; clients that unescape or "
        "parse each fragment break the text.",
        "Joins before it reads.", "Nothing.",
    ),
    Entry(
        "args.edge-blanks", "Blanks at a join", "note", "server",
        "A fragment begins or ends with a blank that belongs to a string. Normal; clients that strip "
        "fragments change the text without breaking the JSON.",
        "Strips nothing.", "Nothing.",
    ),
    Entry(
        "args.blanks-around", "Blanks around the object", "note", "server",
        "Blanks stand before or behind the object.", _KEPT, "Nothing.",
    ),
    Entry(
        "args.blank-run", "Endless blanks", "warning", "model",
        "Hundreds of blanks in a row stand outside strings: a model in JSON mode that cannot stop.",
        "Keeps them; the call is judged like any other.",
        "Stop the turn; name JSON in the prompt, or lower the temperature.",
        "models forced to JSON by a grammar",
    ),
    Entry(
        "args.empty", "Empty arguments", "note", "server",
        "The call was closed with an empty text: a tool without arguments. Parsers raise on it.",
        "Means `{}`, because the marker came and the turn ended well.", "Nothing.",
        "Anthropic, Bedrock, vLLM",
    ),
    Entry(
        "args.absent", "No arguments at all", "note", "server",
        "The call was closed and no fragment ever came.",
        "Means `{}`, because the marker came and the turn ended well.", "Nothing.",
    ),
    Entry(
        "args.blank-only", "Arguments of blanks", "note", "server",
        "The argument text is blanks and nothing else.",
        "Means `{}`, because the marker came and the turn ended well.", "Nothing.",
    ),
    Entry(
        "args.nested-json", "JSON inside a string", "note", "model",
        "A string of the arguments is itself a JSON document: often a list or an object that the "
        "model encoded twice.",
        "Gives the tool the string: that is what the model wrote.",
        "When the tool wanted a list or an object, say so in its schema.",
    ),
    Entry(
        "args.terminal-escapes", "Control characters in a value", "warning", "model",
        "A string holds a character that terminals obey. Shown raw, it can hide or fake what is "
        "asked to be approved.",
        "Spells it out on the screen; the tool gets it as it is.",
        "Read the call closely before you approve it.",
    ),
    Entry(
        "args.bidi-controls", "Direction controls in a value", "warning", "model",
        "A string holds a character that turns the direction of the text around, so that what is "
        "seen is not what runs.",
        "Spells it out on the screen.", "Read the call closely before you approve it.",
    ),
    Entry(
        "args.invisible-tags", "Invisible tag characters in a value", "warning", "model",
        "A string holds tag characters that no screen shows and that can carry hidden words.",
        "Spells them out on the screen.", "Do not approve the call before you know where they come from.",
    ),
)  # fmt: skip
