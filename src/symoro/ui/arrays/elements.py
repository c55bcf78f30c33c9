"""Arrays of numbers in plain Python with the behaviour of NumPy's arrays: shapes, views, broadcasting, indexing.

Elements are stored in a Python list that views share:

    element (i, j, ...)  =  store[offset + i strides[0] + j strides[1] + ...]

Stored floats are exact floats (no subclasses), so that `map` with functions of `operator` runs without Python code.
Arithmetic that Python rejects (division by zero, square root of a negative number) gives inf or nan, as in NumPy.
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product, repeat
from types import SimpleNamespace
from typing import Any

from symoro.errors import MissingDependencyError

Shape = tuple[int, ...]


def missing(name: str) -> MissingDependencyError:
    """Return the error for a part of NumPy that is not available."""
    return MissingDependencyError(
        f"this needs NumPy, which this page does not contain ({name})",
        hint="run symoro on your machine: pip install symoro",
    )


class DType:
    """Type of the elements of an array: kind b (bool), i (integer), f (float), c (complex) or O (object)."""

    def __init__(self, kind: str, name: str, convert: Callable[[Any], Any], zero: Any) -> None:
        self.kind, self.name, self.convert, self.zero = kind, name, convert, zero
        self.char = {"b": "?", "i": "l", "f": "d", "c": "D", "O": "O"}[kind]
        self.itemsize = {"b": 1, "c": 16}.get(kind, 8)

    def __eq__(self, other: object) -> bool:
        try:
            return dtype_of(other).kind == self.kind
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.kind)

    def __repr__(self) -> str:
        return f"dtype('{self.name}')"


BOOL = DType("b", "bool", bool, False)
INT = DType("i", "int64", int, 0)
FLOAT = DType("f", "float64", float, 0.0)
COMPLEX = DType("c", "complex128", complex, 0j)
OBJECT = DType("O", "object", lambda x: x, 0)
ORDER = {"b": 0, "i": 1, "f": 2, "c": 3, "O": 4}
BY_KIND = {one.kind: one for one in (BOOL, INT, FLOAT, COMPLEX, OBJECT)}


def _operators(function: Callable[[Any, Any], Any], result: Callable[[Any], Any]) -> Any:
    """Return the methods of a binary operator of a number: with the number on the left, and on the right."""

    def left(self: Any, other: Any) -> Any:
        return result(function(self.item(), other)) if isinstance(other, (int, float)) else NotImplemented

    def right(self: Any, other: Any) -> Any:
        return result(function(other, self.item())) if isinstance(other, (int, float)) else NotImplemented

    return left, right


class _Number:
    """Attributes that a single number has in common with arrays."""

    __slots__ = ()
    ndim, shape, size = 0, (), 1

    def any(self) -> Any:
        """Return whether the number is not zero."""
        return bool_(self)

    all = any


class float64(_Number, float):
    """Single number with the arithmetic of NumPy: a division by zero gives inf or nan."""

    __slots__ = ()
    dtype = FLOAT

    def item(self) -> float:
        """Return the number as a float."""
        return float(self)

    tolist = item

    def astype(self, kind: Any) -> Any:
        """Return the number in another type."""
        return scalar(dtype_of(kind).convert(float(self)), dtype_of(kind))

    def __getitem__(self, index: Any) -> Any:
        return asarray(float(self))[index]

    def __neg__(self) -> Any:
        return float64(-float(self))

    def __abs__(self) -> Any:
        return float64(abs(float(self)))


class bool_(_Number, int):
    """Single truth value; ~ negates it."""

    __slots__ = ()
    dtype = BOOL

    def __new__(cls, value: Any = False) -> bool_:
        return super().__new__(cls, 1 if value else 0)

    def item(self) -> bool:
        """Return the value as a bool."""
        return bool(self)

    tolist = item

    def __invert__(self) -> bool_:
        return bool_(not int(self))

    def __repr__(self) -> str:
        return str(bool(self))

    __str__ = __repr__


def dtype_of(given: Any) -> DType:
    """Return the element type of a Python type, a name or a `DType`.

    Raises:
        TypeError: there is no such type.
    """
    if isinstance(given, DType):
        return given
    if given in (float, "float", "float64", "d", float64):
        return FLOAT
    if given in (int, "int", "int64", "l"):
        return INT
    if given in (bool, "bool", bool_):
        return BOOL
    if given in (complex, "complex", "complex128"):
        return COMPLEX
    if given in (object, "object", "O"):
        return OBJECT
    raise TypeError(f"arrays of {given!r} are not supported without NumPy")


def kind_of(value: Any) -> str:
    """Return the kind of a number."""
    if isinstance(value, (bool, bool_)):
        return "b"
    if isinstance(value, float):
        return "f"
    if isinstance(value, int):
        # NumPy stores integers that exceed 64 bits as objects.
        return "i" if -(1 << 63) <= value < 1 << 63 else "O"
    return "c" if isinstance(value, complex) else "O"


def scalar(value: Any, dtype: DType) -> Any:
    """Return an element as NumPy does: floats and truth values with the arithmetic of NumPy."""
    if dtype.kind == "f":
        return float64(value)
    return bool_(value) if dtype.kind == "b" else value


def count_of(shape: Shape) -> int:
    """Return the number of elements of an array."""
    return math.prod(shape)


@lru_cache(4096)
def c_strides(shape: Shape) -> Shape:
    """Return the strides of an array stored row by row."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


