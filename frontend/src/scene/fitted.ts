// Where a camera must stand to see given points, and no more.

export interface Seen {
  /** Coordinates of the camera's axis across, and of the middle of the points along it. */
  right: number;
  up: number;
  back: number;
  /** From the middle to the camera. */
  away: number;
  /** Half the height of what is seen without perspective. */
  tall: number;
}

/** A point by its coordinates along the camera's axes: right, up, and back towards the camera. */
export type Across = [number, number, number];

/**
 * The nearest place from which all points, each with `room` around, fall into the picture. With perspective the picture is
 * bounded by planes: right - x <= s (w - back) for a camera at (x, w) and the slope s of the bound, and so on each
 * side; the two of a direction bound the distance, the narrower direction decides.
 */
export function fitted(points: Across[], room: number, slope: number, aspect: number, perspective: boolean): Seen {
  const back = middle(points.map((point) => point[2]));
  const front = Math.max(...points.map((point) => point[2])) - back;
  if (!perspective) {
    const [wide, high] = [bounds(points, 0, room, 0), bounds(points, 1, room, 0)];
    const tall = Math.max(half(high), half(wide) / aspect);
    return { right: middle(wide), up: middle(high), back, away: Math.max(tall / slope, front + room), tall };
  }
  const camera = Math.max(
    half(bounds(points, 0, room, slope * aspect)) / (slope * aspect),
    half(bounds(points, 1, room, slope)) / slope,
    back + front + room,
  );
  const [right, up] = [balanced(points, 0, room, camera), balanced(points, 1, room, camera)];
  return { right, up, back, away: camera - back, tall: slope * (camera - back) };
}

/** Where a camera at a distance has as much room on one side as on the other: between the flattest bounds that hold all points. */
function balanced(points: Across[], axis: 0 | 1, room: number, camera: number): number {
  let [flat, steep] = [0, 100];
  for (let k = 0; k < 60; k++) {
    const slope = (flat + steep) / 2;
    if (half(bounds(points, axis, room, slope)) > slope * camera) flat = slope;
    else steep = slope;
  }
  return middle(bounds(points, axis, room, steep));
}

function half(values: number[]): number {
  return (Math.max(...values) - Math.min(...values)) / 2;
}

/** The least and the most along an axis, carried to the plane of the camera by the slope of the picture's bounds. */
function bounds(points: Across[], axis: 0 | 1, room: number, slope: number): [number, number] {
  const high = Math.max(...points.map((point) => point[axis] + room + slope * point[2]));
  const low = Math.min(...points.map((point) => point[axis] - room - slope * point[2]));
  return [low, high];
}

function middle(values: number[]): number {
  return (Math.min(...values) + Math.max(...values)) / 2;
}
