// Drawing of a robot by solids: frame arrows, and the bodies of links and joints, which symoro decides.

import * as THREE from "three";

import type { BodyView, View } from "../backend/messages";
import type { Palette } from "./colours";
import { antecedent, radiusOf } from "./extras";
import { Instances, cylinderOnOrigin } from "./instances";
import { axis, distance, hermite, origin, plus, parameterPolyline, type Point } from "./polyline";

export interface Style {
  shown: ReadonlySet<number> | "all";
  selected: number | null;
  /** Length of an arrow in metres. */
  arrow: number;
  expanded: boolean;
  broken: boolean;
  parameters: Record<string, number>;
  /** Poses of the tips of flexible links, 16 numbers each. */
  tips: ArrayLike<number>;
  /** Joints that are highlighted with the links that they connect. */
  highlighted: ReadonlySet<number>;
}

/** A body that a ray meets: number of its link, and the point in the world. */
export interface BodyHit {
  link: number;
  point: THREE.Vector3;
  distance: number;
}

type Colours = { [role in keyof Palette]: THREE.Color };

const RED = new THREE.Color(1, 0, 0);
const GREEN = new THREE.Color(0, 1, 0);
/** Frames that are nearer to each other, relative to the robot's size, coincide: rounding errors of products of transforms. */
const COINCIDENT = 1e-7;

/** Return the drawn origin of a frame; the expanded look shifts coinciding frames along their z axes. */
export function drawnAt(view: View, T: ArrayLike<number>, j: number, style: Style): Point {
  const at = origin(T, j);
  if (!style.expanded || j === 0) return at;
  let before = 0;
  let ant = view.frames[j - 1]?.ant ?? 0;
  while (ant > 0 && distance(origin(T, ant), at) < COINCIDENT * view.bodies.size) {
    before += 1;
    ant = view.frames[ant - 1]!.ant;
  }
  return plus(at, axis(T, j, 2), 1.3 * style.arrow * before);
}

/** Number of straight pieces of a bent beam. */
const PIECES = 12;
const SIDES = 16;

export class Body {
  readonly group = new THREE.Group();
  private readonly shafts: Instances;
  private readonly tips: Instances;
  private readonly bars: Instances;
  private readonly drums: Instances;
  private readonly boxes: Instances;
  private readonly balls: Instances;
  private readonly tubes: Instances;
  private readonly halo: THREE.Mesh;
  private readonly plates: Map<BodyView, THREE.Mesh>;
  private readonly hulls: Map<BodyView, THREE.Mesh>;
  private readonly gaps: THREE.LineSegments;
  private readonly beams: number[];
  private colours!: Colours;
  /** Number of solids per link in the last drawing, from the base on. */
  readonly solids: number[];

