"""Test operation counts."""

from __future__ import annotations

import pytest

from symoro.expr import scalar as sc
from symoro.program import Builder, OpCount, count
from symoro.program.count import long_entry
from tests.effort import Effort
from tests.program.programs import chain


@pytest.fixture
def b() -> Builder:
    return Builder("test")


def counted(b: Builder, *values: object, expanded: bool = False) -> OpCount:
    b.output("y", list(values))
    return count(b.program(expanded=expanded))


def plain(c: OpCount | None) -> tuple[int, ...]:
    assert c is not None
    return (c.additions, c.multiplications, c.divisions, c.functions, c.others)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda x, y, z: x + y, (1, 0, 0, 0, 0)),
        (lambda x, y, z: x - y, (1, 0, 0, 0, 0)),
        (lambda x, y, z: x + y + z, (2, 0, 0, 0, 0)),
        (lambda x, y, z: 2 * x, (1, 0, 0, 0, 0)),
        (lambda x, y, z: x + x, (1, 0, 0, 0, 0)),
        (lambda x, y, z: -2 * x + y, (2, 0, 0, 0, 0)),
        (lambda x, y, z: 2 * x * y, (1, 1, 0, 0, 0)),
        (lambda x, y, z: 3 * x, (0, 1, 0, 0, 0)),
        (lambda x, y, z: x * y, (0, 1, 0, 0, 0)),
        (lambda x, y, z: x * x, (0, 1, 0, 0, 0)),
        (lambda x, y, z: x**4, (0, 2, 0, 0, 0)),
        (lambda x, y, z: x / y, (0, 0, 1, 0, 0)),
        (lambda x, y, z: x / 2, (0, 1, 0, 0, 0)),
        (lambda x, y, z: sc.sin(x), (0, 0, 0, 1, 0)),
        (lambda x, y, z: sc.cos(x) * sc.sin(x), (0, 1, 0, 2, 0)),
        (lambda x, y, z: sc.sqrt(x), (0, 0, 0, 1, 0)),
        (lambda x, y, z: sc.atan2(x, y), (0, 0, 0, 1, 0)),
        (lambda x, y, z: sc.acos(x), (0, 0, 0, 1, 0)),
        (lambda x, y, z: sc.exp(x), (0, 0, 0, 1, 0)),
        (lambda x, y, z: sc.tan(x), (0, 0, 0, 1, 0)),
        (lambda x, y, z: -x, (0, 0, 0, 0, 1)),
        (lambda x, y, z: -(x + y), (1, 0, 0, 0, 1)),
        (lambda x, y, z: sc.atan2(x, -y), (0, 0, 0, 1, 1)),
        (lambda x, y, z: sc.absolute(x), (0, 0, 0, 0, 1)),
        (lambda x, y, z: sc.sign(x), (0, 0, 0, 0, 1)),
        (lambda x, y, z: sc.minimum(x, y), (0, 0, 0, 0, 1)),
        (lambda x, y, z: sc.select(sc.less(x, y), x, y), (0, 0, 0, 0, 2)),
        (lambda x, y, z: x, (0, 0, 0, 0, 0)),
        (lambda x, y, z: 7, (0, 0, 0, 0, 0)),
    ],
)
def test_one_operation_at_a_time(b, make, expected):
    x, y, z = b.input("x", (3,))
    result = counted(b, make(x, y, z))
    assert plain(result) == expected
    assert plain(result.setup) == (0, 0, 0, 0, 0)
    assert result.total == sum(expected[:4])


def test_what_is_used_twice_counts_once(b):
    x, y = b.input("x", (2,))
    assert plain(counted(b, (x + y) * x, (x + y) * y, x + y)) == (1, 2, 0, 0, 0)


def test_what_no_output_needs_does_not_count(b):
    x, y = b.input("x", (2,))
    _ = sc.sin(x) * y
    assert counted(b, x).total == 0


