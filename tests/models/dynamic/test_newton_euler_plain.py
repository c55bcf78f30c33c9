"""Newton-Euler as printed in the paper: equal to the customised recursion, and correct wrenches on the base."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from symoro.expr.formula import ZERO
from symoro.models.coordinates.blocks import joint
from symoro.models.coordinates.joint_motion import coordinates
from symoro.models.coordinates.provider import TreeCoordinates
from symoro.models.dynamic.force_elements import drive_torques
from symoro.models.dynamic.inertia import link_inertias
from symoro.models.dynamic.newton_euler_plain import efforts, link_motions, link_wrenches
from symoro.models.dynamic.setting import gravity, wrenches
from symoro.models.dynamic.system import joint_entries
from symoro.models.recursion import base_motion, joint_frames
from symoro.program.builder import Builder
from symoro.program.interpret import interpret
from symoro.program.program import Program
from symoro.robot.description import WRENCH, BaseKind, Robot
from symoro.robot.topology import moving_joints
from tests.models.dynamic.cases import Array, Inputs, error, oracle, outputs, seeded_tree, state
from tests.models.dynamic.test_hybrid_dynamics import floating
from tests.oracle.free_base import FreeTree

CLOSE = 1e-11
NO_LOAD = dict.fromkeys(WRENCH, ZERO)


def program(robot: Robot) -> Program:
    """Return tau of the tree's joints, and the wrench on every link, link 0 first."""
    builder = Builder("plain")
    provider = TreeCoordinates(coordinates(builder, robot))
    nu, nud = (joint_entries(builder, robot, provider, name) for name in ("qd", "qdd"))
    rates, accelerations = provider.rates(nu), provider.accelerations(nud, nu)
    qd, qdd = ({j: values[joint(j)] for j in moving_joints(robot)} for values in (rates, accelerations))
    tree = joint_frames(builder, robot, provider.positions)
    motions = link_motions(tree, base_motion(builder, robot), gravity(builder, robot), qd, qdd)
    result = link_wrenches(tree, motions, link_inertias(builder, robot), wrenches(builder, robot))
    drives, along = drive_torques(builder, robot, qd, qdd), efforts(tree, result)
    builder.output("tau", [along[j] + drives[j] for j in moving_joints(robot)])
    builder.output("wrenches", [[*result[j].f, *result[j].m] for j in range(robot.NL + 1)])
    return builder.program()


def evaluated(robot: Robot, at: Inputs) -> dict[str, Array]:
    made = program(robot)
    return interpret(made, {port.name: at[port.name] for port in made.inputs}, dict(robot.nominal))


@pytest.mark.parametrize("seed", range(70, 82))
def test_the_customised_form_is_equal(seed: int) -> None:
    robot = seeded_tree(seed, coupled=False)
    at = state(robot, seed)
    result = evaluated(robot, at)
    assert error(result["tau"], outputs(robot, "inverse-dynamics", at)["tau"]) < CLOSE
    reactions = outputs(robot, "inverse-dynamics", at, reactions=True)["reactions"]
    assert error(result["wrenches"][1:], reactions) < CLOSE


@pytest.mark.parametrize("seed", range(70, 78))
def test_the_wrench_that_moves_the_base(seed: int) -> None:
    robot = floating(seeded_tree(seed, coupled=False), seed)
    unloaded = replace(robot, base=replace(robot.base, link=replace(robot.base.link, **NO_LOAD)))
    assert unloaded.base.kind == BaseKind.FLOATING
    at = state(unloaded, seed)
    truth = FreeTree(unloaded, dict(unloaded.nominal), oracle(unloaded, at).wrench)
    forces = truth.forces(at["q"], at["qd"], at["qdd"], at["V0"], at["Vd0"])
    result = evaluated(unloaded, at)
    assert error(np.r_[result["wrenches"][0], result["tau"]], forces) < CLOSE
