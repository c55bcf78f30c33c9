"""Write the report of an identification as Markdown and HTML: data, method, residuals, parameters and plots."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf
from typing import Any

import numpy as np

from symoro.deprecation import FORMER_WARNINGS_KEY
from symoro.files import MADE_BY
from symoro.identification.comparison import friction_constants, grouped
from symoro.identification.consistent import TOTAL, Consistent
from symoro.identification.delay import delay_text
from symoro.identification.dynamic import Identification
from symoro.identification.equations import known_load_names, row_name
from symoro.identification.log import log_names
from symoro.identification.payloads import EstimatedPayload
from symoro.identification.regression import Residual, Residuals
from symoro.identification.text import parameter_unit, rounded
from symoro.identification.tolerances import MASS_AT_BOUND
from symoro.identification.verdict import COLUMNS
from symoro.models.identification.base.report import relation, renamed
from symoro.ui.residual_charts import charts, residual_charts

PLOTS = ("torque", "validation", "residual")  # beginnings of the names of plot files
CORRELATED = 0.95
PAYLOAD_DATA = (
    *("mass", "mass_deviation", "com", "com_deviations", "inertia", "inertia_deviations", "names", "values"),
    *("deviations", "relations", "no_effect"),
)
SHOWN_CORRELATIONS = 20
KINDS = {
    "dynamic": "dynamic model, tau = W K",
    "filtered": "filtered dynamic model, without accelerations",
    "power": "power model",
    "energy": "energy model",
}


def report_files(result: Identification) -> dict[str, str]:
    """Return the files of an identification report: report.md, report.html and the plots (SVG).

    Returns:
        Contents of the files by file name.
    """
    plots = plot_groups(result)
    sections = report_sections(result)
    title = f"Identification of {result.original.name}"
    return {
        "report.md": markdown_page(title, sections, plots),
        "report.html": html_page(title, sections, plots),
        **{name: chart for group in plots for name, chart in group.charts.items()},
    }


def report_sections(result: Identification) -> list[Section]:
    """Return the sections of an identification report: verdict, warnings (if any), results, correlations, relations."""
    lines = tuple(f"{line[:1].upper()}{line[1:]}." for line in result.warnings)
    warnings = [Section("Warnings", lines)] if lines else []
    return [_verdict(result), *warnings, *result_sections(result), _correlations(result), _relations(result)]


def _verdict(result: Identification) -> Section:
    line = result.verdict.line
    text = f"{line[:1].upper()}{line[1:]}."
    return Section("Verdict", (text,), COLUMNS, tuple(one.row() for one in result.verdict.criteria))


def result_sections(result: Identification) -> list[Section]:
    """Return only those sections of an identification report that contain residuals and estimated parameters."""
    sections = [_data(result), _residuals(result), _parameters(result), *_payloads(result), *_gains(result)]
    if result.essential is not None:
        sections.append(_essential(result))
    if result.consistent is not None:
        sections += [_consistent(result), _standard(result)]
    return sections


def plot_groups(result: Identification) -> list[PlotGroup]:
    """Return the plots of an identification report, for the longest log and the longest validation log.

    Segments of a log between gaps count as logs.
    """
    number = result.longest()
    name = result.log_names[number]
    groups = [
        PlotGroup(
            "Measured and predicted",
            f"Rows of {name}, from which the parameters are estimated.",
            _named(PLOTS[0], charts(result, number)),
        )
    ]
    if result.validation_rows is not None:
        other = result.longest(validation=True)
        text = f"Rows of {log_names(result.validation_rows.logs, result.logs)[other]}, which the estimate does not use."
        predicted = _named(PLOTS[1], charts(result, other, validation=True))
        groups.append(PlotGroup("Validation", text, predicted))
    text = (
        f"Residuals (measured minus predicted) of {name}. Those of a complete model with white noise have no "
        "pattern over time or velocity, autocorrelations of which 95 % are within the bounds, and quantiles on the "
        "line. A pattern over velocity indicates friction that the model does not contain. Autocorrelation and "
        "quantiles are those of the rows that the fit uses."
    )
    return [*groups, PlotGroup("Residual plots", text, _named(PLOTS[2], residual_charts(result, number)))]


def _named(name: str, plots: Mapping[str, str]) -> dict[str, str]:
    return {plot_file(name, label): chart for label, chart in plots.items()}


def plot_file(name: str, label: str) -> str:
    """Return the name of a plot file, without spaces, which links of Markdown cannot contain.

    Args:
        name: one of `PLOTS`.
        label: label of the equation, such as '2' or 'base force x'.
    """
    return f"{name}-{label.replace(' ', '-')}.svg"


def _data(result: Identification) -> Section:
    p, e = result.preparation, result.estimate
    named = zip(result.log_names, result.logs, strict=True)
    logs = "; ".join(f"{name}, {log.samples} samples at {log.rate:g} Hz" for name, log in named)
    low = f"low-pass at {p.cutoff:g} Hz (zero phase, order 4)" if p.cutoff else "no low-pass"
    filters = f"{low}, differences of {2 * p.half + 1} samples"
    delay = delay_text(result.logs, result.delay)
    rows = [
        ("log", logs),
        *_resampled(result),
        ("model", f"{KINDS[result.model.kind]}, {len(e.names)} columns"),
        ("signals", filters),
        ("decimation", f"by {p.decimation}" + (", all columns weighted alike" if p.decimation > 1 else "")),
        ("rows dropped", f"|qd| < {p.slow:g}" if p.slow else "none"),
        *([("delay of the torques", delay)] if delay else []),
        *_held(result),
        *_known(result),
        ("method", e.method + (f", {e.rounds} rounds" if e.rounds else "")),
        ("rows less parameters", str(e.freedom)),
    ]
    return Section("Data and method", (), ("", ""), tuple(rows))


def _resampled(result: Identification) -> list[tuple[str, str]]:
    """Return table rows with the losses of the logs that were resampled; segments of a log have the same losses."""
    losses = {log.source or log.name.partition(", segment ")[0]: log.resampling for log in result.logs}
    return [("resampling", str(one)) for one in losses.values() if one is not None]


def _held(result: Identification) -> list[tuple[str, str]]:
    """Return a table row that lists the friction parameters which are grouped with other parameters.

    Returns:
        One pair (label, text); an empty list if there is no such parameter.
    """
    held = [f"{name} in {', '.join(others)}" for name, others in result.model.absorbed.items() if others]
    return [("friction grouped with other parameters", "; ".join(held))] if held else []


def _known(result: Identification) -> list[tuple[str, str]]:
    """Return a table row that lists the known torques which were subtracted from the measured torques.

    Returns:
        One pair (label, text); an empty list if no torques were subtracted.
    """
    words = known_load_names(result.original)
    pairs = zip(result.log_names, result.logs, strict=True)
    for name, log in pairs:
        if log.payload and log.payload.mass:
            part = "mass of the payload" if log.payload.unknown else "payload"
            words.append(f"{part} of {name} ({log.payload})")
    return [("known torques, subtracted", ", ".join(words))] if words else []


def _residuals(result: Identification) -> Section:
    r = result.residuals
    third = f"last third, by {r.held_out_by} on the first two"
    cases: list[tuple[str, Residual | None]] = [
        ("kept rows", r.kept),
        ("all rows", r.every),
        (f"{third} (kept rows)", r.held_out),
        (f"{third} (all rows)", r.held_out_every),
    ]
    for name, other in result.validation.items():
        cases += [(f"validated on {name} ({rows})", one) for rows, one in _of_log(other)]
    rows = [
        (name, str(case.rows), _percent(case.relative), *(_percent(x) for x in case.equations))
        for name, case in cases
        if case is not None
    ]
    labels = map(row_name, result.model.labels)
    text = "Residuals are relative to the measurements; 'weighted' divides each equation by the deviation of its rows."
    return Section("Residuals", (text,), ("data", "rows", "weighted", *labels), tuple(rows))


def _of_log(r: Residuals) -> list[tuple[str, Residual]]:
    return [("kept rows", r.kept), ("all rows", r.every)]


def _percent(x: float) -> str:
    return f"{100 * x:.2f} %" if np.isfinite(x) else "-"


def _parameters(result: Identification) -> Section:
    e = result.estimate
    low, high = e.interval()
    rows = [
        (
            _with_column(name, result),
            rounded(e.values[k], e.deviations[k]),
            f"{e.deviations[k]:.2g}",
            f"{e.relative[k]:.1f}" if e.relative[k] < 1e4 else "-",
            f"{rounded(low[k], e.deviations[k])} .. {rounded(high[k], e.deviations[k])}",
            parameter_unit(name, result.original),
        )
        for k, name in enumerate(e.names)
    ]
    text = (
        f"{_noise(e.autocorrelation)} A regrouped parameter such as ZZR1 is the sum given below; in files, options "
        "and Python its name is that of its column, ZZ1."
    )
    head = ("parameter", "value", "deviation", "%", "95 % interval", "unit")
    return Section("Parameters", (text,), head, tuple(rows))


def _noise(autocorrelation: float) -> str:
    """Return a sentence that explains the noise model of the standard deviations.

    Args:
        autocorrelation: factor by which the autocorrelation of the residuals increases the deviations; 1 for white
            noise.
    """
    if autocorrelation == 1:
        return (
            "The standard deviations assume that the model is complete and the noise is white; effects that the model "
            "does not contain increase them."
        )
    return (
        "The residuals are correlated in time, because of coloured noise or effects that the model does not contain. "
        f"The standard deviations account for this: they are {autocorrelation:.2g} times those of white noise (median)."
    )


def _shown(name: str, result: Identification) -> str:
    """Return the literature's name of a base parameter, for example ZZR1 if parameters are grouped with ZZ1.

    Args:
        name: name of the parameter, for example ZZ1.
    """
    return renamed(name) if result.base.relations.get(name) else name


def _with_column(name: str, result: Identification) -> str:
    """Return the literature's name of a base parameter, with its plain name if that differs: 'ZZR1 (ZZ1)'."""
    shown = _shown(name, result)
    return shown if shown == name else f"{shown} ({name})"


