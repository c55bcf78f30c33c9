"""Hand-written text of the kernels, NAME.SUFFIX for each kernel and language, beside this file as data.

C, C in single precision and C++ share the text NAME.c (see `c_family`). Emitted Python takes over the NumPy modules of
`symoro.expr.kernels`, which the interpreter of programs runs too.
"""

from __future__ import annotations

from importlib import resources

# Kernels that some languages write in several files, in the order in which they follow each other.
_PARTS = {"closed_chain": ("closed_chain_equations", "closed_chain_roots", "closed_chain")}


def kernel_text(kernel: str, suffix: str) -> str:
    """The implementation of a kernel in the language of a suffix."""
    folder = resources.files("symoro.emit.kernels")
    files = [folder / f"{part}{suffix}" for part in _PARTS.get(kernel, (kernel,))]
    return "\n".join(file.read_text(encoding="ascii") for file in files if file.is_file())
