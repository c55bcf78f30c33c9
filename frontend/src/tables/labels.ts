// Displayed names of tables and columns.

/** Tab of each table; tables that are not listed have separate tabs. */
export const TABS: Record<string, string> = {
  geometry: "Geometry",
  inertia: "Inertia",
  drives: "Drives",
  joints: "Joints",
  wrenches: "Wrenches",
  robot: "Base",
  base: "Base",
  location: "Base",
  wheels: "Wheels",
  tool: "Tool",
  payload: "Tool",
  "flexible links": "Flexible",
  "tips of flexible links": "Flexible",
  postures: "Postures",
  nominal: "Symbols",
};

/** Keywords of the tabs for the search. */
export const WORDS: Record<string, string> = {
  Geometry: "dh denavit hartenberg parameters frames",
  Inertia: "mass inertial parameters centre center of mass",
  Drives: "friction rotor motor actuator torque limit",
  Joints: "limits spring stiffness elastic coupling mimic",
  Wrenches: "external force moment",
  Base: "gravity floating base world",
  Wheels: "mobile robot rolling radius",
  Tool: "end effector payload",
  Flexible: "beam modes elastic link",
  Postures: "home configuration",
  Symbols: "values of parameters nominal",
};

/** Heading of a table inside its tab, if the tab contains several tables. */
export const HEADINGS: Record<string, string> = {
  robot: "Robot",
  base: "Gravity, and motion of the base",
  location: "Pose of the base in the world: first three rows of the homogeneous transform",
  tool: "Tool",
  payload: "Payload in the tool frame",
  "flexible links": "Flexible links (beams)",
  "tips of flexible links": "Bodies at the tips of flexible links",
};

/** Text for an empty table. */
export const EMPTY: Record<string, string> = {
  wheels: "No wheels. Each wheel of a wheeled base rotates about the z axis of a frame.",
  tool: "No tool. The end-effector frame is the frame of the last link.",
  payload: "No payload.",
  "flexible links": "All links are rigid.",
  "tips of flexible links": "No bodies at tips of flexible links.",
  postures: "No postures. A new posture stores the joint positions shown in the scene.",
  wrenches: "No links.",
};

/** Meaning of the first column. */
export const ROWS: Record<string, string> = {
  base: "",
  location: "row",
  nominal: "symbol",
  posture: "name",
  tool: "",
  payload: "",
};

export const LABELS: Record<string, string> = {
  sigma: "\u03c3",
  mu: "\u03bc",
  gamma: "\u03b3",
  alpha: "\u03b1",
  theta: "\u03b8",
  eta: "\u03b7",
};

export function tabOf(title: string): string {
  return TABS[title] ?? title.charAt(0).toUpperCase() + title.slice(1);
}
