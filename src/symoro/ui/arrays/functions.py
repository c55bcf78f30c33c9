"""Functions of arrays with the names and arguments of NumPy: creation, joining, reduction, order, products."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from contextlib import ContextDecorator
from itertools import product
from typing import Any

from symoro.ui.arrays.elements import (
    BOOL,
    FLOAT,
    INT,
    OBJECT,
    ORDER,
    Shape,
    asarray,
    binary,
    broadcast_shapes,
    c_strides,
    count_of,
    dtype_of,
    matmul,
    missing,
    ndarray,
    nonzero,
    positions,
    scalar,
)
from symoro.ui.arrays.elements import (
    sign as _sign,
)


class errstate(ContextDecorator):
    """Context of NumPy that selects warnings; there are none here."""

    def __init__(self, **_: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


# -- creation


def _shape(shape: Any) -> Shape:
    return tuple(map(operator.index, shape)) if isinstance(shape, Iterable) else (operator.index(shape),)


def full(shape: Any, value: Any, dtype: Any = None) -> ndarray:
    """Return an array of equal numbers, or of repeated rows."""
    filled = asarray(value, dtype)
    return filled.spread(_shape(shape)).copy()


def zeros(shape: Any, dtype: Any = float) -> ndarray:
    """Return an array of zeros."""
    size, kind = _shape(shape), dtype_of(dtype)
    return ndarray([kind.zero] * count_of(size), size, kind)


empty = zeros


def ones(shape: Any, dtype: Any = float) -> ndarray:
    """Return an array of ones."""
    return full(shape, 1, dtype)


def zeros_like(array: Any, dtype: Any = None) -> ndarray:
    """Return zeros in the shape of an array."""
    given = asarray(array)
    return zeros(given.shape, given.dtype if dtype is None else dtype)


empty_like = zeros_like


def ones_like(array: Any, dtype: Any = None) -> ndarray:
    """Return ones in the shape of an array."""
    given = asarray(array)
    return ones(given.shape, given.dtype if dtype is None else dtype)


def array(value: Any, dtype: Any = None, copy: bool = True) -> ndarray:
    """Return a new array with the given elements."""
    made = asarray(value, dtype)
    return made.copy() if made is value else made


def ascontiguousarray(value: Any, dtype: Any = None) -> ndarray:
    """Return an array stored row by row."""
    made = asarray(value, dtype)
    return made if made.strides == c_strides(made.shape) else made.copy()


def eye(n: int, m: int | None = None, dtype: Any = float) -> ndarray:
    """Return the identity matrix."""
    columns = n if m is None else m
    made = zeros((n, columns), dtype)
    for k in range(min(n, columns)):
        made.store[k * columns + k] = made.dtype.convert(1)
    return made


def arange(*limits: Any, dtype: Any = None) -> ndarray:
    """Return numbers with equal distances."""
    if all(isinstance(x, int) for x in limits):
        return asarray(range(*limits), int if dtype is None else dtype)
    start, stop, step = (0.0, *limits, 1.0)[:3] if len(limits) == 1 else (*limits, 1.0)[:3]
    return array([start + k * step for k in range(max(0, math.ceil((stop - start) / step)))], dtype)


def linspace(start: float, stop: float, count: int = 50) -> ndarray:
    """Return numbers with equal distances, including both limits."""
    step = (stop - start) / (count - 1) if count > 1 else 0.0
    numbers = [start + k * step for k in range(count)]
    return asarray([*numbers[:-1], stop] if count > 1 else numbers, float)


def diag(value: Any) -> ndarray:
    """Return a diagonal matrix from its diagonal, or the diagonal of a matrix."""
    given = asarray(value)
    if given.ndim == 2:
        return diagonal(given)
    made = zeros((len(given), len(given)), given.dtype)
    for k, x in enumerate(given.flat):
        made.store[k * len(given) + k] = x
    return made


def diagonal(value: Any, axis1: int = 0, axis2: int = 1) -> ndarray:
    """Return the diagonals of matrices along the last axis."""
    given = asarray(value)
    one, other = axis1 % given.ndim, axis2 % given.ndim
    rest = [k for k in range(given.ndim) if k not in (one, other)]
    n = min(given.shape[one], given.shape[other])
    shape = (*(given.shape[k] for k in rest), n)
    strides = (*(given.strides[k] for k in rest), given.strides[one] + given.strides[other])
    return ndarray(given.store, shape, given.dtype, strides, given.offset)


def triu(value: Any, k: int = 0) -> ndarray:
    """Return matrices with zeros below diagonal k."""
    given = asarray(value)
    rows, columns = given.shape[-2:]
    kept = ndarray([c - r >= k for r in range(rows) for c in range(columns)], (rows, columns), BOOL)
    made: ndarray = where(kept, given, given.dtype.zero)
    return made


# -- shape and joining


def shape(value: Any) -> Shape:
    """Return the shape of an array or number."""
    return asarray(value).shape


def reshape(value: Any, shape: Any) -> ndarray:
    """Return the elements in another shape."""
    return asarray(value).reshape(shape)


def ravel(value: Any) -> ndarray:
    """Return the elements along one axis."""
    return asarray(value).reshape(-1)


def swapaxes(value: Any, one: int, other: int) -> ndarray:
    """Return a view with two axes exchanged."""
    return asarray(value).swapaxes(one, other)


def _axis(given: ndarray, axis: int) -> int:
    """Return the number of an axis, counted from the first one; as in NumPy, a single number has an axis 0.

    Raises:
        ValueError: the array does not have this axis.
    """
    count = given.ndim or 1
    if not -count <= axis < count:
        raise ValueError(f"axis {axis} is out of bounds for an array with {given.ndim} axes")
    return axis % count


def moveaxis(value: Any, source: int, destination: int) -> ndarray:
    """Return a view with one axis moved."""
    given = asarray(value)
    at = _axis(given, source)
    order = [k for k in range(given.ndim) if k != at]
    order.insert(_axis(given, destination), at)
    return given.transpose(order)


def expand_dims(value: Any, axis: int) -> ndarray:
    """Return a view with a new axis."""
    given = asarray(value)
    at = axis % (given.ndim + 1)
    return given.reshape((*given.shape[:at], 1, *given.shape[at:]))


def broadcast_to(value: Any, shape: Any) -> ndarray:
    """Return a view of a larger shape."""
    return asarray(value).spread(_shape(shape))


def broadcast_arrays(*values: Any) -> list[ndarray]:
    """Return views of a common shape."""
    arrays = [asarray(x) for x in values]
    common = broadcast_shapes(*(x.shape for x in arrays))
    return [x.spread(common) for x in arrays]


def atleast_1d(value: Any) -> ndarray:
    """Return an array with at least one axis."""
    given = asarray(value)
    return given if given.ndim else given.reshape(1)


def atleast_2d(value: Any) -> ndarray:
    """Return an array with at least two axes."""
    given = asarray(value)
    return given if given.ndim > 1 else given.reshape(1, -1)


def _common(arrays: Sequence[ndarray]) -> Any:
    return max((x.dtype for x in arrays), key=lambda dtype: ORDER[dtype.kind])


def concatenate(values: Sequence[Any], axis: int = 0) -> ndarray:
    """Return arrays joined along an existing axis."""
    arrays = [asarray(x) for x in values]
    dtype = _common(arrays)
    at = _axis(arrays[0], axis)
    lead, rest = arrays[0].shape[:at], arrays[0].shape[at + 1 :]
    for one in arrays:
        if one.shape[:at] != lead or one.shape[at + 1 :] != rest:
            raise ValueError(
                f"arrays of the shapes {[x.shape for x in arrays]} cannot be joined along axis {axis}"
            )
    length = sum(one.shape[at] for one in arrays)
    flats = [
        one.flat if one.dtype.kind == dtype.kind else list(map(dtype.convert, one.flat)) for one in arrays
    ]
    rows, widths = count_of(lead), [one.shape[at] * count_of(rest) for one in arrays]
    if rows == 1:
        elements = [x for flat in flats for x in flat]
    else:
        elements = [
            x
            for r in range(rows)
            for flat, w in zip(flats, widths, strict=True)
            for x in flat[r * w : (r + 1) * w]
        ]
    return ndarray(elements, (*lead, length, *rest), dtype)


def stack(values: Iterable[Any], axis: int = 0) -> ndarray:
    """Return arrays joined along a new axis."""
    return concatenate([expand_dims(x, axis) for x in values], axis)


def hstack(values: Sequence[Any]) -> ndarray:
    """Return arrays joined along the second axis, vectors along the first."""
    arrays = [atleast_1d(x) for x in values]
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1)


def vstack(values: Sequence[Any]) -> ndarray:
    """Return arrays joined along the first axis; vectors are rows."""
    return concatenate([atleast_2d(x) for x in values], 0)


def column_stack(values: Sequence[Any]) -> ndarray:
    """Return arrays joined along the second axis; vectors are columns."""
    arrays = [asarray(x) for x in values]
    return concatenate([x.reshape(-1, 1) if x.ndim < 2 else x for x in arrays], 1)


def tile(value: Any, repeats: Any) -> ndarray:
    """Return an array repeated along its axes."""
    given, times = asarray(value), _shape(repeats)
    length = max(given.ndim, len(times))
    made = given.reshape((1,) * (length - given.ndim) + given.shape)
    for axis, n in enumerate((1,) * (length - len(times)) + times):
        made = concatenate([made] * n, axis) if n else made[(slice(None),) * axis + (slice(0, 0),)]
    return made


def repeat(value: Any, repeats: Any, axis: int | None = None) -> ndarray:
    """Return an array with each element repeated."""
    given = ravel(value) if axis is None else asarray(value)
    at = 0 if axis is None else axis
    times = broadcast_to(repeats, (given.shape[at],)).flat
    index = [k for k, n in enumerate(times) for _ in range(n)]
    made: ndarray = take(given, asarray(index, int), at)
    return made


def take(value: Any, index: Any, axis: int | None = None) -> Any:
    """Return the elements with the given indices along an axis, of all elements without an axis."""
    given = ravel(value) if axis is None else asarray(value)
    return given[(slice(None),) * ((axis or 0) % given.ndim) + (index,)]


def take_along_axis(value: Any, index: Any, axis: int) -> ndarray:
    """Return, for each row along an axis, the elements with the indices of the same row."""
    given, chosen = asarray(value), asarray(index)
    at = axis % given.ndim
    common = broadcast_shapes(
        (*given.shape[:at], 1, *given.shape[at + 1 :]), (*chosen.shape[:at], 1, *chosen.shape[at + 1 :])
    )
    whole = given.spread((*common[:at], given.shape[at], *common[at + 1 :]))
    where_ = chosen.spread((*common[:at], chosen.shape[at], *common[at + 1 :]))
    places = [
        arange(n).reshape((1,) * k + (n,) + (1,) * (whole.ndim - k - 1)) if k != at else where_
        for k, n in enumerate(where_.shape)
    ]
    made: ndarray = whole[tuple(places)]
    return made


def ix_(*parts: Any) -> tuple[ndarray, ...]:
    """Return index arrays that select the rows and columns with given numbers."""
    lists = [asarray(x) for x in parts]
    lists = [nonzero(x)[0] if x.dtype.kind == "b" else x.astype(int) for x in lists]
    return tuple(x.reshape((1,) * k + (-1,) + (1,) * (len(lists) - k - 1)) for k, x in enumerate(lists))


def ndindex(*shape: Any) -> Iterable[Shape]:
    """Return all indices of an array."""
    sizes = _shape(shape[0]) if len(shape) == 1 else shape
    return product(*map(range, sizes))


# -- reductions


def _reduce(
    value: Any, function: Callable[[list[Any]], Any], axis: Any, keepdims: bool, dtype: Any = None
) -> Any:
    """Return a function of the elements along axes."""
    given = asarray(value)
    axes = range(given.ndim) if axis is None else [_axis(given, k) for k in _shape(axis)][: given.ndim]
    kept = [k for k in range(given.ndim) if k not in axes]
    kind = given.dtype if dtype is None else dtype
    inner_shape, inner = tuple(given.shape[k] for k in axes), tuple(given.strides[k] for k in axes)
    shape = tuple(1 if k in axes else n for k, n in enumerate(given.shape))
    result = shape if keepdims else tuple(given.shape[k] for k in kept)
    if not kept:
        number = function(given.flat)
        return scalar(number, kind) if not result else ndarray([number], result, kind)
    within = positions(inner_shape, inner)
    starts = positions(tuple(given.shape[k] for k in kept), tuple(given.strides[k] for k in kept))
    store, offset = given.store, given.offset
    numbers = []
    for start in starts:
        at = offset + start
        numbers.append(function([store[at + k] for k in within]))
    return ndarray(numbers, result, kind)


def sum_(value: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """Return sums along axes."""
    given = asarray(value)
    dtype = INT if given.dtype.kind == "b" else given.dtype
    start = dtype.zero if initial is None else initial
    return _reduce(given, lambda row: sum(row, start), axis, keepdims, dtype)


def prod(value: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return products along axes."""
    given = asarray(value)
    dtype = INT if given.dtype.kind == "b" else given.dtype
    one = dtype.convert(1)
    return _reduce(given, lambda row: math.prod(row, start=one), axis, keepdims, dtype)


