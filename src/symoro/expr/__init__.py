"""Scalar expressions as a hash-consed graph with exact numbers; linear algebra, derivatives and text for them."""

from symoro.expr.evaluate import evaluate as evaluate
from symoro.expr.formula import Formula as Formula
from symoro.expr.formula import formula as formula
from symoro.expr.graph import Graph as Graph
from symoro.expr.parser import parse as parse
from symoro.expr.scalar import Expr as Expr
from symoro.expr.scalar import Scalar as Scalar