def test_work_on_parameters_is_setup(b):
    (x,) = b.input("x", ())
    p, q = b.parameter("p"), b.parameter("q")
    result = counted(b, x * (p * q + 1), sc.cos(p) / q)
    assert plain(result) == (0, 1, 0, 0, 0)
    assert plain(result.setup) == (1, 1, 1, 1, 0)
    assert str(result) == "1 x, 0 +; once: 1 x, 1 +, 1 /, 1 functions"


def test_work_on_constants_is_free(b):
    (x,) = b.input("x", ())
    constant = sc.sqrt(b.number(2)) / 3 + b.pi()
    result = counted(b, x * constant, constant)
    assert plain(result) == (0, 1, 0, 0, 0)
    assert plain(result.setup) == (0, 0, 0, 0, 0)


def test_kernels(b):
    x = b.input("x", (4,))
    result = counted(b, *b.call("solve", [x[0], x[1], x[2], x[3]], [x[0] + 1, 2]))
    assert result.kernels == 1
    assert plain(result) == (1 + 3, 3, 3, 0, 0)
    assert "1 kernel calls" in str(result)


def test_a_kernel_counts_once_whatever_is_read(b):
    x = b.input("x", (4,))
    solution = b.call("solve", x, [1, 2])
    assert counted(b, solution[0] * solution[1], solution[1]).kernels == 1


def test_expanded(b):
    """Check counts as written: entries repeat subexpressions except sines, cosines, named variables and setup."""
    x, y = b.input("x", (2,))
    p = b.parameter("p")
    s = sc.sin(x)
    shared = s * y + x
    named = b.named("V", x * y)
    result = counted(b, shared * x, shared * y, named + named * y, (p * p + p) * x, expanded=True)
    assert plain(result) == (1 + 1 + 1, 2 + 2 + 1 + 1 + 1, 0, 1, 0)
    assert plain(result.setup) == (1, 1, 0, 0, 0)


def test_expanded_with_a_kernel(b):
    x = b.input("x", (4,))
    solution = b.call("solve", [x[0] + x[1], x[1], x[2], x[3]], [1, 2])
    result = counted(b, solution[0] * x[0], expanded=True)
    assert result.kernels == 1
    assert plain(result) == (1 + 3, 1 + 3, 3, 0, 0)


def test_expanded_is_never_less_than_shared():
    from dataclasses import replace

    shared = chain(6)
    assert count(replace(shared, expanded=True)).total > count(shared).total


def test_sums_of_counts():
    one = OpCount(1, 2, 3, 4, 5, 6, setup=OpCount(1))
    total = one + OpCount(1, 1, 1, 1, 1, 1, setup=OpCount(0, 2)) + OpCount()
    assert plain(total) == (2, 3, 4, 5, 6) and total.kernels == 7
    assert plain(total.setup) == (1, 2, 0, 0, 0)
    assert (OpCount() + OpCount()).setup is None


def test_all_frames_of_a_chain():
    """Compare R c + R s, R d and P with counts by hand for the joints after the first three."""
    difference = [count(chain(n)) for n in (9, 10)]
    more = [b - a for a, b in zip(plain(difference[0]), plain(difference[1]), strict=True)]
    assert more[:4] == [3 + 3 + 3, 12 + 3, 0, 2]


def test_a_long_entry_is_reported_with_its_operations():
    b = Builder("test")
    (x,) = b.input("x", ())
    long = x
    for _ in range(40):
        long = long * (long + 1)  # operations: 2 n + 2
    b.output("y", [x + 1, long])
    assert long_entry(b.program(), 10) == (2**41 - 2, "y[2]")
    assert long_entry(b.program(), 2**41) is None


def test_nothing_is_counted_after_the_first_long_entry():
    b = Builder("test")
    (x,) = b.input("x", ())
    many = x
    for _ in range(20_000):
        many = many * (x + many)
    b.output("y", [x * x + x, many])
    program = b.program()
    with Effort(200):
        assert long_entry(program, 1) == (2, "y[1]")
