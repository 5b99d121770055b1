"""What the demo does when asked to misbehave: each a thing that really happens on the wire.

A situation comes in, a plan with the wanted fault goes out. Faults in the middle of a call need
the tool offered; without it the same fault happens in prose.
"""

from __future__ import annotations

from tui.demo import pages, phrasing
from tui.demo.everyday import THE_ORDER, missing, named_order
from tui.demo.plan import (
    Call,
    End,
    HttpAnswer,
    Piece,
    Plan,
    Prose,
    Refusal,
    Silence,
    Thinking,
    Together,
    speak,
)
from tui.demo.telling import tell
from tui.demo.understand import Situation


def _stop(situation: Situation, end: End, words: str) -> Plan:
    """Prose, then a call of which only the first 300 characters come, then `end`."""
    pieces: tuple[Piece, ...]
    if "create_ticket" in situation.tools:
        text = phrasing.ticket(named_order(situation))
        pieces = (Prose(words), Call("create_ticket", text[:300], whole=False))
    else:
        pieces = (Prose(words + " Without `create_ticket` I can only stop in my own wor", False),)
    return Plan(pieces, end)


def break_off(situation: Situation) -> Plan:
    return _stop(situation, "broken", "I begin a ticket, and then the connection breaks.")


def cut_clean(situation: Situation) -> Plan:
    return _stop(situation, "cut", "I begin a ticket, and then the stream ends without a word.")


def limit(situation: Situation) -> Plan:
    return _stop(situation, "limit", "I begin a ticket that is longer than the output limit.")


def error(situation: Situation) -> Plan:
    return _stop(situation, "error", "I begin a ticket, and then my server reports an error.")


def refuse(situation: Situation) -> Plan:
    return Plan((Refusal(pages.REFUSAL),), "refused")


def bad_json(situation: Situation) -> Plan:
    if plan := missing(situation, "lookup_order"):
        return plan
    order = named_order(situation)
    if situation.rounds == 0:
        wrong = Call("lookup_order", phrasing.not_json(order))
        return speak(Prose("I write arguments that are not JSON."), wrong)
    return _correct(situation, order)


def wrong_type(situation: Situation) -> Plan:
    if plan := missing(situation, "lookup_order"):
        return plan
    order = named_order(situation)
    if situation.rounds == 0:
        wrong = Call("lookup_order", phrasing.wrong_type(order))
        return speak(Prose("I write arguments that do not fit the tool's schema."), wrong)
    return _correct(situation, order)


def _correct(situation: Situation, order: str) -> Plan:
    if situation.rounds > 1:
        return tell(situation)
    return speak(
        Prose("I was told that the arguments were wrong. I write them again, correctly."),
        Call("lookup_order", phrasing.order(order)),
    )


def unknown_tool(situation: Situation) -> Plan:
    if situation.rounds == 0:
        parcel = Call("teleport_parcel", phrasing.order(named_order(situation)))
        return speak(Prose("I call a tool that nobody offered."), parcel)
    if situation.rounds == 1 and "lookup_order" in situation.tools:
        return speak(
            Prose("There is no such tool, I was told. I use one that there is."),
            Call("lookup_order", phrasing.order(named_order(situation))),
        )
    return tell(situation)


def two_at_once(situation: Situation) -> Plan:
    first, second = (*situation.order_ids, THE_ORDER, "A-4463")[:2]
    return missing(situation, "lookup_order") or speak(
        Together(tuple(Call("lookup_order", phrasing.order(o)) for o in (first, second))),
        Prose("Both calls formed at the same time, and this text follows them in the same turn."),
    )


def split_emoji(situation: Situation) -> Plan:
    return missing(situation, "create_ticket") or speak(
        Prose("I write emoji of which one half comes in one event and the other in the next."),
        Call("create_ticket", phrasing.halves(named_order(situation))),
    )


def long(situation: Situation) -> Plan:
    text = phrasing.long_ticket(named_order(situation))
    return missing(situation, "create_ticket") or speak(
        Prose("I write a ticket of 20 kB."), Call("create_ticket", text), tempo=0.1
    )


def slow(situation: Situation) -> Plan:
    calls: list[Piece] = []
    if "lookup_order" in situation.tools:
        calls.append(Call("lookup_order", phrasing.order(named_order(situation))))
    return speak(Prose(pages.SLOW), *calls, tempo=12)


def loop(situation: Situation) -> Plan:
    round_ = situation.rounds + 1
    return missing(situation, "lookup_order") or speak(
        Prose(f"Round {round_}: I look it up once more, whatever came back."),
        Call("lookup_order", phrasing.order(named_order(situation))),
    )


def keepalive(situation: Situation) -> Plan:
    return speak(
        Thinking("Nothing will come for a while but signs of life."),
        Silence(seconds=2, beats=5),
        Prose("That was about ten seconds of silence, kept alive. The connection held."),
    )


def http_429(situation: Situation) -> HttpAnswer:
    return HttpAnswer(429, "The demo was asked to refuse: too many requests.", retry_after=2)


def http_500(situation: Situation) -> HttpAnswer:
    return HttpAnswer(500, "The demo was asked to fail with an internal server error.")


def html(situation: Situation) -> HttpAnswer:
    return HttpAnswer(200, "Sign in to the demo network", page=True)
