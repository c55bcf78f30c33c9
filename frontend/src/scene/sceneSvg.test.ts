// @vitest-environment jsdom

import * as THREE from "three";
import { describe, expect, it } from "vitest";

import { sceneSvg, type Sheet } from "./sceneSvg";

const SHEET: Sheet = { width: 200, height: 100, dark: false, ground: "#ffffff", labels: [] };

function viewedFrom(z: number): THREE.Camera {
  const camera = new THREE.OrthographicCamera(-2, 2, 1, -1, 0.1, 50);
  camera.position.z = z;
  return camera;
}

function drawing(world: THREE.Object3D, sheet = SHEET): Document {
  return new DOMParser().parseFromString(sceneSvg(world, viewedFrom(10), sheet), "image/svg+xml");
}

describe("scene as SVG", () => {
  it("draws front faces at their place, the farthest first", () => {
    const world = new THREE.Scene();
    const square = (z: number, colour: string) => {
      const mesh = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.MeshBasicMaterial({ color: colour }));
      mesh.position.z = z;
      return mesh;
    };
    world.add(square(3, "#ff0000"), square(-3, "#0000ff"), square(0, "#00ff00").rotateY(Math.PI));
    const polygons = [...drawing(world).querySelectorAll("polygon")];
    expect(polygons.map((one) => one.getAttribute("fill"))).toEqual(["#0000ff", "#0000ff", "#ff0000", "#ff0000"]);
    expect(polygons[0]!.getAttribute("points")).toBe("75.0,25.0 75.0,75.0 125.0,25.0");
  });
  it("draws every instance with its colour, and lines, points and labels", () => {
    const world = new THREE.Scene();
    const many = new THREE.InstancedMesh(new THREE.PlaneGeometry(0.2, 0.2), new THREE.MeshBasicMaterial(), 4);
    many.count = 2;
    ["#112233", "#445566"].forEach((colour, k) => {
      many.setMatrixAt(k, new THREE.Matrix4().makeTranslation(k, 0, 0));
      many.setColorAt(k, new THREE.Color(colour));
    });
    const path = new THREE.BufferGeometry().setFromPoints([0, 1, 2].map((x) => new THREE.Vector3(x / 2, 0, 1)));
    const hidden = new THREE.Line(path, new THREE.LineBasicMaterial());
    hidden.visible = false;
    world.add(many, new THREE.Line(path, new THREE.LineBasicMaterial({ color: "#abcdef" })), new THREE.Points(path, new THREE.PointsMaterial()), hidden);
    const drawn = drawing(world, { ...SHEET, labels: [{ text: "<J1>", x: 5, y: 6, selected: false }] });
    expect(new Set([...drawn.querySelectorAll("polygon")].map((one) => one.getAttribute("fill")))).toEqual(new Set(["#112233", "#445566"]));
    expect([...drawn.querySelectorAll("line")].map((one) => one.getAttribute("stroke"))).toEqual(["#abcdef", "#abcdef"]);
    expect(drawn.querySelectorAll("circle").length).toBe(3);
    expect(drawn.querySelector("text")!.textContent).toBe("<J1>");
  });
});