def _payloads(result: Identification) -> list[Section]:
    """Return a section with mass, centre of mass and inertia of each estimated payload."""
    sections = []
    for name, one in result.payloads.items():
        rows = [("mass", one.mass, one.mass_deviation, "kg")]
        pairs = zip("xyz", one.com, one.com_deviations, strict=True)
        rows += [(f"centre of mass, {axis}", value, deviation, "m") for axis, value, deviation in pairs]
        rows += [
            (f"inertia {'xyz'[i]}{'xyz'[k]}", one.inertia[i, k], one.inertia_deviations[i, k], "kg m^2")
            for i in range(3)
            for k in range(i, 3)
        ]
        shown = tuple(
            (what, rounded(value, deviation), f"{deviation:.2g}" if deviation else "weighed", unit)
            for what, value, deviation, unit in rows
            if np.isfinite(value)
        )
        text = [
            "The inertia is about the centre of mass. Axes and origin are those of the frame that carries it."
        ]
        groups = [
            " ".join([name, *(f"{share:+.6g} {other}" for other, share in others.items())])
            for name, others in one.relations.items()
        ]
        if groups:
            text.append(f"Only these combinations affect the torques: {'; '.join(groups)}.")
        if one.no_effect:
            text.append(f"Not identifiable, because they affect no torque: {', '.join(one.no_effect)}.")
        sections.append(Section(f"Payload {name}", tuple(text), ("", "value", "deviation", "unit"), shown))
    return sections


