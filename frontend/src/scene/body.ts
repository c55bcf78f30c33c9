// Drawing of a robot by solids: frame arrows, joints by type, links along their parameters, loops, wheels, platforms,
// base.

import * as THREE from "three";

import type { View } from "../backend/messages";
import { platforms, radiusOf, toolLink } from "./extras";
import { Instances, cylinderOnOrigin } from "./instances";
import { axis, distance, origin, plus, parameterPolyline, type Point } from "./polyline";

export interface Style {
  shown: ReadonlySet<number> | "all";
  selected: number | null;
  /** Length of an arrow in metres. */
  arrow: number;
  expanded: boolean;
  broken: boolean;
  parameters: Record<string, number>;
}

export interface Palette {
  accent: string;
  passive: string;
  link: string;
  faint: string;
  dark: string;
  /** Colour of the z arrows; pure blue has too little contrast on a dark background. */
  z: string;
}

const RED = new THREE.Color(1, 0, 0);
const GREEN = new THREE.Color(0, 1, 0);
const TINY = 1e-7;

/** Return the drawn origin of a frame; the expanded look shifts coinciding frames along their z axes. */
export function drawnAt(view: View, T: ArrayLike<number>, j: number, style: Style): Point {
  const at = origin(T, j);
  if (!style.expanded || j === 0) return at;
  let before = 0;
  let ant = view.frames[j - 1]?.ant ?? 0;
  while (ant > 0 && distance(origin(T, ant), at) < TINY) {
    before += 1;
    ant = view.frames[ant - 1]!.ant;
  }
  return plus(at, axis(T, j, 2), 1.3 * style.arrow * before);
}

export class Body {
  readonly group = new THREE.Group();
  private readonly shafts: Instances;
  private readonly tips: Instances;
  private readonly bars: Instances;
  private readonly turning: Instances;
  private readonly sliding: Instances;
  private readonly fixed: Instances;
  private readonly opened: Instances;
  private readonly discs: Instances;
  private readonly halo: THREE.Mesh;
  private readonly base: THREE.Mesh;
  private readonly plates: THREE.Mesh[];
  private readonly gaps: THREE.LineSegments;
  private colours!: Record<keyof Palette, THREE.Color>;