def median(value: Any, axis: Any = None) -> Any:
    """Return medians along axes."""

    def middle(row: list[Any]) -> float:
        ordered, half = sorted(row), len(row) // 2
        if not row or any(x != x for x in row):
            return math.nan
        return float(ordered[half] if len(row) % 2 else (ordered[half - 1] + ordered[half]) / 2)

    return _reduce(value, middle, axis, False, FLOAT)


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    def reduced(
        value: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None
    ) -> Any:
        given = asarray(value)
        if where is not None:
            chosen = [
                x for x, flag in zip(given.flat, broadcast_to(where, given.shape).flat, strict=True) if flag
            ]
            if axis is not None:
                raise missing("max with where= and axis=")
            given = ndarray(chosen, (len(chosen),), given.dtype)

        def extreme(row: list[Any]) -> Any:
            row = row if initial is None else [*row, given.dtype.convert(initial)]
            if not row:
                raise ValueError("an empty array has no largest or smallest element")
            if given.dtype.kind == "f":
                # Comparisons with nan are false, so that max and min alone depend on the order.
                for x in row:
                    if x != x:
                        return math.nan
            return choose(row)

        return _reduce(given, extreme, axis, keepdims)

    return reduced


max_ = _extreme(max)
min_ = _extreme(min)


def nanmin(value: Any, axis: Any = None) -> Any:
    """Return the smallest elements along axes, without nan."""
    return _reduce(value, lambda row: min([x for x in row if x == x], default=math.nan), axis, False)


