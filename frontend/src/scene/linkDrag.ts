// Pulling a link by the pointer, and picking of links and ghosts in the picture.

import * as THREE from "three";

import type { View } from "../backend/messages";
import { matrixOf, type BodyHit } from "./body";
import type { Point } from "./polyline";
import type { SceneDrag } from "./scene";

/** Pixels beside a link or a ghost at which it is picked. */
const NEAR = 8;
/** Pixels that the pointer moves before a link is pulled, so that a click remains a click. */
const THRESHOLD = 4;

type LinkPull = Extract<SceneDrag, { kind: "link" }>;
type Spot = { x: number; y: number };

export interface LinkDragScene {
  view: () => View | null;
  transforms: () => Float64Array;
  root: THREE.Object3D;
  camera: () => THREE.Camera;
  project: (point: Point) => { x: number; y: number; ahead: boolean };
  /** Return the nearest body on a ray, or the nearest mesh of a file if it is nearer. */
  body: (ray: THREE.Raycaster, meshes: boolean) => BodyHit | null;
  /** Whether the pointer belongs to something else. */
  free: () => boolean;
  ghost: (to: (a: Point, b: Point) => number, within: number) => number | null;
  hover: (ghost: number | null) => void;
  /** A link is held, so that the camera must not rotate. */
  hold: (held: boolean) => void;
  dragging: (active: boolean) => void;
  pull: (drag: LinkPull) => void;
}

export class LinkDrag {
  private grabbed: { frame: number; point: THREE.Vector3; pointer: number; active: boolean; from: Spot } | null = null;
  private readonly raycaster = new THREE.Raycaster();
  private readonly handlers: [string, (event: PointerEvent) => void][];

  constructor(
    private readonly canvas: HTMLElement,
    private readonly scene: LinkDragScene,
  ) {
    this.handlers = [
      ["pointerdown", (event) => this.down(event)],
      ["pointermove", (event) => this.move(event)],
      ["pointerup", () => this.up()],
      ["pointercancel", () => this.up()],
      ["pointerleave", () => this.scene.hover(null)],
    ];
    for (const [name, handler] of this.handlers) canvas.addEventListener(name as "pointerdown", handler);
  }

  /** Whether a link is being pulled. */
  get dragging(): boolean {
    return this.grabbed?.active ?? false;
  }

  private spot(event: { clientX: number; clientY: number }): Spot {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || this.scene.free() || !this.scene.view()) return;
    const from = this.spot(event);
    const link = this.linkAt(from);
    if (!link) return;
    this.grabbed = { ...link, pointer: event.pointerId, active: false, from };
    this.scene.hold(true);
    this.canvas.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    if (!this.grabbed) {
      if (event.buttons === 0) this.hover(this.spot(event));
      return;
    }
    const at = this.spot(event);
    if (!this.grabbed.active) {
      if (Math.hypot(at.x - this.grabbed.from.x, at.y - this.grabbed.from.y) < THRESHOLD) return;
      this.grabbed.active = true;
      this.scene.dragging(true);
    }
    const { frame, point } = this.grabbed;
    const ray = this.ray(at);
    const toBase = this.scene.root.matrix.clone().invert();
    this.scene.pull({
      kind: "link",
      frame,
      point: point.toArray(),
      from: ray.origin.clone().applyMatrix4(toBase).toArray(),
      direction: ray.direction.clone().transformDirection(toBase).toArray(),
    });
  }

  private up(): void {
    const grabbed = this.grabbed;
    this.grabbed = null;
    if (!grabbed) return;
    if (this.canvas.hasPointerCapture(grabbed.pointer)) this.canvas.releasePointerCapture(grabbed.pointer);
    this.scene.hold(false);
    if (grabbed.active) this.scene.dragging(false);
  }

  private hover(at: Spot): void {
    const free = this.scene.free();
    const link = free ? null : this.linkAt(at);
    const ghost = free || link ? null : this.ghostAtSpot(at);
    this.scene.hover(ghost);
    this.canvas.style.cursor = link ? "grab" : ghost !== null ? "pointer" : "";
  }

  ghostAt(event: { clientX: number; clientY: number }): number | null {
    return this.ghostAtSpot(this.spot(event));
  }

  private ghostAtSpot(at: Spot): number | null {
    return this.scene.ghost((a, b) => this.pixels(at, a, b), NEAR);
  }

  private ray({ x, y }: Spot): THREE.Ray {
    const { clientWidth, clientHeight } = this.canvas;
    this.raycaster.setFromCamera(new THREE.Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight), this.scene.camera());
    return this.raycaster.ray;
  }

  /** Return the distance of a spot from a segment in pixels. */
  private pixels(at: Spot, a: Point, b: Point): number {
    const [p, q] = [this.scene.project(a), this.scene.project(b)];
    if (!p.ahead || !q.ahead) return Infinity;
    const [dx, dy] = [q.x - p.x, q.y - p.y];
    const square = dx * dx + dy * dy;
    const share = square > 0 ? Math.min(1, Math.max(0, ((at.x - p.x) * dx + (at.y - p.y) * dy) / square)) : 0;
    return Math.hypot(p.x + share * dx - at.x, p.y + share * dy - at.y);
  }

  /** Return the link whose body is at a spot or a few pixels beside it, and the point at which it is held, in its frame. */
  private linkAt({ x, y }: Spot): { frame: number; point: THREE.Vector3 } | null {
    for (const [dx, dy] of [[0, 0], [NEAR, 0], [-NEAR, 0], [0, NEAR], [0, -NEAR]] as const) {
      this.ray({ x: x + dx, y: y + dy });
      // Meshes have many triangles, and are wide enough to be met at the spot itself.
      const hit = this.scene.body(this.raycaster, !dx && !dy);
      // The base is not a link that a joint moves, and hides what is behind it.
      if (hit?.link === 0) return null;
      if (!hit) continue;
      const inWorld = this.scene.root.matrix.clone().multiply(matrixOf(this.scene.transforms(), hit.link));
      return { frame: hit.link, point: hit.point.clone().applyMatrix4(inWorld.invert()) };
    }
    return null;
  }

  dispose(): void {
    for (const [name, handler] of this.handlers) this.canvas.removeEventListener(name as "pointerdown", handler);
  }
}
