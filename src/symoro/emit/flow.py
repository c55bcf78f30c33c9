"""Order of loads, statements and stores of the call part that compilers process fastest.

An entry of an input or of the constants is loaded where it is first needed, and an entry of an output is stored as soon
as it is computed. Therefore few values are live at any time: with all loads first and all stores last, gcc spends
several times as long on the register allocation of a large program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from symoro.emit.listing import Listing
from symoro.expr import ops


class Load(NamedTuple):
    """Statement that reads an entry of an input array into a variable."""

    input: int
    entry: int
    name: str


class Constant(NamedTuple):
    """Statement that reads an entry of the array of constants into a variable."""

    at: int
    name: str


class Store(NamedTuple):
    """Statement that writes an entry of an output: number of the output in the program, position in its array."""

    output: int
    entry: int


Source = Load | Constant
Event = Load | Constant | Store | int  # an int is a node of `Listing.call`


def flow(listing: Listing, places: Mapping[int, Source]) -> list[Event]:
    """Return all loads, statements and stores of the function that computes one sample, in order.

    Args:
        places: node -> load statement, for input entries and constants.
    """
    graph, own = listing.program.graph, listing.own
    visited = bytearray(len(graph))
    events: list[Event] = []
    for event, needed in _events(listing):
        stack = [lit >> 1 for lit in needed]
        sources: list[Source] = []
        while stack:
            i = stack.pop()
            if visited[i]:
                continue
            visited[i] = 1
            if i in places:
                sources.append(places[i])
            elif not own[i] and graph.op[i] >= ops.ADD:
                stack += [lit >> 1 for lit in graph.args[i]]
        if len(sources) > 1:
            sources.sort(key=lambda place: (isinstance(place, Constant), place[:2]))
        events += sources
        events.append(event)
    return events


def _events(listing: Listing) -> Iterator[tuple[int | Store, tuple[int, ...]]]:
    """Yield statements and stores in order, each with the references of the nodes that it reads.

    Output entries that are inputs or constants are stored last.
    """
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
    """Yield, for each output entry, the node after which it can be stored, the store, and its node reference."""
    graph = listing.program.graph
    for output, port in enumerate(listing.program.outputs):
        for entry, lit in enumerate(port.lits):
            i = lit >> 1
            made_here = graph.op[i] >= ops.ADD and graph.cls[i] == ops.VARIABLE
            yield (i if made_here else float("inf")), Store(output, entry), lit
