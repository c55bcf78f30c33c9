// Many copies of one solid in one draw call.

import * as THREE from "three";

/** Bars shorter than this part of their width are not visible, and have no direction. */
const SHORTEST = 1e-6;

const matrix = new THREE.Matrix4();
const turn = new THREE.Quaternion();
const place = new THREE.Vector3();
const size = new THREE.Vector3();
const up = new THREE.Vector3(0, 0, 1);
const direction = new THREE.Vector3();

export class Instances {
  readonly mesh: THREE.InstancedMesh;
  /** Link to which the next copies belong. */
  owner = 0;
  private readonly owners: number[] = [];

  constructor(geometry: THREE.BufferGeometry, material: THREE.Material, most: number) {
    this.mesh = new THREE.InstancedMesh(geometry, material, Math.max(1, most));
    this.mesh.frustumCulled = false;
    // The copies move with each picture, so that their bound is not kept up to date.
    this.mesh.boundingSphere = new THREE.Sphere(new THREE.Vector3(), Infinity);
    this.mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    this.mesh.count = 0;
  }

  begin(): void {
    this.mesh.count = 0;
  }

  /** Add a copy; copies beyond the capacity are not drawn. */
  add(at: THREE.Matrix4, colour: THREE.Color): void {
    const k = this.mesh.count;
    if (k >= this.mesh.instanceMatrix.count) return;
    this.mesh.setMatrixAt(k, at);
    this.mesh.setColorAt(k, colour);
    this.owners[k] = this.owner;
    this.mesh.count = k + 1;
  }

  /** Return the link to which a copy belongs. */
  ownerOf(copy: number): number {
    return this.owners[copy] ?? 0;
  }

  /** Add a solid whose z axis points from one point to another; its length is their distance unless given. */
  between(from: ArrayLike<number>, to: ArrayLike<number>, width: number, colour: THREE.Color, length?: number): void {
    direction.set(to[0]! - from[0]!, to[1]! - from[1]!, to[2]! - from[2]!);
    const far = direction.length();
    if (!(far > SHORTEST * width)) return;
    turn.setFromUnitVectors(up, direction.divideScalar(far));
    place.set(from[0]!, from[1]!, from[2]!);
    this.add(matrix.compose(place, turn, size.set(width, width, length ?? far)), colour);
  }

  end(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
    this.mesh.dispose();
  }
}

/** Return a solid of revolution about z with its bottom at the origin, of length and radius one. */
export function cylinderOnOrigin(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  return geometry.rotateX(Math.PI / 2);
}
