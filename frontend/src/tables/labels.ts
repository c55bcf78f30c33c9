// Names of tables and columns, and what they mean, for those who do not know them by heart.

export const GROUPS: Record<string, string> = {
  geometry: "Geometry",
  inertia: "Inertia",
  drives: "Drives",
  joints: "Joints",
  wrenches: "Wrenches",
  base: "Base",
  location: "Base",
  nominal: "Symbols",
  wheels: "Wheels",
  platform: "Platform",
  legs: "Platform",
  flexible: "Flexible",
};

/** The heading of a table inside its tab, where a tab has more than one. */
export const HEADINGS: Record<string, string> = {
  base: "Gravity, and motion of the base",
  location: "Place of the base in the world (first three rows of a 4 by 4 matrix)",
};

/** What the first column numbers. */
export const ROWS: Record<string, string> = { frame: "j", link: "j", base: "", location: "row", nominal: "symbol" };

export const ROW_TITLES: Record<string, string> = {
  G: "gravity",
  V0: "velocity of the base",
  W0: "angular velocity of the base",
  VP0: "acceleration of the base",
  WP0: "angular acceleration of the base",
};

export const LABELS: Record<string, string> = {
  sigma: "\u03c3",
  mu: "\u03bc",
  gamma: "\u03b3",
  alpha: "\u03b1",
  theta: "\u03b8",
  eta: "\u03b7",
};

export const MEANINGS: Record<string, string> = {
  name: "a name of one's own for the frame",
  ant: "antecedent: the frame on which this one stands",
  sigma: "sigma, the joint: R revolute, P prismatic, F fixed",
  mu: "mu: 1 active (motorised), 0 passive",
  gamma: "gamma: angle about z of the antecedent, for branches",
  b: "distance along z of the antecedent, for branches",
  alpha: "alpha: angle between the z axes, about x",
  d: "distance between the z axes, along x",
  theta: "theta: angle between the x axes, about z; the variable of a revolute joint",
  r: "distance between the x axes, along z; the variable of a prismatic joint",
  XX: "inertia about the frame's origin, about x",
  XY: "product of inertia at the frame's origin",
  XZ: "product of inertia at the frame's origin",
  YY: "inertia about the frame's origin, about y",
  YZ: "product of inertia at the frame's origin",
  ZZ: "inertia about the frame's origin, about z",
  MX: "first moment: mass times x of the centre of mass",
  MY: "first moment: mass times y of the centre of mass",
  MZ: "first moment: mass times z of the centre of mass",
  M: "mass",
  IA: "inertia of rotor and gears, seen at the joint",
  FV: "viscous friction",
  FS: "Coulomb friction",
  FO: "offset of friction",
  QP: "velocity of the joint, where it is given",
  QDP: "acceleration of the joint, where it is given",
  GAM: "torque or force of the joint, where it is given",
  eta: "eta: 1 elastic joint, 0 rigid",
  k: "stiffness of an elastic joint",
  rest: "position at which the spring is at rest",
  lower: "lowest position",
  upper: "highest position",
  velocity: "highest velocity",
  effort: "highest torque or force",
  FX: "force on the environment, along x",
  FY: "force on the environment, along y",
  FZ: "force on the environment, along z",
  CX: "moment on the environment, about x",
  CY: "moment on the environment, about y",
  CZ: "moment on the environment, about z",
};

export function titleOf(table: string): string {
  return GROUPS[table] ?? table.charAt(0).toUpperCase() + table.slice(1);
}
