// Menus and short titles of the models, in the order in which they are most often used.

import type { EntryData } from "../backend/messages";

const MENUS = ["Dynamic", "Geometric", "Kinematic", "Identification"];

/** Short titles; the title of the catalogue is the subtitle. */
export const TITLES: ReadonlyMap<string, string> = new Map([
  ["inverse-dynamics", "Inverse dynamics"],
  ["direct-dynamics", "Direct dynamics"],
  ["inertia-matrix", "Inertia matrix"],
  ["bias-torques", "Bias torques"],
  ["gravity-torques", "Gravity torques"],
  ["lagrange", "Lagrange form"],
  ["energy", "Energy"],
  ["static-torques", "Static torques"],
  ["inverse-dynamics-derivatives", "Derivatives of inverse dynamics"],
  ["direct-dynamics-derivatives", "Derivatives of direct dynamics"],
  ["contact-dynamics", "Contact dynamics"],
  ["centroidal-momentum", "Centroidal momentum"],
  ["fast-geometry", "Direct geometry"],
  ["inverse-geometry", "Inverse geometry"],
  ["transform", "Transformation matrix"],
  ["loop-geometry", "Geometry of closed loops"],
  ["jacobian", "Jacobian"],
  ["inverse-kinematics", "Inverse kinematics"],
  ["jacobian-inverse", "Inverse of the Jacobian"],
  ["jacobian-determinant", "Determinant of the Jacobian"],
  ["velocities", "Velocities of the links"],
  ["accelerations", "Accelerations of the links"],
  ["jdot-qdot", "Drift acceleration"],
  ["loop-kinematics", "Kinematics of closed loops"],
  ["wheel-kinematics", "Rolling constraints"],
  ["posture-kinematics", "Posture kinematics"],
  ["configuration-kinematics", "Configuration kinematics"],
  ["base-parameters", "Base parameters"],
  ["dynamic-identification", "Dynamic identification model"],
  ["filtered-identification", "Filtered identification model"],
  ["energy-identification", "Energy identification model"],
  ["power-identification", "Power identification model"],
  ["geometric-identification", "Calibration model"],
]);
const ORDER = [...TITLES.keys()];

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Return the short title of a model; a model without one has the beginning of its title. */
export const shortTitle = ({ id, title }: Pick<EntryData, "id" | "title">): string =>
  TITLES.get(id) ?? capital(title.split(/[:,]/)[0]!);

/** Return the title of the catalogue if it is longer than the short title. */
export function subtitle(entry: Pick<EntryData, "id" | "title">): string | undefined {
  const whole = capital(entry.title);
  return whole.toLowerCase() === shortTitle(entry).toLowerCase() ? undefined : whole;
}

const place = (list: readonly string[], name: string): number => (list.includes(name) ? list.indexOf(name) : list.length);

/** Return the menus in the order of the page; unknown menus are last. */
export const menusInOrder = (names: readonly string[]): string[] =>
  [...(names.length > 0 ? names : MENUS)].sort((a, b) => place(MENUS, a) - place(MENUS, b));

/** Return models in the order of the page; unknown models are last. */
export const modelsInOrder = (entries: readonly EntryData[]): EntryData[] =>
  [...entries].sort((a, b) => place(ORDER, a.id) - place(ORDER, b.id));
