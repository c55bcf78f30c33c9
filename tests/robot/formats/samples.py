"""Small files for the tests of the formats, and the .par files of tests/data."""

from __future__ import annotations

import pytest

from tests.oracle.golden import DATA


def par_files() -> list[object]:
    """Return the .par files as parameters of a test."""
    return [pytest.param(path, id=path.stem) for path in sorted((DATA / "par").rglob("*.par"))]


SERIAL = """\
(* Robotname = 'arm' *)
NL = 3
NJ = 3
NF = 3
Type = 0
is_floating = False
is_mobile = False

(* Geometric parameters *)
ant = {0,1,2}
sigma = {0,1,0}
b = {0,0,0}
d = {0,D2,-D3 + 1/2}
r = {r1,r2 + RL2,0}
gamma = {0,0,0}
alpha = {0,pi/2,-1.5707963267948966}
mu = {1,1,0}
theta = {th1,0,q3 - pi/2}

(* Dynamic parameters and external forces *)
XX = {XX1,0.5,atan2(a,b)}
M = {M1,M2,3}
FX = {0,0,FX3}

(* Joint parameters *)
eta = {0,0,1}
k = {0,0,k3}
QP = {QP1,0,QP3}
QDP = {QDP1,QDP2,QDP3}
GAM = {GAM1,GAM2,5}

W0 = {0,0,w}
G = {0,0,-9.81}
Z = {1,0,0,x,0,1,0,0,0,0,1,0,0,0,0,1}
"""

LOOP = """\
(* Robotname = 'four-bar' *)
NL = 3
NJ = 4
NF = 5
Type = 2
Ant = {0,1,0,3,2}
Sigma = {0,0,0,0,2}
D = {0,L1,L0,L3,L2}
Mu = {1,0,0,0,0}
Theta = {th1,t2,th3,th4,0}
QP = {QP1,QP2,QP3,QP4}
"""

FLOATING = """\
(* Robotname = 'boat' *)
NL = 1
NJ = 1
Type = 0
is_floating = True
theta = {th1}
M = {M0,M1}
IA = {0,IA1}
FX = {FX0,0}
"""

MINIMAL = "NL = 2\n"

YAML = """\
symoro: 1
name: arm
title: "three joints, one coupled"
inertia: symbolic
base:
  kind: floating
  gravity: [0, 0, -9.81]
  location: [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
  link: {name: hull, M: 20}
  wrench: {FX: F}
frames:
  - {name: first, limits: {lower: -2.5, upper: 2.5, velocity: 3}}
  - joint: prismatic
    alpha: pi/2
    offset: L2/2
    active: false
    elastic: {stiffness: k2, rest: 1/10}
    drive: {IA: 0, FV: FV2, FO: 0.1}
    motion: {QP: 0}
  - {d: D3, offset: -pi/2, coupled: {joints: {1: 2, 2: -1/2}, offset: a}}
  - {joint: fixed, ant: 1, theta: pi/3, link: {XX: 0, M: 2}, wrench: {CZ: c}}
loops:
  - open: {ant: 3, d: d5}
    close: {ant: 4, gamma: pi/2}
tool: {on: 3, r: 0.1, name: gripper}
payload: {M: 2, MZ: 0.1}
nominal: {D3: 0.45, L2: 1/2}
"""

YAML_BY_NAME = """\
symoro: 1
name: tree
frames:
  - {name: waist, link: {mass: 3, com: [0.1, c, 0], inertia: [1, 2, 3]}}
  - {name: left, link: {name: hand, mass: m, inertia: [[1, 0, x], [0, 2, 0], [x, 0, 3]]}}
  - {ant: waist, joint: prismatic, coupled: {joints: {left: 2}}}
  - {ant: hand, link: {mass: 1, com: [0, 0, L], inertia: [1, 0, 0, 2, 0, 3]}}
tool: {on: hand, d: 0.1}
payload: {mass: 2, com: [0, 0, 0.1]}
postures: {home: [0, pi/2, 1], folded: [0.5, -1, 2]}
"""
