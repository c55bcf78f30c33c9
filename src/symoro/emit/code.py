"""Names and expressions of a program in one language, ready to be written to files.

A `Code` contains the statements of the setup part (computed once from the parameters) and of the call part (computed at
every call) as texts. A dialect (`dialect`) defines the notation of the language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from symoro.emit.dialect import Dialect
from symoro.emit.flow import Constant, Event, Load, Source, flow
from symoro.emit.joints import joint_indices
from symoro.emit.listing import Listing, lower
from symoro.emit.names import Names, identifier, numbered
from symoro.emit.render import Renderer
from symoro.emit.vectors import Arc, Turn, arc_layers, arcs_together, early_nodes, turns_first
from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.expr.kernels import with_needs
from symoro.program.count import LONGEST_EXPANDED, OpCount, count
from symoro.program.passes.grouping import grouped
from symoro.program.program import Program

# -- comments at the start of a part of the model: `link 3: velocities`
#
# A model assigns its named variables to sections (`Program.sections`). Passes and scheduling may mix the sections. A
# comment precedes each run of statements of one section, if there are not many more runs than sections. Otherwise it
# names the phase only (the words after the colon), and if the phases are mixed as well, there is no comment.

OFTEN = 2  # up to this mean number of runs per section comments are written


def remarks(listing: Listing, nodes: Sequence[int]) -> dict[int, str]:
    """Return comments for the emitted code, {node: comment before its statement}, one per section of the model.

    Args:
        nodes: nodes of the statements that are computed once, or of those computed at every call, in order.
    """
    names, sections = listing.program.names, listing.program.sections
    section_titles = [sections.get(names[i][0], "") if i in names else "" for i in nodes]
    for level in _LEVELS:
        titles = [level(title) for title in section_titles]
        starts = _starts(titles)
        if len(starts) <= OFTEN * len(set(titles) - {""}):
            leading = _leading(listing)
            return {nodes[_with_its_own(leading, nodes, at)]: titles[at] for at in starts}
    return {}


def _phase(title: str) -> str:
    return title.rpartition(": ")[2]


_LEVELS: tuple[Callable[[str], str], ...] = (str, _phase)


def _starts(titles: Sequence[str]) -> list[int]:
    """Return the positions at which the section title changes; empty titles are ignored."""
    current, starts = "", []
    for at, title in enumerate(titles):
        if title and title != current:
            current = title
            starts.append(at)
    return starts


def _leading(listing: Listing) -> Callable[[int], bool]:
    """Return a function that tests whether a node is an unnamed intermediate result."""
    op, names, constants = listing.program.graph.op, listing.program.names, frozenset(listing.constants)
    return lambda i: i not in names and i not in constants and op[i] not in (ops.KERNEL, ops.SIN, ops.COS)


def _with_its_own(leading: Callable[[int], bool], nodes: Sequence[int], at: int) -> int:
    """Return the position of the first of the unnamed statements directly before position `at`; `at` if none."""
    while at and leading(nodes[at - 1]):
        at -= 1
    return at


# -- guards that make outputs NaN: emitted code contains them, formulas for reading do not
#
# A program whose outputs have no value under some condition (`Builder.void_where`) ends with
#
#     none = select(condition, 0, x) / select(condition, 0, -x),      output = select(condition, none, value)
#
# and one with a value that is not a number unless a condition holds (`Builder.not_a_number`) has the two choices in the
# other order: output = select(condition, value, none).

NOTE = "singular configurations, where emitted code returns NaN, are not excluded in these formulas"
RESIDUAL_NOTE = (
    "rows with numbers that are not finite, where emitted code returns NaN as residual, are not excluded in "
    "these formulas"
)


def without_guards(program: Program) -> Program:
    """Return the program without the conditions that make its outputs NaN, with notes about them in the header."""
    graph, outputs = program.graph, []
    notes: dict[str, None] = {}
    for output in program.outputs:
        values = [_value(graph, x) for x in output.lits]
        notes |= dict.fromkeys(note for _, note in values if note)
        outputs.append(replace(output, lits=tuple(value for value, _ in values)))
    if not notes:
        return program
    header = (*program.header, *(("note", note) for note in notes))
    return replace(program, outputs=tuple(outputs), header=header)


def _value(graph: Graph, lit: int) -> tuple[int, str]:
    """Return an output entry without its condition for NaN, and a note for readers ("" without a condition)."""
    i = lit >> 1
    if graph.op[i] != ops.SELECT:
        return lit, ""
    condition, first, second = graph.args[i]
    if _is_none(graph, first >> 1, condition):
        return second ^ (lit & 1), NOTE
    if _is_none(graph, second >> 1, condition):
        return first ^ (lit & 1), RESIDUAL_NOTE
    return lit, ""


def _is_none(graph: Graph, i: int, condition: int) -> bool:
    """Return whether node i is the NaN expression 0 / 0 that belongs to a condition."""
    return graph.op[i] == ops.DIV and all(
        graph.op[x >> 1] == ops.SELECT and graph.args[x >> 1][0] == condition for x in graph.args[i]
    )


_JOINT = re.compile(r"q([0-9]+)")


@dataclass(frozen=True)
class CodeNames:
    """Names in the emitted code: of the file, of the functions, and of their arguments."""

    base: str
    function: str
    setup: str
    batch: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    parameters: str = ""
    constants: str = ""
    count: str = ""
    index: str = ""


@dataclass(frozen=True)
class KernelCall:
    """Statement that calls a kernel.

    Attributes:
        kernel: name of the kernel.
        inputs: array inputs, each as (name, texts of the entries).
        result: name of the array of results.
        size: number of results.
    """

    kernel: str
    inputs: tuple[tuple[str, list[str]], ...]
    result: str
    size: int


Instruction = tuple[str, str] | KernelCall


@dataclass(frozen=True)
class Code:
    """Names and expressions of a program in one language, in order.

    Attributes:
        counted: operations of the program as its model defines it; writing the code does not change these counts.
        parameters: names of the parameters, as in the robot, in the order of the array.
        reads: (position in the array of parameters, variable) of those that the setup part reads.
        setup: (name, expression) of the statements that are computed once from the parameters (setup part).
        constants: results of the setup part for the call part: variables of `Program.constants`, including signs.
        loads: input entries that the call part reads.
        call: statements computed at every call (call part), (name, expression) or kernel calls.
        outputs: for each output, the expressions of its entries.
        flow: loads, constants, statements and stores of the call part in one order; a statement is its index in `call`.
        setup_operations, call_operations: operations that occur in each part, which may require helper functions.
        remarks: variable -> comment before its statement, at the start of a section of the model.
        kernels: kernels that are called, each after those that it needs.
        turns: angles whose sines and cosines are computed together at the beginning (see `vectors`).
        arcs: groups of arctangents that are computed together (see `vectors`).
        variables: variable -> signed node reference of its value, for input entries, parameters and statements.
        renamed: variable -> parameter, for parameters whose name is that of an output or of another symbol.
    """

    program: Program
    arrays: CodeNames
    counted: OpCount
    parameters: tuple[str, ...]
    reads: list[tuple[int, str]]
    setup: list[tuple[str, str]]
    constants: list[Constant]
    loads: list[Load]
    call: list[Instruction]
    outputs: list[list[str]]
    flow: list[Event]
    setup_operations: frozenset[int]
    call_operations: frozenset[int]
    remarks: dict[str, str]
    kernels: list[str]
    turns: list[Turn]
    arcs: list[list[Arc]]
    variables: dict[str, int]
    renamed: dict[str, str]

    @property
    def operations(self) -> frozenset[int]:
        return self.setup_operations | self.call_operations


def code_of(
    program: Program,
    dialect: Dialect,
    *,
    name: str | None = None,
    split: bool = True,
    longest_expanded: int = LONGEST_EXPANDED,
    fused: bool = False,
) -> Code:
    """Return the statements and expressions of a program in one language.

    Args:
        dialect: notation of the language.
        name: base name of the functions; that of the program by default.
        split, longest_expanded: as for `lower`.
        fused: group sums for processors with fused multiply-add (see `grouping`).
    """
    counted = count(program)
    parameters = program.used_parameters  # the documented order, before a reordering removes some of them
    if dialect.listing:
        program = without_guards(program)
    if fused:
        program = grouped(program)
    if dialect.turns:
        program = arcs_together(turns_first(program, dialect.turns))
    layers = arc_layers(program) if dialect.turns else []
    arcs = [i for layer in layers for i in layer]
    points = [lit >> 1 for i in arcs for lit in program.graph.args[i]]  # used more than once
    listing = lower(program, split=split, longest_expanded=longest_expanded, kept=[*arcs, *points])
    names = Names(dialect)
    arrays = _arrays(program, dialect, names, name)
    return _Coder(listing, dialect, names, parameters).code(arrays, counted, layers)


def base_name(program: Program, dialect: Dialect, names: Names, name: str | None = None) -> str:
    """Return a valid base name for the files and the call function, from `name` or the name of the program."""
    legal = identifier(name or program.name, "model")
    return names.claim(f"{legal}_model" if legal in dialect.externals else legal)


def _arrays(program: Program, dialect: Dialect, names: Names, name: str | None) -> CodeNames:
    outputs = [port.name for port in program.outputs]
    if dialect.listing:
        base = identifier(name or program.name, "model")
        symbols = {*program.parameters, *(symbol for port in program.inputs for symbol in port.symbols)}
        # The entry D2[1,1] is not the parameter D2; the symbol of a matrix, however, is written without an index.
        apart = (
            {port.name for port in program.outputs if port.shape} & symbols if dialect.symbol is str else ()
        )
        written = tuple(name if name in apart else names.claim(name) for name in outputs)
        return CodeNames(base, base, "", "", tuple(port.name for port in program.inputs), written)
    base = base_name(program, dialect, names, name)
    ports = [port.name for port in program.inputs] + outputs
    sizes = [f"{{0}}_SIZE_{port}" for port in ports]
    joints = [f"{{0}}_{joint.kind}_{joint.identifier}" for joint in joint_indices(program)]
    for template in (*dialect.macros, *([*sizes, *joints] if dialect.macros else ())):
        names.claim(template.format(base.upper()))

    def function(template: str) -> str:
        return base if template == "{0}" else names.claim(template.format(base)) if template else ""

    call, setup, batch = map(function, (dialect.call_name, dialect.setup_name, dialect.batch_name))
    inputs = _claimed(names, [port.name for port in program.inputs])
    return CodeNames(base, call, setup, batch, inputs, _claimed(names, outputs), *_claimed(names, "pkni"))


def _claimed(names: Names, candidates: Iterable[str]) -> tuple[str, ...]:
    return tuple(names.claim(name) for name in candidates)


class _Coder:
    def __init__(self, listing: Listing, dialect: Dialect, names: Names, parameters: tuple[str, ...]) -> None:
        self.listing, self.dialect, self.names, self.parameters = listing, dialect, names, parameters
        self.program, self.graph = listing.program, listing.program.graph
        self.constants = frozenset(listing.constants)
        self.renderer = Renderer(self.graph, dialect)

    def code(self, arrays: CodeNames, counted: OpCount, layers: list[list[int]]) -> Code:
        program, graph, renderer = self.program, self.graph, self.renderer
        symbols, reads = self._symbols()
        renderer.constants([i for i in program.nodes if graph.cls[i] == ops.CONSTANT])
        steps = self._steps()
        outputs = [[renderer.signed(lit) for lit in port.lits] for port in program.outputs]
        setup = [steps[i] for i in self.listing.setup]
        call = [steps[i] for i in self.listing.call]
        constants = {i: Constant(at, renderer.text[i]) for at, i in enumerate(self.listing.constants)}
        return Code(
            program,
            arrays,
            counted,
            self.parameters,
            reads,
            [step for step in setup if isinstance(step, tuple)],
            list(constants.values()),
            list(symbols.values()),
            call,
            outputs,
            self._flow({**symbols, **constants}),
            frozenset(graph.op[i] for i in program.nodes if graph.cls[i] == ops.PARAMETER),
            frozenset(graph.op[i] for i in program.nodes if graph.cls[i] == ops.VARIABLE),
            self._remarks(steps),
            with_needs({step.kernel for step in call if isinstance(step, KernelCall)}),
            self._turns() if self.dialect.turns else [],
            self._arcs(layers),
            {
                renderer.text[i]: i << 1 | renderer.sign[i]
                for i in program.nodes
                if self.listing.own[i] or graph.op[i] == ops.SYMBOL
            },
            {
                name: self.parameters[at]
                for at, name in reads
                if name != self.dialect.symbol(self.parameters[at])
            },
        )

    def _remarks(self, steps: dict[int, Instruction]) -> dict[str, str]:
        comments: dict[str, str] = {}
        for part in (self.listing.setup, self.listing.call):
            for i, text in remarks(self.listing, part).items():
                step = steps[i]
                if isinstance(step, tuple):
                    comments[step[0]] = self.dialect.comment.format(text)
        return comments

    def _turns(self) -> list[Turn]:
        """Return the angles whose sines and cosines are computed together; an empty list if there are too few."""
        graph, renderer = self.graph, self.renderer
        position = {i: at for at, i in enumerate(self.listing.call)}
        turns: dict[int, Turn] = {}
        for i in early_nodes(self.program)[1]:
            if renderer.sign[i]:
                continue  # a variable that equals minus the sine has a separate statement
            argument = graph.args[i][0]
            turn = turns.setdefault(argument, Turn(renderer.signed(argument), {}, []))
            turn.names[graph.op[i]] = renderer.text[i]
            turn.steps.append(position[i])
        return list(turns.values()) if len(turns) >= self.dialect.turns else []

    def _arcs(self, layers: list[list[int]]) -> list[list[Arc]]:
        """Return texts of the arctangents that are computed together; `layers` contains their nodes, group by group."""
        position = {i: at for at, i in enumerate(self.listing.call)}
        return [[self._arc(i, position[i]) for i in layer] for layer in layers]

    def _arc(self, i: int, step: int) -> Arc:
        renderer, (y, x) = self.renderer, self.graph.args[i]
        minus = "-" * renderer.sign[i]
        return Arc(renderer.signed(y), renderer.signed(x), renderer.text[i], minus, step)

    def claim(self, name: str) -> str:
        return self.dialect.symbol(self.names.claim(name))

    def _flow(self, places: dict[int, Source]) -> list[Event]:
        position = {i: at for at, i in enumerate(self.listing.call)}
        events = flow(self.listing, places)
        return [position[event] if isinstance(event, int) else event for event in events]

    def _symbols(self) -> tuple[dict[int, Load], list[tuple[int, str]]]:
        """Assign variable names to input entries and parameters.

        Returns:
            Node -> load, for the input entries in use; and (position in the array, variable) of the parameters in use.
        """
        graph, program, claim = self.graph, self.program, self.claim
        nodes = {graph.args[i]: i for i in program.nodes if graph.op[i] == ops.SYMBOL}
        loads: dict[int, Load] = {}
        reads: list[tuple[int, str]] = []
        for a, port in enumerate(program.inputs):
            for e, symbol in enumerate(port.symbols):
                name, node = claim(symbol), nodes.pop((symbol, ops.VARIABLE), None)
                if node is not None:
                    self.renderer.leaf(node, name)
                    loads[node] = Load(a, e, name)
        for at, symbol in enumerate(self.parameters):
            name, node = claim(symbol), nodes.pop((symbol, ops.PARAMETER), None)
            if node is not None:
                self.renderer.leaf(node, name)
                reads.append((at, name))
        for symbol, cls in nodes:
            kind = "an entry of an input" if cls == ops.VARIABLE else "a parameter"
            raise ProgramError(f"program {program.name}: symbol '{symbol}' is not {kind}")
        return loads, reads

    def _steps(self) -> dict[int, Instruction]:
        """Compose the texts of all nodes and return {node: statement} for those that have a statement."""
        graph, own, renderer = self.graph, self.listing.own, self.renderer
        op, cls, expression = graph.op, graph.cls, renderer.expression
        variables = self._variables()
        steps: dict[int, Instruction] = {}
        results: dict[int, str] = {}
        for i in self.program.nodes:
            if op[i] >= ops.ADD:
                if cls[i] == ops.CONSTANT:
                    continue
                expression(i)
                if own[i]:
                    steps[i] = self._assign(i, variables[i])
            elif op[i] == ops.KERNEL:
                index, entry = graph.args[i]
                if index not in results:
                    steps[i] = step = self._kernel_call(index, len(results) + 1)
                    results[index] = step.result
                renderer.leaf(i, self.dialect.element.format(results[index], entry + self.dialect.base))
        return steps

    def _assign(self, i: int, name: str) -> Instruction:
        """Return the statement that assigns node i to a variable.

        The variable is plus or minus the node: as its given name requires, otherwise with the fewest minus signs.
        """
        renderer = self.renderer
        votes = self.listing.votes.get(i, 0)
        sign = renderer.sign[i]
        if i in self.program.names:
            sign = self.program.names[i][1]
        elif i in self.constants:
            sign = 0
        elif i in renderer.flipped:
            sign = 1 if votes < 0 else 0
        elif (votes < -1) if not sign else (votes > 1):
            sign ^= 1
        text = renderer.signed(i << 1 | sign)
        renderer.leaf(i, name, sign)
        return name, text

    def _kernel_call(self, index: int, number: int) -> KernelCall:
        call, claim = self.graph.calls[index], self.claim
        inputs = tuple(
            (claim(f"{call.kernel}{number}_{k}"), [self.renderer.signed(lit) for lit in array])
            for k, array in enumerate(call.inputs, 1)
        )
        return KernelCall(call.kernel, inputs, claim(f"{call.kernel}{number}"), call.size)

    def _variables(self) -> dict[int, str]:
        """Return {node: variable name} of the nodes with a statement.

        Given names come first, then the names of constants, sines and cosines, and t1, t2 ... for the others.
        """
        graph, claim = self.graph, self.claim
        names: dict[int, str] = {}
        own = [i for i in self.program.nodes if self.listing.own[i]]
        for i in own:
            if i in self.program.names:
                name, _ = self.program.names[i]
                # A sine whose name is used by a parameter gets another name instead of a suffix: S2_2 would be the
                # sine of 2 q2.
                if graph.op[i] not in (ops.SIN, ops.COS) or self.names.free(name):
                    names[i] = claim(name)
        constant, temporary = numbered(self.names, "k"), numbered(self.names, "t")
        for i in self.listing.constants:
            if i not in names and graph.op[i] != ops.SYMBOL:
                names[i] = claim(next(constant))
        for i in own:
            if i not in names and graph.op[i] in (ops.SIN, ops.COS):
                own_name = self._trigonometric(i)
                if own_name is not None and self.names.free(own_name):
                    names[i] = claim(own_name)
        for i in own:
            if i not in names:
                names[i] = claim(next(temporary))
        return names

    def _trigonometric(self, i: int) -> str | None:
        """Return a name such as C2 for cos(q2); None if node i is not the sine or cosine of a joint position."""
        graph, argument = self.graph, self.graph.args[i][0] >> 1
        if graph.op[argument] != ops.SYMBOL or graph.cls[argument] != ops.VARIABLE:
            return None
        joint = _JOINT.fullmatch(graph.args[argument][0])
        letter = "S" if graph.op[i] == ops.SIN else "C"
        return f"{letter}{joint[1]}" if joint else None
