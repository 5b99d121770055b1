"""What can be typed behind a slash in the prompt: names, what they take and what they do, in words."""

from __future__ import annotations

from typing import Final

from tui.app.widgets.prompt import SlashCommand

COMMANDS: Final = (
    SlashCommand("new", "begin a new conversation"),
    SlashCommand("open", "open a stored conversation"),
    SlashCommand("go-on", "ask again from here: after an error, a limit or a restart"),
    SlashCommand("endpoint", "talk to another endpoint from the next turn on", "NAME"),
    SlashCommand("model", "use another model of this endpoint", "NAME"),
    SlashCommand("wire", "what came over the wire, event by event"),
    SlashCommand("travel", "the turn as it was at any moment"),
    SlashCommand("tools", "tools and servers: what they are, what may run unasked"),
    SlashCommand("reload", "read tool files and servers again"),
    SlashCommand("regenerate", "ask for the chosen (or last) turn again, as a branch"),
    SlashCommand("edit", "edit the chosen (or last) prompt and send it as a branch"),
    SlashCommand("branch", "go on from the chosen message"),
    SlashCommand("answer", "give a call another result, as a branch", "REF TEXT"),
    SlashCommand("search", "search what was said, called and returned", "TEXT"),
    SlashCommand("compare", "this branch beside another, or another conversation"),
    SlashCommand("title", "give the conversation another title", "TEXT"),
    SlashCommand("tag", "give it these tags and no others; - takes all away", "TAG ..."),
    SlashCommand("pin", "keep it at the top of the list; again lets it go"),
    SlashCommand("image", "send an image with the next prompt", "FILE"),
    SlashCommand("keep", "keep conversations in another folder, or in memory only", "DIR|memory"),
    SlashCommand("theme", "the next theme"),
    SlashCommand("help", "keys and marks"),
    SlashCommand("quit", "leave"),
)
