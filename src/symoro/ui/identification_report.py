"""The report of an identification, as Markdown and as one HTML page: what was done, residuals, parameters, plots."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.estimation.identification import Identification
from symoro.estimation.residuals import Residual
from symoro.files import MADE_BY
from symoro.models.identification.base.report import relation, renamed
from symoro.robot.description import JointType
from symoro.ui.plot import Series, line_chart

CORRELATED = 0.95
SHOWN_CORRELATIONS = 20
KINDS = {
    "dynamic": "dynamic model, tau = W K",
    "filtered": "filtered dynamic model, without accelerations",
    "power": "power model",
    "energy": "energy model",
}


@dataclass(frozen=True)
class Section:
    """A heading, sentences, and a table; each may be absent."""

    title: str
    text: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def report_files(found: Identification) -> dict[str, str]:
    """The files of a report, by name: report.md, report.html and one plot an equation."""
    plots = charts(found)
    sections = report_sections(found)
    title = f"Identification of {found.original.name}"
    named = {f"torque-{label}.svg": chart for label, chart in plots.items()}
    return {
        "report.md": _markdown(title, sections, list(named)),
        "report.html": _html(title, sections, list(plots.values())),
        **named,
    }


def report_sections(found: Identification) -> list[Section]:
    """What a report says."""
    sections = [_data(found), _residuals(found), _parameters(found)]
    if found.essential is not None:
        sections.append(_essential(found))
    if found.consistent is not None:
        sections.append(_consistent(found))
    sections += [_correlations(found), _relations(found)]
    return sections


def charts(found: Identification, number: int = 0) -> dict[str, str]:
    """Measured and predicted torques of one log, with what is left over, one chart an equation."""
    time, measured, predicted = found.predicted(number)
    made = {}
    for k, label in enumerate(found.model.labels):
        unit = _unit_of(found, k)
        title = f"Joint {label}" if label.isdigit() else label.capitalize()
        share = found.residuals.every.equations[k]
        made[label] = line_chart(
            [
                Series("measured", time, measured[:, k]),
                Series("predicted", time, predicted[:, k], "dashed"),
                Series("residual", time, measured[:, k] - predicted[:, k]),
            ],
            f"{title}: measured and predicted, residual {100 * share:.1f} % on all rows",
            "time [s]",
            f"[{unit}]",
        )
    return made


def _unit_of(found: Identification, k: int) -> str:
    if found.model.kind == "power":
        return "W"
    if found.model.kind == "energy":
        return "J"
    joint = int(found.model.labels[k])
    return "N m" if found.original.frame(joint).sigma == JointType.REVOLUTE else "N"


def parameter_unit(name: str, found: Identification) -> str:
    """The unit of a column."""
    kind = name.rstrip("0123456789")
    prismatic = found.original.frame(int(name[len(kind) :])).sigma == JointType.PRISMATIC
    units = {"M": "kg", "MX": "kg m", "MY": "kg m", "MZ": "kg m", "FL": "1"}
    if kind in units:
        return units[kind]
    if kind in ("IA", "IAM"):
        return "kg" if prismatic else "kg m^2"
    if kind in ("FV", "FVM"):
        return "N s/m" if prismatic else "N m s/rad"
    if kind in ("FS", "FO", "FSM", "FB"):
        return "N" if prismatic else "N m"
    return "kg m^2"


def _data(found: Identification) -> Section:
    p, e = found.preparation, found.estimate
    logs = "; ".join(f"{log.name}, {log.samples} samples at {log.rate:g} Hz" for log in found.logs)
    filters = (
        f"low-pass at {p.cutoff:g} Hz (zero phase, order 4), central differences"
        if p.cutoff
        else "no low-pass, central differences"
    )
    rows = [
        ("log", logs),
        ("model", f"{KINDS[found.model.kind]}, {len(e.names)} columns"),
        ("signals", filters),
        ("decimation", f"by {p.decimation}" + (", all columns alike" if p.decimation > 1 else "")),
        ("rows dropped", f"|qd| < {p.slow:g}" if p.slow else "none"),
        *_held(found),
        ("method", e.method + (f", {e.rounds} rounds" if e.rounds else "")),
        ("rows less parameters", str(e.freedom)),
    ]
    doubtful = tuple(f"Doubtful: {doubt}." for doubt in found.doubts)
    return Section("Data and method", doubtful, ("", ""), tuple(rows))


def _held(found: Identification) -> list[tuple[str, str]]:
    """Friction that other columns hold."""
    held = [f"{name} in {', '.join(others)}" for name, others in found.model.absorbed.items() if others]
    return [("friction held by other columns", "; ".join(held))] if held else []


def _residuals(found: Identification) -> Section:
    r = found.residuals
    cases: list[tuple[str, Residual | None]] = [
        ("rows that were kept", r.kept),
        ("all rows", r.every),
        ("last third, by the first two (kept rows)", r.held_out),
        ("last third, by the first two (all rows)", r.held_out_every),
    ]
    for name, other in found.validation.items():
        cases += [(f"{name} (kept rows)", other.kept), (f"{name} (all rows)", other.every)]
    rows = [
        (name, str(case.rows), _percent(case.relative), *(_percent(x) for x in case.equations))
        for name, case in cases
        if case is not None
    ]
    labels = [f"joint {label}" if label.isdigit() else label for label in found.model.labels]
    text = "Residual over measurement; 'weighted' counts each equation by the deviation of its residual."
    return Section("Residuals", (text,), ("data", "rows", "weighted", *labels), tuple(rows))


def _percent(x: float) -> str:
    return f"{100 * x:.2f} %" if np.isfinite(x) else "-"


def _parameters(found: Identification) -> Section:
    e = found.estimate
    low, high = e.interval()
    rows = [
        (
            _with_column(name, found),
            _value(e.values[k], e.deviations[k]),
            f"{e.deviations[k]:.2g}",
            f"{e.relative[k]:.1f}" if e.relative[k] < 1e4 else "-",
            f"{_value(low[k], e.deviations[k])} .. {_value(high[k], e.deviations[k])}",
            parameter_unit(name, found),
        )
        for k, name in enumerate(e.names)
    ]
    text = (
        f"{_noise(e.colour)} A regrouped parameter, ZZR1 say, stands for the sum given below; files, options and "
        "Python name it by the column that it is in, ZZ1."
    )
    head = ("parameter", "value", "deviation", "%", "95 % interval", "unit")
    return Section("Parameters", (text,), head, tuple(rows))


def _noise(colour: float) -> str:
    """What deviations allow for."""
    if colour == 1:
        return (
            "Deviations are those of the estimate if the model holds and the noise is white; what the model lacks adds "
            "to them."
        )
    return (
        "Residuals are correlated in time, by coloured noise or by what the model lacks. Deviations allow for it: they "
        f"are {colour:.2g} times those of white noise (median)."
    )


def _shown(name: str, found: Identification) -> str:
    """As the papers write it: ZZR1 where others are regrouped into ZZ1."""
    return renamed(name) if found.base.relations.get(name) else name


def _with_column(name: str, found: Identification) -> str:
    """That, and the column's own name where it is another."""
    shown = _shown(name, found)
    return shown if shown == name else f"{shown} ({name})"


