"""The demo's fixed words: what it can be asked, and the pages it knows by heart.

Every page says or implies that a script speaks. No page claims anything about orders or tickets;
that is only ever read from results (`telling`).
"""

from __future__ import annotations

from typing import Final

SUGGESTIONS: Final[tuple[str, ...]] = (
    "Where is my order A-4471?",
    "Where are A-4471 and A-4463?",
    "Search the orders for desk lamps",
    "Which tickets are open?",
    "File a ticket: the delivery of A-4471 moved from 3 March to 5 March",
    "Tell me about tool calls",
    "two at once",
    "bad json",
    "break",
    "limit",
    "help",
)
"""For the prompt box of somebody who does not know what to type."""

HELP: Final = """\
I am the **demo**: a script, no model. I look for a few words and order numbers, and stream what a \
model would. My tools are real, though: the orders and tickets lie in a file on this machine.

**Everyday**

- `Where is my order A-4471?` – one call, then an answer from its result
- `Where are A-4471 and A-4463?` – two calls in one turn; a number that does not exist is fine too
- `Search the orders for lamps` – a call with several arguments
- `Which tickets are open?` – a call without arguments
- `File a ticket for A-4471: it moved from 3 March to 5 March` – a long call, which you approve
- `Tell me about tool calls` – prose only: a list, code, a table
- `think` – longer thinking first
- `unicode` – many scripts
- `call NAME {"any": "arguments"}` – calls any tool you offer; without arguments I make some up

**Bad days**

- `break` – the connection fails in the middle of a call; `cut clean` – the stream just stops there
- `limit` – the output limit is reached in the middle of a call
- `error` – an error event in the middle of the stream
- `bad json`, `wrong type`, `unknown tool` – a wrong call; told why, I correct it
- `refuse` – a refusal
- `http 429`, `http 500`, `html` – no stream at all
- `loop` – I call again after every result, until you or a limit stop me

**Pace**

- `two at once` – two calls whose fragments alternate, then text
- `split emoji` – characters whose halves arrive in different events
- `long` – 20 kB of arguments
- `slow` – a slow drip
- `keepalive` – a long silence with signs of life
"""

HELLO: Final = (
    "Hello! I am the demo: a script, no model. Ask `Where is my order A-4471?`, or `help` for all"
    " that I can do."
)

UNKNOWN: Final = (
    "I am a script and have no answer to that. Type `help` to see what I can do, or try"
    " `Where is my order A-4471?`."
)

CALLS_PAGE: Final = """\
I am a script and know one page by heart. Here it is.

## How a tool call arrives

A call is not sent whole. It **forms**, a few characters at a time:

1. The stream opens the call: an id and the tool's name.
2. Fragments of its arguments follow, cut wherever they happen to be cut.
3. A *terminal marker* says that this call's text is complete.
4. The turn ends, and only then is it known whether the call may run.

Until then the text is not yet true of anything:

```json
{"order_id": "A-4471", "quantity": 20
```

That could still become `20`, `200` or `20.5`.

| dialect | fragments | marker |
| --- | --- | --- |
| Anthropic Messages | `input_json_delta` | `content_block_stop` |
| OpenAI Responses | `function_call_arguments.delta` | `function_call_arguments.done` |
| OpenAI Chat | `tool_calls[].function.arguments` | the next call, or `finish_reason` |

> A text that parses is not a call that may run.
"""

LONG_THOUGHT: Final = """\
The user wants me to think, so let me do it in steps.

First: what do I know? I am a script, so there is nothing to weigh; but a thinking model would go \
through the question once, look for what it does not know, and decide which tool could tell it.

Second: what could go wrong? The order number may not exist. The tool may fail, or the user may not \
allow it. In each case I must say so and not invent a result.

Third: what is the shortest honest answer? Probably this: say what I did, and what came of it.
"""

THOUGHT_ABOUT: Final = (
    "I have thought about it, at length. You can unfold my thinking above; it is as scripted as the"
    " rest of me. Nothing in it was needed to write this sentence."
)

UNICODE_PAGE: Final = """\
One line in each of several scripts, so that you can see what your terminal makes of them:

- Svenska: *Räksmörgås på ön*
- 中文: 北京的冬天很冷,但是阳光很好。
- 日本語: 札幌市で雪が降っています。
- 한국어: 주문이 배송 중입니다.
- Русский: заказ уже в пути.
- العربية: الطلب في الطريق.
- עברית: ההזמנה בדרך.
- हिन्दी: ऑर्डर रास्ते में है।
- Tiếng Việt: đơn hàng đang trên đường.
- Combining: e\u0301 is é, n\u0303 is ñ
- Emoji: 📦 🚚 🇯🇵 👩🏽‍💻 (the last one is four code points)
"""

REFUSAL: Final = (
    "I can't help with that. (The demo was asked to refuse, so it does; there was nothing wrong"
    " with your request.)"
)

SLOW: Final = "This drips on purpose, as a model does that is far away and very busy."
