// Settings of the picture, kept while the page is open.

import { signal } from "@preact/signals";

import type { Appearance, Overlays } from "./scene";

export type FrameChoice = "all" | "selected" | "picked" | "none";

export const shown = signal<FrameChoice>("all");
export const picked = signal<ReadonlySet<number>>(new Set([0]));
export const look = signal<Appearance>({ naming: "number", expanded: false, scale: 1, grid: true, meshes: true });
export const overlays = signal<Overlays>({
  centre: false,
  gravity: false,
  wrenches: false,
  torques: false,
  contacts: false,
  velocity: false,
  force: false,
});

/** Return the frames to be drawn with arrows. */
export function framesShown(which: FrameChoice, selected: number | null, chosen: ReadonlySet<number>): ReadonlySet<number> | "all" {
  if (which === "all") return "all";
  if (which === "picked") return chosen;
  return which === "selected" && selected !== null ? new Set([selected]) : new Set();
}

/** Mechanical quantities that can be drawn, with their names on the page. */
export const OVERLAYS: [keyof Overlays, string][] = [
  ["centre", "centres of mass"],
  ["gravity", "gravity at the centre of mass"],
  ["wrenches", "external wrenches by the links"],
  ["torques", "joint torques along a motion"],
  ["contacts", "contact forces of the ground on the robot at rest"],
  ["velocity", "manipulability ellipsoid (linear velocity)"],
  ["force", "force ellipsoid (without moments)"],
];
