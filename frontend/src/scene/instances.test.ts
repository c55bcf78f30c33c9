import * as THREE from "three";
import { expect, it } from "vitest";

import { Instances } from "./instances";

it.each([1e-6, 1, 1e6])("draws bars of robots of any size, except points: scale %d", (scale) => {
  const bars = new Instances(new THREE.BoxGeometry(1, 1, 1), new THREE.MeshBasicMaterial(), 4);
  bars.begin();
  bars.between([0, 0, 0], [1e-4 * scale, 0, 0], 1e-2 * scale, new THREE.Color());
  expect(bars.mesh.count).toBe(1);
  bars.between([scale, 0, 0], [scale * (1 + 1e-15), 0, 0], 1e-2 * scale, new THREE.Color());
  expect(bars.mesh.count).toBe(1);
});
