"""Textbook cases with closed formulas, for the oracle and the models."""

from __future__ import annotations

import numpy as np
import pytest

from symoro.expr.formula import formula
from symoro.robot.description import Base, Frame, JointType, Link, Robot
from tests.models.dynamic.cases import Array, error, outputs, seeded_tree, state
from tests.oracle.dynamics import Tree, difference

CLOSE = 1e-12


def numbers(**values: object) -> dict[str, object]:
    return {name: formula(value) for name, value in values.items()}


def both(robot: Robot, q: list[float], qd: list[float], qdd: list[float]) -> Array:
    """Return the torques, after a check that oracle and model agree."""
    motion = {"q": np.array(q), "qd": np.array(qd), "qdd": np.array(qdd)}
    result = Tree(robot).torques(*motion.values())
    assert error(outputs(robot, "inverse-dynamics", motion)["tau"], result) < CLOSE
    return result


def test_two_links_in_a_vertical_plane() -> None:
    """Textbook 2R arm: point masses m1, m2 at the ends of l1, l2."""
    m1, m2, l1, l2, g = 1.3, 0.7, 0.9, 0.6, 9.81
    robot = Robot(
        "two",
        (Frame(0), Frame(1, **numbers(d=l1))),
        (
            Link(**numbers(M=m1, MX=m1 * l1, YY=m1 * l1**2, ZZ=m1 * l1**2)),
            Link(**numbers(M=m2, MX=m2 * l2, YY=m2 * l2**2, ZZ=m2 * l2**2)),
        ),
        Base(G=(formula(0), formula(-g), formula(0))),
    )
    (a, b), (v, w), (x, y) = (0.4, -1.1), (0.8, -0.5), (1.2, 0.3)
    c, s = np.cos(b), np.sin(b)
    A = m2 * l2 * (l2 + l1 * c)
    tau2 = m2 * l2**2 * (x + y) + m2 * l1 * l2 * (c * x + s * v**2) + m2 * g * l2 * np.cos(a + b)
    tau1 = (
        (m1 * l1**2 + m2 * (l1**2 + l2**2 + 2 * l1 * l2 * c)) * x
        + A * y
        - m2 * l1 * l2 * s * (2 * v * w + w**2)
        + (m1 + m2) * g * l1 * np.cos(a)
        + m2 * g * l2 * np.cos(a + b)
    )
    assert error(both(robot, [a, b], [v, w], [x, y]), [tau1, tau2]) < CLOSE


def test_a_mass_that_slides_out_on_a_turntable() -> None:
    """Coriolis torque 2 m r w v on the turntable, centrifugal force m r w^2 on the prismatic joint."""
    m, r, v, w = 2.0, 0.5, 0.3, 1.7
    slide = Frame(1, JointType.PRISMATIC, **numbers(alpha="pi/2"))
    robot = Robot("slide", (Frame(0), slide), (Link(), Link(**numbers(M=m))), Base(G=(formula(0),) * 3))
    assert error(both(robot, [0.3, r], [w, v], [0, 0]), [2 * m * r * w * v, -m * r * w**2]) < CLOSE


def test_a_gyroscope() -> None:
    """A wheel rotates about its axis while the fork rotates: the moment J w s is a reaction of the fork."""
    J, spin, turn = 0.4, 30.0, 0.5
    wheel = Frame(1, **numbers(alpha="pi/2"))
    body = Link(**numbers(XX=J / 2, YY=J / 2, ZZ=J))
    robot = Robot("gyroscope", (Frame(0), wheel), (Link(), body), Base(G=(formula(0),) * 3))
    motion = {"q": np.zeros(2), "qd": np.array([turn, spin]), "qdd": np.zeros(2)}
    reactions = Tree(robot).reactions(*motion.values())
    assert error(outputs(robot, "inverse-dynamics", motion, reactions=True)["reactions"], reactions) < CLOSE
    assert error(np.abs(reactions[1, 3:]), [J * spin * turn, 0, 0]) < CLOSE
    assert error(both(robot, [0, 0], [turn, spin], [0, 0]), [0, 0]) < CLOSE


@pytest.mark.parametrize("rotor", [0.0, 0.2])
def test_a_lift(rotor: float) -> None:
    """Vertical prismatic joint in an accelerating lift: (m + Ia) qdd + m (g + a)."""
    m, g, a, qdd = 3.0, 9.81, 1.1, 0.6
    base = Base(G=(formula(0), formula(0), formula(-g)), VP0=(formula(0), formula(0), formula(a)))
    robot = Robot(
        "lift", (Frame(0, JointType.PRISMATIC, **numbers(IA=rotor)),), (Link(**numbers(M=m)),), base
    )
    assert error(both(robot, [0.2], [0.4], [qdd]), [(m + rotor) * qdd + m * (g + a)]) < CLOSE


def test_a_turning_base_throws_outwards() -> None:
    """Prismatic joint along x of a base that rotates at w: force -m r w^2; m r wd is a reaction alone."""
    m, r, w, wd = 2.0, 0.5, 1.3, 0.7
    base = Base(
        G=(formula(0),) * 3,
        W0=(formula(0), formula(0), formula(w)),
        WP0=(formula(0), formula(0), formula(wd)),
    )
    slide = Frame(0, JointType.PRISMATIC, **numbers(gamma="pi/2", alpha="pi/2"))  # its z is x of the base
    robot = Robot("thrown", (slide,), (Link(**numbers(M=m)),), base)
    assert error(both(robot, [r], [0], [0]), [-m * r * w**2]) < CLOSE
    reactions = Tree(robot).reactions(np.array([r]), np.zeros(1), np.zeros(1))
    assert error(np.linalg.norm(reactions[0, :2]), m * r * wd) < CLOSE


def test_pushing_against_a_wall() -> None:
    """A link that exerts the force F on a wall at the distance l requires the torque F l."""
    link = Link(**numbers(FY=4.0))
    robot = Robot("push", (Frame(0), Frame(1, **numbers(d=0.8))), (Link(), link), Base(G=(formula(0),) * 3))
    assert error(both(robot, [0.3, 0.0], [0, 0], [0, 0]), [4.0 * 0.8, 0]) < CLOSE


@pytest.mark.parametrize("seed", range(3))
def test_the_oracle_is_conservative(seed: int) -> None:
    """The work of its torques without gravity is the change of its kinetic energy."""
    robot = seeded_tree(seed, 4)
    at = state(robot, seed)
    truth = Tree(robot.replace(base=Base(G=robot.base.G, Z=robot.base.Z)), wrench=np.zeros((4, 6)))
    q, qd, qdd = at["q"], at["qd"], at["qdd"]

    def kinetic(t: Array) -> Array:
        return np.array(truth.energies(q + qd * t + qdd * t**2 / 2, qd + qdd * t)[0])

    assert error(difference(kinetic, np.zeros(1))[0], truth.inertial(q, qd, qdd) @ qd) < 1e-10
    slope = difference(lambda x: np.array(truth.energies(x, qd)[1]), q)
    assert error(slope, truth.weight(q)) < 1e-10
