"""Check symoro's own arrays against NumPy's."""

from __future__ import annotations

from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symoro.errors import MissingDependencyError
from symoro.ui import arrays as plain

A = np.random.default_rng(0).uniform(-2, 2, (3, 4, 5))
B = np.random.default_rng(1).uniform(-2, 2, (4, 5))
SQUARE = np.random.default_rng(2).uniform(-1, 1, (3, 6, 6))
FLAGS = B > 0.3

CASES: dict[str, Any] = {
    "broadcasting": lambda np, a, b: a * b - a[:, :1] / (b + 3) + 2 * a[..., None, 0] ** 2,
    "division by zero": lambda np, a, b: (a[0] - a[0]) / (a[0] - a[0]),
    "roots of negative numbers": lambda np, a, b: np.sqrt(a),
    "views": lambda np, a, b: np.swapaxes(a, 0, 2)[1:, ::2, -1],
    "negative steps": lambda np, a, b: a[::-1, ::-2].copy(),
    "index arrays": lambda np, a, b: a[[0, 2, 1], 1:, [0, 3, 1]],
    "separated index arrays": lambda np, a, b: a[[[0], [2]], :, [1, 2, 3]],
    "truth values": lambda np, a, b: a[:, b > 0.3],
    "where": lambda np, a, b: np.where(b > 0, a, -1),
    "sums": lambda np, a, b: a.sum((0, 2)),
    "extremes": lambda np, a, b: a.max(1) - a.min(1, keepdims=True)[:, 0],
    "nan in extremes": lambda np, a, b: np.sqrt(a).max(2),
    "matrix products": lambda np, a, b: a @ np.swapaxes(b, 0, 1),
    "einsum": lambda np, a, b: np.einsum("kij,ij,kl->lj", a, b, a[:, 0]),
    "einsum with batches": lambda np, a, b: np.einsum("...ij,ij->...i", a, b),
    "cross products": lambda np, a, b: np.cross(a[:, :, :3], b[:, 1:4]),
    "order": lambda np, a, b: np.take_along_axis(a, np.argsort(a, -1, kind="stable"), -1),
    "differences": lambda np, a, b: np.diff(a, axis=1),
    "elements by number": lambda np, a, b: np.take(a, [7, 0]) + np.take(b, [1, 3], axis=1)[1],
    "joining": lambda np, a, b: np.concatenate([a, np.stack([b, 2 * b])], 0),
    "remainders": lambda np, a, b: (a + 3) % -1.5 + a // 0.7,
    "random numbers": lambda np, a, b: np.random.default_rng(7).uniform(-1, 1, (3, 2)),
    "permutations": lambda np, a, b: np.random.default_rng(7).permutation(np.arange(9)),
    "normal numbers": lambda np, a, b: np.random.default_rng(7).standard_normal(500),
    "integers": lambda np, a, b: np.random.default_rng(7).integers(-1, 3, (4, 5)),
    "index tuples": lambda np, a, b: a[:, :2, (1, 3)] + a[1, (0, 2), 1:3],
    "triangular factors": lambda np, a, b: np.linalg.qr(a[:, :, :3], mode="r"),
    "complex powers": lambda np, a, b: np.abs(np.abs(b) ** (1 + 2j)),
    "medians": lambda np, a, b: np.median(np.where(a > 1.5, np.nan, a), 2),
}


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_numpy(name: str) -> None:
    with np.errstate(all="ignore"):
        expected = CASES[name](np, A, B)
    result = CASES[name](plain, plain.array(A.tolist()), plain.array(B.tolist()))
    assert result.shape == expected.shape
    np.testing.assert_allclose(np.array(result.tolist()), expected, rtol=1e-12, atol=1e-13)


def test_assignments_change_views() -> None:
    for module in (np, plain):
        a = module.zeros((3, 4))
        a[:, 1:3] = module.array([[1.0], [2.0], [3.0]])
        row = a[1]
        row += 10
        a[a > 11.5] = -1
        a[[0, 2], [0, 3]] = [7, 8]
        assert a.tolist() == [[7, 1, 1, 0], [10, -1, -1, 10], [0, 3, 3, 8]]


