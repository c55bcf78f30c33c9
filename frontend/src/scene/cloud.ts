// Points in frame 0 with a colour each, such as the workspace of a robot.

import * as THREE from "three";

import type { Point } from "./polyline";
import { subsample } from "./trace";

const SIZE = 3; // pixels
const MOST_OF_EXTENT = 400;
const LOW = new THREE.Color("#5b4bd0"); // singular
const HIGH = new THREE.Color("#f5b83d"); // dexterous

export class Cloud {
  readonly group = new THREE.Group();
  private points: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial> | null = null;
  /** Points about which the cloud extends. */
  extent: Point[] = [];

  /** Draw points x, y, z, one after the other, coloured by numbers from 0 to 1; null removes them. */
  set(points: number[] | null, shares: number[] = []): void {
    this.clear();
    if (!points?.length) return;
    const count = points.length / 3;
    this.extent = subsample(count, MOST_OF_EXTENT).map((k): Point => [points[3 * k]!, points[3 * k + 1]!, points[3 * k + 2]!]);
    const shape = new THREE.BufferGeometry();
    shape.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    shape.setAttribute("color", new THREE.Float32BufferAttribute(colours(shares), 3));
    const material = new THREE.PointsMaterial({ size: SIZE, sizeAttenuation: false, vertexColors: true, transparent: true, opacity: 0.7 });
    this.points = new THREE.Points(shape, material);
    this.group.add(this.points);
  }

  clear(): void {
    this.extent = [];
    if (!this.points) return;
    this.group.remove(this.points);
    this.points.geometry.dispose();
    this.points.material.dispose();
    this.points = null;
  }
}

/** Return red, green and blue for each number from 0 to 1. */
export function colours(shares: number[]): number[] {
  const mixed = new THREE.Color();
  return shares.flatMap((share) => mixed.lerpColors(LOW, HIGH, Math.min(1, Math.max(0, share))).toArray());
}
