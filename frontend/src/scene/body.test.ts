import * as THREE from "three";
import { expect, it } from "vitest";

import { Body } from "./body";
import { LIGHT } from "./colours";
import { antecedent } from "./extras";
import { fixture, placed } from "./fixtures";
import { Ghosts } from "./ghosts";
import { home } from "./joints";
import { distance, origin, plus, axis, type Point } from "./polyline";

const STYLE = { shown: new Set<number>(), selected: null, arrow: 0.1, expanded: false, broken: false, parameters: {}, tips: [], highlighted: new Set<number>() };

// The last links of these robots carry no frame; those of a gripper slide.
it.each(["rx90", "ur5e", "planar2r", "gripper", "sr400", "delta", "platform"] as const)("of each moving link of %s is met by a ray", async (name) => {
  const { view } = fixture(name);
  const postures = await placed(name);
  const start = postures.withCutJoints(home(view));
  // Where axes coincide, so do the bodies of their joints.
  const { q } = postures.move(start, start.map((value, k) => value + (view.joints[k]!.kind === "R" ? 0.2 : 0)));
  const T = Float64Array.from(postures.transforms(q));
  const body = new Body(view, T.length / 16);
  body.setPalette(LIGHT);
  body.update(T, STYLE);
  body.group.updateMatrixWorld(true);
  const met = new Set<number>();
  // Rays through points of the bodies, from all sides; links may hide each other from one of them.
  for (const part of view.bodies.parts) {
    const at = plus(plus(plus(origin(T, part.frame), axis(T, part.frame, 0), part.point[0]!), axis(T, part.frame, 1), part.point[1]!), axis(T, part.frame, 2), part.point[2]!);
    const middle = plus(plus([0, 0, 0], at, 0.5), origin(T, antecedent(view, part.frame)), 0.5);
    for (const side of [[1, 0.2, 0.1], [-1, 0.1, 0.3], [0.1, 1, 0.2], [0.2, -1, 0.1], [0.1, 0.2, 1], [0.3, 0.1, -1]] as Point[])
      for (const target of [at, middle, plus(at, axis(T, part.frame, 2), 2 * view.bodies.unit), plus(at, axis(T, part.frame, 2), -2 * view.bodies.unit)]) {
        const from = new THREE.Vector3(...plus(target, side, 10 * view.bodies.size));
        const hit = body.hit(new THREE.Raycaster(from, new THREE.Vector3(...side).normalize().negate()));
        if (!hit) continue;
        met.add(hit.link);
        expect(hit.point.distanceTo(from)).toBeCloseTo(hit.distance, 6);
      }
  }
  const moving = view.joints.filter(({ opened }) => !opened).map(({ frame }) => frame);
  expect(moving.filter((j) => !met.has(j))).toEqual([]);
  body.dispose();
});

it("of a ghost ends where the last link of the robot ends, also without a tool frame", async () => {
  const { view } = fixture("ur5e");
  const postures = await placed("ur5e");
  const q = home(view);
  const robot = Float64Array.from(postures.transforms(q));
  const turned = Float64Array.from(postures.transforms(q.map((value) => value + 0.4)));
  const end = view.bodies.parts.find(({ shape }) => shape === "bar")!;
  const tip = origin(turned, end.frame).map((x, c) => x + [0, 1, 2].reduce((sum, k) => sum + axis(turned, end.frame, k)[c]! * end.point[k]!, 0)) as Point;
  const ghosts = new Ghosts();
  ghosts.set(view, [turned], 0.01, robot);
  expect(ghosts.nearest((a, b) => Math.min(distance(a, tip), distance(b, tip)), 1e-9)).toBe(0);
  ghosts.dispose();
});
