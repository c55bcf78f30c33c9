// Where the scene is seen from: a perspective or an orthographic camera that turns about a point, z up.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

import type { Standpoint } from "./scene";

const DIRECTIONS: Record<Standpoint, [number, number, number]> = {
  iso: [1, -1.15, 0.75],
  top: [0, -1e-4, 1],
  front: [0, -1, 0],
  side: [1, 0, 0],
};
const FIELD = 35;

export class Viewpoint {
  private readonly perspective = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 1000);
  private readonly orthographic = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  private readonly controls: OrbitControls;
  private aspect = 1;
  /** Half the height of what is seen without perspective. */
  private tall = 1;

  constructor(canvas: HTMLElement, onChange: () => void) {
    for (const camera of [this.perspective, this.orthographic]) camera.up.set(0, 0, 1);
    this.perspective.position.set(...DIRECTIONS.iso).multiplyScalar(3);
    this.controls = new OrbitControls(this.perspective, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", onChange);
  }

  get camera(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    return this.controls.object as THREE.PerspectiveCamera | THREE.OrthographicCamera;
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

  /** Looks at points so that they fill the picture with some room around, from where it looks or from elsewhere. */
  fit(points: THREE.Vector3[], room: number, from?: Standpoint): void {
    const centre = new THREE.Box3().setFromPoints(points).getCenter(new THREE.Vector3());
    const back = from
      ? new THREE.Vector3(...DIRECTIONS[from])
      : this.camera.position.clone().sub(this.controls.target);
    if (back.lengthSq() === 0) back.set(...DIRECTIONS.iso);
    back.normalize();
    const right = new THREE.Vector3(0, 0, 1).cross(back).normalize();
    const up = back.clone().cross(right);
    const slope = Math.tan(THREE.MathUtils.degToRad(FIELD / 2));
    let away = 0;
    this.tall = 0;
    for (const point of points) {
      const arm = point.clone().sub(centre);
      const half = Math.max(Math.abs(arm.dot(up)) + room, (Math.abs(arm.dot(right)) + room) / this.aspect);
      away = Math.max(away, half / slope + arm.dot(back));
      this.tall = Math.max(this.tall, half);
    }
    this.controls.target.copy(centre);
    for (const camera of [this.perspective, this.orthographic]) {
      camera.position.copy(centre).addScaledVector(back, away);
      camera.zoom = 1;
    }
    this.perspective.near = away / 200;
    this.perspective.far = away * 50;
    this.perspective.updateProjectionMatrix();
    this.frame();
    this.controls.update();
  }

  setOrthographic(on: boolean): void {
    const next = on ? this.orthographic : this.perspective;
    if (next === this.camera) return;
    next.position.copy(this.camera.position);
    this.controls.object = next;
    this.controls.update();
  }

  orbit(right: number, up: number, nearer: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    const place = new THREE.Spherical().setFromVector3(new THREE.Vector3(arm.x, arm.z, -arm.y));
    place.theta += right;
    place.phi = THREE.MathUtils.clamp(place.phi - up, 0.01, Math.PI - 0.01);
    place.radius /= nearer;
    const found = new THREE.Vector3().setFromSpherical(place);
    this.camera.position.copy(this.controls.target).add(new THREE.Vector3(found.x, -found.z, found.y));
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
