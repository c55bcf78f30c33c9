"""Check line charts: well-formed SVG, complete contents, and any text or number."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from symoro.errors import ArgumentError
from symoro.ui.plot import Level, Series, line_chart, stacked, ticks

SVG = "{http://www.w3.org/2000/svg}"


def lines(chart):
    root = ET.fromstring(chart)
    return [path.get("d") for path in root.iter(SVG + "path") if path.get("class") == "line"]


def heights(path):
    return [float(word.split(" ")[1]) for word in path.replace("M", "L").split("L")[1:]]


def test_a_chart_has_title_labels_and_one_line_a_series():
    t = np.linspace(0, 1, 50)
    chart = line_chart([Series("a", t, t), Series("b", t, t**2)], "Torques", "time [s]", "[N m]")
    texts = [node.text for node in ET.fromstring(chart).iter(SVG + "text")]
    assert {"Torques", "time [s]", "[N m]", "a", "b"} <= set(texts)
    assert len(lines(chart)) == 4  # two in the legend


def test_markup_in_names_is_text():
    chart = line_chart([Series('<script>"&', [0, 1], [0, 1])], "<b>&amp;\x00", "a<b")
    texts = [node.text for node in ET.fromstring(chart).iter(SVG + "text")]
    assert '<script>"&' in texts and "<b>&amp; " in texts


def test_numbers_that_are_not_finite_leave_a_gap():
    chart = line_chart([Series("", [0, 1, 2, 3, 4], [0, 1, np.nan, np.inf, 2])])
    (path,) = lines(chart)
    assert path.count("M") == 2 and path.count("L") == 1


def test_thinning_keeps_the_peak():
    t = np.linspace(0, 1, 200_001)
    y = np.zeros_like(t)
    y[123_457] = 7.0
    (path,) = lines(line_chart([Series("", t, y)]))
    assert len(heights(path)) < 6000
    assert min(heights(path)) < 80 < 200 < max(heights(path))


@pytest.mark.parametrize("value", [0.0, 5.0, 1e-300, -1e12])
def test_a_constant_has_a_chart(value):
    (path,) = lines(line_chart([Series("", [0.0, 1.0], [value, value])]))
    assert len(set(heights(path))) == 1


def test_one_point_has_a_chart():
    assert "NaN" not in line_chart([Series("", [0.0], [1.0])])


@pytest.mark.parametrize("series", [[], [Series("a", [], [])], [Series("a", [0.0], [np.nan])]])
def test_a_chart_without_points_is_rejected(series):
    with pytest.raises(ArgumentError, match="no series has a finite point"):
        line_chart(series)


def test_lengths_that_differ_are_rejected_by_name():
    with pytest.raises(ArgumentError, match="series 'tau'"):
        line_chart([Series("tau", [0, 1], [0, 1, 2])])


def test_levels_are_shown_within_the_range_alone():
    chart = line_chart([Series("", [0, 1], [0, 1])], levels=[Level("near", 0.5), Level("far", 9.0)])
    assert "near" in chart and "far" not in chart


def test_stacked_charts_are_one_svg_as_high_as_all():
    one = line_chart([Series("a", [0, 1], [0, 1])], "one", height=200)
    both = ET.fromstring(stacked([one, line_chart([Series("b", [0, 1], [0, 1])], "two", height=300)]))
    assert both.get("viewBox") == "0 0 760 500"
    assert len(list(both.iter(SVG + "g"))) == 2


@pytest.mark.parametrize("low, high", [(0, 1), (-3.7, 12.2), (1e-9, 2e-9), (1000.0, 1000.5), (-5e7, 3)])
def test_ticks_are_round_and_inside(low, high):
    result = ticks(low, high)
    step = result[1] - result[0]
    assert 3 <= len(result) <= 10
    assert all(low - 1e-9 * step <= x <= high + 1e-9 * step for x in result)
    assert float(f"{step / 10 ** np.floor(np.log10(step)):.6g}") in (1, 2, 5, 10)