def _value(value: float, deviation: float) -> str:
    """As many digits as the deviation lets be known, and one more."""
    if not (np.isfinite(deviation) and deviation > 0):
        return f"{value:.6g}"
    digits = max(0, 1 - int(np.floor(np.log10(deviation))))
    return f"{value:.{digits}f}" if digits < 12 else f"{value:.3e}"


def _essential(found: Identification) -> Section:
    assert found.essential is not None
    s = found.essential
    e = s.estimate
    text = [
        f"{len(e.names)} of {len(found.estimate.names)} parameters are left; the weighted residual grows by "
        f"{s.growth:.2f} %.",
    ]
    if s.removed:
        text.append(
            f"F = {s.statistic:.3g}, of at most {s.critical:.3g} (5 %). Removed, in this order: "
            f"{', '.join(_shown(name, found) for name in s.removed)}."
        )
    rows = [
        (
            _shown(name, found),
            _value(e.values[k], e.deviations[k]),
            f"{e.deviations[k]:.2g}",
            f"{e.relative[k]:.1f}",
        )
        for k, name in enumerate(e.names)
    ]
    return Section("Essential parameters", tuple(text), ("parameter", "value", "deviation", "%"), tuple(rows))


def _consistent(found: Identification) -> Section:
    assert found.consistent is not None
    c = found.consistent
    masses = ", ".join(f"{c.standard[f'M{j}']:.3g}" for j in c.eigenvalues)
    text = (
        f"Standard parameters with a positive definite pseudo-inertia on every link. Weighted residual "
        f"{_percent(c.relative)}, {c.ratio:.4f} of that without constraints.",
        f"Masses of the links: {masses} kg. What the data leave open (masses above all) is the prior's.",
    )
    rows = [(str(j), f"{value:.3e}") for j, value in c.eigenvalues.items()]
    return Section(
        "Physical consistency", text, ("link", "least eigenvalue of the pseudo-inertia"), tuple(rows)
    )


