"""Test every pass and the pipeline: the same values, no additional operations, correct names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symoro.expr import ops
from symoro.expr import scalar as sc
from symoro.expr.evaluate import evaluate
from symoro.program import Builder, Program, count, optimise
from symoro.program.passes.linear import multiply_out
from symoro.program.passes.rebuild import compact
from symoro.program.passes.schedule import depth_first, peak_live, schedule
from symoro.program.passes.sums import share_sums
from symoro.program.pipeline import cost, traced
from tests.expr.expressions import ALL, ARITHMETIC, SOLVE, SUMS, check_graph
from tests.program.programs import Case, build, cases, chain

ROOT = Path(__file__).parents[2]
PASSES = [compact, share_sums, multiply_out, schedule]
EVERYTHING = (*ALL, SOLVE)
POLYNOMIALS = (*SUMS, ops.MUL)


def check_values(case: Case, program: Program) -> None:
    for before, after, num in zip(case.run(case.program), case.run(program), case.expected, strict=True):
        assert abs(before - after) <= 1e-9 * abs(before) + 1e4 * num.e


def values_of(case: Case, program: Program, nodes: list[int]) -> list[float]:
    return evaluate(program.graph, [i << 1 for i in nodes], case.values)


def check_names(case: Case, program: Program) -> None:
    """Check that a remaining name has the same value as before, including the sign."""
    old = {name: (i, sign) for i, (name, sign) in case.program.names.items()}
    kept = [i for i in program.names if i in set(program.nodes)]
    assert len({name for name, _ in program.names.values()}) == len(program.names)
    after = values_of(case, program, kept)
    before = values_of(case, case.program, [old[program.names[i][0]][0] for i in kept])
    for i, now, then in zip(kept, after, before, strict=True):
        name, sign = program.names[i]
        signed = (-now if sign else now, -then if old[name][1] else then)
        assert signed[0] == pytest.approx(signed[1], rel=1e-8, abs=1e-8), name


def check_frame(before: Program, after: Program) -> None:
    """Check the parts of a program that no pass may change."""
    assert after.name == before.name and after.inputs == before.inputs
    assert after.parameters == before.parameters and after.title == before.title
    assert after.expanded == before.expanded
    assert [(o.name, o.shape, o.title) for o in after.outputs] == [
        (o.name, o.shape, o.title) for o in before.outputs
    ]
    assert set(after.used_parameters) <= set(before.used_parameters)
    check_graph(after.graph)


@pytest.mark.parametrize("step", PASSES)
@given(cases(EVERYTHING))
def test_each_pass(step, case):
    made = step(case.program)
    check_values(case, made)
    check_names(case, made)
    check_frame(case.program, made)
    assert cost(count(made)) <= cost(count(case.program))


@pytest.mark.parametrize("step", [share_sums, multiply_out])
@given(cases(POLYNOMIALS, max_size=60))
def test_passes_over_polynomials(step, case):
    made = step(case.program)
    check_values(case, made)
    check_names(case, made)
    assert cost(count(made)) <= cost(count(case.program))


@given(cases(EVERYTHING) | cases(POLYNOMIALS, max_size=60) | cases(EVERYTHING, expanded=True))
def test_the_pipeline(case):
    made, steps = traced(case.program)
    check_values(case, made)
    check_names(case, made)
    check_frame(case.program, made)
    assert cost(count(made)) <= cost(count(case.program))
    assert all(cost(s.after) <= cost(s.before) for s in steps)
    assert steps[0].before == count(case.program) and steps[-1].after == count(made)


@pytest.mark.slow
@settings(max_examples=5000)
@given(cases(EVERYTHING, max_size=80) | cases(POLYNOMIALS, max_size=120) | cases(ARITHMETIC, max_size=80))
def test_the_pipeline_long(case):
    for made in (traced(case.program)[0], *(step(case.program) for step in PASSES)):
        check_values(case, made)
        check_names(case, made)
        check_frame(case.program, made)
        assert cost(count(made)) <= cost(count(case.program))


@given(cases(EVERYTHING), st.integers(0, 1))
@example(build([], 0), 0)
def test_the_same_program_twice_gives_the_same(case, _):
    first, second = optimise(case.program), optimise(case.program)
    assert first.graph.op == second.graph.op
    assert first.graph.args == second.graph.args
    assert first.graph.calls == second.graph.calls
    assert first.names == second.names and first.outputs == second.outputs


@given(cases(EVERYTHING))
def test_optimising_again_gains_little_and_loses_nothing(case):
    once = optimise(case.program)
    assert cost(count(optimise(once))) <= cost(count(once))


def test_the_same_in_another_process():
    """Check that the result does not depend on the order of a set of strings."""
    code = """if True:
        from symoro.program import optimise
        from tests.program.programs import build, chain
        from tests.expr.expressions import ALL
        recipe = [(ALL[k % len(ALL)], k * 7 % 31, k * 5 % 23, k % 11) for k in range(300)]
        for program in (chain(6), build(recipe, 3).program):
            made = optimise(program)
            print(made.graph.op, made.graph.args, made.names, made.outputs)
    """
    results = set()
    for seed in ("1", "2", "3"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        run = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        results.add(run.stdout)
    assert len(results) == 1


# -- compact


@given(cases(EVERYTHING))
def test_compact_keeps_the_nodes_of_the_program_and_no_others(case):
    made = compact(case.program)
    assert count(made) == count(case.program)
    assert [made.graph.op[i] for i in made.nodes] == [case.program.graph.op[i] for i in case.program.nodes]
    results = sum(call.size for call in made.graph.calls)
    assert len(made.graph) <= len(made.nodes) + 3 + results
    kept = {case.program.names[i][0] for i in case.program.nodes if i in case.program.names}
    assert {name for name, _ in made.names.values()} == kept, "no name is lost"


# -- sums


def totals(make: object, step: object = share_sums) -> tuple[int, int]:
    """Return additions and multiplications after a pass over the outputs of `make(builder)`."""
    b = Builder("test")
    b.output("y", make(b))
    result = count(step(b.program()))
    return result.additions, result.multiplications


def test_a_common_factor():
    def make(b: Builder) -> object:
        x, y, z = b.input("x", (3,))
        return x * y + x * z

    assert totals(make) == (1, 1)


def test_a_common_factor_of_parameters_joins_them():
    def make(b: Builder) -> object:
        x, _ = b.input("x", (2,))
        return sc.sin(x) * b.parameter("p") - b.parameter("q") * sc.sin(x)

    assert totals(make) == (0, 1)


def test_factors_inside_factors():
    def make(b: Builder) -> object:
        x, y, z, w = b.input("x", (4,))
        return x * y * z + x * y * w + x * z

    assert totals(make)[1] <= 3


def test_a_common_pair():
    def make(b: Builder) -> object:
        x, y, z, w = b.input("x", (4,))
        return [x + y + z, y + w + x, sc.sin(w) - (x + y)]

    assert totals(make) == (4, 0)


def test_a_common_pair_with_the_opposite_sign():
    def make(b: Builder) -> object:
        x, y, z, w = b.input("x", (4,))
        return [(x + z) - y, (y + w) - x]

    assert totals(make) == (3, 0)


def test_terms_cancel_across_a_sum():
    def single(b: Builder) -> object:
        x, y, z = b.input("x", (3,))
        return (x + y) + (z - x)

    def shared(b: Builder) -> object:
        x, y, z, w = b.input("x", (4,))
        return ((x + y) + z) + (w - (x + y))

    assert totals(single) == totals(shared) == (1, 0)


def test_parameters_of_two_sums_meet():
    b = Builder("p")
    p, r = b.parameter("p"), b.parameter("r")
    x = b.input("x", (2,))
    left, right = b.named("left", x[0] + p), b.named("right", x[1] * x[0] - r)
    b.output("y", left + right)
    program = optimise(b.program())
    assert (count(program).additions, count(program).setup.additions) == (2, 1)


def test_everything_cancels():
    def make(b: Builder) -> object:
        x, y, z, w = b.input("x", (4,))
        return ((x + y) + (z + w)) - ((x + z) + (y + w))

    assert totals(make) == (0, 0)


def test_a_sum_without_gain_keeps_its_names():
    b = Builder("test")
    x, y, z = b.input("x", (3,))
    inner = b.named("inner", x + y)
    b.output("f", b.named("outer", inner + z))
    program = b.program()
    assert share_sums(program) is program
    assert {name for name, _ in optimise(program).names.values()} == {"inner", "outer"}


def test_a_changed_sum_keeps_its_own_name():
    b = Builder("test")
    x, y, z = b.input("x", (3,))
    b.output("f", -b.named("F", -(x * y + x * z)))
    made = share_sums(b.program())
    ((node, (name, sign)),) = made.names.items()
    assert name == "F"
    values = {"x1": 2.0, "x2": 3.0, "x3": 5.0}
    assert evaluate(made.graph, [node << 1 | sign], values) == [-16]


def test_long_sums_are_left_alone_soon():
    b = Builder("test")
    x = b.input("x", (3000,))
    total = sum(x[k] * x[k + 1] for k in range(2999))
    b.output("f", total)
    assert count(optimise(b.program())).multiplications <= 1500


def test_a_naive_polynomial_becomes_a_horner_scheme():
    b = Builder("test")
    (x,) = b.input("x", ())
    total: sc.Scalar = 0
    for k in range(120):
        term: sc.Scalar = b.parameter(f"p{k}")
        for _ in range(k):
            term = sc.wrap(b.graph, term) * x
        total = total + term
    b.output("f", total)
    assert count(optimise(b.program())).total <= 2 * 119


# -- linear forms


def test_parameters_are_multiplied_out_where_terms_meet():
    def make(b: Builder) -> object:
        x, y = b.input("x", (2,))
        p, q = b.parameter("p"), b.parameter("q")
        return p * (x + y) + q * x

    assert totals(make, lambda program: program) == (2, 2)
    assert totals(make, multiply_out) == (1, 2)


# -- schedule


@given(cases(EVERYTHING))
def test_schedule_keeps_or_lowers_the_peak(case):
    made = schedule(case.program)
    assert peak_live(made, made.nodes) <= peak_live(case.program, case.program.nodes)
    kept = {case.program.names[i][0] for i in case.program.nodes if i in case.program.names}
    assert {made.names[i][0] for i in made.nodes if i in made.names} == kept, "no name is lost"


@given(cases(EVERYTHING))
def test_depth_first_is_an_order_of_all_nodes(case):
    program = case.program
    order = depth_first(program)
    assert sorted(order) == program.nodes
    place = {i: k for k, i in enumerate(order)}
    for i in order:
        assert all(place[lit >> 1] < place[i] for lit in program.graph.children(i))


def test_schedule_interleaves_what_was_written_level_by_level():
    """Check that products written before all sums are reordered, so that fewer values are live."""
    b = Builder("test")
    x = b.input("x", (64,))
    level = [sc.sin(e) for e in x]
    while len(level) > 1:
        level = [p * q for p, q in zip(level[::2], level[1::2], strict=True)]
    b.output("f", level[0])
    program = b.program()
    made = schedule(program)
    assert peak_live(program, program.nodes) >= 63
    assert peak_live(made, made.nodes) <= 8
    assert count(made) == count(program)


def test_peak_live_by_hand():
    b = Builder("test")
    x, y = b.input("x", (2,))
    s, c = sc.sin(x), sc.cos(y)
    b.output("f", (s * c) * s)
    program = b.program()
    assert peak_live(program, program.nodes) == 2


def test_a_chain_is_in_a_good_order():
    program = optimise(chain(20))
    assert peak_live(program, program.nodes) <= 20
