"""Catalogue entries: the prose of a turn."""

from __future__ import annotations

from typing import Final

from tui.lint.catalogue.entry import Entry

ENTRIES: Final = (
    Entry(
        "text.tool-markup", "A call written as prose", "warning", "server",
        "The prose holds a call in the model's own notation: the server has no parser for it, or "
        "the model was not offered its tools in its own way.",
        "Shows it as prose. Prose is never run.",
        "Choose the tool parser or chat template that fits the model.",
        "llama.cpp, vLLM, Ollama and LM Studio with an unfitting template; small models",
    ),
    Entry(
        "text.special-token", "Template token in the prose", "warning", "server",
        "A token of the chat template leaked into the prose.",
        "Shows it as it came.",
        "Mend the server's stop tokens or template.",
    ),
    Entry(
        "text.thinking-markup", "Thinking in the prose", "note", "server",
        "Thinking stands between tags in the prose: the server has no reasoning parser switched on.",
        "Shows it as prose, as it came.",
        "Switch the server's reasoning parser on.",
        "vLLM, Ollama, LM Studio with DeepSeek R1 and Qwen models",
    ),
    Entry(
        "text.after-call", "Prose after a call", "note", "model",
        "Prose came after a call had begun. Clients that keep one text and one list of calls put "
        "it before them.",
        "Keeps the order.",
        "Nothing.",
    ),
    Entry(
        "text.replacement-character", "Replacement character", "note", "server",
        "The prose holds U+FFFD that came as such: the server decoded a token that ends inside a "
        "character. What the model wrote is not known.",
        "Shows it as it came.",
        "Report it to the server's maker.",
        "servers that detokenise byte by byte",
    ),
    Entry(
        "text.surrogate-split", "Surrogate pair in two events", "note", "server",
        "Two events hold one half each of one character. Clients that decode event by event lose it "
        "or raise.",
        "Joins the halves.",
        "Nothing.",
    ),
    Entry(
        "text.lone-surrogate", "Half a surrogate pair", "warning", "server",
        "Half a surrogate pair stays alone. It cannot be written as UTF-8.",
        "Keeps it; the screen spells it out.",
        "Report it to the server's maker.",
    ),
    Entry(
        "text.terminal-escapes", "Control characters in the prose", "warning", "model",
        "The prose holds characters that terminals obey: moving the cursor, setting the clipboard, "
        "hiding text.",
        "Spells them out on the screen; the record keeps them.",
        "Never print model text raw.",
    ),
    Entry(
        "text.bidi-controls", "Direction controls in the prose", "warning", "model",
        "The prose holds characters that turn the direction of the text around.",
        "Spells them out on the screen.",
        "Read with care what they stand beside.",
    ),
    Entry(
        "text.invisible-tags", "Invisible tag characters in the prose", "warning", "model",
        "The prose holds tag characters that no screen shows and that can carry hidden words.",
        "Spells them out on the screen.",
        "Do not paste the text on without looking at them.",
    ),
)  # fmt: skip
