// Mechanical quantities drawn over a robot: centre of mass, gravity, wrenches, joint torques, contact forces, ellipsoids,
// and the motions that are lost in a singular posture.

import * as THREE from "three";

import type { Mechanics } from "../backend/messages";
import { inFrame } from "./body";
import { LIGHT } from "./colours";
import type { Ellipsoid } from "./ellipsoid";
import { Instances, cylinderOnOrigin } from "./instances";
import type { LostMotion } from "./lostMotion";
import { axis, origin, plus, type Point } from "./polyline";
import type { JointTorques, Overlays } from "./scene";
import type { SupportForce } from "./support";

const COLOURS = {
  centre: new THREE.Color("#c2185b"),
  gravity: new THREE.Color("#7b3fb3"),
  wrench: new THREE.Color("#0b8a6f"),
  torque: new THREE.Color("#d3342f"),
  contact: new THREE.Color("#0086b3"),
  pull: new THREE.Color(LIGHT.warning),
  // Distinct from the highlighted links, along which the lost motion may be.
  lost: new THREE.Color("#5b00d6"),
  velocity: "#2f8f3a",
  force: "#b3541e",
};
/** Number of straight pieces of the arrow about a joint. */
const PIECES = 14;
/** Angle of the arrow of the largest torque, in radians. */
const WIDEST = 5;
/** Largest number of drawn contact forces. */
const MOST_CONTACTS = 128;
/** Torques and contact forces below this part of the largest one are not drawn. */
const SMALL = 0.01;

export interface OverlayState {
  shown: Overlays;
  mechanics: Mechanics | null;
  torques: JointTorques | null;
  support: SupportForce[] | null;
  velocity: Ellipsoid | null;
  force: Ellipsoid | null;
  lost: readonly LostMotion[];
  /** Frame of the ellipsoids. */
  frame: number;
  /** Size of the robot and half the width of a link, in metres. */
  reach: number;
  unit: number;
  /** Gravity in frame 0. */
  gravity: Point;
}

export class Overlay {
  readonly group = new THREE.Group();
  private readonly bars: Instances;
  private readonly tips: Instances;
  private readonly balls: Instances;
  private readonly ellipsoids: Record<"velocity" | "force", THREE.Mesh>;

