"""Read design studies from YAML; errors contain line and column.

robot: fivebar                               a bundled robot, or the path of a file relative to this one
bind: {D4: D2, D6: D5}                       symbols as numbers, expressions or other symbols
variables: {D2: [0.1, 0.4], D5: [0.15, 0.5]}
objectives:
  - {measure: inverse-condition, over: {x: [0.02, 0.22, 9], y: [0.2, 0.3, 6]}, at: {z: 0}, maximise: true}
  - {expression: 2*D2 + 2*D5}
constraints:
  - {measure: singularity-distance, over: ..., statistic: min, least: 0.1}
algorithm: {name: nsga2, population: 40, generations: 60}
seed: 1
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symoro.errors import FormatError, Place, SymoroError, UnknownNameError
from symoro.files import reason
from symoro.models.catalogue import is_model_name
from symoro.robot.description import Robot
from symoro.robot.formats import load
from symoro.robot.formats.document import Record, YamlList, YamlMapping, YamlNode, YamlScalar, compose
from symoro.robot.formats.report import MAX_BYTES, Report, unix_lines
from symoro.study.design import ALGORITHMS, STATISTICS, Criterion, DesignResult, DesignStudy, optimise
from symoro.study.measures import MEASURES, OF_OUTPUTS
from symoro.study.quantities import with_symbols
from symoro.study.sweep import task_rows

KEYS = (
    *("symoro-study", "name", "robot", "bind", "variables"),
    *("objectives", "constraints", "algorithm", "seed"),
)
SETTINGS = ("degrees", "length", "task", "mode", "stiffness", "trajectory", "step")
OF_CRITERION = (
    *("name", "measure", "expression", "model", "options", "over", "at", "column", "statistic"),
    *SETTINGS,
)
LIBRARY = Path(__file__).parent / "library"
SEE = "see docs/design-studies.md"
MAX_SEED = 2**31


def bundled_studies() -> list[str]:
    """Return the names of the bundled studies."""
    return sorted(path.stem for path in LIBRARY.glob("*.yaml"))


def load_study(source: str | Path) -> DesignStudy:
    """Read a design study from a YAML file, or return a bundled one by its name.

    Raises:
        FormatError: the file is not valid; the error contains line and column.
        UnknownNameError: there is no such file or bundled study.
    """
    path = Path(source)
    if not path.exists() and str(source) in bundled_studies():
        path = LIBRARY / f"{source}.yaml"
    if not path.suffix and not path.exists():
        raise UnknownNameError("study", str(source), bundled_studies())
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(f"the file cannot be read: {reason(error)}", place=Place(str(path))) from None
    except ValueError:
        raise FormatError("the file is not a text in UTF-8", place=Place(str(path))) from None
    return read_study(text, str(path))


def read_study(text: str, file: str | None = None) -> DesignStudy:
    """Read a design study from YAML text.

    Args:
        text: the text.
        file: path of the file, for errors and for the paths inside.

    Raises:
        FormatError: the text is not valid; the error contains line and column.
    """
    report = Report(file)
    if len(text) > MAX_BYTES:
        report.fail(f"the file is longer than {MAX_BYTES} bytes", None, None, SEE)
    return _Reader(report, compose(unix_lines(text), report, "study", "robot: fivebar")).read()


def optimise_design(study: DesignStudy | str | Path) -> DesignResult:
    """Search the designs that optimise the objectives of a study.

        result = symoro.optimise_design("fivebar")      # a bundled study, or the path of a YAML file
        result.columns, result.robot()

    Args:
        study: a study, the path of its file, or the name of a bundled one.

    Raises:
        FormatError: the file is not valid; the error contains line and column.
        OptionError: no design satisfies the constraints.
        MissingDependencyError: there are several objectives, and pymoo is not installed.
    """
    return optimise(study if isinstance(study, DesignStudy) else load_study(study))


class _Reader:
    def __init__(self, report: Report, node: YamlNode) -> None:
        self.report = report
        self.folder = Path(report.file).parent if report.file else Path()
        self.top = Record(report, node, "", KEYS)

    def read(self) -> DesignStudy:
        for key in ("robot", "variables", "objectives"):
            if key not in self.top:
                self.report.add(f"the key '{key}' is missing", self.top.spot, None, SEE)
        variables = self._variables()
        robot = self._robot(list(variables))
        objectives = [self._criterion("objectives", k, item) for k, item in self._items("objectives")]
        constraints = [self._criterion("constraints", k, item) for k, item in self._items("constraints")]
        if "objectives" in self.top and not objectives:
            self.top.problem("objectives", "a study requires at least one objective", SEE)
        algorithm = self._algorithm()
        seed = self.top.count("seed", MAX_SEED)
        if robot is not None:
            self._check_variables(robot, variables)
        self.report.check()
        assert robot is not None
        made = [one for one in objectives if one is not None]
        try:
            return DesignStudy(
                robot,
                variables,
                tuple(made),
                tuple(one for one in constraints if one is not None),
                seed=seed,
                name=self.top.text("name") or robot.name,
                **algorithm,
            )
        except SymoroError as error:
            self.report.fail(error.message, self.top.spot_of("algorithm"), "algorithm", error.hint)

    def _items(self, key: str) -> list[tuple[int, YamlNode]]:
        return list(enumerate(self.top.items(key), 1))

    def _variables(self) -> dict[str, tuple[float, float]]:
        names = self.top.keys_of("variables")
        record = self.top.record("variables", names)
        variables = {}
        for name in names:
            ends = [value.number for value in record.entries(name)]
            if len(ends) != 2 or None in ends:
                record.problem(name, "expected [low, high]", "for example D2: [0.1, 0.4]")
                continue
            low, high = (float(x) for x in ends if x is not None)
            if not low < high:
                record.problem(name, f"the range is empty: from {low:g} to {high:g}")
            variables[name] = (low, high)
        if "variables" in self.top and not names:
            self.top.problem("variables", "a study requires at least one variable", SEE)
        return variables

    def _robot(self, variables: list[str]) -> Robot | None:
        name = self.top.text("robot")
        if not name:
            return None
        beside = self.folder / name
        try:
            robot = with_symbols(load(str(beside) if beside.is_file() else name), variables)
        except SymoroError as error:
            self.top.problem("robot", error.message, error.hint)
            return None
        record = self.top.record("bind", self.top.keys_of("bind"))
        for symbol in self.top.keys_of("bind"):
            try:
                robot = robot.bind({symbol: record.formula(symbol)})
            except SymoroError as error:
                record.problem(symbol, error.message, error.hint)
        return robot

    def _check_variables(self, robot: Robot, variables: Mapping[str, Any]) -> None:
        record = self.top.record("variables", self.top.keys_of("variables"))
        for name in variables:
            if name not in robot.symbols():
                hint = UnknownNameError("symbol", name, robot.symbols()).hint
                self.report.add(
                    f"'{name}' is not a symbol of robot '{robot.name}'",
                    record.spot_of(name),
                    f"variables.{name}",
                    hint,
                )

    def _criterion(self, key: str, number: int, node: YamlNode) -> Criterion | None:
        own = ("maximise",) if key == "objectives" else ("least", "most")
        record = Record(self.report, node, f"{key}[{number}]", (*OF_CRITERION, *own))
        if ("measure" in record) == ("expression" in record):
            self.report.add("expected either a measure or an expression", record.spot, record.path, SEE)
            return None
        if key == "constraints" and "least" not in record and "most" not in record:
            self.report.add("the bound is missing: give least or most", record.spot, record.path, SEE)
        measure = record.text("measure") or None
        if measure is not None:
            self._check_measure(record, measure)
        expression = record.formula("expression") if "expression" in record else None
        default = f"{record.text('statistic') or 'mean'} {measure}" if measure else str(expression)
        return Criterion(
            name=record.text("name") or default,
            measure=measure,
            expression=expression,
            model=record.text("model") or "jacobian",
            options=self._mapping(record, "options"),
            over=self._ranges(record),
            at=self._mapping(record, "at"),
            column=record.text("column") or None,
            statistic=record.choice("statistic", list(STATISTICS), "mean"),
            maximise=record.boolean("maximise", False) if key == "objectives" else False,
            least=record.number("least") if key == "constraints" else None,
            most=record.number("most") if key == "constraints" else None,
            settings=self._settings(record),
            place=Place(self.report.file, *record.spot, record.path),
        )

    def _check_measure(self, record: Record, measure: str) -> None:
        kind, colon, _ = measure.partition(":")
        if not (colon and kind in OF_OUTPUTS) and measure not in MEASURES:
            known = [*MEASURES, *(f"{one}:OUTPUT" for one in OF_OUTPUTS)]
            record.problem(
                "measure", f"no measure called '{measure}'", UnknownNameError("", measure, known).hint
            )
        if colon and "model" not in record:
            record.problem("measure", f"the model of '{measure}' is missing", "add model: inverse-dynamics")
        if "model" in record and not is_model_name(record.text("model")):
            record.problem("model", f"no model called '{record.text('model')}'")

    def _settings(self, record: Record) -> dict[str, Any]:
        settings: dict[str, Any] = {}
        if "degrees" in record:
            settings["degrees"] = record.boolean("degrees", False)
        for key in ("length", "step"):
            if key in record and (value := record.number(key)) is not None:
                settings[key] = value
                if not value > 0:
                    record.problem(key, f"expected a positive number, got {value:g}")
        if "mode" in record:
            settings["mode"] = record.count("mode", 1000)
        if "stiffness" in record:
            items = record.node.entries["stiffness"]
            values = [record.number("stiffness")] if isinstance(items, YamlScalar) else None
            numbers = values or [value.number for value in record.entries("stiffness")]
            settings["stiffness"] = tuple(numbers)
        try:
            if "task" in record:
                settings["task"] = task_rows(record.text("task"))
            if "trajectory" in record:
                from symoro.trajectory.files import as_trajectory

                beside = self.folder / record.text("trajectory")
                settings["trajectory"] = as_trajectory(
                    beside if beside.is_file() else record.text("trajectory")
                )
        except SymoroError as error:
            record.problem("trajectory" if "task" in settings else "task", error.message, error.hint)
        return settings

    def _ranges(self, record: Record) -> dict[str, Any]:
        """Return the grids of a criterion: [low, high, count], or the text low:high:count."""
        names = record.keys_of("over")
        inside = record.record("over", names)
        ranges: dict[str, Any] = {}
        for name in names:
            node = inside.node.entries[name]
            if isinstance(node, YamlList):
                values = [value.number for value in inside.entries(name)]
                if len(values) != 3 or None in values:
                    inside.problem(name, "expected [low, high, count]", "for example q2: [-90, 90, 19]")
                ranges[name] = tuple(values)
            else:
                ranges[name] = inside.text(name)
        return ranges

    def _mapping(self, record: Record, key: str) -> dict[str, Any]:
        """Return a mapping with numbers, lists of numbers and texts."""
        node = record.node.entries.get(key)
        if node is None:
            return {}
        inside = record.record(key, record.keys_of(key))
        values: dict[str, Any] = {}
        for name, one in inside.node.entries.items():
            if isinstance(one, YamlMapping):
                inside.problem(name, "expected a number or a list of numbers")
            elif isinstance(one, YamlList):
                values[name] = [value.number for value in inside.entries(name)]
            else:
                values[name] = _plain(one.text)
        return values

    def _algorithm(self) -> dict[str, Any]:
        node = self.top.node.entries.get("algorithm")
        if node is None:
            return {}
        if isinstance(node, YamlScalar):
            return {"algorithm": self.top.choice("algorithm", ALGORITHMS, ALGORITHMS[0])}
        record = self.top.record("algorithm", ("name", "population", "generations"))
        settings: dict[str, Any] = {}
        if "name" in record:
            settings["algorithm"] = record.choice("name", ALGORITHMS, ALGORITHMS[0])
        for key in ("population", "generations"):
            if key in record:
                settings[key] = record.count(key, 10**6)
                if not settings[key]:
                    record.problem(key, "expected a positive whole number")
        return settings


def _plain(text: str) -> Any:
    """Return a number or a truth value if the text is one, otherwise the text."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text
