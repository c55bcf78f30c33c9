// Camera of the scene: perspective or orthographic, orbiting about a target point, z axis up.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

import { fitted, shiftTo, type CameraPoint } from "./cameraFit";
import type { ViewDirection } from "./scene";

const DIRECTIONS: Record<ViewDirection, [number, number, number]> = {
  iso: [1, -1.15, 0.75],
  top: [0, -1e-4, 1],
  front: [0, -1, 0],
  side: [1, 0, 0],
};
const FIELD = 35;
/** Fraction of the picture at its sides that is reserved for frame labels. */
const EDGE = 0.08;

export class Viewpoint {
  private readonly perspective = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 1000);
  private readonly orthographic = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  private readonly controls: OrbitControls;
  private aspect = 1;
  /** Half the visible height of the orthographic camera. */
  private tall = 1;
  /** Whether the user has rotated or moved the camera since the robot was fitted into the picture. */
  movedByUser = false;
  /** The same before the current gesture. */
  private movedBefore = false;

  constructor(canvas: HTMLElement, onChange: () => void) {
    for (const camera of [this.perspective, this.orthographic]) camera.up.set(0, 0, 1);
    this.perspective.position.set(...DIRECTIONS.iso).multiplyScalar(3);
    this.controls = new OrbitControls(this.perspective, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", onChange);
    this.controls.addEventListener("start", () => {
      this.movedBefore = this.movedByUser;
      this.movedByUser = true;
    });
  }

  get camera(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    return this.controls.object as THREE.PerspectiveCamera | THREE.OrthographicCamera;
  }

  /** Whether dragging the pointer rotates the camera; a gesture that began with another meaning does not count. */
  setEnabled(enabled: boolean): void {
    this.controls.enabled = enabled;
    if (!enabled) this.movedByUser = this.movedBefore;
  }

  resize(width: number, height: number): void {
    this.aspect = width / Math.max(1, height);
    this.perspective.aspect = this.aspect;
    this.frame();
    this.perspective.updateProjectionMatrix();
  }

  private frame(): void {
    const { orthographic, tall } = this;
    [orthographic.top, orthographic.bottom] = [tall, -tall];
    [orthographic.right, orthographic.left] = [tall * this.aspect, -tall * this.aspect];
    orthographic.updateProjectionMatrix();
  }

  /** Fit points with a margin, and outer points without one, into the picture, from the current or another direction. */
  fit(points: THREE.Vector3[], room: number, from?: ViewDirection, outer: THREE.Vector3[] = []): void {
    const back = from
      ? new THREE.Vector3(...DIRECTIONS[from])
      : this.camera.position.clone().sub(this.controls.target);
    if (back.lengthSq() === 0) back.set(...DIRECTIONS.iso);
    back.normalize();
    const right = new THREE.Vector3(0, 0, 1).cross(back).normalize();
    const up = back.clone().cross(right);
    const inCamera = (point: THREE.Vector3): [number, number, number] => [point.dot(right), point.dot(up), point.dot(back)];
    const cameraPoints: CameraPoint[] = [...points.map(inCamera), ...outer.map((point): CameraPoint => [...inCamera(point), 0])];
    const slope = Math.tan(THREE.MathUtils.degToRad(FIELD / 2)) * (1 - EDGE);
    const fit = fitted(cameraPoints, room, slope, this.aspect, this.camera === this.perspective);
    this.tall = fit.halfHeight / (1 - EDGE);
    this.controls.target
      .set(0, 0, 0)
      .addScaledVector(right, fit.right)
      .addScaledVector(up, fit.up)
      .addScaledVector(back, fit.back);
    for (const camera of [this.perspective, this.orthographic]) {
      camera.position.copy(this.controls.target).addScaledVector(back, fit.distance);
      camera.zoom = 1;
    }
    this.perspective.near = fit.distance / 200;
    this.perspective.far = fit.distance * 50;
    this.perspective.updateProjectionMatrix();
    this.frame();
    this.controls.update();
    this.movedByUser = false;
  }

  /**
   * Move the camera with a robot, given by points, that leaves the picture; return whether it was moved. The direction of
   * the view and its distance from the robot remain.
   */
  follow(points: THREE.Vector3[]): boolean {
    const { target } = this.controls;
    const back = this.camera.position.clone().sub(target).normalize();
    const centre = points.reduce((sum, point) => sum.add(point), new THREE.Vector3()).divideScalar(points.length);
    const nearer = back.clone().multiplyScalar(centre.clone().sub(target).dot(back));
    const camera = this.camera.clone();
    camera.position.add(nearer);
    camera.updateMatrixWorld();
    const all = points.map((point) => point.clone().project(camera));
    const [right, up] = (["x", "y"] as const).map((axis) => {
      const values = all.map((one) => one[axis]);
      return shiftTo(Math.min(...values), Math.max(...values));
    }) as [number, number];
    if ((!right && !up) || !Number.isFinite(right + up)) return false;
    const seen = centre.clone().project(camera);
    const wanted = new THREE.Vector3(seen.x - right, seen.y - up, seen.z).unproject(camera);
    // After a jump to another time the robot may be far from the picture; it then is in its middle.
    const isFar = Math.max(Math.abs(right), Math.abs(up)) > 1;
    const shift = isFar ? centre.clone().sub(target) : centre.clone().sub(wanted).add(nearer);
    target.add(shift);
    for (const one of [this.perspective, this.orthographic]) one.position.add(shift);
    this.controls.update();
    return true;
  }

  setOrthographic(on: boolean): void {
    const next = on ? this.orthographic : this.perspective;
    if (next === this.camera) return;
    next.position.copy(this.camera.position);
    this.controls.object = next;
    this.controls.update();
  }

  orbit(right: number, up: number, nearer: number): void {
    this.movedByUser = true;
    const arm = this.camera.position.clone().sub(this.controls.target);
    const place = new THREE.Spherical().setFromVector3(new THREE.Vector3(arm.x, arm.z, -arm.y));
    place.theta += right;
    place.phi = THREE.MathUtils.clamp(place.phi - up, 0.01, Math.PI - 0.01);
    place.radius /= nearer;
    const direction = new THREE.Vector3().setFromSpherical(place);
    this.camera.position.copy(this.controls.target).add(new THREE.Vector3(direction.x, -direction.z, direction.y));
    if (this.camera === this.orthographic) {
      this.orthographic.zoom *= nearer;
      this.orthographic.updateProjectionMatrix();
    }
    this.controls.update();
  }

  dispose(): void {
    this.controls.dispose();
  }
}
