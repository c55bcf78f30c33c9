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
    world.add(square(3, "#ff0000").translateX(1), square(-3, "#0000ff"), square(0, "#00ff00").rotateY(Math.PI));
    const paths = [...drawing(world).querySelectorAll("path")];
    expect(paths.map((one) => one.getAttribute("fill"))).toEqual(["#0000ff", "#ff0000"]);
    expect(paths[0]!.getAttribute("d")).toBe("M75,25L75,75 125,25zM75,75L125,75 125,25z");
  });
  it("removes faces and parts of lines behind an opaque face, also when a long line is nearer on average", () => {
    const world = new THREE.Scene();
    const wall = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.MeshBasicMaterial({ color: "#ff0000" }));
    const behind = new THREE.Mesh(new THREE.PlaneGeometry(0.8, 0.8), new THREE.MeshBasicMaterial({ color: "#0000ff" }));
    behind.position.z = -1;
    // Behind the wall for x from -0.5 to 0.2, in front of it beyond.
    const ends = [new THREE.Vector3(-1.5, 0, -1.7), new THREE.Vector3(1.9, 0, 1.7)];
    const invisible = new THREE.Mesh(new THREE.PlaneGeometry(9, 9), new THREE.MeshBasicMaterial({ visible: false }));
    invisible.position.z = 2;
    world.add(invisible, wall, behind, new THREE.Line(new THREE.BufferGeometry().setFromPoints(ends), new THREE.LineBasicMaterial({ color: "#00ff00" })));
    const drawn = drawing(world);
    expect([...drawn.querySelectorAll("path")].map((one) => one.getAttribute("fill"))).toEqual(["#ff0000"]);
    const spans = [...drawn.querySelectorAll("line")].map((one) => ["x1", "x2"].map((end) => Number(one.getAttribute(end))));
    expect(spans.length).toBe(2);
    [25, 75, 110, 195].forEach((x, k) => expect(Math.abs(spans.flat()[k]! - x)).toBeLessThan(1.5));
  });
  it("divides faces that intersect each other, to a few pixels", () => {
    const world = new THREE.Scene();
    const turned = (angle: number, colour: string) =>
      new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.MeshBasicMaterial({ color: colour, side: THREE.DoubleSide })).rotateY(angle);
    world.add(turned(0.5, "#ff0000"), turned(-0.5, "#0000ff"));
    const paths = [...drawing(world).querySelectorAll("path")];
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      const xs = [...path.getAttribute("d")!.matchAll(/([\d.]+),/g)].map((point) => Number(point[1]));
      // Red is in front on the left of the picture's centre (x = 100), blue on the right.
      const wrong = path.getAttribute("fill") === "#ff0000" ? Math.max(...xs) - 100 : 100 - Math.min(...xs);
      expect(wrong).toBeLessThan(4);
    }
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
    expect(new Set([...drawn.querySelectorAll("path")].map((one) => one.getAttribute("fill")))).toEqual(new Set(["#112233", "#445566"]));
    expect([...drawn.querySelectorAll("line")].map((one) => one.getAttribute("stroke"))).toEqual(["#abcdef", "#abcdef"]);
    expect(drawn.querySelectorAll("circle").length).toBe(3);
    expect(drawn.querySelector("text")!.textContent).toBe("<J1>");
  });
});