def any_(value: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether an element is not zero, along axes."""
    return _reduce(value, any, axis, keepdims, BOOL)


def all_(value: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether no element is zero, along axes."""
    return _reduce(value, all, axis, keepdims, BOOL)


def _first_index(choose: Callable[..., Any]) -> Callable[..., Any]:
    def reduced(value: Any, axis: Any = None) -> Any:
        def first(row: list[Any]) -> int:
            for k, x in enumerate(row):
                if x != x:
                    return k
            return row.index(choose(row))

        return _reduce(value, first, axis, False, INT)

    return reduced


argmax = _first_index(max)
argmin = _first_index(min)


def _along(value: Any, function: Callable[[list[Any]], list[Any]], axis: int, dtype: Any = None) -> ndarray:
    """Return a function of the rows along an axis that returns rows."""
    given = moveaxis(value, axis, -1)
    n, flat = given.shape[-1], given.flat
    rows = [function(flat[k * n : (k + 1) * n]) for k in range(count_of(given.shape[:-1]))]
    length = len(rows[0] if rows else function([given.dtype.zero] * n))
    kind = given.dtype if dtype is None else dtype
    return moveaxis(ndarray([x for row in rows for x in row], (*given.shape[:-1], length), kind), -1, axis)


def diff(value: Any, n: int = 1, axis: int = -1) -> ndarray:
    """Return the differences of neighbouring elements."""
    made = asarray(value)
    for _ in range(n):
        made = _along(made, lambda row: list(map(operator.sub, row[1:], row)), axis)
    return made


# -- order


def _key(x: Any) -> Any:
    return (x != x, x)  # nan last


def argsort(value: Any, axis: int = -1, kind: str = "stable") -> ndarray:
    """Return the indices that sort the rows along an axis."""
    return _along(value, lambda row: sorted(range(len(row)), key=lambda k: _key(row[k])), axis, INT)


def lexsort(keys: Any) -> ndarray:
    """Return the indices that sort by the last key, then by the one before, and so on."""
    rows = [asarray(key).flat for key in keys][::-1]
    return asarray(sorted(range(len(rows[0])), key=lambda k: tuple(row[k] for row in rows)), int)


def unique(
    value: Any, return_index: bool = False, return_inverse: bool = False, axis: int | None = None
) -> Any:
    """Return the different elements (or rows), sorted."""
    given = asarray(value)
    # All nan are one element, the last one.
    rows: list[Any] = (
        [x if x == x else math.nan for x in given.flat]
        if axis is None
        else [tuple(row.flat) for row in given]
    )
    first: dict[Any, int] = {}
    for k, row in enumerate(rows):
        first.setdefault(row, k)
    ordered = sorted(first, key=_key)
    shape = (len(ordered),) if axis is None else (len(ordered), *given.shape[1:])
    elements = ordered if axis is None else [x for row in ordered for x in row]
    made = ndarray(elements, shape, given.dtype)
    rank = {row: k for k, row in enumerate(ordered)}
    more = []
    if return_index:
        more.append(asarray([first[row] for row in ordered], int))
    if return_inverse:
        more.append(asarray([rank[row] for row in rows], int))
    return (made, *more) if more else made


def isin(value: Any, among: Any) -> ndarray:
    """Return whether each element occurs among others."""
    others, given = set(asarray(among).flat), asarray(value)
    return ndarray([x in others for x in given.flat], given.shape, BOOL)


# -- elementwise functions


def where(condition: Any, one: Any = None, other: Any = None) -> Any:
    """Return elements of `one` where the condition is true, else those of `other`; or the true indices."""
    if one is None:
        return nonzero(asarray(condition))
    flags, x, y = broadcast_arrays(condition, one, other)
    dtype = _common([x, y])
    values = [a if flag else b for flag, a, b in zip(flags.flat, x.flat, y.flat, strict=True)]
    if x.dtype.kind != y.dtype.kind and dtype.kind != "O":
        values = list(map(dtype.convert, values))
    return ndarray(values, flags.shape, dtype)


def clip(value: Any, low: Any = None, high: Any = None) -> Any:
    """Return numbers limited to an interval."""
    made = value if low is None else binary("maximum", value, low)
    return made if high is None else binary("minimum", made, high)


def absolute(value: Any) -> Any:
    """Return absolute values."""
    given = asarray(value)
    return (
        abs(given)
        if given.shape
        else scalar(abs(given.item()), FLOAT if given.dtype.kind == "c" else given.dtype)
    )


def sign(value: Any) -> Any:
    """Return signs."""
    given = asarray(value)
    values = list(map(_sign, given.flat))
    return ndarray(values, given.shape, given.dtype) if given.shape else scalar(values[0], given.dtype)


def _tested(test: Callable[[Any], bool]) -> Callable[[Any], Any]:
    def tested(value: Any) -> Any:
        given = asarray(value)
        if given.dtype.kind == "O":
            values = [test(float(x)) for x in given.flat]
        elif given.dtype.kind == "c":
            joined = any if test in (math.isnan, math.isinf) else all
            values = [joined((test(x.real), test(x.imag))) for x in given.flat]
        else:
            values = list(map(test, given.flat))
        return ndarray(values, given.shape, BOOL) if given.shape else scalar(values[0], BOOL)

    return tested


isfinite = _tested(math.isfinite)
isnan = _tested(math.isnan)
isinf = _tested(math.isinf)


def nan_to_num(value: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Any:
    """Return numbers with nan and inf replaced."""
    large = 1.7976931348623157e308
    given = asarray(value, float)
    high, low = large if posinf is None else posinf, -large if neginf is None else neginf
    values = [nan if x != x else high if x == math.inf else low if x == -math.inf else x for x in given.flat]
    return ndarray(list(map(float, values)), given.shape, FLOAT)


def round_(value: Any, decimals: int = 0) -> Any:
    """Return rounded numbers."""
    given = asarray(value)
    values = [round(x, decimals) if x == x and abs(x) != math.inf else x for x in given.flat]
    return ndarray(values, given.shape, given.dtype) if given.shape else scalar(values[0], given.dtype)


def vectorize(function: Callable[..., Any], otypes: Sequence[Any] = ()) -> Callable[..., Any]:
    """Return a function of single numbers as a function of arrays."""

    def applied(*values: Any) -> ndarray:
        arrays = broadcast_arrays(*values)
        made = list(map(function, *(x.flat for x in arrays)))
        kind = otypes[0] if otypes else None
        return (
            ndarray(made, arrays[0].shape, OBJECT)
            if kind is object
            else asarray(made, kind).reshape(arrays[0].shape)
        )

    return applied


# -- products


def trace(value: Any, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the sums of the diagonals of matrices."""
    return sum_(diagonal(value, axis1, axis2), -1)


def cross(a: Any, b: Any, axis: int = -1) -> ndarray:
    """Return vector products."""
    x, y = (moveaxis(v, axis, 0) for v in broadcast_arrays(a, b))
    parts = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    return moveaxis(stack(parts), 0, axis)


def einsum(text: str, *values: Any, optimize: bool = False) -> Any:
    """Return a sum of products by the names of axes, factor after factor.

    Raises:
        MissingDependencyError: the result is not given, or an array has two axes of the same name.
    """
    arrays = [asarray(x) for x in values]
    given, arrow, result = text.replace(" ", "").partition("->")
    names = given.split(",")
    if not arrow or any(len(set(name)) < len(name) for name in given.replace(".", "").split(",")):
        raise missing(f"einsum of {text!r}")
    if "." in text:
        spare = "ABCDEFGH"
        lead = max(x.ndim - len(n.replace("...", "")) for x, n in zip(arrays, names, strict=True) if "." in n)
        for k, (x, n) in enumerate(zip(arrays, names, strict=True)):
            own = x.ndim - len(n.replace("...", "")) if "." in n else 0
            names[k] = n.replace("...", spare[lead - own : lead])
        result = result.replace("...", spare[:lead])
    made, axes = arrays[0], names[0]
    for at, (other, more) in enumerate(zip(arrays[1:], names[1:], strict=True), 2):
        needed = set(result).union(*names[at:])
        made, axes = _contract(made, axes, other, more, needed)
    made, axes = _contract(made, axes, asarray(made.dtype.convert(1)), "", set(result))
    order = made.transpose([axes.index(name) for name in result]) if result else made
    return order if order.shape else scalar(order.item(), order.dtype)


def _contract(a: ndarray, names: str, b: ndarray, more: str, needed: set[str]) -> tuple[ndarray, str]:
    """Return the product of two arrays, summed over the axes that are not needed any more."""
    both = [n for n in names if n in more]
    batch = [n for n in both if n in needed]
    summed = [n for n in both if n not in needed]
    own = [n for n in names if n not in more and n in needed]
    theirs = [n for n in more if n not in names and n in needed]
    for array_, text, kept in ((a, names, [*batch, *own, *summed]), (b, more, [*batch, *summed, *theirs])):
        lost = [k for k, n in enumerate(text) if n not in kept]
        if lost:
            reduced = sum_(array_, tuple(lost))
            text = "".join(n for n in text if n in kept)
            if array_ is a:
                a, names = asarray(reduced), text
            else:
                b, more = asarray(reduced), text
    sizes = dict(zip(names, a.shape, strict=True)) | {
        n: m for n, m in zip(more, b.shape, strict=True) if m != 1 or n not in names
    }
    left = a.transpose([names.index(n) for n in (*batch, *own, *summed)]) if names else a
    right = b.transpose([more.index(n) for n in (*batch, *summed, *theirs)]) if more else b

    def counted(group: Sequence[str]) -> int:
        return math.prod(sizes[n] for n in group)

    left = left.spread(tuple(sizes[n] for n in (*batch, *own, *summed)))
    right = right.spread(tuple(sizes[n] for n in (*batch, *summed, *theirs)))
    made = matmul(
        left.reshape(counted(batch), counted(own), counted(summed)),
        right.reshape(counted(batch), counted(summed), counted(theirs)),
    )
    kept = [*batch, *own, *theirs]
    return asarray(made).reshape(tuple(sizes[n] for n in kept)), "".join(kept)


def unwrap(value: Any) -> ndarray:
    """Return angles along the last axis without jumps by multiples of 2 pi."""

    def joined(row: list[float]) -> list[float]:
        made = row[:1]
        for x in row[1:]:
            step = x - made[-1]
            made.append(made[-1] + step - 2 * math.pi * round(step / (2 * math.pi)))
        return made

    return _along(asarray(value, float), joined, -1)


for _name, _function in {
    "sum": sum_, "prod": prod, "max": max_, "min": min_, "any": any_, "all": all_, "argmax": argmax,
    "argmin": argmin, "argsort": argsort, "clip": clip, "round": round_, "take": take,
}.items():  # fmt: skip
    setattr(ndarray, _name, _function)