@lru_cache(4096)
def positions(shape: Shape, strides: Shape) -> Sequence[int]:
    """Return the positions of all elements relative to the offset, row by row."""
    if strides == c_strides(shape):
        return range(count_of(shape))
    places = [0]
    for n, step in zip(shape, strides, strict=True):
        places = [p + k * step for p in places for k in range(n)]
    return tuple(places)


@lru_cache(1024)
def gather(shape: Shape, strides: Shape) -> tuple[Callable[[list[Any]], tuple[Any, ...]], int]:
    """Return a function that collects the elements of a view from a list that starts at the offset, and its length.

    No stride is negative.
    """
    places = positions(shape, strides)
    return operator.itemgetter(*places), max(places) + 1


def broadcast_shapes(*shapes: Any) -> Shape:
    """Return the common shape of arrays.

    Raises:
        ValueError: the shapes do not fit.
    """
    shapes = tuple((s,) if isinstance(s, int) else tuple(s) for s in shapes)
    length = max(map(len, shapes), default=0)
    common = [1] * length
    for shape in shapes:
        for k, n in enumerate(shape, length - len(shape)):
            if n != 1:
                if common[k] not in (1, n):
                    raise ValueError(f"operands could not be broadcast together with shapes {shapes}")
                common[k] = n
    return tuple(common)


# -- arithmetic of single numbers that Python rejects


def divide(a: Any, b: Any) -> Any:
    """Return a / b; inf or nan if b is zero."""
    try:
        return a / b
    except ZeroDivisionError:
        if isinstance(a, complex) or isinstance(b, complex):
            return complex(math.nan, math.nan)
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    except OverflowError:
        return math.nan if isinstance(a, float) and isinstance(b, float) else float(a) / float(b)


def floor_divide(a: Any, b: Any) -> Any:
    """Return the largest whole number not above a / b."""
    try:
        return a // b
    except ZeroDivisionError:
        return divide(float(a), float(b)) if isinstance(a, float) or isinstance(b, float) else 0


def remainder(a: Any, b: Any) -> Any:
    """Return a modulo b with the sign of b."""
    if not (isinstance(a, float) or isinstance(b, float)):
        return a % b if b else 0
    if b == 0 or math.isinf(a) or a != a or b != b:
        return math.nan
    return a % b


def power(a: Any, b: Any) -> Any:
    """Return a to the power b; inf or nan where Python raises an error.

    Raises:
        ValueError: an integer has a negative integer power, which is not an integer.
    """
    if isinstance(b, int) and b < 0 and isinstance(a, int):
        raise ValueError("integers to negative integer powers are not allowed")
    try:
        value = a**b
    except ZeroDivisionError:
        return math.copysign(math.inf, a) if b == int(b) and int(b) % 2 else math.inf
    except OverflowError:
        return -math.inf if a < 0 and b == int(b) and int(b) % 2 else math.inf
    real = not isinstance(a, complex) and not isinstance(b, complex)
    return math.nan if isinstance(value, complex) and real else value