def test_linear_algebra() -> None:
    given = plain.array(SQUARE.tolist())
    linalg = plain.linalg
    np.testing.assert_allclose(linalg.inv(given).tolist(), np.linalg.inv(SQUARE), rtol=1e-9)
    np.testing.assert_allclose(linalg.det(given).tolist(), np.linalg.det(SQUARE), rtol=1e-10)
    for part, expected in zip(
        linalg.qr(given[:, :, :4], mode="complete"), np.linalg.qr(SQUARE[:, :, :4], "complete"), strict=True
    ):
        np.testing.assert_allclose(part.tolist(), expected, atol=1e-12)
    for matrix in (SQUARE, SQUARE[:, :4], SQUARE[:, :, :2], SQUARE[:, [0, 0, 1]]):  # the last one is singular
        u, s, v = linalg.svd(plain.array(matrix.tolist()))
        np.testing.assert_allclose(s.tolist(), np.linalg.svd(matrix, compute_uv=False), atol=1e-13)
        left, right, k = np.array(u.tolist()), np.array(v.tolist()), s.shape[-1]
        np.testing.assert_allclose(
            left[:, :, :k] * np.array(s.tolist())[:, None] @ right[:, :k], matrix, atol=1e-13
        )
        for factor in (left, right):
            unit = np.broadcast_to(np.eye(factor.shape[-1]), factor.shape)
            np.testing.assert_allclose(factor @ np.swapaxes(factor, 1, 2), unit, atol=1e-13)
        np.testing.assert_allclose(
            linalg.pinv(plain.array(matrix.tolist())).tolist(), np.linalg.pinv(matrix), atol=1e-11
        )
    pairs = zip(np.array(linalg.eigvals(given).tolist()), np.linalg.eigvals(SQUARE), strict=True)
    for values, expected in pairs:
        assert np.abs(values[:, None] - expected).min(0).max() < 1e-12
        assert np.abs(values[:, None] - expected).min(1).max() < 1e-12
    values, vectors = (np.array(x.tolist()) for x in linalg.eig(given))
    np.testing.assert_allclose(SQUARE @ vectors, vectors * values[:, None], atol=1e-10)
    symmetric = SQUARE + np.swapaxes(SQUARE, 1, 2)
    # The upper triangle is not read.
    lower = plain.array((np.tril(SQUARE.swapaxes(1, 2) + SQUARE) + np.triu(SQUARE, 1)).tolist())
    values, vectors = (np.array(x.tolist()) for x in linalg.eigh(lower))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(symmetric), atol=1e-12)
    np.testing.assert_allclose(symmetric @ vectors, vectors * values[:, None], atol=1e-12)


def test_singular_matrices_and_wrong_shapes_are_rejected() -> None:
    linalg, wide = plain.linalg, plain.ones((2, 3))
    with pytest.raises(linalg.LinAlgError):
        linalg.solve(plain.zeros((2, 2)), plain.ones(2))
    for function in (linalg.inv, linalg.det, linalg.eig, linalg.eigvals, linalg.eigh):
        with pytest.raises(linalg.LinAlgError):
            function(wide)
    with pytest.raises(ValueError, match="do not fit"):
        linalg.solve(plain.eye(3), plain.ones(2))
    with pytest.raises(IndexError):
        _ = wide[plain.array([True])]
    with pytest.raises(MissingDependencyError):
        linalg.norm(plain.ones((2, 3, 3)), 2, axis=(1, 2))  # spectral norms
    with pytest.raises(ValueError, match="negative integer powers"):
        _ = plain.array([2, 3]) ** -1
    for text in ("ii->i", "ij,j"):  # of NumPy; the results would be other sums
        with pytest.raises(MissingDependencyError):
            plain.einsum(text, plain.eye(3), *([plain.ones(3)] if "," in text else []))


def test_functions_that_do_not_exist_name_numpy() -> None:
    with pytest.raises(MissingDependencyError, match="NumPy"):
        _ = plain.corrcoef


NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -2.5, 1e300, 1e-300, np.nan, np.inf, -np.inf]),
    st.floats(-9, 9, width=32),
)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
ARRAYS = st.one_of(
    hnp.arrays(float, SHAPES, elements=NUMBERS),
    hnp.arrays(np.int64, SHAPES, elements=st.integers(-5, 5)),
    hnp.arrays(bool, SHAPES),
)
PAIRS = (
    *("add", "multiply", "divide", "maximum", "minimum", "fmin", "arctan2", "hypot", "less", "equal"),
    *("logical_and", "logical_or"),
)
REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin")


def plain_array(array: Any) -> Any:
    return plain.array(array.ravel().tolist(), array.dtype.name).reshape(array.shape)


