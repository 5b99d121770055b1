"""Where the wire pane and time travel get an exchange from: live turns, and the store.

One for each open conversation. A turn that the screen holds is shown live; any other exchange is
read again from its bytes. Everything here may take a while for bodies of megabytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tui.app.wire.contrasted import Contrasted, Known
from tui.app.wire.contrasts import ClientsOf, careless_clients
from tui.app.wire.exchange import WireExchange, numbered, read_exchange
from tui.app.wire.timeline import Reading, Timeline
from tui.core.conversation import ToolSpec
from tui.core.dialects import DecoderSettings
from tui.core.errors import StoreError
from tui.session.resume import STOPPED, read_again
from tui.session.updates import TurnHandle
from tui.store import Store


@dataclass(frozen=True, slots=True)
class WireSource:
    """See the module.

    Args:
        handles: exchange id → its turn, where the screen holds it; live.
        tools: on offer, for the schema check.
        settings: how the present endpoint's streams are read; `endpoint` is its name.
        clients: the careless clients of a dialect.
    """

    store: Store
    conversation: str
    handles: Mapping[str, TurnHandle]
    tools: Mapping[str, ToolSpec]
    settings: DecoderSettings | None = None
    endpoint: str = ""
    clients: ClientsOf = careless_clients

    def exchanges(self) -> Sequence[str]:
        """Ids of the conversation's exchanges, oldest first."""
        return [stored.id for _, stored in numbered(self.store, self.conversation)]

    def handle(self, exchange: str) -> TurnHandle:
        """The turn of an exchange.

        Raises:
            StoreError: it is not part of the conversation.
        """
        held = self.handles.get(exchange)
        if held is not None:
            return held
        for number, stored in numbered(self.store, self.conversation):
            if stored.id == exchange:
                return read_again(
                    self.store,
                    stored,
                    number,
                    tools=self.tools,
                    settings=self._settings(stored.endpoint),
                )[1]
        raise StoreError(f"the exchange {exchange!r} is not part of this conversation")

    def read(self, exchange: str, handle: TurnHandle | None = None) -> WireExchange:
        """What is on record of an exchange now.

        Raises:
            StoreError: it is not part of the conversation, or cannot be read.
        """
        ids = list(self.exchanges())
        if exchange not in ids:
            raise StoreError(f"the exchange {exchange!r} is not part of this conversation")
        return read_exchange(self.store, exchange, ids.index(exchange) + 1, handle)

    def reading(self, found: WireExchange, handle: TurnHandle) -> Reading:
        """How to read its bytes so that the same turn comes of them."""
        stored = found.stored
        broken = ""
        if found.over and stored.ending != "complete":
            torn = stored.ending != "abandoned" or handle.turn.ended_at is None
            broken = (stored.problem or STOPPED) if torn else ""
        return Reading(
            stored.dialect,
            found.head,
            self._settings(stored.endpoint),
            f"t{found.number}",
            self.tools,
            broken,
        )

    def timeline(self, found: WireExchange, handle: TurnHandle) -> Timeline:
        """Its turn at every position, read once to its end or as far as it has come."""
        timeline = Timeline(
            self.reading(found, handle), found.body, handle.steps, found.chunks, over=found.over
        )
        timeline.seek(timeline.last)
        return timeline

    def contrasted(self, found: WireExchange, handle: TurnHandle) -> Contrasted:
        """Careless clients for its turn."""
        timeline = Timeline(self.reading(found, handle), b"", (), over=False)
        return Contrasted(self.clients(found.stored.dialect), timeline)

    def known(self, found: WireExchange, handle: TurnHandle) -> Known:
        """What there is to compare now."""
        return Known(found, tuple(handle.steps), self.reading(found, handle).broken)

    def _settings(self, endpoint: str) -> DecoderSettings | None:
        return self.settings if endpoint == self.endpoint else None
