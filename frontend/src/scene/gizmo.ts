// Handles at a frame, by which the pointer moves or turns it.

import * as THREE from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";

import type { GizmoAxes, GizmoMode } from "./scene";

/** Length of an arrow in pixels, and its largest part of the picture's height. */
const ARROW = 56;
const LARGEST_PART = 0.2;
/** Length of a shaft with its tip, relative to the arrow length that three defines. */
const WITH_TIP = 1.2;
/** Length of an arrow at size 1, as a fraction of the picture's height: half of three's 1.9 / 2 / 4. */
const UNIT = 0.119;
const AXES = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];

export class Gizmo {
  /** Object whose pose the handles change; its parent determines the frame of the pose. */
  private readonly handle = new THREE.Object3D();
  private readonly controls: TransformControls;
  private readonly helper: THREE.Object3D;
  /** Length of the arrows and height of the picture, in pixels. */
  private arrow = ARROW;
  private height = 1;

  constructor(
    camera: THREE.Camera,
    canvas: HTMLElement,
    world: THREE.Object3D,
    on: { change: () => void; drag: () => void; dragging: (active: boolean) => void },
  ) {
    this.controls = new TransformControls(camera, canvas);
    this.helper = this.controls.getHelper();
    this.helper.visible = false;
    world.add(this.helper);
    this.controls.addEventListener("change", on.change);
    this.controls.addEventListener("objectChange", on.drag);
    this.controls.addEventListener("dragging-changed", ({ value }) => on.dragging(value as boolean));
  }

  get dragging(): boolean {
    return this.controls.dragging;
  }

  /** Whether the pointer is over a handle. */
  get hovered(): boolean {
    return this.controls.axis !== null && this.helper.visible;
  }

  /** Keep the length of the arrows in a picture of another height; in a low picture they are shorter. */
  resize(height: number): void {
    this.height = Math.max(1, height);
    this.arrow = Math.min(ARROW, LARGEST_PART * this.height);
    this.controls.size = this.arrow / (UNIT * this.height);
  }

  /** Return the ends of the handles in the world for the current camera; none if they are hidden. */
  ends(): THREE.Vector3[] {
    if (!this.helper.visible) return [];
    const { camera } = this.controls;
    const at = this.handle.getWorldPosition(new THREE.Vector3());
    const pixel =
      camera instanceof THREE.OrthographicCamera
        ? (camera.top - camera.bottom) / camera.zoom / this.height
        : (2 * Math.tan(THREE.MathUtils.degToRad((camera as THREE.PerspectiveCamera).fov / 2)) * camera.position.distanceTo(at)) / this.height;
    const turn = this.rotation();
    return AXES.flatMap((axis) =>
      [-1, 1].map((sign) => at.clone().addScaledVector(axis.clone().applyQuaternion(turn), sign * WITH_TIP * this.arrow * pixel)),
    );
  }

  private rotation(): THREE.Quaternion {
    return this.controls.space === "local" ? this.handle.getWorldQuaternion(new THREE.Quaternion()) : new THREE.Quaternion();
  }

  setCamera(camera: THREE.Camera): void {
    this.controls.camera = camera;
  }

  /** Return the result of a drawing in which the handles are hidden. */
  hiddenIn<T>(draw: () => T): T {
    const before = this.helper.visible;
    this.helper.visible = false;
    try {
      return draw();
    } finally {
      this.helper.visible = before;
    }
  }

  show(parent: THREE.Object3D, mode: GizmoMode, axes: GizmoAxes): void {
    parent.add(this.handle);
    this.controls.setMode(mode);
    this.controls.setSpace(axes === "frame" ? "local" : "world");
    if (this.controls.object !== this.handle) this.controls.attach(this.handle);
    this.helper.visible = true;
    this.controls.enabled = true;
  }

  hide(): void {
    this.helper.visible = false;
    this.controls.enabled = false;
    this.controls.detach();
    this.handle.removeFromParent();
  }

  /** Move the handles to a pose (row-major, in the frame of the parent). */
  place(T: ArrayLike<number>, at = 0): void {
    const entries = Array.from({ length: 16 }, (_, k) => T[at + k]!);
    if (!entries.every(Number.isFinite)) return;
    this.handle.matrix.fromArray(entries).transpose().decompose(this.handle.position, this.handle.quaternion, this.handle.scale);
    this.handle.scale.set(1, 1, 1);
    this.handle.updateMatrixWorld(true);
  }

  /** Return the pose of the handles (row-major, in the frame of the parent). */
  pose(): number[] {
    this.handle.updateMatrix();
    return this.handle.matrix.clone().transpose().toArray();
  }

  /**
   * Return a point on the handle that points most across the picture, in pixels, and the direction in which it moves;
   * null if no handle is shown.
   */
  spot(width: number, height: number): { x: number; y: number; dx: number; dy: number } | null {
    if (!this.helper.visible) return null;
    const { camera } = this.controls;
    const at = this.handle.getWorldPosition(new THREE.Vector3());
    const turn = this.rotation();
    const pixels = (point: THREE.Vector3): THREE.Vector2 => {
      const seen = point.clone().project(camera);
      return new THREE.Vector2(((seen.x + 1) / 2) * width, ((1 - seen.y) / 2) * height);
    };
    const from = pixels(at);
    const scale = camera.position.distanceTo(at) * 0.01;
    const rays = AXES.map((axis) =>
      pixels(at.clone().addScaledVector(axis.clone().applyQuaternion(turn), scale)).sub(from),
    );
    const best = rays.reduce((longest, ray) => (ray.length() > longest.length() ? ray : longest));
    if (!(best.length() > 0)) return null;
    const [dx, dy] = best.clone().normalize().toArray();
    const out = 0.7 * this.arrow;
    return { x: from.x + dx * out, y: from.y + dy * out, dx, dy };
  }

  dispose(): void {
    this.hide();
    this.controls.dispose();
    this.helper.removeFromParent();
  }
}
