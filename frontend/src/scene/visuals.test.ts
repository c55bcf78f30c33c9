// @vitest-environment jsdom
import * as THREE from "three";
import { expect, it, vi } from "vitest";

import type { VisualData } from "../backend/messages";
import { mesh, texturesOf, Visuals } from "./visuals";

const file = (name: string, text: string): File => ({ name, text: async () => text }) as File;

/** A corner of a box 0.1 by 0.1 by 0.4, in centimetres, with z up. */
const COLLADA = `<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">0 0 0 10 0 0 0 10 0 0 0 40</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 1 2 3 2 0 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>`;
const OBJ = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.4\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

it.each([
  ["corner.dae", COLLADA],
  ["corner.OBJ", OBJ],
])("%s is upright and in metres", async (name, text) => {
  const object = await mesh(file(name, text), new THREE.MeshBasicMaterial());
  const { min, max } = new THREE.Box3().setFromObject(object!);
  [0, 0, 0].forEach((x, k) => expect(min.getComponent(k)).toBeCloseTo(x, 9));
  [0.1, 0.1, 0.4].forEach((x, k) => expect(max.getComponent(k)).toBeCloseTo(x, 6));
});

it("a mesh that cannot be read does not affect the others", async () => {
  const warnings = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const broken = { name: "a.obj", text: () => Promise.reject(new Error("gone")) } as unknown as File;
  const shapes = ["a.obj", "b.obj"].map((name) => ({ frame: 0, shape: "mesh", file: name, size: [] }) as unknown as VisualData);
  const made = new Visuals();
  await made.set(shapes, new Map([["a.obj", broken], ["b.obj", file("b.obj", OBJ)]]));
  expect(made.group.children).toHaveLength(1);
  expect(warnings.mock.calls[0]![0]).toContain("a.obj");
});

it("textures are read from the dropped files; a missing one is white", async () => {
  const made = vi.fn(() => "blob:texture");
  vi.stubGlobal("URL", { ...URL, createObjectURL: made, revokeObjectURL: () => undefined });
  const drive = file("drive.jpg", "");
  const { manager, loaded } = texturesOf(new Map([["meshes/drive.jpg", drive]]));
  expect(manager.resolveURL("drive.jpg")).toBe("blob:texture");
  expect(made).toHaveBeenCalledWith(drive);
  expect(manager.resolveURL("other.jpg")).toMatch(/^data:image\/gif/);
  let done = false;
  manager.itemStart("drive.jpg");
  const waiting = loaded().then(() => (done = true));
  await Promise.resolve();
  expect(done).toBe(false);
  manager.itemEnd("drive.jpg");
  await waiting;
  await texturesOf(new Map()).loaded();
  vi.unstubAllGlobals();
});

it("links with the same mesh are drawn at their own places, and the file is read once", async () => {
  const text = vi.fn(async () => OBJ);
  const shared = { name: "a.obj", text } as unknown as File;
  const shapes = [0, 1].map((x) => ({ frame: 0, shape: "mesh", file: "a.obj", size: [], xyz: [x, 0, 0] }) as unknown as VisualData);
  const made = new Visuals();
  const files = new Map([["a.obj", shared]]);
  await made.set(shapes, files);
  expect(text).toHaveBeenCalledTimes(1);
  await made.set([...shapes], files);
  expect(text).toHaveBeenCalledTimes(1);
  expect(made.group.children.map((one) => new THREE.Box3().setFromObject(one).min.x)).toEqual([0, 1]);
});