def check(function: Any, *arrays: Any) -> None:
    """Check that a function of a module of arrays has the results of NumPy, or is rejected by both."""
    try:
        with np.errstate(all="ignore"):
            expected = np.asarray(function(np, *arrays))
    except (ValueError, IndexError):  # an axis out of bounds, shapes that do not fit, an empty array
        with pytest.raises((ValueError, IndexError)):
            function(plain, *map(plain_array, arrays))
        return
    result = plain.asarray(function(plain, *map(plain_array, arrays)))
    assert result.shape == expected.shape
    assert not expected.size or result.dtype.kind == expected.dtype.kind
    given = np.array(result.tolist(), expected.dtype).reshape(expected.shape)
    np.testing.assert_allclose(given, expected, rtol=1e-12, atol=1e-300)


@given(ARRAYS, ARRAYS, st.sampled_from(PAIRS))
def test_functions_of_two_arrays(a: Any, b: Any, name: str) -> None:
    check(lambda np, a, b: getattr(np, name)(a, b), a, b)


@given(ARRAYS, st.sampled_from(REDUCTIONS), st.sampled_from([None, 0, 1, -1]))
def test_reductions(a: Any, name: str, axis: int | None) -> None:
    if not a.ndim or (not a.size and name.endswith(("max", "min"))):
        axis = None  # NumPy's functions differ from each other in the axes that they accept here
    check(lambda np, a: getattr(np, name)(a, axis=axis), a)


@given(ARRAYS, st.sampled_from([0, 1, -1]))
def test_order_and_differences(a: Any, axis: int) -> None:
    if a.ndim:
        check(lambda np, a: np.argsort(a, axis, kind="stable"), a)
    if a.ndim and a.dtype != bool:
        check(lambda np, a: np.diff(a, axis=axis), a)
    check(lambda np, a: np.unique(a), a)


ELEMENTWISE = (
    *(
        "sqrt",
        "sin",
        "cos",
        "arcsin",
        "arccos",
        "exp",
        "log",
        "log2",
        "cbrt",
        "sinc",
        "floor",
        "ceil",
        "rint",
        "sign",
    ),
    *("absolute", "isfinite", "isnan", "isinf", "nan_to_num", "round"),
)
OF_ONE = {
    "order of a transpose": lambda np, a: np.reshape(a.T, -1),
    "rows of a transpose": lambda np, a: np.ravel(np.swapaxes(a, 0, -1)),
    "moved axes": lambda np, a: np.moveaxis(a, 0, -1),
    "new axes": lambda np, a: np.expand_dims(a, -1) + np.broadcast_to(a, (2, *a.shape))[..., None],
    "repetitions": lambda np, a: np.tile(np.repeat(a, 2, axis=0), (2, 1)),
    "at least two axes": lambda np, a: np.concatenate([np.atleast_2d(a), np.atleast_2d(a)], axis=-1),
    "indices": lambda np, a: np.argwhere(a),
    "truth values": lambda np, a: a[a > 0],
    "limits": lambda np, a: np.clip(a, -1, 2),
    "filled": lambda np, a: np.full((2, *a.shape), a) * np.ones_like(a) + np.zeros_like(a),
    "types": lambda np, a: a.astype(bool).astype(int).astype(float),
    "triangles": lambda np, a: np.triu(np.atleast_2d(a), 1),
    "diagonals": lambda np, a: np.trace(np.atleast_2d(a), axis1=-2, axis2=-1),
    "part of the maximum": lambda np, a: np.max(a, initial=-1.0, where=a > 0),
}
OF_TWO = {
    "choice": lambda np, a, b: np.where(a > b, a, b),
    "joined": lambda np, a, b: np.stack(np.broadcast_arrays(a, b), -1),
    "columns": lambda np, a, b: np.column_stack([np.ravel(a), np.ravel(a)]),
    "quotients where defined": lambda np, a, b: np.divide(
        1.0 * a, b, out=np.zeros(np.broadcast_shapes(a.shape, b.shape)), where=b != 0
    ),
    "members": lambda np, a, b: np.isin(a, b),
    "differences of all pairs": lambda np, a, b: np.subtract.outer(1.0 * a, b),
}


@given(hnp.arrays(float, SHAPES, elements=NUMBERS), st.sampled_from(ELEMENTWISE))
def test_functions_of_each_element(a: Any, name: str) -> None:
    check(lambda np, a: getattr(np, name)(a), a)


@given(ARRAYS.filter(lambda a: a.ndim > 0), st.sampled_from(sorted(OF_ONE)))
def test_shapes_and_selections(a: Any, name: str) -> None:
    check(OF_ONE[name], a)


@given(ARRAYS, ARRAYS, st.sampled_from(sorted(OF_TWO)))
def test_choices_and_pairs(a: Any, b: Any, name: str) -> None:
    check(OF_TWO[name], a, b)


