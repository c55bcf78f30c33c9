// Visual shapes of links: meshes that were dropped with the robot, and simple solids of its file.

import * as THREE from "three";

import type { VisualData } from "../backend/messages";
import { matrixOf, type BodyHit } from "./body";
import { fileOf } from "./meshfile";

type Placed = { visual: VisualData; object: THREE.Object3D };

export class Visuals {
  readonly group = new THREE.Group();
  private placed: Placed[] = [];
  private requests = 0;
  private wanted = "";
  private files: ReadonlyMap<string, File> | null = null;
  private readonly material = new THREE.MeshLambertMaterial({ color: 0x9aa3ad, transparent: true, opacity: 0.55 });

  /** Resolve when all readable shapes are in the scene. */
  async set(visuals: VisualData[], files: ReadonlyMap<string, File>): Promise<void> {
    // Most edits of a robot do not change its shapes, and reading them takes seconds.
    const wanted = JSON.stringify(visuals);
    if (wanted === this.wanted && files === this.files) return;
    [this.wanted, this.files] = [wanted, files];
    const request = ++this.requests;
    this.clear();
    // Several links may have the same mesh, which is read once.
    const known = new Map<File, THREE.Object3D | null>();
    const shape = async (file: File | null): Promise<THREE.Object3D | null> => {
      if (!file) return null;
      if (!known.has(file)) known.set(file, await this.read(file, files));
      return known.get(file)?.clone() ?? null;
    };
    for (const visual of visuals) {
      const object = visual.shape === "mesh" ? await shape(fileOf(visual.file ?? "", files)) : this.solid(visual);
      if (request !== this.requests) return;
      if (!object) continue;
      const holder = new THREE.Group();
      const turn = new THREE.Euler(...triple(visual.rpy, 0), "ZYX");
      object.applyMatrix4(
        new THREE.Matrix4().compose(
          new THREE.Vector3(...triple(visual.xyz, 0)),
          new THREE.Quaternion().setFromEuler(turn),
          new THREE.Vector3(...triple(visual.scale, 1)),
        ),
      );
      holder.add(object);
      holder.matrixAutoUpdate = false;
      holder.userData["frame"] = visual.frame;
      this.group.add(holder);
      this.placed.push({ visual, object: holder });
    }
  }

  update(T: ArrayLike<number>): void {
    for (const { visual, object } of this.placed) {
      object.matrix.copy(matrixOf(T, visual.frame));
      object.matrixWorldNeedsUpdate = true;
    }
  }

  /** Return the nearest shape on a ray. */
  hit(ray: THREE.Raycaster): BodyHit | null {
    const [hit] = this.group.children.length ? ray.intersectObject(this.group, true) : [];
    if (!hit) return null;
    let owner: THREE.Object3D | null = hit.object;
    while (owner && owner.userData["frame"] === undefined) owner = owner.parent;
    return { link: (owner?.userData["frame"] as number | undefined) ?? 0, point: hit.point, distance: hit.distance };
  }

  /** Load a mesh; a file that cannot be read is not drawn, and the rest of the robot is. */
  private async read(file: File, files: ReadonlyMap<string, File>): Promise<THREE.Object3D | null> {
    try {
      return await mesh(file, this.material, files);
    } catch (error) {
      console.warn(`${file.name} cannot be drawn: ${String(error)}`);
      return null;
    }
  }

  private solid({ shape, size, color }: VisualData): THREE.Object3D {
    const [a = 0.1, b = 0.1, c = 0.1] = size;
    const geometry =
      shape === "box"
        ? new THREE.BoxGeometry(a, b, c)
        : shape === "sphere"
          ? new THREE.SphereGeometry(a, 24, 16)
          : new THREE.CylinderGeometry(a, a, b, 28).rotateX(Math.PI / 2);
    if (!color) return new THREE.Mesh(geometry, this.material);
    const own = this.material.clone();
    own.color.setRGB(color[0] ?? 0.6, color[1] ?? 0.6, color[2] ?? 0.6, THREE.SRGBColorSpace);
    return new THREE.Mesh(geometry, own);
  }

  private clear(): void {
    this.group.traverse((one) => {
      if (!(one instanceof THREE.Mesh)) return;
      one.geometry.dispose();
      if (one.material !== this.material) for (const own of [one.material].flat()) own.dispose();
    });
    this.group.clear();
    this.placed = [];
  }

  dispose(): void {
    this.requests++;
    this.clear();
    this.material.dispose();
  }
}

/** Return the shape of a mesh file; `files` contains its textures. */
export async function mesh(file: File, material: THREE.Material, files: ReadonlyMap<string, File> = new Map()): Promise<THREE.Object3D | null> {
  const kind = file.name.split(".").at(-1)?.toLowerCase();
  if (kind === "stl") {
    const { STLLoader } = await import("three/addons/loaders/STLLoader.js");
    const geometry = new STLLoader().parse(await file.arrayBuffer());
    // Many files contain unusable normals, so they are computed.
    geometry.computeVertexNormals();
    return new THREE.Mesh(geometry, material);
  }
  if (kind === "obj") {
    const { OBJLoader } = await import("three/addons/loaders/OBJLoader.js");
    const object = new OBJLoader().parse(await file.text());
    object.traverse((one) => one instanceof THREE.Mesh && (one.material = material));
    return object;
  }
  if (kind === "dae") {
    const { ColladaLoader } = await import("three/addons/loaders/ColladaLoader.js");
    const textures = texturesOf(files);
    const scene = new ColladaLoader(textures.manager).parse(await file.text(), "")?.scene;
    await textures.loaded();
    if (!scene) return null;
    // The loader rotates files with z up to three.js's y up; here, as in a URDF, z is up. Units are unchanged.
    scene.rotation.set(0, 0, 0);
    scene.remove(...scene.children.filter((one) => one instanceof THREE.Light || one instanceof THREE.Camera));
    return scene;
  }
  return null;
}

/** A white pixel instead of a texture that was not dropped; without any, the surface would be black. */
const WHITE = "data:image/gif;base64,R0lGODlhAQABAIAAAP///////ywAAAAAAQABAAACAkQBADs=";

/** Return a manager that loads textures from files, and a function that waits for those that were requested. */
export function texturesOf(files: ReadonlyMap<string, File>): { manager: THREE.LoadingManager; loaded: () => Promise<void> } {
  const manager = new THREE.LoadingManager();
  const addresses: string[] = [];
  let started = false;
  manager.onStart = () => void (started = true);
  const ended = new Promise<void>((resolve) => (manager.onLoad = resolve));
  manager.setURLModifier((path) => {
    const file = fileOf(path, files);
    if (!file) return WHITE;
    const address = URL.createObjectURL(file);
    addresses.push(address);
    return address;
  });
  return {
    manager,
    loaded: async () => {
      if (started) await ended;
      for (const address of addresses) URL.revokeObjectURL(address);
    },
  };
}

function triple(values: number[] | undefined, otherwise: number): [number, number, number] {
  return [values?.[0] ?? otherwise, values?.[1] ?? otherwise, values?.[2] ?? otherwise];
}
