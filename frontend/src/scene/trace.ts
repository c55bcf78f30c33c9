// Path of a frame, drawn as a line in the world.

import * as THREE from "three";

import type { Place } from "./scene";

export class Trace {
  readonly group = new THREE.Group();
  private lines: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>[] = [];
  private readonly colour = new THREE.Color();

  setColour(colour: string): void {
    this.colour.set(colour);
    for (const line of this.lines) line.material.color.copy(this.colour);
  }

  /** Draw lines through points, one per list. */
  set(...paths: Place[][]): void {
    this.clear();
    for (const points of paths) {
      if (points.length < 2) continue;
      const shape = new THREE.BufferGeometry().setFromPoints(points.map((point) => new THREE.Vector3(...point)));
      const line = new THREE.Line(shape, new THREE.LineBasicMaterial({ color: this.colour }));
      line.frustumCulled = false;
      this.lines.push(line);
      this.group.add(line);
    }
  }

  clear(): void {
    for (const line of this.lines) {
      this.group.remove(line);
      line.geometry.dispose();
      line.material.dispose();
    }
    this.lines = [];
  }
}

/** Return the indices of at most `most` of `count` rows, including the first and the last. */
export function subsample(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, k) => k);
  return Array.from({ length: most }, (_, k) => Math.round((k * (count - 1)) / (most - 1)));
}
