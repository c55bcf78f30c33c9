// Names of tables and columns as they are shown.

/** The tab on which a table stands; tables that are not named here have tabs of their own. */
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

/** The heading of a table inside its tab, where a tab has more than one. */
export const HEADINGS: Record<string, string> = {
  robot: "Robot",
  base: "Gravity, and motion of the base",
  location: "Place of the base in the world: the first three rows of a 4 by 4 matrix",
  tool: "Tool",
  payload: "Payload in the tool's frame",
  "flexible links": "Links that are beams",
  "tips of flexible links": "Bodies at the tips of beams",
};

/** What an empty table is for. */
export const EMPTY: Record<string, string> = {
  wheels: "No wheels. A robot on a wheeled base has some: each spins about the z axis of a frame.",
  tool: "No tool: models that place the hand place the last link's frame.",
  payload: "No payload.",
  "flexible links": "All links are rigid.",
  "tips of flexible links": "No bodies at tips of flexible links.",
  postures: "No postures. One that you add takes the joints as they stand in the scene.",
  wrenches: "No links.",
};

/** What the first column numbers. */
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