def maximum(a: Any, b: Any) -> Any:
    """Return the larger number; nan if one of them is nan."""
    return a if a >= b or a != a else b


def minimum(a: Any, b: Any) -> Any:
    """Return the smaller number; nan if one of them is nan."""
    return a if a <= b or a != a else b


def sign(a: Any) -> Any:
    """Return -1, 0 or 1 with the type of the number."""
    return a if a != a else type(a)((a > 0) - (a < 0))


for _name, _function in {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": divide, "floordiv": floor_divide,
    "mod": remainder, "pow": power,
}.items():  # fmt: skip
    for _side, _method in zip(("", "r"), _operators(_function, float64), strict=True):
        setattr(float64, f"__{_side}{_name}__", _method)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    for _class in (float64, bool_):
        setattr(_class, f"__{_name}__", _operators(getattr(operator, _name), bool_)[0])
for _name in ("and", "or", "xor"):
    for _side, _method in zip(("", "r"), _operators(getattr(operator, f"__{_name}__"), bool_), strict=True):
        setattr(bool_, f"__{_side}{_name}__", _method)


# -- arrays


def _array_operators(name: str) -> Any:
    """Return the methods of a binary operator of an array: with the array on the left, and on the right."""

    def left(self: Any, other: Any) -> Any:
        return binary(name, self, other)

    def right(self: Any, other: Any) -> Any:
        return binary(name, other, self)

    return left, right


def _in_place(name: str) -> Any:
    """Return the method of an operator that changes an array."""

    def change(self: ndarray, other: Any) -> ndarray:
        result = asarray(binary(name, self, other))
        if ORDER[result.dtype.kind] > ORDER[self.dtype.kind]:
            raise TypeError(f"cannot store {result.dtype.name} in an array of {self.dtype.name}")
        self[...] = result
        return self

    return change