def _gains(result: Identification) -> list[Section]:
    """Return a section with the estimated drive gains, if there are any."""
    gains = result.drive_gains
    if gains is None:
        return []
    rows = tuple(
        (label, rounded(g, d), f"{d:.2g}", f"{100 * d / abs(g):.1f}")
        for label, g, d in zip(gains.labels, gains.values, gains.deviations, strict=True)
    )
    text = "The torque of a joint is its gain times its torque column. The deviations of the parameters include theirs."
    return [Section("Drive gains", (text,), ("joint", "gain", "deviation", "%"), rows)]


def _essential(result: Identification) -> Section:
    assert result.essential is not None
    s = result.essential
    e = s.estimate
    text = [
        f"Reduced from the estimate by {result.estimate.method}: {len(e.names)} of {len(result.estimate.names)} "
        f"parameters remain, and the residual increases by {s.growth:.2f} %.",
    ]
    if s.removed:
        text.append(
            f"The F statistic is {s.statistic:.3g}; its 5 % limit is {s.critical:.3g}. Removed, in this order: "
            f"{', '.join(_shown(name, result) for name in s.removed)}."
        )
    rows = [
        (
            _shown(name, result),
            rounded(e.values[k], e.deviations[k]),
            f"{e.deviations[k]:.2g}",
            f"{e.relative[k]:.1f}",
            parameter_unit(name, result.original),
        )
        for k, name in enumerate(e.names)
    ]
    head = ("parameter", "value", "deviation", "%", "unit")
    return Section("Essential parameters", tuple(text), head, tuple(rows))


