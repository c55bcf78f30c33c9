"""Options of a model as arguments of the command line, made from the catalogue."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symoro.models.catalogue import Option


def add_model_options(
    parsers: Sequence[argparse.ArgumentParser], arguments: Sequence[str], with_value: Sequence[str]
) -> None:
    """Options of the model that the user named, so that --help and typing errors know them.

    Arguments:
        arguments: what comes after the command.
        with_value: the other options that take a value.
    """
    from symoro.models.catalogue import catalogue, entry

    options = [
        option for known in catalogue().values() for option in known.all_options if option.kind != "flag"
    ]
    skipped = {*with_value, *(flag for option in options for flag in _flags(option))}
    words = list(_words(arguments, skipped))
    if not words:
        return
    chosen = entry(words[0])
    for parser in parsers:
        group = parser.add_argument_group(f"options of {chosen.id}", chosen.title)
        for option in chosen.all_options:
            add_model_option(group, option)


def _words(arguments: Sequence[str], with_value: set[str]) -> Iterator[str]:
    """The arguments that are no options nor values of options."""
    skip = False
    for word in arguments:
        if not skip and not word.startswith("-"):
            yield word
        skip = not skip and word in with_value


def _flags(option: Option) -> list[str]:
    name = option.flag or option.name
    return [f"--{name.replace('_', '-')}", *(["--from"] if option.name == "frm" else [])]


def add_model_option(group: argparse._ArgumentGroup, option: Option, flags: list[str] | None = None) -> None:
    text = option.title + (f" (default {option.default})" if option.default is not None else "")
    destination = f"option_{option.name}"
    flags = flags or _flags(option)
    if option.kind == "flag":
        group.add_argument(*flags, dest=destination, action="store_true", default=None, help=text)
        return
    from symoro.ui.values import posture_word

    kinds: dict[str, Callable[[str], object]] = {
        "frame": frame_named,
        "frames": frames_named,
        "points": points_named,
        "number": float,
        "posture": posture_word,
    }
    group.add_argument(
        *flags,
        dest=destination,
        metavar=None if option.choices else option.kind.upper(),
        type=kinds.get(option.kind, str),
        choices=option.choices or None,
        default=None,
        help=text,
    )


def frame_named(text: str) -> int | str:
    """A frame's number, or its name."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else text


def frames_named(text: str) -> list[int | str]:
    """Frames by number or name, with commas between them."""
    return [frame_named(word.strip()) for word in text.split(",") if word.strip()]


def points_named(text: str) -> list[int | str | tuple[int | str, list[str]]]:
    """Frames with commas between them, or points as 4:0,0,-0.2 with semicolons between them."""
    if ":" not in text and ";" not in text:
        return [*frames_named(text)]
    found: list[int | str | tuple[int | str, list[str]]] = []
    for item in text.split(";"):
        frame, colon, place = item.partition(":")
        if item.strip():
            found.append(
                (frame_named(frame.strip()), place.split(",")) if colon else frame_named(frame.strip())
            )
    return found
