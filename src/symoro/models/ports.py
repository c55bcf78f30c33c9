"""Arrays that several models use as inputs or outputs: name, shape and meaning.

n: moving joints of the tree that have their own coordinate, na: active joints, ne: modes of flexible links,
L: links, K: solutions, P: parameters, B: loops.
"""

from __future__ import annotations

from symoro.program.program import Port

Q = Port("q", "n", "joint positions")
QD = Port("qd", "n", "joint velocities")
QDD = Port("qdd", "n", "joint accelerations")
TAU = Port("tau", "n", "joint torques and forces")
TAU_FREE = Port("tau_free", "n", "torques of the joints listed in the option free; other entries are ignored")
QM = Port("qm", "n", "positions of the motors, on the joint side; entries of rigid joints are ignored")
QMD = Port("qmd", "n", "velocities of the motors; entries of rigid joints are ignored")
QMDD = Port("qmdd", "n", "accelerations of the motors; as an input, entries of rigid joints are ignored")
MODES = Port(
    "e", "ne", "modal coordinates of the flexible links, link by link: bending along y, along z, torsion"
)
MODE_RATES = Port("ed", "ne", "velocities of the modal coordinates")
MODE_ACCELERATIONS = Port("edd", "ne", "accelerations of the modal coordinates")
QDD_OUT = Port("qdd_out", "n", "joint accelerations, including the computed ones of free joints")
QA = Port("qa", "na", "positions of the active joints, in frame order")
QDA = Port("qda", "na", "velocities of the active joints, in frame order")
QDDA = Port("qdda", "na", "accelerations of the active joints, in frame order")
TAU_ACTIVE = Port("tau", "na", "torques and forces of the active joints, in frame order")
QC = Port("qc", "B", "positions of the cut joints")
V0 = Port("V0", "6", "velocity of the base (linear; angular), in frame 0")
VD0 = Port("Vd0", "6", "acceleration of the base (linear; angular), in frame 0")
R0 = Port("R0", "3,3", "rotation of the base; the columns are the axes of frame 0 in the world")
Q0 = Port("Q0", "4", "rotation of the base as a quaternion (w, x, y, z) of any length, in place of R0")
P0 = Port("P0", "3", "position of the base: origin of frame 0 in the world")
WRENCH0 = Port("wrench0", "6", "wrench (force; moment) applied to the base, in frame 0 about its origin")
WRENCH = Port("wrench", "L,6", "wrench (force; moment) of each link on the environment, in its frame")
V = Port("v", "L,3", "velocity of each frame's origin, in the link's frame")
W = Port("w", "L,3", "angular velocity of each link, in its frame")
VD = Port("vd", "L,3", "acceleration of each frame's origin, in the link's frame")
WD = Port("wd", "L,3", "angular acceleration of each link, in its frame")
A = Port("A", "n,n", "inertia matrix, including rotor inertias")
REACTIONS = Port(
    "reactions",
    "L,6",
    "wrench (force; moment) of the antecedent on each link, in the link's frame (option reactions)",
)
CUT_REACTIONS = Port(
    "cut_reactions",
    "B,6",
    "wrench (force; moment) of the antecedent of each cut joint k on the link of frame k + B, in that frame "
    "(option reactions)",
)
POSE = Port("T", "4,4", "pose of the frame")
GIVEN = Port(
    "q0",
    "n",
    "values of the joints that the pose does not determine: free in a singularity, locked, or not on the path",
)
SWIVEL = Port("swivel", "", "angle of the elbow about the line from shoulder to wrist (option swivel)")
SOLUTIONS = Port("q", "K,n", "joint positions, one row per solution")
OPENED = Port("qc", "K,B", "positions of the cut joints, one row per solution")
STATUS = Port("status", "K", "0 valid, 1 out of reach, 2 singular, 3 empty slot")
POSE_STATUS = Port("status", "K", f"{STATUS.title}, 4 undecided")
RESIDUAL = Port(
    "residual",
    "K",
    "largest entry of the pose error of the solution, with lengths divided by the robot's size",
)
FREE = Port("free", "K,n", "1 where the pose does not determine the joint, otherwise 0")
