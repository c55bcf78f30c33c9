// Other postures of the same robot, drawn transparently.

import * as THREE from "three";

import type { View } from "../backend/messages";
import { Instances, cylinderOnOrigin } from "./instances";
import { parameterPolyline } from "./polyline";

export class Ghosts {
  readonly group = new THREE.Group();
  private bars: Instances | null = null;
  private readonly colour = new THREE.Color();

  setColour(colour: string): void {
    this.colour.set(colour);
  }

  set(view: View, placements: Float64Array[], width: number): void {
    this.clear();
    if (!placements.length) return;
    const solid = cylinderOnOrigin(new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0));
    const material = new THREE.MeshLambertMaterial({ transparent: true, opacity: 0.22, depthWrite: false });
    this.bars = new Instances(solid, material, 3 * view.frames.length * placements.length);
    for (const T of placements)
      view.frames.forEach(({ frame, ant }) => {
        const [a, b, c, d] = parameterPolyline(T, ant, frame).points;
        this.bars!.between(a, b, width, this.colour);
        this.bars!.between(b, c, width, this.colour);
        this.bars!.between(c, d, width, this.colour);
      });
    this.bars.end();
    this.group.add(this.bars.mesh);
  }

  clear(): void {
    this.group.clear();
    this.bars?.dispose();
    this.bars = null;
  }

  dispose(): void {
    this.clear();
  }
}