  constructor(private readonly view: View, private readonly count: number) {
    const frames = count + 2;
    const { parts } = view.bodies;
    const pieces = parts.reduce((sum, part) => sum + (part.shape === "beam" ? PIECES : 4), 0) + 12 * view.wheels.length + 16 * frames;
    const lit = () => new THREE.MeshLambertMaterial();
    const flat = () => new THREE.MeshBasicMaterial();
    this.shafts = new Instances(cylinderOnOrigin(new THREE.CylinderGeometry(1, 1, 1, 5, 1, true).translate(0, 0.5, 0)), flat(), 3 * frames);
    this.tips = new Instances(cylinderOnOrigin(new THREE.ConeGeometry(1, 1, 6).translate(0, 0.5, 0)), flat(), 3 * frames);
    this.bars = new Instances(cylinderOnOrigin(new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0)), lit(), pieces);
    this.drums = new Instances(cylinderOnOrigin(new THREE.CylinderGeometry(1, 1, 1, SIDES)), lit(), parts.length);
    this.boxes = new Instances(new THREE.BoxGeometry(1, 1, 1), lit(), parts.length);
    this.balls = new Instances(new THREE.SphereGeometry(1, 10, 7), lit(), 2 * parts.length + 4 * frames);
    const tube = new THREE.MeshLambertMaterial({ side: THREE.DoubleSide });
    this.tubes = new Instances(cylinderOnOrigin(new THREE.CylinderGeometry(1, 1, 1, SIDES, 1, true)), tube, parts.length);
    this.halo = new THREE.Mesh(
      new THREE.SphereGeometry(1, 20, 14),
      new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.22, depthWrite: false }),
    );
    const held = (shape: string) => parts.filter((part) => part.shape === shape);
    this.plates = new Map(held("plate").map((part) => [part, plate()]));
    this.hulls = new Map(held("hull").map((part) => [part, new THREE.Mesh(new THREE.BoxGeometry(1, 1, 1), lit())]));
    this.beams = held("beam").map((part) => part.frame).sort((a, b) => a - b);
    this.gaps = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineDashedMaterial());
    this.gaps.frustumCulled = false;
    this.solids = Array.from({ length: view.sizes.NL + 1 }, () => 0);
    for (const part of this.instances()) this.group.add(part.mesh);
    this.group.add(this.halo, this.gaps, ...this.plates.values(), ...this.hulls.values());
  }

  private instances(): Instances[] {
    return [this.shafts, this.tips, this.bars, this.drums, this.boxes, this.balls, this.tubes];
  }

  setPalette(palette: Palette): void {
    this.colours = Object.fromEntries(
      Object.entries(palette).map(([role, colour]) => [role, new THREE.Color(colour as string)]),
    ) as Colours;
    const tint = (mesh: THREE.Mesh | THREE.LineSegments, colour: THREE.Color) =>
      (mesh.material as THREE.MeshBasicMaterial).color.copy(colour);
    tint(this.halo, this.colours.accent);
    tint(this.gaps, this.colours.accent);
    for (const [part, mesh] of this.plates) tint(mesh, this.colours[part.role]);
    for (const one of this.hulls.values()) tint(one, this.colours.base);
  }

  update(T: Float64Array, style: Style): void {
    for (const part of this.instances()) part.begin();
    this.solids.fill(0);
    for (let j = 0; j <= this.count; j++) if (j === 0 || Number.isFinite(T[16 * (j - 1) + 3]!)) this.frame(T, j, style);
    for (const part of this.view.bodies.parts) {
      const before = this.drawn();
      for (const solids of this.instances()) solids.owner = part.link;
      this.part(T, part, style);
      if (this.drawn() > before || this.plates.has(part) || this.hulls.has(part)) this.solids[part.link]! += 1;
    }
    for (const solids of this.instances()) solids.owner = 0;
    if (style.expanded) this.drawOffsets(T, style);
    this.drawGaps(T, style);
    this.drawHalo(T, style);
    for (const part of this.instances()) part.end();
  }

  /** Return the nearest body on a ray: its link, the point on it and its distance; null if the ray meets none. */
  hit(ray: THREE.Raycaster): BodyHit | null {
    const solids = [this.bars, this.drums, this.boxes, this.balls, this.tubes];
    const meshes = new Map([...this.plates, ...this.hulls].map(([part, mesh]) => [mesh as THREE.Object3D, part.link]));
    const [hit] = ray.intersectObjects([...solids.map(({ mesh }) => mesh), ...meshes.keys()], false);
    if (!hit) return null;
    const of = solids.find(({ mesh }) => mesh === hit.object);
    return { link: of ? of.ownerOf(hit.instanceId ?? 0) : (meshes.get(hit.object) ?? 0), point: hit.point, distance: hit.distance };
  }

  /** Number of copies of all solids drawn so far. */
  private drawn(): number {
    return this.instances().reduce((sum, part) => sum + part.mesh.count, 0);
  }

  private part(T: Float64Array, part: BodyView, style: Style): void {
    const { frame: j, radius, length } = part;
    if (j > 0 && !Number.isFinite(T[16 * (j - 1) + 3]!)) return;
    const moving = part.shape !== "plate" && part.shape !== "hull" && part.link > 0;
    const near = style.highlighted.has(part.frame) || style.highlighted.has(part.link);
    const colour = this.colours[moving && near ? "warning" : part.role];
    const centre = inFrame(T, j, part.point);
    const place = () => matrixOf(T, j, centre);
    if (part.shape === "path") this.path(T, part, style, colour);
    else if (part.shape === "rail") this.rail(T, part, colour);
    else if (part.shape === "beam") this.beam(T, part, style, colour);
    else if (part.shape === "bar") this.rod(origin(T, j), centre, radius, colour);
    else if (part.shape === "ball") this.balls.add(place().scale(scaled(radius, radius, radius)), colour);
    else if (part.shape === "disc") this.wheel(T, part, style, colour);
    else if (part.shape === "plate") this.plate(T, part);
    else if (part.shape === "hull") this.hull(T, part);
    else {
      const at = matrixOf(T, j, part.link === 0 && part.role === "base" ? centre : drawnAt(this.view, T, j, style));
      if (part.shape === "box") this.boxes.add(at.scale(scaled(2 * radius, 2 * radius, length)), colour);
      else (part.role === "cut" ? this.tubes : this.drums).add(at.scale(scaled(radius, radius, length)), colour);
    }
  }

  /** Draw a round bar with round ends, so that bars join without gaps. */
  private rod(from: Point, to: Point, radius: number, colour: THREE.Color): void {
    this.bars.between(from, to, radius, colour);
    this.balls.add(ballAt(to, radius), colour);
  }

  private path(T: Float64Array, part: BodyView, style: Style, colour: THREE.Color): void {
    const k = part.frame;
    const ant = antecedent(this.view, k);
    const tip = this.tipOf(ant, style);
    const [start, afterB, afterD, end] = parameterPolyline(T, ant, k, tip).points;
    this.rod(start, afterB, part.radius, colour);
    this.rod(afterB, afterD, part.radius, colour);
    if (this.view.frames[k - 1]?.kind !== "P") this.rod(afterD, end, part.radius, colour);
  }

  private rail(T: Float64Array, part: BodyView, colour: THREE.Color): void {
    const k = part.frame;
    const [, , foot, end] = parameterPolyline(T, this.view.frames[k - 1]!.ant, k).points;
    const z = axis(T, k, 2);
    const reached = z[0] * (end[0] - foot[0]) + z[1] * (end[1] - foot[1]) + z[2] * (end[2] - foot[2]);
    this.bars.between(plus(foot, z, Math.min(part.low, reached)), plus(foot, z, Math.max(part.high, reached)), part.radius, colour);
  }

  /** Draw a beam as the cubic curve with the directions of its root and its tip, exact for two polynomial modes. */
  private beam(T: Float64Array, part: BodyView, style: Style, colour: THREE.Color): void {
    const from = origin(T, part.frame);
    const tip = this.tipOf(part.frame, style);
    const to = tip ? tip.at : plus(from, axis(T, part.frame, 0), part.length);
    const points = hermite(from, axis(T, part.frame, 0), to, tip ? tip.x : axis(T, part.frame, 0), PIECES);
    for (let k = 1; k < points.length; k++) this.rod(points[k - 1]!, points[k]!, part.radius, colour);
  }

  private tipOf(link: number, style: Style): { at: Point; x: Point; z: Point } | null {
    const k = this.beams.indexOf(link) + 1;
    return k && style.tips.length >= 16 * k ? { at: origin(style.tips, k), x: axis(style.tips, k, 0), z: axis(style.tips, k, 2) } : null;
  }

  private frame(T: Float64Array, j: number, style: Style): void {
    if (style.shown !== "all" && !style.shown.has(j)) return;
    const chosen = j === style.selected;
    const length = style.arrow * (chosen ? 1.35 : 1);
    const width = style.arrow * (chosen ? 0.045 : 0.028);
    const at = drawnAt(this.view, T, j, style);
    [RED, GREEN, this.colours.z].forEach((colour, column) => {
      const along = axis(T, j, column);
      const neck = plus(at, along, 0.76 * length);
      this.shafts.between(at, neck, width, colour);
      this.tips.between(neck, plus(at, along, length), 2.6 * width, colour);
    });
  }

  private wheel(T: Float64Array, part: BodyView, style: Style, colour: THREE.Color): void {
    const wheel = this.view.wheels.find((one) => one.frame === part.frame);
    const radius = (wheel && radiusOf(wheel, style.parameters)) ?? part.radius;
    const at = origin(T, part.frame);
    this.drums.add(matrixOf(T, part.frame, at).scale(scaled(radius, radius, 0.3 * radius)), colour);
    // Spokes make the rotation of a wheel visible; a Swedish wheel shows its rollers along the rim instead.
    if (wheel?.kind === "swedish") this.rollers(T, part.frame, radius, wheel.roller ?? 0);
    else
      for (const side of [-1, 1]) {
        const hub = plus(at, axis(T, part.frame, 2), 0.16 * side * radius);
        const [x, y] = [axis(T, part.frame, 0), axis(T, part.frame, 1)];
        this.bars.between(hub, plus(hub, x, 0.9 * radius), 0.07 * radius, this.colours.active);
        this.bars.between(plus(hub, x, -0.9 * radius), hub, 0.05 * radius, this.colours.faint);
        this.bars.between(plus(hub, y, -0.9 * radius), plus(hub, y, 0.9 * radius), 0.05 * radius, this.colours.faint);
      }
  }

  /**
   * Return the axis of the roller in contact with the ground: z x up, rotated about the vertical by the roller angle.
   */
  private rollers(T: Float64Array, j: number, radius: number, angle: number): void {
    const [x, y, z] = [axis(T, j, 0), axis(T, j, 1), axis(T, j, 2)];
    const at = origin(T, j);
    for (let k = 0; k < 9; k++) {
      const turn = (2 * Math.PI * k) / 9;
      const out: Point = plus(plus([0, 0, 0], x, Math.cos(turn)), y, Math.sin(turn));
      const along: Point = plus(plus([0, 0, 0], x, -Math.sin(turn)), y, Math.cos(turn));
      const roll = plus(plus([0, 0, 0], along, Math.cos(angle)), z, -Math.sin(angle));
      const centre = plus(at, out, 0.94 * radius);
      const half = 0.22 * radius;
      this.bars.between(plus(centre, roll, -half), plus(centre, roll, half), 0.09 * radius, this.colours.faint);
    }
  }

  /** Draw the box around frames: the body of a floating base, or the chassis between wheels. */
  private hull(T: Float64Array, part: BodyView): void {
    const mesh = this.hulls.get(part)!;
    const box = hullBox(T, part);
    box.getCenter(mesh.position);
    box.getSize(mesh.scale);
  }

  private plate(T: Float64Array, part: BodyView): void {
    const corners = part.corners.map((j) => new THREE.Vector3(...origin(T, j)));
    const ordered = setPlate(this.plates.get(part)!, corners).map((corner): Point => [corner.x, corner.y, corner.z]);
    ordered.forEach((corner, k) => this.rod(corner, ordered[(k + 1) % ordered.length]!, part.radius, this.colours[part.role]));
  }

  /** Connect the frames that are drawn apart with their origins. */
  private drawOffsets(T: Float64Array, style: Style): void {
    for (let j = 1; j <= this.count; j++)
      this.bars.between(origin(T, j), drawnAt(this.view, T, j, style), 0.35 * this.view.bodies.unit, this.colours.faint);
  }

  private drawGaps(T: Float64Array, style: Style): void {
    const points = this.view.loops.flatMap(({ opened, twin }) => [...origin(T, opened), ...origin(T, twin)]);
    this.gaps.visible = style.broken && points.length > 0;
    if (!this.gaps.visible) return;
    this.gaps.geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    const material = this.gaps.material as THREE.LineDashedMaterial;
    material.dashSize = material.gapSize = 0.15 * style.arrow;
    this.gaps.computeLineDistances();
  }

  private drawHalo(T: Float64Array, style: Style): void {
    const j = style.selected;
    this.halo.visible = j !== null && j <= this.count;
    if (j === null || !this.halo.visible) return;
    this.halo.position.set(...drawnAt(this.view, T, j, style));
    this.halo.scale.setScalar(0.42 * style.arrow);
  }

  dispose(): void {
    for (const part of this.instances()) part.dispose();
    for (const mesh of [this.halo, this.gaps, ...this.plates.values(), ...this.hulls.values()]) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
    }
    this.group.removeFromParent();
  }
}

