"""Fortran 2008: NAME.f90, a module NAME_module of pure subroutines for real(wp), wp = real64.

call NAME_setup(p, k)          parameters -> constants, if there are any
call NAME(q, k, T)             one sample; arrays have the shapes of the model
call NAME_batch(n, q, k, T)    many samples: the first index is the sample, q(n, 6), T(n, 4, 4)

Kernels other than the linear solve are the C code in NAME_kernels.c, called through iso_c_binding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from symoro.emit import keywords
from symoro.emit.code import Code, Instruction, KernelCall, code_of
from symoro.emit.dialect import Dialect, Files, Language, decimal
from symoro.emit.flow import Load, Store
from symoro.emit.header import commented, header_lines
from symoro.emit.kernels import kernel_text
from symoro.emit.layout import call_arguments, helpers, indices, remark, wrap
from symoro.emit.sample import Sample
from symoro.expr import ops
from symoro.expr.graph import Number
from symoro.files import MADE_BY
from symoro.program.program import Program, Shape

# The standard permits at most 255 continuation lines per statement.
LONGEST_EXPANDED = 1000
WIDTH = 100
Subscripts = Callable[[str, tuple[int, ...]], str]


def _number(value: Number) -> str:
    return f"{decimal(value)!r}_wp"


DIALECT = Dialect(
    comment="! {0}",
    functions={
        ops.SIGN: "sign_({0})",
        ops.LESS: "merge(1.0_wp, 0.0_wp, {0} < {1})",
        ops.LESS_EQUAL: "merge(1.0_wp, 0.0_wp, {0} <= {1})",
        ops.EQUAL: "merge(1.0_wp, 0.0_wp, {0} == {1})",
        ops.SELECT: "merge({1}, {2}, {0})",
    },
    truth="{0} /= 0.0_wp",
    number=_number,
    element="{0}({1})",
    base=1,
    reserved=keywords.FORTRAN,
    fold_case=True,
    leading_underscore=False,
    longest=50,  # 63 minus the length of _batch and _module
    helpers={
        (ops.SIGN,): "  elemental function sign_(x) result(s)\n"
        "    real(wp), intent(in) :: x\n"
        "    real(wp) :: s\n"
        "    s = merge(sign(1.0_wp, x), 0.0_wp, x /= 0.0_wp)\n"
        "  end function sign_\n"
    },
)


def write(program: Program, *, name: str | None = None) -> Files:
    """Return {"NAME.f90": text}, and NAME_kernels.c if the program calls kernels without a Fortran version."""
    code = _code(program, name)
    a = code.arrays
    in_c = [kernel for kernel in code.kernels if not kernel_text(kernel, ".f90")]
    calls = [step for step in code.call if isinstance(step, KernelCall)]
    external = list({step.kernel: step for step in calls if step.kernel in in_c}.values())
    public = [a.setup, a.function, a.batch] if code.constants else [a.function, a.batch]
    start = [
        f"module {a.base}_module",
        "  use, intrinsic :: iso_fortran_env, only: wp => real64",
        *(["  use, intrinsic :: iso_c_binding, only: c_int, c_double"] if in_c else []),
        "  implicit none",
        "  private",
        f"  public :: {', '.join(public)}, wp",
        *_interfaces(a.base, external),
        "contains",
    ]
    parts = [commented(header_lines(code), "!") + "\n".join(start) + "\n", *helpers(code.operations, DIALECT)]
    parts += [kernel_text(kernel, ".f90") for kernel in code.kernels]
    if code.constants:
        parts.append(_setup(code))
    parts += [_call(code), _batch(code), f"end module {a.base}_module\n"]
    files = {f"{a.base}.f90": "\n".join(parts)}
    return files | ({f"{a.base}_kernels.c": _kernel_file(code, in_c, external)} if in_c else {})


def _interfaces(base: str, calls: Sequence[KernelCall]) -> list[str]:
    """Return the Fortran interfaces of the kernels that are implemented in C."""
    lines = []
    for call in calls:
        inputs = ", ".join(f"a{k}" for k in range(len(call.inputs)))
        lines += [
            f'    pure subroutine {call.kernel}_(n, {inputs}, results) bind(c, name="{base}_{call.kernel}")',
            "      import :: c_int, c_double",
            "      integer(c_int), value :: n",
            f"      real(c_double), intent(inout) :: {inputs.replace(',', '(*),')}(*)",
            "      real(c_double), intent(out) :: results(*)",
            "    end subroutine",
        ]
    return ["  interface", *lines, "  end interface"] if lines else []


def _kernel_file(code: Code, kernels: Sequence[str], calls: Sequence[KernelCall]) -> str:
    """Return the text of the C file with the numerical kernels that the Fortran code calls."""
    base = code.arrays.base
    texts = [kernel_text(kernel, ".c") for kernel in ("order", "finite", *kernels)]
    for call in calls:
        inputs = [f"a{k}" for k in range(len(call.inputs))]
        arguments = ", ".join(["int n", *(f"double *{name}" for name in inputs), "double *results"])
        texts.append(
            f"void {base}_{call.kernel}({arguments});\n\n"
            f"void {base}_{call.kernel}({arguments})\n"
            f"{{\n    {call.kernel}_(n, {', '.join(inputs)}, results);\n}}\n"
        )
    return "\n".join([f"/* Kernels of {base}.f90. {MADE_BY} */\n#include <math.h>\n", *texts])


def _code(program: Program, name: str | None) -> Code:
    return code_of(program, DIALECT, name=name, longest_expanded=LONGEST_EXPANDED)


def _setup(code: Code) -> str:
    a = code.arrays
    names = [name for _, name in code.reads] + [name for name, _ in code.setup]
    declared = [
        f"    real(wp), intent(in) :: {a.parameters}({len(code.parameters)})",
        f"    real(wp), intent(out) :: {a.constants}({len(code.constants)})",
        *_locals(names),
    ]
    lines = [f"    {name} = {a.parameters}({at + 1})" for at, name in code.reads]
    lines += _statements(code, code.setup, "    ")
    lines += [f"    {a.constants}({at}) = {c.name}" for at, c in enumerate(code.constants, 1)]
    return _subroutine(a.setup, [a.parameters, a.constants], declared, lines)


def _call(code: Code) -> str:
    a = code.arrays
    arguments = [*call_arguments(code), *a.outputs]
    declared = [*_arguments(code, ""), *_call_locals(code)]
    lines = _body(code, "    ", _entry)
    return _subroutine(a.function, arguments, declared, lines)


def _batch(code: Code) -> str:
    a = code.arrays
    arguments = [a.count, *call_arguments(code), *a.outputs]
    declared = [f"    integer, intent(in) :: {a.count}", *_arguments(code, a.count)]
    declared += [f"    integer :: {a.index}", *_call_locals(code)]
    inner = _body(code, "      ", lambda array, index: _entry(array, (a.index, *index)))
    return _subroutine(
        a.batch, arguments, declared, [f"    do {a.index} = 1, {a.count}", *inner, "    end do"]
    )


def _subroutine(name: str, arguments: Sequence[str], declared: Iterable[str], lines: Iterable[str]) -> str:
    start = wrap(f"  pure subroutine {name}({', '.join(arguments)})", "      ", " &", WIDTH)
    return "\n".join([start, *declared, *lines, f"  end subroutine {name}"]) + "\n"


def _entry(array: str, index: Sequence[object]) -> str:
    return f"{array}({', '.join(map(str, index))})" if index else array


def _arguments(code: Code, count: str) -> list[str]:
    """Return the declarations of inputs, constants and outputs.

    Args:
        count: name of the number of samples, the first axis of the arrays; "" for one sample.
    """
    a, program = code.arrays, code.program

    def shaped(array: str, shape: Shape) -> str:
        return _entry(array, (count, *shape) if count else shape)

    ports = zip(a.inputs, program.inputs, strict=True)
    lines = [f"    real(wp), intent(in) :: {shaped(name, port.shape)}" for name, port in ports]
    if code.constants:
        lines.append(f"    real(wp), intent(in) :: {a.constants}({len(code.constants)})")
    results = zip(a.outputs, program.outputs, strict=True)
    return lines + [f"    real(wp), intent(out) :: {shaped(name, out.shape)}" for name, out in results]


def _call_locals(code: Code) -> list[str]:
    names = [name for _, _, name in code.loads] + [c.name for c in code.constants]
    for step in code.call:
        if isinstance(step, KernelCall):
            names += [f"{name}({len(entries)})" for name, entries in step.inputs]
            names.append(f"{step.result}({step.size})")
        else:
            names.append(step[0])
    return _locals(names)


def _locals(names: Sequence[str]) -> list[str]:
    """Return the declarations of local variables, several names per line."""
    lines: list[str] = []
    for name in names:
        if lines and len(lines[-1]) + len(name) < WIDTH:
            lines[-1] += f", {name}"
        else:
            lines.append(f"    real(wp) :: {name}")
    return lines


def _body(code: Code, indent: str, entry: Subscripts) -> list[str]:
    a, program = code.arrays, code.program
    reads = [list(indices(port.shape, 1)) for port in program.inputs]
    writes = [list(indices(port.shape, 1)) for port in program.outputs]
    lines: list[str] = []
    before = 0  # the loads of the next statement, before which a comment is written
    for event in code.flow:
        if isinstance(event, int):
            lines[before:before] = remark(code, code.call[event], indent)
            lines += _statement_lines(code.call[event], indent)
            before = len(lines)
        elif isinstance(event, Store):
            target = entry(a.outputs[event.output], writes[event.output][event.entry])
            lines.append(_statement(target, code.outputs[event.output][event.entry], indent))
            before = len(lines)
        elif isinstance(event, Load):
            lines.append(
                f"{indent}{event.name} = {entry(a.inputs[event.input], reads[event.input][event.entry])}"
            )
        else:
            lines.append(f"{indent}{event.name} = {a.constants}({event.at + 1})")
    return lines


def _statements(code: Code, steps: Iterable[Instruction], indent: str) -> list[str]:
    return [line for step in steps for line in (*remark(code, step, indent), *_statement_lines(step, indent))]


def _statement_lines(step: Instruction, indent: str) -> list[str]:
    if not isinstance(step, KernelCall):
        return [_statement(*step, indent)]
    lines = []
    for name, entries in step.inputs:
        lines += [_statement(f"{name}({at})", text, indent) for at, text in enumerate(entries, 1)]
    names = ", ".join(name for name, _ in step.inputs)
    return [*lines, f"{indent}call {step.kernel}_({step.size}, {names}, {step.result})"]


def _statement(name: str, text: str, indent: str) -> str:
    return wrap(f"{indent}{name} = {text}", indent + "    ", " &", WIDTH)


def demo(program: Program, numbers: Sample, name: str) -> Files:
    """Return {"NAME_example.f90": text}, a main program that prints the outputs for sample numbers."""
    code = _code(program, name)
    a = code.arrays
    declared, lines = [], []
    if code.constants:
        declared += [
            f"  real(wp) :: {a.parameters}({len(code.parameters)}), {a.constants}({len(code.constants)})"
        ]
        lines += [_literal(a.parameters, (len(code.parameters),), numbers.parameters)]
        lines += [f"  call {a.setup}({a.parameters}, {a.constants})"]
    for array, port, entries in zip(a.inputs, program.inputs, numbers.inputs, strict=True):
        declared.append(f"  real(wp) :: {_entry(array, port.shape)}")
        lines.append(_literal(array, port.shape, entries))
    arguments = ", ".join([*call_arguments(code), *a.outputs])
    lines.append(wrap(f"  call {a.function}({arguments})", "      ", " &", WIDTH))
    for array, out in zip(a.outputs, program.outputs, strict=True):
        declared.append(f"  real(wp) :: {_entry(array, out.shape)}")
        lines += [f'  print "(a)", "{array} ="', *_printed(array, out.shape)]
    head = [f"program {a.base}_example", f"  use {a.base}_module", "  implicit none"]
    text = "\n".join([*head, *declared, *lines, f"end program {a.base}_example"])
    return {f"{a.base}_example.f90": text + "\n"}


def _literal(array: str, shape: Shape, numbers: Sequence[float]) -> str:
    """Return a statement that assigns numbers, given by rows, to an array."""
    listed = ", ".join(map(_number, numbers))
    if not shape:
        return f"  {array} = {listed}"
    value = f"[real(wp) :: {listed}]"
    if len(shape) > 1:
        order = ", ".join(str(k) for k in range(len(shape), 0, -1))
        value = f"reshape({value}, [{', '.join(map(str, shape))}], order=[{order}])"
    return wrap(f"  {array} = {value}", "      ", " &", WIDTH)


def _printed(array: str, shape: Shape) -> list[str]:
    rows = [f"{array}({r}, :)" for r in range(1, shape[0] + 1)] if len(shape) == 2 else [array]
    return [f'  print "(*(g16.9, 1x))", {row}' for row in rows]


LANGUAGE = Language(
    "fortran", "Fortran 2008", ".f90", write, aliases=("f90", "f08", "f"), demo=demo, first_index=DIALECT.base
)