  constructor(frames: number) {
    // Centres of mass are inside the solids of the links, so that everything is drawn in front of them.
    const flat = () => new THREE.MeshLambertMaterial({ depthTest: false });
    const most = 64 + MOST_CONTACTS + (PIECES + 8) * (frames + 2);
    this.bars = new Instances(cylinderOnOrigin(new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0)), flat(), most);
    this.tips = new Instances(cylinderOnOrigin(new THREE.ConeGeometry(1, 1, 12).translate(0, 0.5, 0)), flat(), most);
    this.balls = new Instances(new THREE.SphereGeometry(1, 18, 12), flat(), most);
    for (const part of [this.bars, this.tips, this.balls]) part.mesh.renderOrder = 1;
    this.ellipsoids = { velocity: ellipsoid(COLOURS.velocity), force: ellipsoid(COLOURS.force) };
    this.group.add(this.bars.mesh, this.tips.mesh, this.balls.mesh, ...Object.values(this.ellipsoids));
  }

  /** Draw the switched quantities; return the number of solids by kind. */
  update(T: ArrayLike<number>, state: OverlayState): Record<string, number> {
    const parts = [this.bars, this.tips, this.balls];
    for (const part of parts) part.begin();
    const { shown, mechanics } = state;
    const drawn = (): number => parts.reduce((sum, part) => sum + part.mesh.count, 0);
    const counts: Record<string, number> = {};
    const count = (name: keyof Overlays, draw: () => void): void => {
      if (!shown[name]) return;
      const before = drawn();
      draw();
      counts[name] = drawn() - before;
    };
    const total = mechanics && centreOfMass(T, mechanics);
    count("centre", () => total && this.centres(T, mechanics!, total, state.unit));
    count("gravity", () => total && this.gravity(total, state));
    count("wrenches", () => mechanics && this.wrenches(T, mechanics, state));
    count("torques", () => state.torques && this.torques(T, state.torques, state.unit));
    count("contacts", () => state.support && this.contacts(state.support, state));
    for (const one of state.lost) this.lostMotion(one, state);
    if (state.lost.length) counts["lost"] = state.lost.length;
    for (const name of ["velocity", "force"] as const) {
      const one = shown[name] ? state[name] : null;
      this.ellipsoids[name].visible = one !== null;
      if (!one) continue;
      placeEllipsoid(this.ellipsoids[name], one, origin(T, state.frame), 0.25 * state.reach);
      counts[name] = 1;
    }
    for (const part of parts) part.end();
    return counts;
  }

  private arrow(from: Point, to: Point, width: number, colour: THREE.Color): void {
    const along: Point = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    const length = Math.hypot(...along);
    if (!(length > 0)) return;
    const neck = plus(from, along, Math.max(0, 1 - (4 * width) / length));
    this.bars.between(from, neck, width, colour);
    this.tips.between(neck, to, 2.4 * width, colour);
  }

  /** Draw the centre of mass of each link, with a volume in proportion to its mass, and that of the robot. */
  private centres(T: ArrayLike<number>, { masses }: Mechanics, total: Point, unit: number): void {
    const largest = Math.max(...masses.map((one) => one.mass));
    for (const one of masses) {
      const radius = 1.3 * unit * Math.cbrt(Math.max(0, one.mass) / largest);
      this.ball(inFrame(T, one.frame, one.centre), Math.max(0.5 * unit, radius), COLOURS.centre);
    }
    this.ball(total, 2 * unit, COLOURS.centre);
  }

  private gravity(total: Point, { gravity, reach, unit }: OverlayState): void {
    const strength = Math.hypot(...gravity);
    if (strength > 0) this.arrow(total, plus(total, gravity, (0.3 * reach) / strength), 0.6 * unit, COLOURS.gravity);
  }

  /** Draw the wrenches by the links on their environment; the longest force and moment have a fixed length. */
  private wrenches(T: ArrayLike<number>, { wrenches }: Mechanics, { reach, unit }: OverlayState): void {
    for (const kind of ["force", "moment"] as const) {
      const largest = Math.max(0, ...wrenches.map((one) => Math.hypot(...one[kind])));
      if (!(largest > 0)) continue;
      for (const one of wrenches) {
        const from = origin(T, one.frame);
        const to = inFrame(T, one.frame, one[kind].map((x) => (x / largest) * 0.3 * reach));
        this.arrow(from, to, (kind === "force" ? 0.6 : 0.35) * unit, COLOURS.wrench);
      }
    }
  }

  /** Draw the forces of the ground on the robot: pushing arrows end at the contacts, pulling ones start there. */
  private contacts(forces: readonly SupportForce[], { reach, unit }: OverlayState): void {
    const largest = Math.max(0, ...forces.map((one) => Math.hypot(...one.force)));
    for (const { at, force, pulls } of forces) {
      if (!(Math.hypot(...force) > SMALL * largest)) continue;
      const along = (0.3 * reach) / largest;
      const [from, to] = pulls ? [at, plus(at, force, along)] : [plus(at, force, -along), at];
      this.arrow(from, to, 0.6 * unit, pulls ? COLOURS.pull : COLOURS.contact);
    }
  }

  /** Draw torques as arcs about the joint axes and forces as arrows along them, in proportion to the largest ones. */
  private torques(T: ArrayLike<number>, { joints }: JointTorques, unit: number): void {
    for (const { frame, share, slides } of joints) {
      if (!(Math.abs(share) > SMALL)) continue;
      const [x, y, z] = [axis(T, frame, 0), axis(T, frame, 1), axis(T, frame, 2)];
      const at = origin(T, frame);
      if (slides) {
        const from = plus(at, x, 3 * unit);
        this.arrow(from, plus(from, z, 12 * unit * share), 0.5 * unit, COLOURS.torque);
        continue;
      }
      this.arc(at, x, y, 3.4 * unit, share * WIDEST, 0.4 * unit, COLOURS.torque);
    }
  }

  /** Draw an arc about a point, from x towards y, with a tip at its end. */
  private arc(at: Point, x: Point, y: Point, radius: number, angle: number, width: number, colour: THREE.Color): void {
    const around = (turn: number): Point => plus(plus(at, x, radius * Math.cos(turn)), y, radius * Math.sin(turn));
    const points = Array.from({ length: PIECES + 1 }, (_, k) => around((angle * k) / PIECES));
    for (let k = 1; k < PIECES; k++) this.bars.between(points[k - 1]!, points[k]!, width, colour);
    this.tips.between(points[PIECES - 1]!, around(angle + 0.25 * Math.sign(angle)), 2.5 * width, colour);
  }

  /** Draw a double arrow along a lost translation, and an arc about the axis of a lost rotation. */
  private lostMotion({ kind, at, along }: LostMotion, { reach, unit }: OverlayState): void {
    const size = 0.3 * reach;
    if (kind === "translation") {
      for (const end of [-size, size]) this.arrow(at, plus(at, along, end), 0.5 * unit, COLOURS.lost);
      return;
    }
    this.bars.between(plus(at, along, -size), plus(at, along, size), 0.3 * unit, COLOURS.lost);
    const least = along.map(Math.abs).indexOf(Math.min(...along.map(Math.abs)));
    const z = new THREE.Vector3(...along);
    const x = new THREE.Vector3().setComponent(least, 1).cross(z).normalize();
    const y = new THREE.Vector3().crossVectors(z, x);
    this.arc(at, x.toArray(), y.toArray(), size / 2, WIDEST, 0.4 * unit, COLOURS.lost);
  }

  private ball(at: Point, radius: number, colour: THREE.Color): void {
    this.balls.add(new THREE.Matrix4().makeScale(radius, radius, radius).setPosition(...at), colour);
  }

  dispose(): void {
    for (const part of [this.bars, this.tips, this.balls]) part.dispose();
    for (const mesh of Object.values(this.ellipsoids)) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
    }
    this.group.removeFromParent();
  }
}