const stretch = new THREE.Vector3();

function scaled(x: number, y: number, z: number): THREE.Vector3 {
  return stretch.set(x, y, z);
}

/** Return a point, given in frame j, in frame 0. */
export function inFrame(T: ArrayLike<number>, j: number, point: readonly number[]): Point {
  return [0, 1, 2].reduce((sum, column) => plus(sum, axis(T, j, column), point[column] ?? 0), origin(T, j));
}

/** Return the box of a body around the origins of frames, in frame 0. */
export function hullBox(T: ArrayLike<number>, { corners, radius }: BodyView): THREE.Box3 {
  return new THREE.Box3().setFromPoints(corners.map((j) => new THREE.Vector3(...origin(T, j)))).expandByScalar(radius);
}

function ballAt(at: Point, radius: number): THREE.Matrix4 {
  return new THREE.Matrix4().makeScale(radius, radius, radius).setPosition(...at);
}

/** Return frame j of an array of row-major transforms as a matrix; `at` replaces the origin. */
export function matrixOf(T: ArrayLike<number>, j: number, at: Point = origin(T, j)): THREE.Matrix4 {
  const [x, y, z] = [axis(T, j, 0), axis(T, j, 1), axis(T, j, 2)];
  return new THREE.Matrix4().set(x[0], y[0], z[0], at[0], x[1], y[1], z[1], at[1], x[2], y[2], z[2], at[2], 0, 0, 0, 1);
}

