// The scene as a vector drawing: the visible parts of faces, lines and points. Hidden parts are removed by a depth
// buffer; the rest is drawn the farthest first (painter's algorithm): opaque faces, lines, transparent faces, handles. The
// grid is drawn behind all of them.

import * as THREE from "three";

import { escaped } from "../plot/svg";
import { DepthBuffer, type Face } from "./depthBuffer";
import type { Label } from "./labels";

export interface Sheet {
  width: number;
  height: number;
  dark: boolean;
  /** Colour of the background. */
  ground: string;
  labels: readonly Label[];
}

interface Polygon {
  face: Face;
  fill: string;
  /** 1 for opaque faces. */
  opacity: number;
  /** Whether it is drawn in front of everything, as the handles are. */
  above: boolean;
}

interface Stroke {
  ends: [THREE.Vector3, THREE.Vector3];
  colour: string;
  /** Whether it is drawn behind everything, as the grid is. */
  behind: boolean;
}

interface Dot {
  at: THREE.Vector3;
  fill: string;
}

interface Drawing {
  polygons: Polygon[];
  strokes: Stroke[];
  dots: Dot[];
}

/** Edges of triangles are stroked by this width in pixels, so that no gaps appear between neighbours. */
const SEAM = 0.4;
/** Length of edges in pixels to which partly hidden faces are divided: nearer faces are drawn over opaque ones later. */
const COVERED_EDGE = 4;
const UNCOVERED_EDGE = 1.5;

