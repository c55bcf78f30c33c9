// Other postures of the same robot, drawn transparently in one draw call.

import * as THREE from "three";

import type { View } from "../backend/messages";
import { inFrame } from "./body";
import { antecedent } from "./extras";
import { Instances, cylinderOnOrigin } from "./instances";
import { axis, distance, origin, parameterPolyline, type Point } from "./polyline";

/** Hues of the postures (degrees); neighbours in the list differ clearly. */
const HUES = [265, 150, 20, 325, 95, 200, 45, 290, 175, 350, 120, 230];
/** Corners of a part of a link, in frame 0. */
type Limb = readonly Point[];
/** Differences of positions below this part of the width of a bar are not visible. */
const SAME_POSITION = 0.02;
/** Differences of unit vectors below this number are not visible. */
const SAME_DIRECTION = 1e-4;

export function ghostColour(k: number, dark: boolean): string {
  return `hsl(${HUES[k % HUES.length]}, ${dark ? "45%, 66%" : "42%, 46%"})`;
}

export class Ghosts {
  readonly group = new THREE.Group();
  private bars: Instances | null = null;
  private capacity = 0;
  private colours: THREE.Color[] = [];
  private placements: readonly Float64Array[] = [];
  private view: View | null = null;
  private width = 0;
  private robot: Float64Array = new Float64Array(0);
  private highlighted: number | null = null;
  private dark = false;

  setDark(dark: boolean): void {
    this.dark = dark;
    this.colours = [];
    this.draw();
  }

  get count(): number {
    return this.placements.length;
  }

  /** Draw postures, given by the transforms of their frames, where they differ from each other and from the robot. */
  set(view: View, placements: readonly Float64Array[], width: number, robot: Float64Array): void {
    [this.view, this.placements, this.width, this.robot] = [view, placements, width, robot];
    this.draw();
  }

  /** Emphasise a posture; null: none. */
  highlight(k: number | null): boolean {
    if (k === this.highlighted) return false;
    this.highlighted = k;
    this.draw();
    return true;
  }

  private draw(): void {
    const { view, placements } = this;
    if (!view || !placements.length) {
      if (this.bars) this.bars.mesh.count = 0;
      return;
    }
    const limbs = placements.map((T) => this.limbs(T));
    const robot = this.limbs(this.robot);
    const needed = limbs.flat().reduce((sum, limb) => sum + limb.length - 1, 0);
    if (!this.bars || needed > this.capacity) this.allocate(needed);
    const bars = this.bars!;
    bars.begin();
    placements.forEach((_, k) => {
      this.colours[k] ??= new THREE.Color(ghostColour(k, this.dark));
      const highlighted = k === this.highlighted;
      const width = this.width * (highlighted ? 1.9 : 1);
      limbs[k]!.forEach((limb, n) => {
        // Transparent links on top of each other would darken the picture and take most of the time.
        const hidden = (other: Limb[]) => sameLimb(limb, other[n]!, this.width);
        if (!highlighted && (hidden(robot) || limbs.slice(0, k).some(hidden))) return;
        for (let i = 1; i < limb.length; i++) bars.between(limb[i - 1]!, limb[i]!, width, this.colours[k]!);
      });
    });
    bars.end();
  }

  /** Return the parts of the links in a posture: from frame to frame, and the ends of links without a child frame. */
  private limbs(T: Float64Array): Limb[] {
    const view = this.view!;
    const limbs = Array.from({ length: T.length / 16 }, (_, k): Limb => parameterPolyline(T, antecedent(view, k + 1), k + 1).points);
    for (const { shape, frame, point } of view.bodies.parts)
      if (shape === "bar") limbs.push([origin(T, frame), inFrame(T, frame, point)]);
    return limbs;
  }

  private allocate(capacity: number): void {
    this.bars?.dispose();
    this.group.clear();
    this.capacity = capacity;
    const solid = cylinderOnOrigin(new THREE.CylinderGeometry(1, 1, 1, 6, 1, true).translate(0, 0.5, 0));
    const material = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.4, depthWrite: false });
    this.bars = new Instances(solid, material, capacity);
    this.group.add(this.bars.mesh);
  }

  /** Return the posture whose link is nearest to a point of the picture, closer than some pixels; null if none is. */
  nearest(to: (a: Point, b: Point) => number, within: number): number | null {
    let [best, smallest]: [number | null, number] = [null, within];
    this.placements.forEach((T, k) => {
      for (const limb of this.limbs(T))
        for (let i = 1; i < limb.length; i++) {
          const away = to(limb[i - 1]!, limb[i]!);
          if (away < smallest) [best, smallest] = [k, away];
        }
    });
    return best;
  }

  /**
   * Return a point of each posture for its label: the origin of the frame that is farthest from the same frame of the
   * robot, or of the first frame that is turned if the origins are the same.
   */
  anchors(T: ArrayLike<number>): Point[] {
    return this.placements.map((other) => {
      let [anchor, largest, turned]: [Point | null, number, number] = [null, 0, 0];
      for (let j = 1; j <= other.length / 16; j++) {
        const away = distance(origin(other, j), origin(T, j));
        if (away > largest + SAME_POSITION * this.width) [anchor, largest] = [origin(other, j), away];
        if (!turned && [0, 1, 2].some((k) => distance(axis(other, j, k), axis(T, j, k)) > SAME_DIRECTION)) turned = j;
      }
      return anchor ?? origin(other, turned);
    });
  }

  clear(): void {
    this.placements = [];
    this.highlighted = null;
    this.draw();
  }

  dispose(): void {
    this.group.clear();
    this.bars?.dispose();
    this.bars = null;
  }
}

/** Whether a part of a link is drawn at the same place in two postures. */
function sameLimb(a: Limb, b: Limb, width: number): boolean {
  return a.every((corner, i) => distance(corner, b[i]!) <= SAME_POSITION * width);
}
