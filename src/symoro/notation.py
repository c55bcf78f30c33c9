"""Table of symbols: meaning, SYMORO name, LaTeX form, unit and frame of each name.

Documentation, headers of generated code and the LaTeX emitter use this table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Symbol:
    """Row of the notation table: one symbol with its meaning, LaTeX form, unit and frame.

    `unit` lists the units for revolute joints, prismatic joints and products of both, separated by commas. Units of
    linear and angular entries are separated by a semicolon.
    """

    name: str
    symoro: str
    latex: str
    unit: str
    frame: str
    meaning: str


NOTATION: tuple[Symbol, ...] = (
    Symbol("q", "th, t, r", "q_{j}", "rad, m", "", "joint position"),
    Symbol("qd", "QP", r"\dot q_{j}", "rad/s, m/s", "", "joint velocity"),
    Symbol("qdd", "QDP", r"\ddot q_{j}", "rad/s2, m/s2", "", "joint acceleration"),
    Symbol("tau", "GAM", r"\Gamma_{j}", "N m, N", "", "joint torque or force"),
    Symbol("tau_free", "GAM", r"\Gamma_{f,j}", "N m, N", "", "torque of a free joint"),
    Symbol("qdd_out", "QDP", r"\ddot q_{j}", "rad/s2, m/s2", "", "joint acceleration, computed or given"),
    Symbol("qm", "", r"q_{m,j}", "rad, m", "", "position of a motor behind a spring"),
    Symbol("qmd", "", r"\dot q_{m,j}", "rad/s, m/s", "", "velocity of a motor"),
    Symbol("qmdd", "", r"\ddot q_{m,j}", "rad/s2, m/s2", "", "acceleration of a motor"),
    Symbol("ant", "ant", "a(j)", "", "", "antecedent frame"),
    Symbol("sigma", "sigma", r"\sigma_{j}", "", "", "0 revolute, 1 prismatic, 2 fixed"),
    Symbol("mu", "mu", r"\mu_{j}", "", "", "1 motorised, 0 passive"),
    Symbol("gamma", "gamma", r"\gamma_{j}", "rad", "ant", "angle about z of the antecedent"),
    Symbol("b", "b", "b_{j}", "m", "ant", "distance along z of the antecedent"),
    Symbol(
        "alpha", "alpha", r"\alpha_{j}", "rad", "ant", "angle between the axes, about their common normal"
    ),
    Symbol("d", "d", "d_{j}", "m", "ant", "distance between the axes, along their common normal"),
    Symbol("theta", "theta", r"\theta_{j}", "rad", "j", "angle about z of the joint"),
    Symbol("r", "r", "r_{j}", "m", "j", "distance along z of the joint"),
    Symbol("eta", "eta", r"\eta_{j}", "", "", "1 elastic, 0 rigid"),
    Symbol("k", "k", "k_{j}", "N m/rad, N/m", "", "stiffness of an elastic joint"),
    Symbol("rest", "", "q_{0,j}", "rad, m", "", "position of an elastic joint without torque"),
    Symbol("length", "", "L_{j}", "m", "", "length of a flexible link"),
    Symbol("density", "", r"\mu_{j}", "kg/m", "", "mass per length of a flexible link"),
    Symbol("EIz", "", "EI_{z,j}", "N m2", "j", "stiffness against bending along y"),
    Symbol("EIy", "", "EI_{y,j}", "N m2", "j", "stiffness against bending along z"),
    Symbol("GJ", "", "GJ_{j}", "N m2", "j", "stiffness against torsion"),
    Symbol("Ip", "", "I_{p,j}", "kg m", "j", "polar inertia of the sections, per length"),
    Symbol("e", "", "e", "m, rad", "", "modes of flexible links"),
    Symbol("ed", "", r"\dot e", "m/s, rad/s", "", "rates of the modes"),
    Symbol("edd", "", r"\ddot e", "m/s2, rad/s2", "", "accelerations of the modes"),
    Symbol("XX", "XX", "XX_{j}", "kg m2", "j", "inertia about the origin of the frame"),
    Symbol("XY", "XY", "XY_{j}", "kg m2", "j", "product of inertia"),
    Symbol("XZ", "XZ", "XZ_{j}", "kg m2", "j", "product of inertia"),
    Symbol("YY", "YY", "YY_{j}", "kg m2", "j", "inertia about the origin of the frame"),
    Symbol("YZ", "YZ", "YZ_{j}", "kg m2", "j", "product of inertia"),
    Symbol("ZZ", "ZZ", "ZZ_{j}", "kg m2", "j", "inertia about the origin of the frame"),
    Symbol("MX", "MX", "MX_{j}", "kg m", "j", "first moment, mass times centre of mass"),
    Symbol("MY", "MY", "MY_{j}", "kg m", "j", "first moment"),
    Symbol("MZ", "MZ", "MZ_{j}", "kg m", "j", "first moment"),
    Symbol("M", "M", "M_{j}", "kg", "", "mass"),
    Symbol("IA", "IA", "I_{a,j}", "kg m2, kg", "", "rotor inertia on the joint side"),
    Symbol("FV", "FV", "F_{v,j}", "N m s/rad, N s/m", "", "viscous friction"),
    Symbol("FS", "FS", "F_{s,j}", "N m, N", "", "Coulomb friction"),
    Symbol("FO", "", "F_{o,j}", "N m, N", "", "torque offset"),
    Symbol("FB", "", "F_{b,j}", "N m, N", "", "additional dry friction at low speed"),
    Symbol("VS", "", "v_{s,j}", "rad/s, m/s", "", "Stribeck's velocity"),
    Symbol("FL", "", "F_{l,j}", "", "", "dry friction per unit of the drive torque"),
    Symbol(
        "IAM", "", "I_{m,j}", "kg m2, kg", "", "rotor inertia of a coupled motor, on the side of its joint"
    ),
    Symbol("FVM", "", "F_{vm,j}", "N m s/rad, N s/m", "", "viscous friction of a coupled motor"),
    Symbol("FSM", "", "F_{sm,j}", "N m, N", "", "Coulomb friction of a coupled motor"),
    Symbol("FX", "FX", "F_{x,j}", "N", "j", "force by the link on the environment"),
    Symbol("FY", "FY", "F_{y,j}", "N", "j", "force by the link on the environment"),
    Symbol("FZ", "FZ", "F_{z,j}", "N", "j", "force by the link on the environment"),
    Symbol("CX", "CX", "C_{x,j}", "N m", "j", "moment by the link on the environment"),
    Symbol("CY", "CY", "C_{y,j}", "N m", "j", "moment by the link on the environment"),
    Symbol("CZ", "CZ", "C_{z,j}", "N m", "j", "moment by the link on the environment"),
    Symbol("V0", "V0", "{}^0V_0", "m/s; rad/s", "0", "velocity of the base (linear; angular)"),
    Symbol("Vd0", "VP0, WP0", r"{}^0\dot V_0", "m/s2; rad/s2", "0", "acceleration of the base"),
    Symbol("R0", "", "R_0", "", "world", "rotation of a floating base, axes of frame 0 by columns"),
    Symbol("Q0", "", "Q_0", "", "world", "rotation of a floating base as a quaternion (w, x, y, z)"),
    Symbol("P0", "", "P_0", "m", "world", "position of a floating base"),
    Symbol("wrench0", "", "f_0", "N; N m", "0", "wrench that moves the base (force; moment)"),
    Symbol("forces", "", "f", "N", "0", "forces by the robot on the ground, at contacts"),
    Symbol("com", "", "c", "m", "0", "centre of mass of the whole robot"),
    Symbol("AG", "", "A_G", "kg, kg m, kg m2", "0", "centroidal momentum matrix: h = AG [V0; qd]"),
    Symbol("G", "G", "g_{j}", "m/s2", "world", "gravity"),
    Symbol("Z", "Z", "Z", "", "world", "transform of frame 0 in the world"),
    Symbol("T", "T", "{}^{i}T_{j}", "", "i", "transform of frame j in frame i"),
    Symbol("J", "J", "J", "", "", "Jacobian, rows linear then angular"),
    Symbol("A", "A", "A", "kg m2, kg, kg m", "", "inertia matrix"),
    Symbol("H", "H", "H", "N m, N", "", "torques at zero acceleration"),
    Symbol("Q", "Q", "Q", "N m, N", "", "gravity torques"),
    Symbol("B", "B", "B", "N m s/rad, N s/m, N s", "", "matrix of the Coriolis and centrifugal torques"),
    Symbol("C", "", "C", "N m s/rad, N s/m, N s", "", "matrix B under its usual name: A qdd + C qd + Q"),
    Symbol("E", "E", "E", "J", "", "kinetic energy"),
    Symbol("U", "U", "U", "J", "", "potential energy"),
    Symbol("qa", "", "qa", "rad, m", "", "positions of active joints"),
    Symbol("qda", "", r"\dot q_a", "rad/s, m/s", "", "velocities of active joints"),
    Symbol("qdda", "", r"\ddot q_a", "rad/s2, m/s2", "", "accelerations of active joints"),
    Symbol("qc", "", "qc", "rad, m", "", "positions of cut joints"),
    Symbol("q0", "", "q0", "rad, m", "", "initial posture"),
    Symbol("qc0", "", "qc0", "rad, m", "", "positions of cut joints at the start"),
    Symbol("qd0", "", "qd0", "rad/s, m/s", "", "preferred joint velocities"),
    Symbol("swivel", "", "swivel", "rad", "", "angle of the elbow"),
    Symbol("v", "V", "v", "m/s", "j", "velocity of the frame's origin"),
    Symbol("w", "W", "w", "rad/s", "j", "angular velocity"),
    Symbol("vd", "VP", "vd", "m/s2", "j", "acceleration of the frame's origin"),
    Symbol("wd", "WP", "wd", "rad/s2", "j", "angular acceleration"),
    Symbol("V", "V", "V", "m/s; rad/s", "", "velocity of a frame (linear; angular)"),
    Symbol("a", "", "a", "m/s2; rad/s2", "", "acceleration of a frame (linear; angular)"),
    Symbol("F", "F", "F", "N; N m", "", "wrench by a frame (force; moment)"),
    Symbol("heading", "", r"\theta", "rad", "world", "angle of frame 0 about the vertical"),
    Symbol("wrench", "", "wrench", "N; N m", "j", "wrench by each link (force; moment)"),
    Symbol("cut_reactions", "", "cut_reactions", "N; N m", "k+B", "wrench at each cut joint (force; moment)"),
    Symbol("reactions", "", "reactions", "N; N m", "j", "wrench on each link (force; moment)"),
)

# Components of the vectors and matrices of the Newton-Euler recursion: w1_3 is component 1 of the angular velocity of
# link 3 in frame 3, w1_2in3 that of link 2 in frame 3.
COMPONENTS = {
    "w": r"\omega",
    "wd": r"\dot \omega",
    "vd": r"\dot V",
    "U": "U",
    "F": "F",
    "M": "M",
    "f": "f",
    "m": "m",
}
_COMPONENT = re.compile(rf"({'|'.join(COMPONENTS)})([1-3]{{1,2}})_(\d+)(?:in(\d+))?\Z")

UNITS = {row.name: row.unit for row in NOTATION}
METRES = {"m": 1, "N": 1, "J": 2}  # powers of the metre in the units that contain it
_LATEX = {row.name: row.latex for row in NOTATION}
_GREEK = ("alpha", "beta", "gamma", "delta", "theta", "phi", "psi", "sigma", "mu", "tau", "omega")
_NUMBERED = re.compile(r"([A-Za-z]+?)_?(\d+)\Z")


def metres(unit: str) -> int:
    """Return the power of the metre in a unit, for example 2 for 'N m s/rad' (a newton contains one metre)."""
    powers = [0, 0]
    for side, product in enumerate(unit.split("/", 1)):
        for factor in product.split():
            letters = factor.rstrip("0123456789")
            powers[side] += METRES.get(letters, 0) * int(factor[len(letters) :] or 1)
    return powers[0] - powers[1]


def indexed(stem: str, index: str = "") -> str | None:
    r"""Return the LaTeX form of a symbol with an index, for example \dot q_{2} for the stem qd and index 2.

    The result is None if the notation table has no LaTeX form for the stem.
    """
    form = _LATEX.get(stem, "")
    if form.startswith(stem) or "{i}" in form or not re.search(r"[{,]j}", form):
        return None
    if index:
        return form.replace("{j}", f"{{{index}}}").replace(",j}", f",{index}}}")
    return form.replace("_{j}", "").replace(",j}", "}")


def component(name: str) -> str | None:
    r"""Return the LaTeX form of a component, \omega_{1,3} for w1_3; None for a name that is not a component."""
    match = _COMPONENT.match(name)
    if match is None:
        return None
    letter, index, link, frame = match.groups()
    symbol = f"{COMPONENTS[letter]}_{{{index},{link}}}"
    return f"{{}}^{{{frame}}}{symbol}" if frame else symbol


def latex(name: str) -> str:
    """Return the LaTeX form of the name of a symbol or variable."""
    if re.fullmatch(r"[CS][0-9m_]+", name):  # cosines and sines of joint angles
        return rf"{'c' if name[0] == 'C' else 's'}_{{{name[1:].replace('_', ',').replace('m', '-')}}}"
    match = _NUMBERED.match(name)
    stem, number = (match[1], match[2]) if match else (name, "")
    known = indexed(stem, number) if number else None
    if known is not None:
        return known
    if number and stem in _LATEX and re.search(r"[{,]j}", _LATEX[stem]):
        return _LATEX[stem].replace("{j}", f"{{{number}}}")
    if number and stem in _LATEX:
        return f"{_LATEX[stem]}_{{{number}}}"
    body = "\\" + stem if stem.lower() in _GREEK else stem
    if len(stem) > 1 and body == stem:
        body = rf"\mathit{{{stem}}}".replace("_", r"\_")
    return f"{body}_{{{number}}}" if number else body
