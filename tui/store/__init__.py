"""Conversations, exchanges and the dispatch ledger in SQLite.

What was received is on the disk within 100 ms and survives `kill -9`; a call is written down
as started before it starts, once. Message bodies are JSON text that is made elsewhere.
"""

from tui.store.calls import NewCall, StoredCall
from tui.store.conversations import StoredConversation, StoredMessage
from tui.store.exchanges import StoredExchange
from tui.store.inspection import Past
from tui.store.ledger import Edit, NewResult, StoredDispatch, StoredResult
from tui.store.recovery import Recovery, recover
from tui.store.search import Hit
from tui.store.store import Store
from tui.store.tree import MessageNode
from tui.store.trouble import StoreUnusable, Trouble

__all__ = [
    "Edit",
    "Hit",
    "MessageNode",
    "NewCall",
    "NewResult",
    "Past",
    "Recovery",
    "Store",
    "StoreUnusable",
    "StoredCall",
    "StoredConversation",
    "StoredDispatch",
    "StoredExchange",
    "StoredMessage",
    "StoredResult",
    "Trouble",
    "recover",
]
