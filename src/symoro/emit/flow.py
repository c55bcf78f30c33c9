"""The call part in the order in which a compiler likes it best.

An entry of an input or of the constants is loaded where it is first needed, and an entry of an output is
stored as soon as it is known. Few values are then alive at any time: with all loads first and all stores
last, gcc spends several times as long on the registers of a large program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from symoro.emit.listing import Listing
from symoro.expr import ops


class Load(NamedTuple):
    """A variable takes an entry of an input."""

    input: int
    entry: int
    name: str


class Constant(NamedTuple):
    """A variable takes an entry of the constants."""

    at: int
    name: str


class Store(NamedTuple):
    """An entry of an output, by its number in the program and its place in the output."""

    output: int
    entry: int


Source = Load | Constant
Event = Load | Constant | Store | int  # an integer is a node of `Listing.call`


def flow(listing: Listing, places: Mapping[int, Source]) -> list[Event]:
    """Loads, statements and stores of the call part, in order.

    Arguments:
        places: node -> where its value is found, for input entries and constants.
    """
    graph, own = listing.program.graph, listing.own
    seen = bytearray(len(graph))
    events: list[Event] = []
    for event, needed in _events(listing):
        stack = [lit >> 1 for lit in needed]
        found: list[Source] = []
        while stack:
            i = stack.pop()
            if seen[i]:
                continue
            seen[i] = 1
            if i in places:
                found.append(places[i])
            elif not own[i] and graph.op[i] >= ops.ADD:
                stack += [lit >> 1 for lit in graph.args[i]]
        if len(found) > 1:
            found.sort(key=lambda place: (isinstance(place, Constant), place[:2]))
        events += found
        events.append(event)
    return events


def _events(listing: Listing) -> Iterator[tuple[int | Store, tuple[int, ...]]]:
    """Statements and stores with the literals that they read; outputs that need no work come last."""
    graph = listing.program.graph
    stores = sorted(_stores(listing), key=lambda pair: pair[0])
    at = 0
    for i in listing.call:
        while at < len(stores) and stores[at][0] < i:
            yield stores[at][1], (stores[at][2],)
            at += 1
        yield i, graph.children(i)
    for _, store, lit in stores[at:]:
        yield store, (lit,)


def _stores(listing: Listing) -> Iterator[tuple[float, Store, int]]:
    """(node after which an entry is known, entry, literal)."""
    graph = listing.program.graph
    for output, port in enumerate(listing.program.outputs):
        for entry, lit in enumerate(port.lits):
            i = lit >> 1
            made_here = graph.op[i] >= ops.ADD and graph.cls[i] == ops.VARIABLE
            yield (i if made_here else float("inf")), Store(output, entry), lit