@given(st.tuples(*[st.integers(0, 3)] * 4), st.integers(0, 1 << 20))
def test_products_and_systems(shape: tuple[int, ...], seed: int) -> None:
    k, m, n, r = shape
    random = np.random.default_rng(seed)
    a, b = random.integers(-3, 4, (k, m, n)) * 0.5, random.integers(-3, 4, (k, n, r)) * 0.25  # exact products
    check(lambda np, a, b: a @ b, a, b)
    for text in ("kij,kjl->kil", "kij,kjl->li", "kij,mjl->mkil", "...ij,...jl->...l", "kij,kjl->"):
        check(lambda np, a, b, text=text: np.einsum(text, a, b), a, b)
    dominant = random.uniform(-1, 1, (k, m, m)) + 2 * m * np.eye(m)
    # Zeros with round-off are compared relative to 1.
    check(lambda np, a, b: np.linalg.solve(a, b) + 1, dominant, random.uniform(-1, 1, (k, m, r)))
    check(lambda np, a: np.linalg.inv(a) + 1, dominant)
    check(lambda np, a: np.linalg.det(a), dominant)
    check(lambda np, a: np.linalg.norm(a, axis=-1), a)
    check(lambda np, a: np.linalg.norm(a), a)


@st.composite
def indexed_arrays(draw: st.DrawFn) -> Any:
    """Return an array, and an index of numbers, slices, new axes, sequences and truth values."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=3))
    parts: list[Any] = []
    for n in shape:
        place = st.integers(-n, n - 1)
        part = st.one_of(
            place, st.slices(n), st.none(), st.lists(place, min_size=2, max_size=2), st.just(...)
        )
        parts.append(draw(st.one_of(part, part.map(lambda x: tuple(x) if isinstance(x, list) else x))))
    parts = [x for k, x in enumerate(parts) if x is not Ellipsis or Ellipsis not in parts[:k]]
    if draw(st.booleans()):
        parts = [np.array(draw(st.lists(st.booleans(), min_size=shape[0], max_size=shape[0]))), *parts[1:]]
    return np.arange(float(np.prod(shape))).reshape(shape), tuple(parts)


@given(indexed_arrays())
def test_elements_are_read_and_written(given: Any) -> None:
    a, index = given

    def changed(np: Any, a: Any) -> Any:
        own = tuple(np.array(x.tolist()) if hasattr(x, "tolist") else x for x in index)
        new = a.copy()
        new[own] = 3 * a[own] + 1
        return np.concatenate([new.reshape(-1), np.asarray(a[own]).reshape(-1)])

    check(changed, a)


@given(st.sampled_from([0.0, 2.0, -1.5, np.nan]), st.sampled_from([0.0, 3, -2.5, True]))
def test_single_numbers(x: float, y: Any) -> None:
    for text in (
        "e + y",
        "y - e",
        "e * y",
        "e / y",
        "y / e",
        "e % y",
        "y // e",
        "-e",
        "abs(e)",
        "e < y",
        "y >= e",
        "~(e == y)",
        "e != y",
    ):
        check(lambda np, a, text=text: eval(text, {"e": a[0], "y": y}), np.array([x]))
    for text in ("e & y", "e | y", "e ^ True", "~e", "e.any()", "~(e == y)"):
        check(lambda np, a, text=text: eval(text, {"e": a[0] > 0, "y": y == 3}), np.array([x]))


@given(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=2))
def test_nested_lists_have_the_shape_of_the_array(shape: tuple[int, ...]) -> None:
    assert plain.zeros(shape).tolist() == np.zeros(shape).tolist()


@st.composite
def matrices(draw: st.DrawFn) -> Any:
    """Return matrices of any rank with singular values of very different size."""
    m, n, seed = draw(st.integers(1, 6)), draw(st.integers(1, 6)), draw(st.integers(0, 1 << 20))
    random = np.random.default_rng(seed)
    left, right = (np.linalg.qr(random.standard_normal((k, k)))[0] for k in (m, n))
    values = np.sort(10.0 ** random.uniform(-12, 3, min(m, n)))[::-1]
    values[draw(st.integers(0, min(m, n))) :] = 0
    return (left[:, : len(values)] * values) @ right[: len(values)]


@given(matrices())
def test_decompositions_of_ill_conditioned_matrices(a: Any) -> None:
    size = np.abs(a).max()
    u, s, v = (np.array(part.tolist()) for part in plain.linalg.svd(plain_array(a)))
    # Errors of a backward stable decomposition are a few times the round-off of the largest entry.
    error = 1e-14 * size
    np.testing.assert_allclose(s, np.linalg.svd(a, compute_uv=False), rtol=0, atol=error)
    np.testing.assert_allclose((u[:, : len(s)] * s) @ v[: len(s)], a, rtol=0, atol=error)
    for factor in (u, v):
        np.testing.assert_allclose(factor @ factor.T, np.eye(len(factor)), rtol=0, atol=1e-13)
    symmetric = a @ a.T
    values, vectors = (np.array(x.tolist()) for x in plain.linalg.eigh(plain_array(symmetric)))
    error = 1e-13 * np.abs(symmetric).max()
    np.testing.assert_allclose(values, np.linalg.eigvalsh(symmetric), rtol=0, atol=error)
    np.testing.assert_allclose(symmetric @ vectors, vectors * values, rtol=0, atol=error)


SCALES = st.builds(lambda k, e: k * 10.0**e, st.integers(-9, 9), st.integers(-2, 16))
# The steps of the first matrices do not converge to the round-off of neighbouring entries; squares of the last one
# exceed the range of numbers.
HARD = (
    [[0, -0.05, -1e8, 200], [-0.4, -80, 7e10, -1e11], [3e4, 0, 0, 0], [300, 8e12, -6e8, 6e16]],
    [[-0.01, 5e9, -7e9, 0], [-50, 7e16, -0.09, 1e14], [7e6, -8, 0, 9e8], [6, 5, 0.3, 4e9]],
    [[1e199, 2e199], [3e199, 1e198]],
)


@given(st.integers(1, 4).flatmap(lambda n: hnp.arrays(float, (n, n), elements=SCALES)))
@example(np.array(HARD[0]))
@example(np.array(HARD[1]))
@example(np.array(HARD[2]))
def test_eigenvalues_of_badly_scaled_matrices(a: Any) -> None:
    values, size = np.array(plain.linalg.eigvals(plain_array(a)).tolist()), np.abs(a).max()
    for value in values:
        least = np.linalg.svd(a / (size or 1) - value / (size or 1) * np.eye(len(a)), compute_uv=False)[-1]
        assert least < 1e-13  # round-off of the largest entry


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 1 << 20))
def test_least_squares(m: int, n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.integers(-2, 3, (m, n)).astype(float), random.standard_normal(m)  # often singular
    x, residuals, rank, values = plain.linalg.lstsq(plain_array(a), plain_array(b), rcond=None)
    expected = np.linalg.lstsq(a, b, rcond=None)
    assert rank == expected[2]
    for one, other in ((x, expected[0]), (residuals, expected[1]), (values, expected[3])):
        np.testing.assert_allclose(np.array(one.tolist()), other, rtol=1e-9, atol=1e-12)


@given(hnp.arrays(float, (3, 3), elements=st.sampled_from([0.0, 1.0, 2.0, np.nan, np.inf])))
def test_matrices_that_are_not_finite_give_no_numbers(a: Any) -> None:
    if np.isfinite(a).all():
        return
    linalg = plain.linalg
    for function in (linalg.svd, linalg.pinv, linalg.eigvals, linalg.cond, lambda x: linalg.lstsq(x, x[0])):
        with pytest.raises(linalg.LinAlgError):
            function(plain_array(a))
    for function in (linalg.det, linalg.inv, lambda x: linalg.eigh(x)[0]):
        assert np.isnan(np.array(function(plain_array(a)).tolist())).all()


def test_conditions_and_norms_of_empty_matrices_and_zeros() -> None:
    assert plain.linalg.cond(plain.zeros((2, 3))) == np.linalg.cond(np.zeros((2, 3))) == np.inf
    assert plain.linalg.norm(plain.zeros((0, 2)), 2) == 0.0


@given(st.integers(0, 1 << 80), st.integers(1, 1 << 31), st.integers(0, 20))
@settings(max_examples=30)
def test_random_numbers_are_those_of_numpy(seed: int, high: int, count: int) -> None:
    check(lambda np: np.random.default_rng(seed).uniform(-1, 3, (count, 2)))
    check(lambda np: np.random.default_rng(seed).normal(1, 2, count))
    check(lambda np: np.random.default_rng(seed).integers(-high, high, count))
    check(lambda np: np.random.default_rng(seed).permutation(count))
    check(lambda np: np.random.default_rng(seed).choice(count + 1, 5))

    def later(np: Any) -> Any:
        bits = np.random.PCG64(seed)
        bits.advance(high)
        return np.random.Generator(bits).random(count)

    check(later)