def _consistent(result: Identification) -> Section:
    assert result.consistent is not None
    c = result.consistent
    text = (
        "Standard parameters with a positive definite pseudo-inertia on every link, nearest to the estimate by "
        f"{result.estimate.method}. The weighted residual on the used rows is {_percent(c.relative)}; in the norm of "
        f"the method the residual is {c.ratio:.4f} times that without constraints.",
        "Values that the data do not determine, above all masses, are those of the prior and of the bounds.",
    )
    rows = [
        (str(j), f"{c.standard[f'M{j}']:.4g}", _bounds(c, f"M{j}"), f"{value:.3e}")
        for j, value in c.eigenvalues.items()
    ]
    rows.append(("all", f"{c.total_mass:.4g}", _bounds(c, TOTAL), ""))
    head = ("link", "mass [kg]", "bounds of the mass [kg]", "least eigenvalue of the pseudo-inertia [kg]")
    return Section("Physical consistency", text, head, tuple(rows))


def _bounds(parameters: Consistent, name: str) -> str:
    """Return the given bounds of a mass as text, with the bound that the mass has reached."""
    low, high = parameters.mass_bounds.get(name, (0.0, inf))
    if (low, high) == (0.0, inf):
        return "-"
    mass = parameters.total_mass if name == TOTAL else parameters.standard[name]
    near = MASS_AT_BOUND * (high if high < inf else low)
    text = f"{low:g} .. {high:g}" if high < inf else f"{low:g} .."
    if low == high:
        return text
    return text + (" (at lower)" if mass - low < near else " (at upper)" if high - mass < near else "")


def _standard(result: Identification) -> Section:
    assert result.consistent is not None
    standard = result.consistent.standard
    rows = [(name, f"{value:.6g}", parameter_unit(name, result.original)) for name, value in standard.items()]
    text = (
        "Together these parameters reproduce the torques of the log. Single values that the data do not determine are "
        "those of the prior. The moments of a link are about the origin of its frame."
    )
    head = ("parameter", "value", "unit")
    return Section("Physically consistent standard parameters", (text,), head, tuple(rows))


def _correlations(result: Identification) -> Section:
    e = result.estimate
    table = e.correlations
    pairs = [
        (abs(table[i, k]), _shown(e.names[i], result), _shown(e.names[k], result), table[i, k])
        for i in range(len(e.names))
        for k in range(i + 1, len(e.names))
        if abs(table[i, k]) >= CORRELATED
    ]
    pairs.sort(reverse=True)
    if not pairs:
        return Section("Correlations", (f"No two parameters have a correlation of {CORRELATED} or more.",))
    rows = tuple((a, b, f"{c:+.3f}") for _, a, b, c in pairs[:SHOWN_CORRELATIONS])
    text = f"Pairs of parameters with a correlation of {CORRELATED} or more, {len(pairs)} in total."
    return Section("Correlations", (text,), ("parameter", "parameter", "correlation"), rows)


def _relations(result: Identification) -> Section:
    base = result.base
    text = [f"Method of the base parameters: {base.method}."]
    if base.no_effect:
        text.append(f"Not identifiable, because they affect no torque: {', '.join(base.no_effect)}.")
    rows = tuple((relation(kept, others),) for kept, others in base.relations.items() if others)
    return Section("Relations of the regrouped parameters", tuple(text), ("relation",), rows)