/** Return the visible objects of a scene as an SVG document, with the labels above them. */
export function sceneSvg(world: THREE.Object3D, camera: THREE.Camera, sheet: Sheet): string {
  const { width, height, ground } = sheet;
  world.updateMatrixWorld();
  camera.updateMatrixWorld();
  const drawing: Drawing = { polygons: [], strokes: [], dots: [] };
  const lights: THREE.Light[] = [];
  world.traverseVisible((object) => object instanceof THREE.Light && lights.push(object));
  world.traverseVisible((object) => collect(object, drawing, lights, camera, sheet));
  const buffer = new DepthBuffer(Math.ceil(width), Math.ceil(height));
  const opaque = drawing.polygons.filter(({ opacity, above }) => opacity === 1 && !above);
  const transparent = drawing.polygons.filter(({ opacity, above }) => opacity < 1 && !above);
  for (const { face } of opaque) buffer.add(face);
  const visible = (polygons: Polygon[], smallest: number): Polygon[] =>
    polygons.flatMap((one) => buffer.visible(one.face, smallest).map((face) => ({ ...one, face })));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="${ground}"/>`,
    ...drawing.strokes.filter(({ behind }) => behind).map(({ ends, colour }) => lineText(...ends, colour)),
    `<g stroke-width="${SEAM}" stroke-linejoin="round">`,
    ...paths(sorted(visible(opaque, COVERED_EDGE))),
    "</g>",
    ...drawing.strokes
      .filter(({ behind }) => !behind)
      .flatMap(({ ends, colour }) => buffer.visibleParts(...ends).map(([a, b]) => lineText(a, b, colour))),
    ...drawing.dots.filter(({ at }) => buffer.shows(at)).map(({ at, fill }) => `<circle cx="${number(at.x)}" cy="${number(at.y)}" r="1.5" fill="${fill}"/>`),
    ...paths(grouped(visible(transparent, UNCOVERED_EDGE))),
    ...paths(sorted(drawing.polygons.filter(({ above }) => above))),
    ...sheet.labels.map((label) => labelText(label, sheet)),
    "</svg>",
    "",
  ].join("\n");
}

const number = (value: number): string => String(+value.toFixed(1));

/** Return the polygons as paths; consecutive ones of the same colour are one path, without seams between them. */
function paths(polygons: Polygon[]): string[] {
  const isSame = (a: Polygon | undefined, b: Polygon): boolean => a?.fill === b.fill && a.opacity === b.opacity;
  const runs: Polygon[][] = [];
  for (const polygon of polygons)
    if (isSame(runs.at(-1)?.[0], polygon)) runs.at(-1)!.push(polygon);
    else runs.push([polygon]);
  return runs.map((run) => {
    const { fill, opacity } = run[0]!;
    const outline = run.map(({ face: [a, b, c] }) => `M${place(a)}L${place(b)} ${place(c)}z`).join("");
    return `<path d="${outline}" fill="${fill}" ${opacity < 1 ? `fill-opacity="${opacity}"` : `stroke="${fill}"`}/>`;
  });
}

const place = ({ x, y }: { x: number; y: number }): string => `${number(x)},${number(y)}`;

const sorted = (polygons: Polygon[]): Polygon[] => polygons.sort((a, b) => depth(b) - depth(a));

/** Return the polygons by colour, the colour with the farthest polygon first. */
function grouped(polygons: Polygon[]): Polygon[] {
  const groups = new Map<string, Polygon[]>();
  for (const polygon of sorted(polygons)) {
    const key = `${polygon.fill} ${polygon.opacity}`;
    groups.set(key, [...(groups.get(key) ?? []), polygon]);
  }
  return [...groups.values()].flat();
}

const lineText = (a: { x: number; y: number }, b: { x: number; y: number }, colour: string): string =>
  `<line x1="${number(a.x)}" y1="${number(a.y)}" x2="${number(b.x)}" y2="${number(b.y)}" stroke="${colour}"/>`;

const depth = ({ face: [a, b, c] }: Polygon): number => (a.z + b.z + c.z) / 3;

/** Return a label as text, with a margin in the colour of the background, so that it is readable on the robot. */
function labelText({ text, x, y, colour }: Label, { dark, ground }: Sheet): string {
  const fill = colour ?? (dark ? "#dfe4ea" : "#1b2026");
  const margin = `paint-order="stroke" stroke="${ground}" stroke-width="3" stroke-opacity="0.75" stroke-linejoin="round"`;
  return `<text x="${number(x + 8)}" y="${number(y + 14)}" font-family="monospace" font-size="12" fill="${fill}" ${margin}>${escaped(text)}</text>`;
}

/** Draw the labels on a picture, at their places over the scene. */
export function drawLabelsOn(context: CanvasRenderingContext2D, labels: readonly Label[], dark: boolean): void {
  context.font = "12px monospace";
  // Legible in front of any body, as in the SVG.
  context.strokeStyle = dark ? "#171b20" : "#ffffff";
  context.lineWidth = 3;
  context.lineJoin = "round";
  for (const { text, x, y, colour } of labels) {
    context.fillStyle = colour ?? (dark ? "#dfe4ea" : "#1b2026");
    context.strokeText(text, x + 8, y + 14);
    context.fillText(text, x + 8, y + 14);
  }
}

/** Add the faces, lines or points of an object to a drawing. */
function collect(object: THREE.Object3D, drawing: Drawing, lights: THREE.Light[], camera: THREE.Camera, sheet: Sheet): void {
  const material = (object as THREE.Mesh).material as THREE.MeshLambertMaterial | undefined;
  if (object instanceof THREE.InstancedMesh) {
    const [at, colour] = [new THREE.Matrix4(), new THREE.Color()];
    for (let k = 0; k < object.count; k++) {
      object.getMatrixAt(k, at);
      if (object.instanceColor) object.getColorAt(k, colour);
      else colour.copy((object.material as THREE.MeshLambertMaterial).color);
      triangles(object, at.premultiply(object.matrixWorld), colour, drawing, lights, camera, sheet);
    }
  } else if (!material?.color || !material.visible) return;
  else if (object instanceof THREE.Mesh) triangles(object, object.matrixWorld, material.color, drawing, lights, camera, sheet);
  else if (object instanceof THREE.Line) segments(object, material, drawing, camera, sheet);
  else if (object instanceof THREE.Points) points(object, material, drawing, camera, sheet);
}

/** Return the point in pixels, with its depth from -1 to 1 in z. */
function projected(point: THREE.Vector3, camera: THREE.Camera, { width, height }: Sheet): THREE.Vector3 {
  point.project(camera);
  return point.set(((point.x + 1) / 2) * width, ((1 - point.y) / 2) * height, point.z);
}

const isAhead = (...places: THREE.Vector3[]): boolean => places.every(({ z }) => z > -1 && z < 1);

function triangles(
  mesh: THREE.Mesh,
  at: THREE.Matrix4,
  colour: THREE.Color,
  drawing: Drawing,
  lights: THREE.Light[],
  camera: THREE.Camera,
  sheet: Sheet,
): void {
  const material = mesh.material as THREE.Material;
  const { position } = mesh.geometry.attributes;
  const { index } = mesh.geometry;
  if (!position) return;
  const count = index?.count ?? position.count;
  const corner = (k: number): THREE.Vector3 =>
    new THREE.Vector3().fromBufferAttribute(position as THREE.BufferAttribute, index ? index.getX(k) : k).applyMatrix4(at);
  const lit = (material as THREE.MeshLambertMaterial).isMeshLambertMaterial || (material as THREE.MeshStandardMaterial).isMeshStandardMaterial;
  for (let k = 0; k + 2 < count; k += 3) {
    const [a, b, c] = [corner(k), corner(k + 1), corner(k + 2)];
    const normal = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
    const [p, q, r] = [a, b, c].map((point) => projected(point, camera, sheet)) as [THREE.Vector3, THREE.Vector3, THREE.Vector3];
    if (!isAhead(p, q, r)) continue;
    // The y axis of the picture points down, so that front faces have a negative area.
    const area = (q.x - p.x) * (r.y - p.y) - (r.x - p.x) * (q.y - p.y);
    if (!(material.side === THREE.DoubleSide ? area !== 0 : area < 0)) continue;
    const fill = lit ? illuminated(colour, area < 0 ? normal : normal.negate(), lights) : colour;
    drawing.polygons.push({ face: [p, q, r], fill: hex(fill), opacity: material.transparent ? material.opacity : 1, above: !material.depthTest });
  }
}

/** Return the colour of a matt (Lambert) surface with a normal: albedo / pi times the irradiance, as in the picture. */
function illuminated(albedo: THREE.Color, normal: THREE.Vector3, lights: THREE.Light[]): THREE.Color {
  const irradiance = new THREE.Color(0);
  for (const light of lights) {
    const towards = light.getWorldPosition(new THREE.Vector3());
    const colour = light.color.clone();
    let share = 0;
    if (light instanceof THREE.HemisphereLight) {
      colour.copy(light.groundColor).lerp(light.color, 0.5 + 0.5 * normal.dot(towards.normalize()));
      share = 1;
    } else if (light instanceof THREE.DirectionalLight) {
      share = Math.max(0, normal.dot(towards.sub(light.target.getWorldPosition(new THREE.Vector3())).normalize()));
    }
    irradiance.add(colour.multiplyScalar((share * light.intensity) / Math.PI));
  }
  return albedo.clone().multiply(irradiance);
}

function segments(line: THREE.Line, { color, depthWrite }: THREE.MeshLambertMaterial, drawing: Drawing, camera: THREE.Camera, sheet: Sheet): void {
  const { position, color: colours } = line.geometry.attributes;
  if (!position) return;
  const point = (k: number): THREE.Vector3 =>
    projected(new THREE.Vector3().fromBufferAttribute(position as THREE.BufferAttribute, k).applyMatrix4(line.matrixWorld), camera, sheet);
  const end = Math.min(position.count, line.geometry.drawRange.start + line.geometry.drawRange.count);
  for (let k = line.geometry.drawRange.start; k + 1 < end; k += line instanceof THREE.LineSegments ? 2 : 1) {
    const ends: [THREE.Vector3, THREE.Vector3] = [point(k), point(k + 1)];
    if (!isAhead(...ends)) continue;
    drawing.strokes.push({ ends, colour: hex(colours ? new THREE.Color().fromBufferAttribute(colours as THREE.BufferAttribute, k) : color), behind: !depthWrite });
  }
}

function points(cloud: THREE.Points, { color }: THREE.MeshLambertMaterial, drawing: Drawing, camera: THREE.Camera, sheet: Sheet): void {
  const { position, color: colours } = cloud.geometry.attributes;
  for (let k = 0; k < (position?.count ?? 0); k++) {
    const at = projected(new THREE.Vector3().fromBufferAttribute(position as THREE.BufferAttribute, k).applyMatrix4(cloud.matrixWorld), camera, sheet);
    if (!isAhead(at)) continue;
    drawing.dots.push({ at, fill: hex(colours ? new THREE.Color().fromBufferAttribute(colours as THREE.BufferAttribute, k) : color) });
  }
}

const hex = (colour: THREE.Color): string => `#${colour.getHexString()}`;
