// The scene as a vector drawing: projected triangles, lines and points, the farthest first (painter's algorithm).

import * as THREE from "three";

import { escaped } from "../plot/svg";
import type { Label } from "./labels";

export interface Sheet {
  width: number;
  height: number;
  dark: boolean;
  /** Colour of the background. */
  ground: string;
  labels: readonly Label[];
}

interface Shape {
  depth: number;
  text: string;
}

/** Direction of the light in the world, and the part of a colour that does not depend on it. */
const LIGHT = new THREE.Vector3(2, -3, 5).normalize();
const AMBIENT = 0.62;
/** Edges of triangles are stroked by this width in pixels, so that no gaps appear between neighbours. */
const SEAM = 0.4;

/** Return the visible objects of a scene as an SVG document, with the labels above them. */
export function sceneSvg(world: THREE.Object3D, camera: THREE.Camera, sheet: Sheet): string {
  const { width, height, ground } = sheet;
  world.updateMatrixWorld();
  camera.updateMatrixWorld();
  const shapes: Shape[] = [];
  world.traverseVisible((object) => shapes.push(...shapesOf(object, camera, sheet)));
  shapes.sort((a, b) => b.depth - a.depth);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="${ground}"/>`,
    ...shapes.map(({ text }) => text),
    ...sheet.labels.map((label) => labelText(label, sheet.dark)),
    "</svg>",
    "",
  ].join("\n");
}

function labelText({ text, x, y, colour }: Label, dark: boolean): string {
  const fill = colour ?? (dark ? "#dfe4ea" : "#1b2026");
  return `<text x="${(x + 8).toFixed(1)}" y="${(y + 14).toFixed(1)}" font-family="monospace" font-size="12" fill="${fill}">${escaped(text)}</text>`;
}

/** Draw the labels on a picture, at their places over the scene. */
export function drawLabelsOn(context: CanvasRenderingContext2D, labels: readonly Label[], dark: boolean): void {
  context.font = "12px monospace";
  for (const { text, x, y, colour } of labels) {
    context.fillStyle = colour ?? (dark ? "#dfe4ea" : "#1b2026");
    context.fillText(text, x + 8, y + 14);
  }
}

function shapesOf(object: THREE.Object3D, camera: THREE.Camera, sheet: Sheet): Shape[] {
  if (object instanceof THREE.InstancedMesh) {
    const [at, colour] = [new THREE.Matrix4(), new THREE.Color()];
    return Array.from({ length: object.count }, (_, k) => {
      object.getMatrixAt(k, at);
      if (object.instanceColor) object.getColorAt(k, colour);
      else colour.copy((object.material as THREE.MeshLambertMaterial).color);
      return triangles(object, at.clone().premultiply(object.matrixWorld), colour, camera, sheet);
    }).flat();
  }
  const material = (object as THREE.Mesh).material as THREE.MeshLambertMaterial | undefined;
  if (!material?.color) return [];
  if (object instanceof THREE.Mesh) return triangles(object, object.matrixWorld, material.color, camera, sheet);
  if (object instanceof THREE.Line) return segments(object, material, camera, sheet);
  return object instanceof THREE.Points ? points(object, material, camera, sheet) : [];
}

/** Return the point in pixels, with its depth from -1 to 1 in z. */
function projected(point: THREE.Vector3, camera: THREE.Camera, { width, height }: Sheet): THREE.Vector3 {
  point.project(camera);
  return point.set(((point.x + 1) / 2) * width, ((1 - point.y) / 2) * height, point.z);
}

const isAhead = (...places: THREE.Vector3[]): boolean => places.every(({ z }) => z > -1 && z < 1);

function triangles(mesh: THREE.Mesh, at: THREE.Matrix4, colour: THREE.Color, camera: THREE.Camera, sheet: Sheet): Shape[] {
  const material = mesh.material as THREE.Material;
  const { position } = mesh.geometry.attributes;
  const { index } = mesh.geometry;
  if (!position) return [];
  const count = index?.count ?? position.count;
  const corner = (k: number): THREE.Vector3 =>
    new THREE.Vector3().fromBufferAttribute(position as THREE.BufferAttribute, index ? index.getX(k) : k).applyMatrix4(at);
  const shapes: Shape[] = [];
  for (let k = 0; k + 2 < count; k += 3) {
    const [a, b, c] = [corner(k), corner(k + 1), corner(k + 2)];
    const normal = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
    const [p, q, r] = [a, b, c].map((point) => projected(point, camera, sheet)) as [THREE.Vector3, THREE.Vector3, THREE.Vector3];
    if (!isAhead(p, q, r)) continue;
    // The y axis of the picture points down, so that front faces have a negative area.
    const area = (q.x - p.x) * (r.y - p.y) - (r.x - p.x) * (q.y - p.y);
    if (!(material.side === THREE.DoubleSide ? area !== 0 : area < 0)) continue;
    const lit = (material as THREE.MeshLambertMaterial).isMeshLambertMaterial || (material as THREE.MeshStandardMaterial).isMeshStandardMaterial;
    const shade = lit ? AMBIENT + (1 - AMBIENT) * Math.max(0, normal.dot(LIGHT) * (area < 0 ? 1 : -1)) : 1;
    const fill = hex(colour, shade);
    const path = [p, q, r].map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
    const stroke = material.transparent ? ` fill-opacity="${material.opacity}"` : ` stroke="${fill}" stroke-width="${SEAM}"`;
    shapes.push({ depth: (p.z + q.z + r.z) / 3, text: `<polygon points="${path}" fill="${fill}"${stroke}/>` });
  }
  return shapes;
}

function segments(line: THREE.Line, { color }: THREE.MeshLambertMaterial, camera: THREE.Camera, sheet: Sheet): Shape[] {
  const { position, color: colours } = line.geometry.attributes;
  if (!position) return [];
  const point = (k: number): THREE.Vector3 =>
    projected(new THREE.Vector3().fromBufferAttribute(position as THREE.BufferAttribute, k).applyMatrix4(line.matrixWorld), camera, sheet);
  const end = Math.min(position.count, line.geometry.drawRange.start + line.geometry.drawRange.count);
  const shapes: Shape[] = [];
  for (let k = line.geometry.drawRange.start; k + 1 < end; k += line instanceof THREE.LineSegments ? 2 : 1) {
    const [a, b] = [point(k), point(k + 1)];
    if (!isAhead(a, b)) continue;
    const stroke = hex(colours ? new THREE.Color().fromBufferAttribute(colours as THREE.BufferAttribute, k) : color, 1);
    const ends = `x1="${a.x.toFixed(1)}" y1="${a.y.toFixed(1)}" x2="${b.x.toFixed(1)}" y2="${b.y.toFixed(1)}"`;
    shapes.push({ depth: (a.z + b.z) / 2, text: `<line ${ends} stroke="${stroke}"/>` });
  }
  return shapes;
}

function points(cloud: THREE.Points, { color }: THREE.MeshLambertMaterial, camera: THREE.Camera, sheet: Sheet): Shape[] {
  const { position, color: colours } = cloud.geometry.attributes;
  return Array.from({ length: position?.count ?? 0 }, (_, k): Shape[] => {
    const at = new THREE.Vector3().fromBufferAttribute(position as THREE.BufferAttribute, k).applyMatrix4(cloud.matrixWorld);
    const { x, y, z } = projected(at, camera, sheet);
    if (!(z > -1 && z < 1)) return [];
    const fill = hex(colours ? new THREE.Color().fromBufferAttribute(colours as THREE.BufferAttribute, k) : color, 1);
    return [{ depth: z, text: `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="1.5" fill="${fill}"/>` }];
  }).flat();
}

const hex = (colour: THREE.Color, shade: number): string => `#${shaded.copy(colour).multiplyScalar(shade ** 2.2).getHexString()}`;
const shaded = new THREE.Color();