export function totalMass({ masses }: Pick<Mechanics, "masses">): number {
  return masses.reduce((sum, one) => sum + one.mass, 0);
}

/** Return the centre of mass of a robot in frame 0; null if its mass is zero. */
export function centreOfMass(T: ArrayLike<number>, { masses }: Mechanics): Point | null {
  const total = totalMass({ masses });
  if (!(total > 0)) return null;
  return masses.reduce((sum, one) => plus(sum, inFrame(T, one.frame, one.centre), one.mass / total), [0, 0, 0] as Point);
}

function ellipsoid(colour: string): THREE.Mesh {
  const material = new THREE.MeshLambertMaterial({ color: colour, transparent: true, opacity: 0.35, depthWrite: false });
  const mesh = new THREE.Mesh(new THREE.SphereGeometry(1, 32, 20), material);
  mesh.matrixAutoUpdate = false;
  mesh.frustumCulled = false;
  mesh.visible = false;
  return mesh;
}

function placeEllipsoid(mesh: THREE.Mesh, { axes, lengths }: Ellipsoid, at: Point, size: number): void {
  // A flat ellipsoid keeps a visible thickness.
  const columns = axes.map((one, k) => new THREE.Vector3(...one).multiplyScalar(size * Math.max(0.01, lengths[k]!)));
  if (columns[0]!.clone().cross(columns[1]!).dot(columns[2]!) < 0) columns[2]!.negate();
  mesh.matrix.makeBasis(columns[0]!, columns[1]!, columns[2]!).setPosition(...at);
  mesh.matrixWorldNeedsUpdate = true;
}