class ndarray:
    """Array of numbers in a list that views share."""

    __slots__ = ("dtype", "offset", "shape", "store", "strides")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, store: list[Any], shape: Shape, dtype: DType, strides: Shape | None = None, offset: int = 0
    ) -> None:
        self.store, self.shape, self.dtype, self.offset = store, shape, dtype, offset
        self.strides = c_strides(shape) if strides is None else strides

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return count_of(self.shape)

    @property
    def itemsize(self) -> int:
        """Number of bytes of an element in NumPy."""
        return self.dtype.itemsize

    @property
    def flags(self) -> SimpleNamespace:
        """Properties of the memory; an array can always be written."""
        row_by_row = self.strides == c_strides(self.shape)
        return SimpleNamespace(writeable=True, aligned=True, c_contiguous=row_by_row)

    @property
    def T(self) -> ndarray:
        """View with the axes in reverse order."""
        return self.transpose()

    @property
    def real(self) -> ndarray:
        """Real parts."""
        if self.dtype.kind != "c":
            return self
        return ndarray([x.real for x in self.flat], self.shape, FLOAT)

    @property
    def imag(self) -> ndarray:
        """Imaginary parts."""
        return ndarray([x.imag for x in self.flat], self.shape, FLOAT)

    @property
    def flat(self) -> list[Any]:
        """List of all elements, row by row."""
        store, at = self.store, self.offset
        if len(self.shape) == 1 and self.strides[0] > 0:
            (n,), (step,) = self.shape, self.strides
            return store[at : at + n * step : step]
        places = positions(self.shape, self.strides)
        if isinstance(places, range):
            return store[at : at + len(places)]
        if len(places) > 1 and min(self.strides) >= 0:
            chosen, span = gather(self.shape, self.strides)
            return list(chosen(store[at : at + span] if at else store))
        return [store[at + k] for k in places]

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return f"array({self.tolist()})"

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("the truth value of an array with several elements is ambiguous; use any or all")
        return bool(self.flat[0])

    def _single(self) -> Any:
        if self.size != 1:
            raise TypeError("only arrays with one element can be converted to numbers")
        return self.flat[0]

    def __float__(self) -> float:
        return float(self._single())

    def __int__(self) -> int:
        return int(self._single())

    def __complex__(self) -> complex:
        return complex(self._single())

    def __index__(self) -> int:
        return operator.index(self._single())

    def __contains__(self, value: Any) -> bool:
        return any(x == value for x in self.flat)

    def item(self) -> Any:
        """Return the only element."""
        return self._single()

    def tolist(self) -> Any:
        """Return the elements as nested lists."""
        if not self.shape:
            return self.flat[0]
        rows: list[Any] = self.flat
        for axis in range(self.ndim - 1, 0, -1):
            n = self.shape[axis]
            rows = [rows[k * n : (k + 1) * n] for k in range(count_of(self.shape[:axis]))]
        return rows

    # -- shape

    def reshape(self, *shape: Any) -> ndarray:
        """Return the elements in another shape; -1 means the length that remains."""
        given = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        new = [operator.index(n) for n in (given if isinstance(given, Iterable) else (given,))]
        size = self.size
        if -1 in new:
            others = -math.prod(new)
            new[new.index(-1)] = size // others if others else 0
        result = tuple(new)
        if count_of(result) != size:
            raise ValueError(f"cannot reshape array of size {size} into shape {result}")
        if self.strides == c_strides(self.shape):
            return ndarray(self.store, result, self.dtype, None, self.offset)
        return ndarray(self.flat, result, self.dtype)

    def ravel(self) -> ndarray:
        """Return the elements along one axis."""
        return self.reshape(-1)

    def transpose(self, *axes: Any) -> ndarray:
        """Return a view with permuted axes."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        order = tuple(order) if order else tuple(reversed(range(self.ndim)))
        shape, strides = (tuple(part[k] for k in order) for part in (self.shape, self.strides))
        return ndarray(self.store, shape, self.dtype, strides, self.offset)

    def swapaxes(self, one: int, other: int) -> ndarray:
        """Return a view with two axes exchanged."""
        order = list(range(self.ndim))
        order[one], order[other] = order[other], order[one]
        return self.transpose(order)

    def spread(self, shape: Shape) -> ndarray:
        """Return a view of a larger shape that repeats the elements."""
        if shape == self.shape:
            return self
        lead = len(shape) - self.ndim
        if lead < 0 or broadcast_shapes(self.shape, shape) != shape:
            raise ValueError(f"cannot broadcast shape {self.shape} to {shape}")
        strides = tuple(
            0 if n == 1 and m != 1 else s
            for n, m, s in zip(self.shape, shape[lead:], self.strides, strict=True)
        )
        return ndarray(self.store, shape, self.dtype, (0,) * lead + strides, self.offset)

    def copy(self, order: str = "C") -> ndarray:
        """Return a copy, stored row by row."""
        return ndarray(self.flat, self.shape, self.dtype)

    def astype(self, kind: Any, copy: bool = True) -> ndarray:
        """Return a copy with another element type."""
        dtype = dtype_of(kind)
        if dtype.kind == self.dtype.kind:
            return self.copy() if copy else self
        if self.dtype.kind == "c" and dtype.kind in "if":
            return ndarray([dtype.convert(x.real) for x in self.flat], self.shape, dtype)
        return ndarray(list(map(dtype.convert, self.flat)), self.shape, dtype)

    # -- indexing

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, int) and not isinstance(index, (bool, bool_)):
            n = self.shape[0] if self.shape else 0
            if not -n <= index < n:
                raise IndexError(f"index {index} is out of bounds for axis 0 with size {n}")
            at = self.offset + (index + n if index < 0 else index) * self.strides[0]
            if len(self.shape) == 1:
                return scalar(self.store[at], self.dtype)
            return ndarray(self.store, self.shape[1:], self.dtype, self.strides[1:], at)
        kind, place = _place(self, index)
        if kind == "view":
            shape, strides, offset = place
            if not shape and not _keeps_axes(index):
                return scalar(self.store[offset], self.dtype)
            return ndarray(self.store, shape, self.dtype, strides, offset)
        shape, places = place
        store = self.store
        return ndarray([store[k] for k in places], shape, self.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        kind, place = _place(self, index)
        if kind == "view":
            shape, strides, offset = place
            places: Iterable[int] = positions(shape, strides)
            if offset:
                places = [offset + k for k in places]
        else:
            shape, places = place
        store, dtype = self.store, self.dtype
        if not isinstance(value, (ndarray, list, tuple, range)):
            number = dtype.convert(value)
            for k in places:
                store[k] = number
            return
        given = asarray(value)
        while given.ndim > len(shape) and given.shape[0] == 1:
            given = given[0] if given.ndim > 1 else given.reshape(())
        elements = given.spread(shape).flat
        if given.dtype.kind != dtype.kind:
            elements = list(map(dtype.convert, elements))
        for k, x in zip(places, elements, strict=True):
            store[k] = x

    # -- arithmetic

    __add__, __radd__ = _array_operators("add")
    __sub__, __rsub__ = _array_operators("subtract")
    __mul__, __rmul__ = _array_operators("multiply")
    __truediv__, __rtruediv__ = _array_operators("divide")
    __floordiv__, __rfloordiv__ = _array_operators("floor_divide")
    __mod__, __rmod__ = _array_operators("remainder")
    __pow__, __rpow__ = _array_operators("power")
    __lshift__, __rlshift__ = _array_operators("left_shift")
    __rshift__, __rrshift__ = _array_operators("right_shift")
    __and__, __rand__ = _array_operators("bitwise_and")
    __or__, __ror__ = _array_operators("bitwise_or")
    __xor__, __rxor__ = _array_operators("bitwise_xor")
    __lt__, __gt__ = _array_operators("less")
    __le__, __ge__ = _array_operators("less_equal")
    __eq__, _ = _array_operators("equal")
    __ne__, _ = _array_operators("not_equal")

    def __neg__(self) -> ndarray:
        return ndarray(list(map(operator.neg, self.flat)), self.shape, self.dtype)

    def __pos__(self) -> ndarray:
        return self.copy()

    def __abs__(self) -> ndarray:
        dtype = FLOAT if self.dtype.kind == "c" else self.dtype
        return ndarray(list(map(abs, self.flat)), self.shape, dtype)

    def __invert__(self) -> ndarray:
        function = operator.not_ if self.dtype.kind == "b" else operator.invert
        return ndarray(list(map(function, self.flat)), self.shape, self.dtype)

    __iadd__ = _in_place("add")
    __isub__ = _in_place("subtract")
    __imul__ = _in_place("multiply")
    __itruediv__ = _in_place("divide")
    __ior__ = _in_place("bitwise_or")
    __iand__ = _in_place("bitwise_and")

    def __matmul__(self, other: Any) -> Any:
        return matmul(self, asarray(other))

    def __rmatmul__(self, other: Any) -> Any:
        return matmul(asarray(other), self)


def _keeps_axes(index: Any) -> bool:
    """Return whether an index contains an ellipsis, so that an element is returned as an array without axes."""
    return any(part is Ellipsis for part in index) if isinstance(index, tuple) else index is Ellipsis


def _parts(array: ndarray, index: Any) -> list[Any]:
    """Return the parts of an index, one per axis (and None for new axes), without ellipsis and truth values."""
    parts: list[Any] = []
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, (list, tuple, range)):
            part = asarray(part)
            if not part.size:
                part = part.astype(int)
        if isinstance(part, ndarray) and part.dtype.kind == "b":
            axis = sum(other is not None for other in parts)
            after_ellipsis = any(other is Ellipsis for other in parts)
            if not after_ellipsis and part.shape != array.shape[axis : axis + part.ndim]:
                raise IndexError(f"truth values of the shape {part.shape} do not fit the shape {array.shape}")
            parts += nonzero(part)
        elif isinstance(part, (bool, bool_)):
            raise missing("a single truth value as index")
        elif isinstance(part, ndarray) and part.dtype.kind != "i":
            raise IndexError(f"arrays used as indices must contain integers, not {part.dtype.name}")
        else:
            parts.append(part)
    used = sum(part is not None and part is not Ellipsis for part in parts)
    if used > array.ndim:
        raise IndexError(f"too many indices: the array has {array.ndim} axes, but {used} were indexed")
    fill = [slice(None)] * (array.ndim - used)
    at = next((k for k, part in enumerate(parts) if part is Ellipsis), None)
    return [*parts, *fill] if at is None else [*parts[:at], *fill, *parts[at + 1 :]]


def _place(array: ndarray, index: Any) -> tuple[str, Any]:
    """Return the elements that an index selects.

    Returns:
        ("view", (shape, strides, offset)) for slices and numbers, ("copy", (shape, positions)) for index arrays.
    """
    parts = _parts(array, index)
    advanced = any(isinstance(part, ndarray) for part in parts)
    shape: list[int] = []
    strides: list[int] = []
    offset, axis = array.offset, 0
    lists: list[tuple[ndarray, int]] = []  # index arrays with the strides of their axes
    first, separated, previous = 0, False, -2
    for k, part in enumerate(parts):
        if part is None:
            shape.append(1)
            strides.append(0)
            continue
        n, step = array.shape[axis], array.strides[axis]
        axis += 1
        if isinstance(part, slice):
            start, stop, stride = part.indices(n)
            count = len(range(start, stop, stride))
            offset += start * step if count else 0
            shape.append(count)
            strides.append(stride * step)
            continue
        if isinstance(part, ndarray) or advanced:
            part = asarray(part)
            if not lists:
                first = len(shape)
            separated |= bool(lists) and previous != k - 1
            previous = k
            elements = part.flat
            if any(not -n <= x < n for x in elements):
                raise IndexError(f"an index is out of bounds for an axis of size {n}")
            lists.append((ndarray([x + n if x < 0 else x for x in elements], part.shape, INT), step))
            continue
        at = operator.index(part)
        if not -n <= at < n:
            raise IndexError(f"index {at} is out of bounds for axis {axis - 1} with size {n}")
        offset += (at + n if at < 0 else at) * step
    if not lists:
        return "view", (tuple(shape), tuple(strides), offset)
    common = broadcast_shapes(*(part.shape for part, _ in lists))
    chosen = [offset] * count_of(common)
    for part, step in lists:
        chosen = [at + step * k for at, k in zip(chosen, part.spread(common).flat, strict=True)]
    if separated:
        first = 0
    before, after = shape[:first], shape[first:]
    lead = positions(tuple(before), tuple(strides[:first]))
    rest = positions(tuple(after), tuple(strides[first:]))
    places = [a + b + c for a in lead for b in chosen for c in rest]
    return "copy", ((*before, *common, *after), places)


def nonzero(array: ndarray) -> tuple[ndarray, ...]:
    """Return the indices of the elements that are not zero, one array per axis."""
    if array.ndim == 1:
        places = [k for k, x in enumerate(array.flat) if x]
        return (ndarray(places, (len(places),), INT),)
    every = [place for place, x in zip(product(*map(range, array.shape)), array.flat, strict=True) if x]
    return tuple(ndarray([p[k] for p in every], (len(every),), INT) for k in range(array.ndim))


def asarray(value: Any, dtype: Any = None) -> ndarray:
    """Return a value as an array; an array of the right type is returned itself.

    Raises:
        ValueError: nested lists have different lengths.
    """
    if isinstance(value, ndarray):
        return value if dtype is None else value.astype(dtype, copy=False)
    if isinstance(value, (list, tuple, range)):
        return _from_rows(value, dtype)
    if dtype is None:
        kind = BY_KIND[kind_of(value)]
    else:
        kind = dtype_of(dtype)
    return ndarray([kind.convert(value)], (), kind)


def _from_rows(rows: Sequence[Any], dtype: Any) -> ndarray:
    shape: list[int] = []
    level: list[Any] = [rows]
    while level and isinstance(level[0], (list, tuple, range, ndarray)) and _has_axes(level[0]):
        lengths = {len(row) if _has_axes(row) else -1 for row in level}
        if len(lengths) > 1:
            if dtype is not None and dtype_of(dtype).kind == "O":
                break
            raise ValueError("the rows of an array must have the same length")
        shape.append(lengths.pop())
        if all(isinstance(row, ndarray) for row in level):
            inner: Shape = level[0].shape  # type: ignore[union-attr]
            if any(row.shape != inner for row in level):
                raise ValueError("the rows of an array must have the same shape")
            shape += inner[1:]
            kinds = {row.dtype.kind for row in level}
            elements = [x for row in level for x in row.flat]
            return _typed(elements, tuple(shape), dtype, max(kinds, key=ORDER.__getitem__))
        level = [x for row in level for x in row]
    elements = [x.flat[0] if isinstance(x, ndarray) else x for x in level]
    return _typed(elements, tuple(shape), dtype, None)


def _has_axes(row: Any) -> bool:
    return isinstance(row, (list, tuple, range)) or (isinstance(row, ndarray) and row.ndim > 0)


def _typed(elements: list[Any], shape: Shape, dtype: Any, kind: str | None) -> ndarray:
    if dtype is not None:
        chosen = dtype_of(dtype)
    else:
        if kind is None:
            kind = max((kind_of(x) for x in elements), key=ORDER.__getitem__, default="f")
        chosen = BY_KIND[kind]
    if chosen.kind != "O":
        elements = list(map(chosen.convert, elements))
    return ndarray(elements, shape, chosen)


# -- elementwise functions: fast function for lists of numbers, and one without errors for single numbers

_ARITHMETIC: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "add": (operator.add, operator.add),
    "subtract": (operator.sub, operator.sub),
    "multiply": (operator.mul, operator.mul),
    "divide": (operator.truediv, divide),
    "floor_divide": (operator.floordiv, floor_divide),
    "remainder": (remainder, remainder),
    "power": (power, power),
    "left_shift": (operator.lshift, operator.lshift),
    "right_shift": (operator.rshift, operator.rshift),
    "bitwise_and": (operator.and_, operator.and_),
    "bitwise_or": (operator.or_, operator.or_),
    "bitwise_xor": (operator.xor, operator.xor),
    "maximum": (maximum, maximum),
    "minimum": (minimum, minimum),
    "fmin": (lambda a, b: b if a != a or b < a else a, min),
    "arctan2": (math.atan2, math.atan2),
    "hypot": (math.hypot, math.hypot),
    "less": (operator.lt, operator.lt),
    "less_equal": (operator.le, operator.le),
    "greater": (operator.gt, operator.gt),
    "greater_equal": (operator.ge, operator.ge),
    "equal": (operator.eq, operator.eq),
    "not_equal": (operator.ne, operator.ne),
    "logical_and": (lambda a, b: bool(a and b), operator.and_),
    "logical_or": (lambda a, b: bool(a or b), operator.or_),
}
_COMPARISONS = {
    *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and", "logical_or")
}
_FLOATS = {"divide", "arctan2", "hypot"}


def binary(name: str, a: Any, b: Any) -> Any:
    """Return an elementwise function of two arrays or numbers."""
    function, safe = _ARITHMETIC[name]
    if type(a) is type(b) is ndarray and a.dtype is b.dtype is FLOAT and a.shape == b.shape and a.shape:
        # The most frequent case; the general one takes several times longer.
        try:
            values = list(map(function, a.flat, b.flat))
        except (ArithmeticError, ValueError):
            values = list(map(safe, a.flat, b.flat))
        return ndarray(values, a.shape, BOOL if name in _COMPARISONS else FLOAT)
    left, right = asarray(a), asarray(b)
    kind = left.dtype.kind if ORDER[left.dtype.kind] >= ORDER[right.dtype.kind] else right.dtype.kind
    if name in _COMPARISONS:
        dtype = BOOL
    elif kind == "b":
        dtype = BOOL if name.startswith("bitwise") or name in ("maximum", "minimum", "fmin") else INT
        if name in ("divide", "arctan2", "hypot", "power"):
            dtype = FLOAT
        elif name in ("add", "multiply"):  # disjunction and conjunction
            dtype, function = BOOL, (operator.or_ if name == "add" else operator.and_)
    else:
        dtype = FLOAT if kind == "i" and name in _FLOATS else BY_KIND[kind]
    shape = left.shape if left.shape == right.shape else broadcast_shapes(left.shape, right.shape)
    x: Iterable[Any] = left.spread(shape).flat if left.shape or not shape else repeat(left.store[left.offset])
    y: Iterable[Any] = (
        right.spread(shape).flat if right.shape or not shape else repeat(right.store[right.offset])
    )
    try:
        values = list(map(function, x, y))
    except (ArithmeticError, ValueError):
        values = list(map(safe, x, y))
    if dtype is FLOAT and kind != "f":
        values = list(map(float, values))
    elif dtype is INT and "b" in (left.dtype.kind, right.dtype.kind):
        values = list(map(int, values))
    if not shape:
        return scalar(values[0], dtype)
    return ndarray(values, shape, dtype)


def matmul(a: ndarray, b: ndarray) -> Any:
    """Return the matrix product of arrays (..., m, k) and (..., k, n); one axis is a vector."""
    row, column = a.ndim == 1, b.ndim == 1
    left = a.reshape(1, -1) if row else a
    right = b.reshape(-1, 1) if column else b
    m, inner, n = left.shape[-2], left.shape[-1], right.shape[-1]
    if right.shape[-2] != inner:
        raise ValueError(f"matmul: shapes {a.shape} and {b.shape} do not fit")
    lead = broadcast_shapes(left.shape[:-2], right.shape[:-2])
    dtype = left.dtype if ORDER[left.dtype.kind] >= ORDER[right.dtype.kind] else right.dtype
    x = left.spread((*lead, m, inner)).flat
    y = right.swapaxes(-1, -2).spread((*lead, n, inner)).flat
    mul, zero = operator.mul, dtype.zero
    values: list[Any] = [] if inner else [zero] * (count_of(lead) * m * n)
    if inner:
        for s in range(count_of(lead)):
            rows = [x[k : k + inner] for k in range(s * m * inner, (s + 1) * m * inner, inner)]
            columns = [y[k : k + inner] for k in range(s * n * inner, (s + 1) * n * inner, inner)]
            values += [sum(map(mul, r, c), zero) for r in rows for c in columns]
    shape = (*lead, *(() if row else (m,)), *(() if column else (n,)))
    return ndarray(values, shape, dtype) if shape else scalar(values[0], dtype)


def unary(
    function: Callable[[Any], Any], complex_function: Callable[[Any], Any] | None = None
) -> Callable[..., Any]:
    """Return an elementwise function of floats (or complex numbers); nan where Python raises an error."""

    def applied(value: Any) -> Any:
        array = asarray(value)
        kind = array.dtype.kind
        if kind == "c":
            if complex_function is None:
                raise missing("a function of complex numbers")
            chosen, dtype = complex_function, COMPLEX
        else:
            chosen, dtype = function, FLOAT
        try:
            values = list(map(chosen, array.flat))
        except (ArithmeticError, ValueError):
            values = [_safe(chosen, x) for x in array.flat]
        return ndarray(values, array.shape, dtype) if array.shape else scalar(values[0], dtype)

    return applied


def _safe(function: Callable[[Any], Any], x: Any) -> Any:
    try:
        return function(x)
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return -math.inf if x == 0 and function in (math.log, math.log2) else math.nan


sqrt = unary(math.sqrt, cmath.sqrt)
sin = unary(math.sin, cmath.sin)
cos = unary(math.cos, cmath.cos)
tan = unary(math.tan)
arcsin = unary(math.asin)
arccos = unary(math.acos)
exp = unary(math.exp, cmath.exp)
log = unary(math.log, cmath.log)
log2 = unary(math.log2)
cbrt = unary(math.cbrt)
sinc = unary(lambda x: 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x))
floor = unary(lambda x: float(math.floor(x)) if math.isfinite(x) else x)
ceil = unary(lambda x: float(math.ceil(x)) if math.isfinite(x) else x)
rint = unary(lambda x: math.copysign(float(round(x)), x) if math.isfinite(x) else x)
