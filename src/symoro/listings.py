"""`optimise`: an existing listing of assignments with fewer operations, in any language.

listing = symoro.optimise("RX90_idm.txt")
listing.written, listing.count()      # operations as written, and after the optimisation
listing.code("c")                     # {file name: text}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symoro.emit import emit
from symoro.emit.names import identifier
from symoro.errors import FormatError, Place
from symoro.program.count import OpCount, count
from symoro.program.listing_file import listing_program, read_listing
from symoro.program.pipeline import optimise as optimise_program
from symoro.program.program import Program, Shape
from symoro.progress import task

if TYPE_CHECKING:
    from symoro.runtime.function import Function

MAX_BYTES = 50_000_000


class Listing:
    """An optimised listing, made by `optimise`.

    Attributes:
        program: inputs, assignments and outputs.
        written: operations of the listing as it is written, including those that no output needs.
        warnings: signs of damage that is not certain.
    """

    def __init__(self, program: Program, written: OpCount, warnings: Sequence[str] = ()) -> None:
        self.program = program
        self.written = written
        self.warnings = tuple(warnings)

    @property
    def inputs(self) -> dict[str, Shape]:
        """Shapes of the inputs by name."""
        return {port.name: port.shape for port in self.program.inputs}

    @property
    def outputs(self) -> dict[str, Shape]:
        """Shapes of the outputs by name."""
        return {port.name: port.shape for port in self.program.outputs}

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters, in the order of the arguments of the emitted code."""
        return list(self.program.used_parameters)

    def count(self) -> OpCount:
        """Return the number of operations per call; `.setup` counts the operations that are executed only once."""
        return count(self.program)

    def code(self, language: str, **options: Any) -> dict[str, str]:
        """Return the source files in a language: {file name: text}, as `Model.code` does."""
        return emit(self.program, language, **options)

    def function(self, values: Mapping[str, float] | None = None, **options: Any) -> Function:
        """Return a NumPy callable, as `Model.function` does.

        Args:
            values: numbers for the parameters.
            options: `compiled`: whether to use a C compiler; by default, if there is one.
        """
        from symoro.runtime.function import Function

        return Function(self.program, dict(values or {}), **options)

    def __str__(self) -> str:
        return next(iter(self.code("text").values()))

    def __repr__(self) -> str:
        return f"<Listing {self.program.name}: {self.count()}; as written: {self.written}>"


def optimise(
    file: str | Path, *, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None
) -> Listing:
    """Read a listing of assignments and return it with fewer operations.

    Listings of SYMORO+ and OpenSYMORO, the text of `symoro generate`, C and MATLAB assignments and plain lists of
    assignments are recognised.

    Args:
        file: path of the listing.
        inputs: names, or beginnings of numbered names ("q" for q1, q2 ...), of the quantities that vary from call to
            call; by default the joint variables. Other names that are not defined are parameters.
        outputs: names, or beginnings of numbered names, of the results; by default the entries of arrays, and the names
            that no later assignment uses.

    Raises:
        FormatError: the file cannot be read, is cut or damaged, or uses a name before it is defined.
        UnknownNameError: the listing has no such input or output.
    """
    path = Path(file)
    listing = read_listing(_text(path), str(path))
    with task(f"optimising {path.name}"):
        program = listing_program(listing, identifier(path.stem, "listing"), inputs, outputs)
        return Listing(optimise_program(program), listing.written, listing.warnings)


def _text(path: Path) -> str:
    place = Place(str(path))
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FormatError(f"the file is larger than {MAX_BYTES // 1_000_000} MB", place=place)
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FormatError(f"the file cannot be read: {reason}", place=place, hint="check the path") from None
    if b"\0" in data:
        raise FormatError("this is a binary file, not text", place=place, hint="save it as UTF-8 text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(
            "latin-1"
        )  # titles and comments of older programs, such as "modèle"; names have no accents
