"""The arrays that several models take or give, each said once: name, shape and meaning.

n: moving joints of the tree with a coordinate of their own, na: active ones, ne: modes of flexible links,
L: links, K: solutions, P: parameters.
"""

from __future__ import annotations

from symoro.program.program import Port

Q = Port("q", "n", "joint positions")
QD = Port("qd", "n", "joint velocities")
QDD = Port("qdd", "n", "joint accelerations")
TAU = Port("tau", "n", "joint torques and forces")
TAU_FREE = Port("tau_free", "n", "torques of the joints named free; other entries are not read")
QM = Port("qm", "n", "positions of the motors, on the joint side; entries of rigid joints are not read")
QMD = Port("qmd", "n", "velocities of the motors; entries of rigid joints are not read")
QMDD = Port("qmdd", "n", "accelerations of the motors; as an input, entries of rigid joints are not read")
MODES = Port("e", "ne", "modes of the flexible links: link by link, along y, along z, in torsion")
MODE_RATES = Port("ed", "ne", "rates of the modes")
MODE_ACCELERATIONS = Port("edd", "ne", "accelerations of the modes")
QDD_OUT = Port("qdd_out", "n", "joint accelerations, those found at free joints included")
QA = Port("qa", "na", "active joints, in frame order")
QDA = Port("qda", "na", "velocities of the active joints, in frame order")
QDDA = Port("qdda", "na", "accelerations of the active joints, in frame order")
TAU_ACTIVE = Port("tau", "na", "torques and forces of the active joints, in frame order")
QC = Port("qc", "B", "positions of the opened joints")
V0 = Port("V0", "6", "velocity of the base (linear; angular), in frame 0")
VD0 = Port("Vd0", "6", "acceleration of the base (linear; angular), in frame 0")
R0 = Port("R0", "3,3", "rotation of the base: axes of frame 0 in the world, by columns")
Q0 = Port("Q0", "4", "rotation of the base as a quaternion (w, x, y, z) of any length, in place of R0")
P0 = Port("P0", "3", "position of the base: origin of frame 0 in the world")
WRENCH0 = Port("wrench0", "6", "wrench (force; moment) that moves the base, in frame 0 about its origin")
WRENCH = Port("wrench", "L,6", "wrench (force; moment) of each link on the environment, in its frame")
V = Port("v", "L,3", "velocity of each frame's origin, in the link's frame")
W = Port("w", "L,3", "angular velocity of each link, in its frame")
VD = Port("vd", "L,3", "acceleration of each frame's origin, in the link's frame")
WD = Port("wd", "L,3", "angular acceleration of each link, in its frame")
A = Port("A", "n,n", "inertia matrix, rotor inertias included")
REACTIONS = Port(
    "reactions", "L,6", "wrench (force; moment) of the antecedent on each link, in its frame, on request"
)
CUT_REACTIONS = Port(
    "cut_reactions",
    "B,6",
    "wrench (force; moment) of the antecedent of each opened joint k on the link of frame k + B, in that frame, "
    "with the reactions",
)
POSE = Port("T", "4,4", "pose of the frame")
GIVEN = Port("q0", "n", "joints left free by a singularity, locked or off the way")
SWIVEL = Port(
    "swivel", "", "with the option swivel: angle of the elbow about the line from shoulder to wrist"
)
SOLUTIONS = Port("q", "K,n", "joint positions, one row a solution")
OPENED = Port("qc", "K,B", "opened joints")
STATUS = Port("status", "K", "0 valid, 1 out of reach, 2 singular, 3 empty slot")
POSE_STATUS = Port("status", "K", f"{STATUS.title}, 4 not decided")
RESIDUAL = Port(
    "residual", "K", "largest entry of direct geometry less the pose, lengths divided by the robot's size"
)
FREE = Port("free", "K,n", "1 where a joint is free")