  constructor(private readonly view: View, private readonly count: number) {
    const frames = count + 2;
    const lit = () => new THREE.MeshLambertMaterial();
    const flat = () => new THREE.MeshBasicMaterial();
    this.shafts = new Instances(cylinderOnOrigin(new THREE.CylinderGeometry(1, 1, 1, 6, 1, true).translate(0, 0.5, 0)), flat(), 3 * frames);
    this.tips = new Instances(cylinderOnOrigin(new THREE.ConeGeometry(1, 1, 8).translate(0, 0.5, 0)), flat(), 3 * frames);
    this.bars = new Instances(cylinderOnOrigin(new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0)), lit(), 16 * frames);
    this.turning = new Instances(cylinderOnOrigin(new THREE.CylinderGeometry(1, 1, 1, 16)), lit(), frames);
    this.sliding = new Instances(new THREE.BoxGeometry(1, 1, 1), lit(), frames);
    this.fixed = new Instances(new THREE.BoxGeometry(1, 1, 1), lit(), frames);
    const tube = new THREE.MeshLambertMaterial({ side: THREE.DoubleSide });
    this.opened = new Instances(cylinderOnOrigin(new THREE.CylinderGeometry(1, 1, 1, 20, 1, true)), tube, frames);
    const seen = new THREE.MeshLambertMaterial({ transparent: true, opacity: 0.6 });
    this.discs = new Instances(cylinderOnOrigin(new THREE.CylinderGeometry(1, 1, 1, 32)), seen, frames);
    this.halo = new THREE.Mesh(
      new THREE.SphereGeometry(1, 20, 14),
      new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.22, depthWrite: false }),
    );
    this.base = new THREE.Mesh(new THREE.BoxGeometry(1, 1, 1), new THREE.MeshLambertMaterial({ transparent: true, opacity: 0.55 }));
    this.plates = platforms(view).map(() => plate());
    this.gaps = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineDashedMaterial());
    this.gaps.frustumCulled = false;
    for (const part of this.instances()) this.group.add(part.mesh);
    this.group.add(this.halo, this.base, this.gaps, ...this.plates);
  }

  private instances(): Instances[] {
    return [this.shafts, this.tips, this.bars, this.turning, this.sliding, this.fixed, this.opened, this.discs];
  }

  setPalette(palette: Palette): void {
    this.colours = {
      accent: new THREE.Color(palette.accent),
      passive: new THREE.Color(palette.passive),
      link: new THREE.Color(palette.link),
      faint: new THREE.Color(palette.faint),
      dark: new THREE.Color(palette.dark),
      z: new THREE.Color(palette.z),
    };
    const tint = (mesh: THREE.Mesh | THREE.LineSegments, colour: THREE.Color) =>
      (mesh.material as THREE.MeshBasicMaterial).color.copy(colour);
    tint(this.halo, this.colours.accent);
    tint(this.base, this.colours.dark);
    tint(this.gaps, this.colours.accent);
    for (const one of this.plates) tint(one, this.colours.passive);
  }

  update(T: Float64Array, style: Style): void {
    for (const part of this.instances()) part.begin();
    this.drawBase(T, style);
    this.frame(T, 0, style);
    for (let j = 1; j <= this.count; j++) {
      if (!Number.isFinite(T[16 * (j - 1) + 3]!)) continue;
      this.frame(T, j, style);
      this.link(T, j, style);
      this.joint(T, j, style);
    }
    this.drawWheels(T, style);
    this.drawPlates(T);
    this.drawGaps(T, style);
    this.drawHalo(T, style);
    for (const part of this.instances()) part.end();
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

  private link(T: Float64Array, j: number, style: Style): void {
    const frame = this.view.frames[j - 1];
    const ant = frame ? frame.ant : toolLink(this.view);
    const [start, afterB, afterD, end] = parameterPolyline(T, ant, j).points;
    const width = 0.085 * style.arrow;
    const slide = frame?.kind === "P";
    this.bars.between(start, afterB, 0.8 * width, this.colours.faint);
    this.bars.between(afterB, afterD, width, this.colours.link);
    this.bars.between(afterD, end, slide ? 0.55 * width : width, slide ? this.colours.passive : this.colours.link);
    if (style.expanded) this.bars.between(end, drawnAt(this.view, T, j, style), 0.35 * width, this.colours.faint);
  }

  private joint(T: Float64Array, j: number, style: Style): void {
    const frame = this.view.frames[j - 1];
    if (!frame) return;
    const twin = this.view.loops.some((loop) => loop.twin === j);
    const cut = this.view.loops.some((loop) => loop.opened === j);
    const colour = frame.active ? this.colours.accent : this.colours.passive;
    const a = style.arrow;
    const at = drawnAt(this.view, T, j, style);
    const z = axis(T, j, 2);
    const place = matrixOf(T, j, at);
    if (cut) this.opened.add(place.scale(scaled(0.2 * a, 0.2 * a, 0.42 * a)), this.colours.passive);
    else if (twin) this.opened.add(place.scale(scaled(0.13 * a, 0.13 * a, 0.5 * a)), this.colours.faint);
    else if (frame.kind === "R") this.turning.add(place.scale(scaled(0.16 * a, 0.16 * a, 0.5 * a)), colour);
    else if (frame.kind === "F") this.fixed.add(place.scale(scaled(0.14 * a, 0.14 * a, 0.14 * a)), this.colours.link);
    else {
      const sleeve = parameterPolyline(T, frame.ant, j).points[2];
      this.sliding.add(matrixOf(T, j, sleeve).scale(scaled(0.28 * a, 0.28 * a, 0.6 * a)), colour);
      this.bars.between(plus(at, z, -0.35 * a), plus(at, z, 0.2 * a), 0.07 * a, this.colours.passive);
    }
  }

  private drawWheels(T: Float64Array, style: Style): void {
    for (const wheel of this.view.wheels ?? []) {
      const radius = radiusOf(wheel, style.parameters) ?? style.arrow;
      const at = origin(T, wheel.frame);
      const thick = wheel.kind === "castor" ? 0.35 : 0.3;
      const place = matrixOf(T, wheel.frame, at).scale(scaled(radius, radius, thick * radius));
      this.discs.add(place, this.colours.dark);
      // A spoke makes the rotation of a wheel visible; a Swedish wheel shows its rollers along the rim instead.
      if (wheel.kind === "swedish") this.rollers(T, wheel.frame, radius, wheel.roller ?? 0);
      else {
        const rim = plus(at, axis(T, wheel.frame, 0), radius);
        this.bars.between(at, rim, 0.06 * radius, this.colours.faint);
      }
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

  /** Draw link 0: a plate under a fixed base, a body for a floating base, a chassis between wheels. */
  private drawBase(T: Float64Array, style: Style): void {
    const a = style.arrow;
    this.base.visible = true;
    this.base.rotation.set(0, 0, 0);
    if (this.view.base === "fixed") {
      this.base.position.set(0, 0, -0.06 * a);
      this.base.scale.set(0.9 * a, 0.9 * a, 0.12 * a);
      return;
    }
    // The body contains the joints mounted on it; a chassis extends between its wheels up to their height.
    const box = new THREE.Box3().expandByPoint(new THREE.Vector3());
    const wheels = this.view.base === "wheeled" ? this.view.wheels.map((wheel) => wheel.frame) : [];
    const carried = wheels.length ? wheels : this.view.frames.filter((frame) => frame.ant === 0).map((frame) => frame.frame);
    if (wheels.length) box.makeEmpty();
    for (const j of carried) box.expandByPoint(new THREE.Vector3(...origin(T, j)));
    box.expandByScalar((wheels.length ? 0.1 : 0.18) * a);
    box.getCenter(this.base.position);
    box.getSize(this.base.scale);
  }

  private drawPlates(T: Float64Array): void {
    platforms(this.view).forEach((platform, k) => {
      setPlate(this.plates[k]!, platform.map((j) => new THREE.Vector3(...origin(T, j))));
    });
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
    for (const mesh of [this.halo, this.base, this.gaps, ...this.plates]) {
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

/** Return frame j of an array of row-major transforms as a matrix; `at` replaces the origin. */
export function matrixOf(T: ArrayLike<number>, j: number, at: Point = origin(T, j)): THREE.Matrix4 {
  const [x, y, z] = [axis(T, j, 0), axis(T, j, 1), axis(T, j, 2)];
  return new THREE.Matrix4().set(x[0], y[0], z[0], at[0], x[1], y[1], z[1], at[1], x[2], y[2], z[2], at[2], 0, 0, 0, 1);
}

function plate(): THREE.Mesh {
  const material = new THREE.MeshLambertMaterial({
    transparent: true,
    opacity: 0.45,
    side: THREE.DoubleSide,
    depthWrite: false,
  });
  const mesh = new THREE.Mesh(new THREE.BufferGeometry(), material);
  mesh.frustumCulled = false;
  return mesh;
}

/** Draw a polygon as a triangle fan, with the corners sorted by angle about their centre. */
function setPlate(mesh: THREE.Mesh, corners: THREE.Vector3[]): void {
  const middle = corners.reduce((sum, corner) => sum.add(corner), new THREE.Vector3()).divideScalar(corners.length);
  const first = corners[0]!.clone().sub(middle);
  const normal = corners
    .map((corner) => first.clone().cross(corner.clone().sub(middle)))
    .reduce((best, one) => (one.lengthSq() > best.lengthSq() ? one : best), new THREE.Vector3(0, 0, 1e-12))
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
}