def _correlations(found: Identification) -> Section:
    e = found.estimate
    table = e.correlations
    pairs = [
        (abs(table[i, k]), _shown(e.names[i], found), _shown(e.names[k], found), table[i, k])
        for i in range(len(e.names))
        for k in range(i + 1, len(e.names))
        if abs(table[i, k]) >= CORRELATED
    ]
    pairs.sort(reverse=True)
    if not pairs:
        return Section("Correlations", (f"No two parameters are correlated by {CORRELATED} or more.",))
    rows = tuple((a, b, f"{c:+.3f}") for _, a, b, c in pairs[:SHOWN_CORRELATIONS])
    text = f"Pairs of {CORRELATED} and more, {len(pairs)} in all."
    return Section("Correlations", (text,), ("parameter", "parameter", "correlation"), rows)


def _relations(found: Identification) -> Section:
    base = found.base
    text = [f"Base parameters by: {base.method}."]
    if base.no_effect:
        text.append(f"No effect on any torque, so not identifiable: {', '.join(base.no_effect)}.")
    rows = tuple((relation(kept, others),) for kept, others in base.relations.items() if others)
    return Section("What the regrouped parameters stand for", tuple(text), ("relation",), rows)


# -- texts


def _markdown(title: str, sections: Sequence[Section], plots: Sequence[str]) -> str:
    lines = [f"<!-- {MADE_BY} -->", "", f"# {title}", ""]
    for section in sections:
        lines += [f"## {section.title}", ""]
        for text in section.text:
            lines += [text, ""]
        if section.rows:
            lines += [_row(section.head), _row(["---"] * len(section.head)), *map(_row, section.rows), ""]
    lines += ["## Measured and predicted", ""]
    lines += [f"![{name}]({name})" for name in plots]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}th,td{padding:.15em .8em;border-bottom:1px solid #ddd;text-align:left}"
    "td{font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}"
)


def _html(title: str, sections: Sequence[Section], plots: Sequence[str]) -> str:
    parts = [f"<h1>{html.escape(title)}</h1>"]
    for section in sections:
        parts.append(f"<h2>{html.escape(section.title)}</h2>")
        parts += [f"<p>{html.escape(text)}</p>" for text in section.text]
        if section.rows:
            head = "".join(f"<th>{html.escape(cell)}</th>" for cell in section.head)
            body = "".join(
                "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
                for row in section.rows
            )
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    parts += ["<h2>Measured and predicted</h2>", *plots]
    inside = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<!-- {MADE_BY} -->\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body>\n{inside}\n</body></html>\n"
    )


def as_data(found: Identification) -> dict[str, Any]:
    """The result for scripts."""

    def residual(r: Residual | None) -> dict[str, Any] | None:
        if r is None:
            return None
        return {"rows": r.rows, "relative": r.relative, "equations": [float(x) for x in r.equations]}

    e = found.estimate
    data: dict[str, Any] = {
        "robot": found.original.name,
        "method": e.method,
        "doubts": found.doubts,
        "colour": e.colour,
        "model": found.model.kind,
        "held_by": {name: list(others) for name, others in found.model.absorbed.items()},
        "parameters": {
            name: {
                "value": float(v),
                "deviation": float(d),
                "unit": parameter_unit(name, found),
                "shown": _shown(name, found),
            }
            for name, v, d in zip(e.names, e.values, e.deviations, strict=True)
        },
        "residuals": {
            "kept": residual(found.residuals.kept),
            "all": residual(found.residuals.every),
            "held_out": residual(found.residuals.held_out),
            "held_out_all": residual(found.residuals.held_out_every),
        },
        "validation": {
            name: {"kept": residual(r.kept), "all": residual(r.every)} for name, r in found.validation.items()
        },
    }
    if found.essential is not None:
        s = found.essential
        data["essential"] = {"names": list(s.estimate.names), "removed": list(s.removed), "F": s.statistic}
    if found.consistent is not None:
        c = found.consistent
        data["consistent"] = {
            "standard": dict(c.standard),
            "relative": c.relative,
            "ratio": c.ratio,
            "eigenvalues": {str(j): x for j, x in c.eigenvalues.items()},
        }
    return data