function plate(): THREE.Mesh {
  const material = new THREE.MeshLambertMaterial({
    transparent: true,
    opacity: 0.7,
    side: THREE.DoubleSide,
    depthWrite: false,
  });
  const mesh = new THREE.Mesh(new THREE.BufferGeometry(), material);
  mesh.frustumCulled = false;
  return mesh;
}

/** Draw a polygon as a triangle fan; return the corners sorted by angle about their centre. */
function setPlate(mesh: THREE.Mesh, corners: THREE.Vector3[]): THREE.Vector3[] {
  const middle = corners.reduce((sum, corner) => sum.add(corner), new THREE.Vector3()).divideScalar(corners.length);
  const first = corners[0]!.clone().sub(middle);
  const normal = corners
    .map((corner) => first.clone().cross(corner.clone().sub(middle)))
    .reduce((best, one) => (one.lengthSq() > best.lengthSq() ? one : best), new THREE.Vector3())
    .normalize();
  const side = normal.clone().cross(first);
  const angle = (corner: THREE.Vector3) => {
    const arm = corner.clone().sub(middle);
    return Math.atan2(arm.dot(side), arm.dot(first));
  };
  const ordered = [...corners].sort((a, b) => angle(a) - angle(b));
  const points = ordered.flatMap((corner, k) => [
    ...middle.toArray(),
    ...corner.toArray(),
    ...ordered[(k + 1) % ordered.length]!.toArray(),
  ]);
  mesh.geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  mesh.geometry.computeVertexNormals();
  return ordered;
}
