"""Python with NumPy: NAME.py with `setup(p)` and `call(q, k)`, vectorised over leading axes.

`p` is a dictionary or a sequence in the order of `PARAMETERS`; `call` returns {output: array}. An input has
its own shape, possibly with leading axes of samples; all inputs are broadcast against each other.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from importlib import resources

from symoro.emit.code import Code, KernelCall, code_of
from symoro.emit.dialect import Dialect, Files, Language
from symoro.emit.header import commented, header_lines
from symoro.emit.keywords import KERNELS, words
from symoro.emit.layout import WIDTH, call_arguments, input_entries, output_entries, statements, wrap
from symoro.emit.sample import sample_of
from symoro.expr import ops
from symoro.program.program import Program

DIALECT = Dialect(
    functions={
        ops.SQRT: "np.sqrt({0})",
        ops.SIN: "np.sin({0})",
        ops.COS: "np.cos({0})",
        ops.TAN: "np.tan({0})",
        ops.ASIN: "np.arcsin({0})",
        ops.ACOS: "np.arccos({0})",
        ops.ATAN2: "np.arctan2({0}, {1})",
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
    reserved=frozenset(keyword.kwlist)
    | KERNELS
    | words("np Array batch PARAMETERS float hasattr print match"),
    longest=1000,
    call_name="call",
    setup_name="setup",
    batch_name="",
)
_INDENT = "    "
# line in the modules of a kernel, after their imports
_TAKEN_OVER = "# The following code is copied into emitted Python code.\n"


def write(program: Program, *, name: str | None = None) -> Files:
    """Return {NAME.py}."""
    code = code_of(program, DIALECT, name=name)
    parts = [commented(header_lines(code), "#") + "\nimport numpy as np\n"]
    if code.constants:
        names = "".join(f"    {text!r},\n" for text in code.parameters)
        parts.append(f"PARAMETERS = (\n{names})\n")
    parts += _kernels(code.kernels)
    if code.constants:
        parts.append(_setup(code))
    parts.append(_call(code))
    return {f"{code.arrays.base}.py": "\n\n".join(parts)}


def _kernels(names: Sequence[str]) -> list[str]:
    """Return the NumPy code of kernels, which also evaluates programs, without its imports."""
    folder = resources.files("symoro.expr.kernels")
    modules = [folder / f"{name}.py" for name in names]
    bodies = [module.read_text(encoding="utf-8").partition(_TAKEN_OVER)[2].strip("\n") for module in modules]
    return ["Array = np.ndarray\n", *(f"{body}\n" for body in bodies)] if names else []


def _setup(code: Code) -> str:
    p, k = code.arrays.parameters, code.arrays.constants
    lines = [
        f"def {code.arrays.setup}({p}):",
        f'    """Return the constants {k} from a dictionary of parameters or a sequence in their order."""',
        f'    if hasattr({p}, "keys"):',
        f"        {p} = [{p}[name] for name in PARAMETERS]",
        f"    if len({p}) != {len(code.parameters)}:",
        f'        raise ValueError(f"{p} must have {len(code.parameters)} entries, got {{len({p})}}")',
        *(f"    {name} = float({p}[{at}])" for at, name in code.reads),
        *statements(code, code.setup, _statement, _kernel_call, _INDENT),
        wrap(f"    return np.array([{', '.join(c.name for c in code.constants)}])", _INDENT * 2),
    ]
    return "\n".join(lines) + "\n"


def _call(code: Code) -> str:
    a, program = code.arrays, code.program
    # Both branches of a choice are computed: the one that is not selected may be undefined.
    quiet = ['@np.errstate(divide="ignore", invalid="ignore")'] if ops.SELECT in code.call_operations else []
    lines = [
        *quiet,
        f"def {a.function}({', '.join(call_arguments(code))}):",
        '    """Return the outputs by name."""',
        *(f"    {name} = np.asarray({name}, dtype=float)" for name in call_arguments(code)),
        *_checks(code),
        wrap(f"    batch = np.broadcast_shapes({_leading_axes(code)})", _INDENT * 2),
    ]
    for name, array, index in input_entries(code):
        lines.append(f"    {name} = {_entry(array, index)}")
    lines += [f"    {c.name} = {a.constants}[{at}]" for at, c in enumerate(code.constants)]
    lines += statements(code, code.call, _statement, _kernel_call, _INDENT)
    for name, out in zip(a.outputs, program.outputs, strict=True):
        axes = "".join(f", {n}" for n in out.shape) or ","
        lines.append(f"    {name} = np.empty((*batch{axes}))")
    for name, index, text in output_entries(code):
        lines.append(_statement(_entry(name, index), text))
    pairs = zip(a.outputs, program.outputs, strict=True)
    results = ", ".join(f"{out.name!r}: {name}" for name, out in pairs)
    return "\n".join([*lines, wrap(f"    return {{{results}}}", _INDENT * 2)]) + "\n"


def _checks(code: Code) -> list[str]:
    """Return checks that reject arrays whose last axes are not those of the model."""
    a, lines = code.arrays, []
    shapes = [
        (name, port.shape) for name, port in zip(a.inputs, code.program.inputs, strict=True) if port.shape
    ]
    for name, shape in shapes:
        last = f"{name}.shape[-{len(shape)}:]"
        listed = ", ".join(map(str, shape))
        lines += [
            f"    if {last} != ({listed}{',' * (len(shape) == 1)}):",
            f'        raise ValueError(f"{name} must have the shape (..., {listed}), got {{{name}.shape}}")',
        ]
    if code.constants:
        k, n = a.constants, len(code.constants)
        lines += [
            f"    if {k}.shape != ({n},):",
            f'        raise ValueError(f"{k} must have the shape ({n},), got {{{k}.shape}}")',
        ]
    return lines


def _leading_axes(code: Code) -> str:
    pairs = zip(code.arrays.inputs, code.program.inputs, strict=True)
    return ", ".join(
        f"{name}.shape[:-{len(port.shape)}]" if port.shape else f"{name}.shape" for name, port in pairs
    )


def _entry(array: str, index: tuple[int, ...]) -> str:
    return f"{array}[..., {', '.join(map(str, index))}]" if index else f"{array}[...]"


def _kernel_call(step: KernelCall) -> list[str]:
    inputs = [wrap(f"    {name} = [{', '.join(entries)}]", _INDENT * 2) for name, entries in step.inputs]
    names = ", ".join(name for name, _ in step.inputs)
    return [*inputs, f"    {step.result} = {step.kernel}_({names})"]


def _statement(name: str, text: str) -> str:
    line = f"    {name} = {text}"
    return line if len(line) <= WIDTH else wrap(f"    {name} = ({text})", _INDENT * 2)


def demo(
    program: Program,
    values: Mapping[str, float] | None = None,
    sample: Mapping[str, Sequence[float]] | None = None,
    name: str | None = None,
) -> Files:
    """Return {NAME_example.py}."""
    code, numbers = code_of(program, DIALECT, name=name), sample_of(program, values, sample)
    a = code.arrays
    lines = [f"import {a.base}", ""]
    if code.constants:
        lines += [
            f"{a.parameters} = {list(numbers.parameters)}",
            f"{a.constants} = {a.base}.setup({a.parameters})",
        ]
    for array, port, entries in zip(a.inputs, program.inputs, numbers.inputs, strict=True):
        shaped = f"np.reshape({list(entries)}, {port.shape})" if len(port.shape) > 1 else str(list(entries))
        lines.append(f"{array} = {shaped if port.shape else entries[0]}")
    lines += [
        f"for name, value in {a.base}.{a.function}({', '.join(call_arguments(code))}).items():",
        '    print(f"{name} =\\n{value}")',
    ]
    start = "import numpy as np\n\n" if any(len(port.shape) > 1 for port in program.inputs) else ""
    return {f"{a.base}_example.py": start + "\n".join(lines) + "\n"}


LANGUAGE = Language("python", "Python with NumPy", ".py", write, aliases=("py", "numpy"), demo=demo)
