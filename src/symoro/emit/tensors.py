"""Array libraries of emitted Python code (NumPy, JAX or PyTorch), described as data.

NumPy code allocates its outputs and assigns their entries. JAX and PyTorch code is a pure function of its inputs, which
both libraries can differentiate and compile; there the entries of an output are stacked.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from symoro.emit.dialect import Dialect
from symoro.emit.keywords import KERNELS, words
from symoro.expr import ops

_WORDS = words(
    "np jnp torch device Array batch dtype zero x PARAMETERS float hasattr print match len stacked tensor reduce"
)
NUMPY_DIALECT = Dialect(
    functions={
        ops.SQRT: "np.sqrt({0})",
        ops.SIN: "np.sin({0})",
        ops.COS: "np.cos({0})",
        ops.TAN: "np.tan({0})",
        ops.ASIN: "np.arcsin({0})",
        ops.ACOS: "np.arccos({0})",
        ops.ATAN2: "np.arctan2({0}, {1})",
        ops.EXP: "np.exp({0})",
        ops.ABS: "np.abs({0})",
        ops.SIGN: "np.sign({0})",
        ops.MIN: "np.minimum({0}, {1})",
        ops.MAX: "np.maximum({0}, {1})",
        ops.LESS: "np.where({0} < {1}, 1.0, 0.0)",
        ops.LESS_EQUAL: "np.where({0} <= {1}, 1.0, 0.0)",
        ops.EQUAL: "np.where({0} == {1}, 1.0, 0.0)",
        ops.SELECT: "np.where({0}, {1}, {2})",
    },
    element="{0}[..., {1}]",
    reserved=frozenset(keyword.kwlist) | KERNELS | _WORDS,
    longest=1000,
    call_name="call",
    setup_name="setup",
    batch_name="",
)


@dataclass(frozen=True)
class Library:
    """Array library for emitted Python code.

    Templates contain the name of one input as {0}, or the names of all inputs as {names}.

    Attributes:
        prefix: name of the module in the code, such as "np".
        array: expression that returns an input as an array.
        dtype: expression of the common type of the inputs.
        converted: expression that returns an input as an array of that type.
        zero: expression of a zero of that type, with which plain numbers become arrays; "" if none is needed.
        parameters: statements of the setup function after which each p[i] is a scalar of the library.
        constants: template of the array of the constants, from their list {0}.
        definitions: functions that the code calls.
        kernels: kernel -> text of its function; None if the kernels are those of `symoro.expr.kernels`.
    """

    id: str
    title: str
    prefix: str
    imports: str
    dialect: Dialect
    array: str
    dtype: str
    converted: str
    zero: str
    parameters: tuple[str, ...]
    constants: str
    definitions: str = ""
    kernels: Mapping[str, str] | None = field(default=None)


NUMPY = Library(
    "numpy",
    "NumPy",
    "np",
    "import numpy as np\n",
    NUMPY_DIALECT,
    array="np.asarray({0})",
    dtype="np.result_type(float, {names})",
    converted="{0}.astype(dtype, copy=False)",
    zero="",
    parameters=("{0} = np.asarray({0})", "{0} = {0}.astype(np.result_type(float, {0}))"),
    constants="np.array([{0}])",
)

_JAX_DEFINITIONS = '''\
def stacked(entries, shape, zero):
    """Return entries, each a number or an array over samples, as one array with the given leading axes."""
    return jnp.stack([jnp.broadcast_to(zero + x, shape) for x in entries], axis=-1)
'''
_JAX_SOLVE = '''\
def solve_(a, b):
    """Solve A x = b for A (n, n) by rows, each entry a number or an array over samples: (..., n)."""
    shape = jnp.broadcast_shapes(*(jnp.shape(x) for x in (*a, *b)))
    matrix = stacked(a, shape, 0.0).reshape(*shape, len(b), len(b))
    return jnp.linalg.solve(matrix, stacked(b, shape, 0.0)[..., None])[..., 0]
'''
JAX = Library(
    "jax",
    "JAX",
    "jnp",
    "import jax.numpy as jnp\n",
    replace(
        NUMPY_DIALECT,
        functions={op: text.replace("np.", "jnp.") for op, text in NUMPY_DIALECT.functions.items()},
    ),
    array="jnp.asarray({0})",
    dtype="jnp.result_type(float, {names})",
    converted="{0}.astype(dtype)",
    zero="jnp.zeros((), dtype)",
    parameters=("{0} = jnp.asarray({0}, dtype=float)",),
    constants="jnp.stack([{0}])",
    definitions=_JAX_DEFINITIONS,
    kernels={"solve": _JAX_SOLVE},
)

_TORCH_DEFINITIONS = '''\
def stacked(entries, shape, zero):
    """Return entries, each a number or a tensor over samples, as one tensor with the given leading axes."""
    return torch.stack([(zero + x).expand(shape) for x in entries], dim=-1)


def tensor(x, zero):
    """Return a number as a tensor of the type of `zero`."""
    return x if torch.is_tensor(x) else zero + x
'''
_TORCH_SOLVE = '''\
def solve_(a, b):
    """Solve A x = b for A (n, n) by rows, each entry a number or a tensor over samples: (..., n)."""
    tensors = [x for x in (*a, *b) if torch.is_tensor(x)]
    shape = torch.broadcast_shapes(*(x.shape for x in tensors))
    zero = torch.zeros((), dtype=tensors[0].dtype, device=tensors[0].device)
    matrix = stacked(a, shape, zero).reshape(*shape, len(b), len(b))
    # solve_ex does not raise an error for a singular sample, which must not affect the others
    return torch.linalg.solve_ex(matrix, stacked(b, shape, zero)[..., None])[0][..., 0]
'''


def _torch(text: str) -> str:
    """Convert a NumPy template to PyTorch.

    Functions of two arguments require tensors, so that arguments which may be numbers are converted.
    """
    names = {"arcsin": "asin", "arccos": "acos", "arctan2": "atan2"}
    for name, other in names.items():
        text = text.replace(f"np.{name}(", f"torch.{other}(")
    for at in (0, 1):
        if text.startswith(("torch.atan2", "np.minimum", "np.maximum")):
            text = text.replace(f"{{{at}}}", f"tensor({{{at}}}, zero)")
    text = text.replace("1.0, 0.0", "zero + 1.0, zero").replace(
        "{1}, {2}", "tensor({1}, zero), tensor({2}, zero)"
    )
    return text.replace("np.", "torch.")


TORCH = Library(
    "torch",
    "PyTorch",
    "torch",
    "from functools import reduce\n\nimport torch\n",
    replace(NUMPY_DIALECT, functions={op: _torch(text) for op, text in NUMPY_DIALECT.functions.items()}),
    array="torch.as_tensor({0})",
    dtype="reduce(torch.promote_types, [x.dtype for x in ({names},)], torch.get_default_dtype())",
    converted="{0}.to(dtype)",
    zero="torch.zeros((), dtype=dtype, device={first}.device)",
    parameters=(
        "device = next((x.device for x in {0} if torch.is_tensor(x)), None)",
        "{0} = [torch.as_tensor(x, dtype=torch.float64, device=device) for x in {0}]",
    ),
    constants="torch.stack([{0}])",
    definitions=_TORCH_DEFINITIONS,
    kernels={"solve": _TORCH_SOLVE},
)

LIBRARIES = {library.id: library for library in (NUMPY, JAX, TORCH)}
