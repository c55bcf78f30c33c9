"""Programs: straight-line code with named inputs and outputs; optimisation passes and operation counts."""

from symoro.program.builder import Builder as Builder
from symoro.program.count import OpCount as OpCount
from symoro.program.count import count as count
from symoro.program.pipeline import optimise as optimise
from symoro.program.program import Input as Input
from symoro.program.program import Output as Output
from symoro.program.program import Program as Program
