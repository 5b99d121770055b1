"""The store as the rest of the program sees it: all parts, one database."""

from __future__ import annotations

from tui.store.calls import Calls
from tui.store.conversations import Conversations
from tui.store.exchanges import Exchanges
from tui.store.figures import Figures
from tui.store.inspection import Inspection
from tui.store.ledger import Ledger
from tui.store.search import Search
from tui.store.tree import Tree


class Store(Conversations, Exchanges, Calls, Ledger, Search, Figures, Inspection, Tree):
    """Conversations, exchanges, calls, the dispatch ledger, the search and figures.

    `Store.open(path)` or `Store.memory()`; see `database.Database` for threads, trouble,
    `relocate` and `close`.
    """
