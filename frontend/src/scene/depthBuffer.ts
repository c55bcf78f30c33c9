// Depths of the nearest opaque faces per pixel, and the visible parts of faces and lines.

/** A point of the picture in pixels, with its depth from -1 (near) to 1 (far), which is linear in x and y. */
export interface Projected {
  x: number;
  y: number;
  z: number;
}
export type Face = readonly [Projected, Projected, Projected];

/** Difference of depths, relative to their range of 2, below which two points coincide: faces share edges up to rounding. */
const SAME_DEPTH = 1e-9;

export class DepthBuffer {
  private readonly depths: Float64Array;

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {
    this.depths = new Float64Array(width * height).fill(Infinity);
  }

  /** Enter an opaque face. */
  add(face: Face): void {
    this.cover(face, (pixel, z) => {
      if (z < this.depths[pixel]!) this.depths[pixel] = z;
    });
  }

  /** Whether no opaque face is in front of a point; points outside of the picture are not visible. */
  shows({ x, y, z }: Projected): boolean {
    const [column, row] = [Math.floor(x), Math.floor(y)];
    const inside = column >= 0 && row >= 0 && column < this.width && row < this.height;
    return inside && z <= this.depths[row * this.width + column]! + SAME_DEPTH;
  }

  /**
   * Return the parts of a face that are not hidden. A face that is partly hidden is divided at its longest edge, until
   * its edges are shorter than `smallest` pixels.
   */
  visible(face: Face, smallest: number): Face[] {
    let [covered, seen] = [0, 0];
    this.cover(face, (pixel, z) => {
      covered++;
      if (z <= this.depths[pixel]! + SAME_DEPTH) seen++;
    });
    if (!seen) return [];
    const [a, b, c] = face;
    const [ab, bc, ca] = [distance(a, b), distance(b, c), distance(c, a)];
    const longest = Math.max(ab, bc, ca);
    if (seen === covered || longest < smallest) return [face];
    if (longest === bc) return this.divided(b, c, a, smallest);
    return longest === ca ? this.divided(c, a, b, smallest) : this.divided(a, b, c, smallest);
  }

  /** Return the parts of a line that are not hidden, by steps of one pixel. */
  visibleParts(from: Projected, to: Projected): [Projected, Projected][] {
    const steps = Math.max(1, Math.ceil(distance(from, to)));
    const parts: [Projected, Projected][] = [];
    let start: Projected | null = null;
    let last = from;
    for (let k = 0; k <= steps; k++) {
      const point = between(from, to, k / steps);
      if (this.shows(point)) start ??= point;
      else if (start) {
        parts.push([start, last]);
        start = null;
      }
      last = point;
    }
    if (start) parts.push([start, last]);
    return parts;
  }

  private divided(a: Projected, b: Projected, c: Projected, smallest: number): Face[] {
    const middle = between(a, b, 0.5);
    return [...this.visible([a, middle, c], smallest), ...this.visible([middle, b, c], smallest)];
  }

  /** Call a function with every pixel whose centre is in a face, and the depth of the face there. */
  private cover([a, b, c]: Face, each: (pixel: number, z: number) => void): void {
    const area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
    if (!area) return;
    const top = Math.max(0, Math.ceil(Math.min(a.y, b.y, c.y) - 0.5));
    const bottom = Math.min(this.height - 1, Math.floor(Math.max(a.y, b.y, c.y) - 0.5));
    const left = Math.max(0, Math.ceil(Math.min(a.x, b.x, c.x) - 0.5));
    const right = Math.min(this.width - 1, Math.floor(Math.max(a.x, b.x, c.x) - 0.5));
    for (let row = top; row <= bottom; row++)
      for (let column = left; column <= right; column++) {
        const [x, y] = [column + 0.5, row + 0.5];
        const u = ((x - a.x) * (c.y - a.y) - (c.x - a.x) * (y - a.y)) / area;
        const v = ((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) / area;
        if (u >= 0 && v >= 0 && u + v <= 1) each(row * this.width + column, a.z + u * (b.z - a.z) + v * (c.z - a.z));
      }
  }
}

const distance = (a: Projected, b: Projected): number => Math.hypot(a.x - b.x, a.y - b.y);

function between(a: Projected, b: Projected, share: number): Projected {
  return { x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y), z: a.z + share * (b.z - a.z) };
}
