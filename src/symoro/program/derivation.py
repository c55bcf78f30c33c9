"""How a model was derived, as data to be read: stages of sentences, in which words and expressions alternate."""

from __future__ import annotations

from dataclasses import dataclass

from symoro.expr.scalar import Expr

RELATIONS = ("=", "<")  # words that are signs of mathematics
Sentence = tuple[str | Expr, ...]


@dataclass(frozen=True)
class Stage:
    """One step of a derivation: what it is about, and its sentences in order."""

    title: str
    sentences: tuple[Sentence, ...]