def as_data(result: Identification) -> dict[str, Any]:
    """Return the result of an identification as a dictionary for JSON."""

    def residual(r: Residual | None) -> dict[str, Any] | None:
        if r is None:
            return None
        return {"rows": r.rows, "relative": r.relative, "equations": [float(x) for x in r.equations]}

    e = result.estimate
    data: dict[str, Any] = {
        "robot": result.original.name,
        "method": e.method,
        FORMER_WARNINGS_KEY: list(result.warnings),
        "warnings": [{"name": one.name, "text": one} for one in result.warnings],
        "verdict": {
            "level": result.verdict.level,
            "criteria": [
                {**asdict(one), "level": one.level, "limits": list(one.limits)}
                for one in result.verdict.criteria
            ],
        },
        "colour": e.autocorrelation,
        "model": result.model.kind,
        "resampling": [log.resampling and asdict(log.resampling) for log in result.logs],
        "delay": {
            "given": [log.delay for log in result.logs],
            "estimated": result.delay and result.delay.seconds,
            "deviation": result.delay and result.delay.deviation,
        },
        "known": known_load_names(result.original),
        "payloads": {name: _payload_data(one) for name, one in result.payloads.items()},
        "drive_gains": None
        if result.drive_gains is None
        else {
            "values": result.drive_gains.values.tolist(),
            "deviations": result.drive_gains.deviations.tolist(),
        },
        "held_out_by": result.residuals.held_out_by,
        "held_by": {name: list(others) for name, others in result.model.absorbed.items()},
        "parameters": {
            name: {
                "value": float(v),
                "deviation": float(d),
                "unit": parameter_unit(name, result.original),
                "shown": _shown(name, result),
            }
            for name, v, d in zip(e.names, e.values, e.deviations, strict=True)
        },
        "covariance": e.covariance.tolist(),
        "relations": grouped(result.base),
        "constants": friction_constants(result.robot),
        "labels": list(result.model.labels),
        "logs": result.log_names,
        "residuals": {
            "kept": residual(result.residuals.kept),
            "all": residual(result.residuals.every),
            "held_out": residual(result.residuals.held_out),
            "held_out_all": residual(result.residuals.held_out_every),
        },
        "validation": {
            name: {"kept": residual(r.kept), "all": residual(r.every)}
            for name, r in result.validation.items()
        },
    }
    if result.essential is not None:
        s = result.essential
        data["essential"] = {
            "method": s.estimate.method,
            "names": list(s.estimate.names),
            "removed": list(s.removed),
            "F": s.statistic,
        }
    if result.consistent is not None:
        c = result.consistent
        data["consistent"] = {
            "standard": dict(c.standard),
            "relative": c.relative,
            "ratio": c.ratio,
            "total_mass": c.total_mass,
            "mass_bounds": {name: list(pair) for name, pair in c.mass_bounds.items()},
            "eigenvalues": {str(j): x for j, x in c.eigenvalues.items()},
        }
    return data


def _payload_data(payload: EstimatedPayload) -> dict[str, Any]:
    def plain(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return [plain(item) for item in x]
        return None if isinstance(x, float) and np.isnan(x) else x

    return {key: plain(getattr(payload, key)) for key in PAYLOAD_DATA}


# -- sections of a report as Markdown and HTML; names given by the user are escaped


@dataclass(frozen=True)
class Section:
    """Section of an identification report: a heading, sentences and a table, each optional."""

    title: str
    text: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class PlotGroup:
    """Plots of a report under one heading: a sentence about them, and the SVG texts by file name."""

    title: str
    text: str
    charts: Mapping[str, str]


def markdown_page(title: str, sections: Sequence[Section], plots: Sequence[PlotGroup] = ()) -> str:
    lines = [f"<!-- {MADE_BY} -->", "", f"# {escaped(title)}", ""]
    for section in sections:
        lines += [f"## {escaped(section.title)}", ""]
        for text in section.text:
            lines += [escaped(text), ""]
        if section.rows:
            lines += [_row(section.head), "|" + " --- |" * len(section.head), *map(_row, section.rows), ""]
    for group in plots:
        lines += [f"## {escaped(group.title)}", "", escaped(group.text), ""]
        lines += [*(f"![{name}]({name})" for name in group.charts), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def escaped(text: str) -> str:
    """Escape a text for Markdown, so that HTML, vertical bars and asterisks are shown literally."""
    marked = re.sub(r"([\\`*_\[\]|~$])", r"\\\1", " ".join(text.split()))
    return html.escape(marked, quote=False)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escaped, cells)) + " |"


_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}th,td{padding:.15em .8em;border-bottom:1px solid #ddd;text-align:left}"
    "td{font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}"
)


def html_page(title: str, sections: Sequence[Section], plots: Sequence[PlotGroup]) -> str:
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
    for group in plots:
        parts += [f"<h2>{html.escape(group.title)}</h2>", f"<p>{html.escape(group.text)}</p>"]
        parts += group.charts.values()
    inside = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<!-- {MADE_BY} -->\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body>\n{inside}\n</body></html>\n"
    )
