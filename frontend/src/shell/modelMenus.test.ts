import { expect, it } from "vitest";

import type { EntryData } from "../backend/messages";
import { menusInOrder, modelsInOrder, shortTitle, subtitle } from "./modelMenus";
import { matching, modelCandidate } from "./search";

const entry = (id: string, menu: string, title: string, ...aliases: string[]): EntryData => ({ id, menu, title, aliases }) as unknown as EntryData;

const ENTRIES = [
  entry("inverse-geometry", "Geometric", "inverse geometric model, all solutions", "igm", "ik"),
  entry("fast-geometry", "Geometric", "fast direct geometric model, with intermediate variables", "dgm", "forward-kinematics"),
  entry("novel", "Dynamic", "novel model: something new"),
  entry("contact-dynamics", "Dynamic", "contact dynamics: accelerations, and forces on the ground"),
  entry("inverse-dynamics", "Dynamic", "inverse dynamic model: torques from positions, velocities and accelerations", "idm"),
  entry("centroidal-momentum", "Dynamic", "momentum of the whole robot about its centre of mass", "centroidal-momentum-matrix"),
  entry("inertia-matrix", "Dynamic", "inertia matrix, by composite links", "crba", "mass-matrix"),
];

it("inverse dynamics is the first model of the first menu", () => {
  expect(menusInOrder(["Geometric", "Kinematic", "Dynamic", "Identification"])[0]).toBe("Dynamic");
  expect(menusInOrder([])).toHaveLength(4);
  expect(menusInOrder(["Other", "Geometric"])).toEqual(["Geometric", "Other"]);
  expect(modelsInOrder(ENTRIES).map(({ id }) => id)[0]).toBe("inverse-dynamics");
  expect(modelsInOrder(ENTRIES).at(-1)!.id).toBe("novel");
});

it("short titles have the complete sentence as subtitle", () => {
  expect(shortTitle(ENTRIES[4]!)).toBe("Inverse dynamics");
  expect(subtitle(ENTRIES[4]!)).toBe("Inverse dynamic model: torques from positions, velocities and accelerations");
  expect(shortTitle(ENTRIES[2]!)).toBe("Novel model");
  expect(subtitle(entry("energy", "Dynamic", "energy"))).toBeUndefined();
});

it("models are found by the terms of the field, and by words of the sentence", () => {
  const candidates = ENTRIES.map(modelCandidate);
  const first = (query: string): string => matching(candidates, query)[0]!.title;
  expect(first("forward kinematics")).toBe("Direct geometry");
  expect(first("mass matrix")).toBe("Inertia matrix");
  expect(first("torques velocities")).toBe("Inverse dynamics");
  expect(first("massmatrix")).toBe("Inertia matrix");
  const ordered = modelsInOrder(ENTRIES).map(modelCandidate);
  expect(matching(ordered, "dynamics")[0]!.title).toBe("Inverse dynamics");
});
