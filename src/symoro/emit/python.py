"""Python with NumPy, JAX or PyTorch: NAME.py with `setup(p)` and `call(q, k)`, vectorised over leading axes.

`p` is a dictionary or a sequence in the order of `PARAMETERS`; `call` returns {output: array}. An input has
its own shape, possibly with leading batch axes; all inputs are broadcast against each other. Results have the type
of the inputs: complex numbers remain complex, and objects of other packages (CasADi's SX, in an array of objects) too.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from symoro.emit.code import Code, KernelCall, code_of
from symoro.emit.dialect import Files, Language
from symoro.emit.header import commented, header_lines
from symoro.emit.layout import WIDTH, call_arguments, input_entries, output_entries, statements, wrap
from symoro.emit.sample import Sample
from symoro.emit.tensors import LIBRARIES, NUMPY, NUMPY_DIALECT, Library
from symoro.errors import OptionError, ProgramError
from symoro.expr import ops
from symoro.program.program import Program

DIALECT = NUMPY_DIALECT
_INDENT = "    "
# line in the modules of a kernel, after their imports
_TAKEN_OVER = "# The following code is copied into emitted Python code.\n"


def write(program: Program, *, name: str | None = None, library: str = "numpy") -> Files:
    """Return {NAME.py}."""
    if library not in LIBRARIES:
        raise OptionError(f"Python has no library '{library}'", hint=f"libraries: {', '.join(LIBRARIES)}")
    chosen = LIBRARIES[library]
    code = code_of(program, chosen.dialect, name=name)
    parts = [commented(header_lines(code), "#") + f"\n{chosen.imports}"]
    if code.constants:
        names = "".join(f"    {text!r},\n" for text in code.parameters)
        parts.append(f"PARAMETERS = (\n{names})\n")
    parts += [chosen.definitions] if chosen.definitions else []
    parts += _kernels(code.kernels) if chosen.kernels is None else _kernels_of(chosen, code)
    if code.constants:
        parts.append(_setup(code, chosen))
    parts.append(_call(code, chosen))
    return {f"{code.arrays.base}.py": "\n\n".join(parts)}


def _kernels(names: Sequence[str]) -> list[str]:
    """Return the NumPy code of kernels, which also evaluates programs, without its imports."""
    folder = resources.files("symoro.expr.kernels")
    modules = [folder / f"{name}.py" for name in names]
    bodies = [module.read_text(encoding="utf-8").partition(_TAKEN_OVER)[2].strip("\n") for module in modules]
    return ["Array = np.ndarray\n", *(f"{body}\n" for body in bodies)] if names else []


def _kernels_of(library: Library, code: Code) -> list[str]:
    """Return the code of kernels in another library than NumPy."""
    texts = library.kernels or {}
    for name in code.kernels:
        if name not in texts:
            raise ProgramError(
                f"{code.program.name} calls the kernel '{name}', which does not exist for {library.title}",
                hint=(
                    "emit the model for NumPy, or use kind='compiled' (without derivatives of this kernel)"
                ),
            )
    return [texts[name] for name in code.kernels]


def _setup(code: Code, library: Library) -> str:
    p, k = code.arrays.parameters, code.arrays.constants
    constants = library.constants.format(", ".join(c.name for c in code.constants))
    lines = [
        f"def {code.arrays.setup}({p}):",
        f'    """Return the constants {k} from a dictionary of parameters or a sequence in their order."""',
        f'    if hasattr({p}, "keys"):',
        f"        {p} = [{p}[name] for name in PARAMETERS]",
        f"    if len({p}) != {len(code.parameters)}:",
        f'        raise ValueError(f"{p} must have {len(code.parameters)} entries, got {{len({p})}}")',
        *(f"    {text.format(p)}" for text in library.parameters),
        *(f"    {name} = {p}[{at}]" for at, name in code.reads),
        *statements(code, code.setup, _statement, _kernel_call, _INDENT),
        wrap(f"    return {constants}", _INDENT * 2),
    ]
    return "\n".join(lines) + "\n"


def _call(code: Code, library: Library) -> str:
    a, numpy = code.arrays, library is NUMPY
    # Both branches of a choice are computed: the one that is not selected may be undefined.
    quiet = ['@np.errstate(divide="ignore", invalid="ignore")'] if ops.SELECT in code.call_operations else []
    lines = [
        *(quiet if numpy else []),
        f"def {a.function}({', '.join(call_arguments(code))}):",
        '    """Return the outputs by name."""',
        *_arrays(code, library),
        *_checks(code),
        wrap(f"    batch = {library.prefix}.broadcast_shapes({_leading_axes(code)})", _INDENT * 2),
    ]
    for name, array, index in input_entries(code):
        lines.append(f"    {name} = {_entry(array, index)}")
    lines += [f"    {c.name} = {a.constants}[{at}]" for at, c in enumerate(code.constants)]
    lines += statements(code, code.call, _statement, _kernel_call, _INDENT)
    lines += _assigned_outputs(code) if numpy else _stacked_outputs(code)
    pairs = zip(a.outputs, code.program.outputs, strict=True)
    results = ", ".join(f"{out.name!r}: {name}" for name, out in pairs)
    return "\n".join([*lines, wrap(f"    return {{{results}}}", _INDENT * 2)]) + "\n"


def _arrays(code: Code, library: Library) -> list[str]:
    """Return the lines that convert the arguments to arrays of one type."""
    names = call_arguments(code)
    # NumPy has no types of lower precision here; elsewhere the constants take the type of the inputs.
    typed = names if library is NUMPY else code.arrays.inputs
    lines = [f"{name} = {library.array.format(name)}" for name in names]
    lines.append(f"dtype = {library.dtype.format(names=', '.join(typed) or 'float')}")
    lines += [f"{name} = {library.converted.format(name)}" for name in names]
    lines += [f"zero = {library.zero.format(first=names[0])}"] if library.zero else []
    return [wrap(f"    {line}", _INDENT * 2) for line in lines]


def _assigned_outputs(code: Code) -> list[str]:
    """Return the lines that allocate the outputs and assign their entries."""
    lines = []
    for name, out in zip(code.arrays.outputs, code.program.outputs, strict=True):
        axes = "".join(f", {n}" for n in out.shape) or ","
        lines.append(f"    {name} = np.empty((*batch{axes}), dtype)")
    for name, index, text in output_entries(code):
        lines.append(_statement(_entry(name, index), text))
    return lines


def _stacked_outputs(code: Code) -> list[str]:
    """Return the lines that stack the entries of the outputs."""
    lines = []
    for name, out, texts in zip(code.arrays.outputs, code.program.outputs, code.outputs, strict=True):
        axes = "".join(f", {n}" for n in out.shape) or ","
        reshaped = "" if len(out.shape) == 1 else f".reshape((*batch{axes}))"
        entries = ", ".join(texts)
        lines.append(wrap(f"    {name} = stacked([{entries}], batch, zero){reshaped}", _INDENT * 2))
    return lines


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


def demo(program: Program, numbers: Sample, name: str) -> Files:
    """Return {NAME_example.py}."""
    code = code_of(program, DIALECT, name=name)
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


LANGUAGE = Language(
    "python",
    "Python with NumPy",
    ".py",
    write,
    aliases=("py", "numpy"),
    options={"library": "'numpy', 'jax' (jnp) or 'torch'"},
    demo=demo,
)
