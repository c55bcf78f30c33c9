"""Typed access to a mapping of a robot's file: each getter takes down what is wrong and gives a default."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from symoro.errors import UnknownNameError
from symoro.expr.formula import ZERO, Formula, exact_angle
from symoro.robot.formats.report import Report, Spot
from symoro.robot.formats.yaml_nodes import YamlList, YamlMapping, YamlNode, YamlScalar
from symoro.robot.records import ANGLES

_INTEGER = re.compile(r"[0-9]{1,9}\Z")


class Record:
    """A mapping with the keys that it may have; `path` names it in errors."""

    def __init__(self, report: Report, node: YamlNode, path: str, allowed: Iterable[str]) -> None:
        self.report, self.path = report, path
        self.spot = node.spot
        self.node = node if isinstance(node, YamlMapping) else YamlMapping(node.spot)
        if not isinstance(node, YamlMapping):
            found = "nothing" if isinstance(node, YamlScalar) and node.is_null else node.what
            hint = "write its keys and values, as in {key: value, key: value}"
            report.add(f"expected a mapping, got {found}", node.spot, path or None, hint)
        self._check_keys(list(allowed))

    def _check_keys(self, allowed: list[str]) -> None:
        for key, spot in self.node.keys.items():
            if key not in allowed:
                hint = UnknownNameError("key", key, allowed).hint
                self.report.add(f"unknown key '{key[:40]}'", spot, self.full(key), hint)

    def __contains__(self, key: str) -> bool:
        return key in self.node.entries

    def full(self, key: str) -> str:
        """The key with the path to it."""
        return f"{self.path}.{key}" if self.path else key

    def spot_of(self, key: str) -> Spot:
        return self.node.keys.get(key, self.spot)

    def problem(self, key: str, message: str, hint: str | None = None) -> None:
        """Take down what is wrong with the value of a key."""
        node = self.node.entries.get(key)
        self.report.add(message, node.spot if node else self.spot, self.full(key), hint)

    # -- values

    def scalar(self, key: str) -> YamlScalar | None:
        node = self.node.entries.get(key)
        if node is None:
            return None
        if not isinstance(node, YamlScalar):
            self.problem(key, f"expected one value, got {node.what}")
            return None
        if node.is_null:
            self.problem(key, "a value is missing", "leave the key out for its default")
            return None
        return node

    def text(self, key: str) -> str:
        node = self.scalar(key)
        return node.text if node else ""

    def choice(self, key: str, options: Sequence[str], default: str) -> str:
        node = self.scalar(key)
        if node is None:
            return default
        if node.text not in options:
            error = UnknownNameError(key, node.text, options)
            self.problem(key, f"'{node.text[:40]}' is not one of {', '.join(options)}", error.hint)
            return default
        return node.text

    def boolean(self, key: str, default: bool) -> bool:
        node = self.scalar(key)
        if node is None:
            return default
        if not node.plain or node.text.lower() not in ("true", "false"):
            self.problem(key, f"expected true or false, got '{node.text[:40]}'")
        return node.text.lower() == "true"

    def frame(self, key: str, default: int, highest: int, names: dict[str, int]) -> int:
        """A frame, by its number or by the name of its joint or link."""
        node = self.scalar(key)
        if node is None:
            return default
        number = names.get(node.text)
        if _INTEGER.match(node.text):
            number = int(node.text)
        if number is None or number > highest:
            hint = UnknownNameError("frame", node.text, list(names)).hint if len(names) > 1 else None
            self.problem(key, f"expected a frame, 0 to {highest}, got '{node.text[:40]}'", hint)
            return default
        return number

    def formula(self, key: str, default: Formula = ZERO) -> Formula:
        node = self.scalar(key)
        return default if node is None else self.expression(node, key)

    def number(self, key: str) -> float | None:
        """A number, which may be written as a constant expression."""
        node = self.scalar(key)
        if node is None:
            return None
        value = self.expression(node, key)
        if value.number is None:
            self.problem(key, f"expected a number, got '{node.text[:40]}'")
        return value.number

    def count(self, key: str, most: int) -> int:
        """A whole number from 0; none given is 0."""
        node = self.scalar(key)
        if node is None:
            return 0
        if not _INTEGER.match(node.text) or int(node.text) > most:
            self.problem(key, f"expected a whole number, 0 to {most}, got '{node.text[:40]}'")
            return 0
        return int(node.text)

    def angle(self, key: str) -> Formula:
        """An angle; a rounded multiple of pi is made exact."""
        return exact_angle(self.formula(key))

    def formulas(self, keys: Iterable[str]) -> dict[str, Formula]:
        """The values of those keys that are there."""
        present = [key for key in keys if key in self]
        return {key: self.angle(key) if key in ANGLES else self.formula(key) for key in present}

    def expression(self, node: YamlScalar, key: str) -> Formula:
        if node.plain and node.text in ("true", "false", "True", "False"):
            self.report.add(f"expected a value, got {node.text}", node.spot, self.full(key))
            return ZERO
        return self.report.expression(node.text, node.locate, self.full(key))

    # -- parts

    def keys_of(self, key: str) -> list[str]:
        """The keys of a mapping that may have any."""
        node = self.node.entries.get(key)
        return list(node.entries) if isinstance(node, YamlMapping) else []

    def record(self, key: str, allowed: Iterable[str]) -> Record:
        """The mapping of a key; an empty one when it is absent."""
        node = self.node.entries.get(key, YamlMapping(self.spot))
        return Record(self.report, node, self.full(key), allowed)

    def items(self, key: str) -> list[YamlNode]:
        """The items of a list."""
        node = self.node.entries.get(key)
        if node is None:
            return []
        if not isinstance(node, YamlList):
            self.problem(key, f"expected a list, got {node.what}")
            return []
        return node.items

    def vector(self, key: str, length: int, default: tuple[Formula, ...]) -> tuple[Formula, ...]:
        """A list of expressions."""
        if key not in self:
            return default
        items = self.items(key)
        if len(items) != length:
            self.problem(key, f"expected {length} values, got {len(items)}")
            return default
        return tuple(self._entry(item, key) for item in items)

    def entries(self, key: str) -> list[Formula]:
        """The expressions of a list, or of the lists in it, row by row."""
        rows = [item.items if isinstance(item, YamlList) else [item] for item in self.items(key)]
        return [self._entry(item, key) for row in rows for item in row]

    def _entry(self, item: YamlNode, key: str) -> Formula:
        if not isinstance(item, YamlScalar) or item.is_null:
            self.report.add("expected one value", item.spot, self.full(key))
            return ZERO
        return self.expression(item, key)

    def matrix(self, key: str, size: int, default: tuple[Formula, ...]) -> tuple[Formula, ...]:
        """A square list of rows, flattened by rows."""
        if key not in self:
            return default
        rows = self.items(key)
        if len(rows) != size or not all(isinstance(row, YamlList) and len(row.items) == size for row in rows):
            self.problem(key, f"expected {size} rows of {size} values", "[[1, 0, 0, 0], [0, 1, 0, 0], ...]")
            return default
        return tuple(self._entry(x, key) for row in rows if isinstance(row, YamlList) for x in row.items)
