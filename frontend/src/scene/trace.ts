// Path of a frame, drawn as a line in the world.

import * as THREE from "three";

import type { Place } from "./scene";

export class Trace {
  readonly group = new THREE.Group();
  private line: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial> | null = null;
  private readonly colour = new THREE.Color();

  setColour(colour: string): void {
    this.colour.set(colour);
    this.line?.material.color.copy(this.colour);
  }

  set(points: Place[] | null): void {
    this.clear();
    if (!points || points.length < 2) return;
    const shape = new THREE.BufferGeometry().setFromPoints(points.map((point) => new THREE.Vector3(...point)));
    this.line = new THREE.Line(shape, new THREE.LineBasicMaterial({ color: this.colour }));
    this.group.add(this.line);
  }

  clear(): void {
    if (!this.line) return;
    this.group.remove(this.line);
    this.line.geometry.dispose();
    this.line.material.dispose();
    this.line = null;
  }
}

/** Return the indices of at most `most` of `count` rows, including the first and the last. */
export function subsample(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, k) => k);
  return Array.from({ length: most }, (_, k) => Math.round((k * (count - 1)) / (most - 1)));
}
