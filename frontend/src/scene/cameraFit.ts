// Camera position at which given points just fill the picture.

export interface CameraFit {
  /** Coordinates of the camera's axis (right, up), and of the centre of the points along it. */
  right: number;
  up: number;
  back: number;
  /** Distance from the centre to the camera. */
  distance: number;
  /** Half the visible height of the orthographic camera. */
  halfHeight: number;
}

/** A point in camera axes: right, up, and backwards (towards the camera); its margin, if it differs from that of the others. */
export type CameraPoint = [number, number, number, number?];

/**
 * Return the nearest camera position at which all points, with the margin `room`, are inside the picture. With
 * perspective the picture is bounded by planes: right - x <= s (w - back) for a camera at (x, w) and the slope s of the
 * bound, and similarly on each side. The two bounds of a direction determine the distance; the larger distance is used.
 */
export function fitted(points: CameraPoint[], room: number, slope: number, aspect: number, perspective: boolean): CameraFit {
  const back = middle(points.map((point) => point[2]));
  const front = Math.max(...points.map((point) => point[2])) - back;
  if (!perspective) {
    const [wide, high] = [bounds(points, 0, room, 0), bounds(points, 1, room, 0)];
    const tall = Math.max(half(high), half(wide) / aspect);
    return { right: middle(wide), up: middle(high), back, distance: Math.max(tall / slope, front + room), halfHeight: tall };
  }
  const camera = Math.max(
    half(bounds(points, 0, room, slope * aspect)) / (slope * aspect),
    half(bounds(points, 1, room, slope)) / slope,
    back + front + room,
  );
  const [right, up] = [balanced(points, 0, room, camera), balanced(points, 1, room, camera)];
  return { right, up, back, distance: camera - back, halfHeight: slope * (camera - back) };
}

/** Return the lateral position of a camera at a distance that gives equal margins on both sides. */
function balanced(points: CameraPoint[], axis: 0 | 1, room: number, camera: number): number {
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

/** Return minimum and maximum along an axis, projected to the plane of the camera with the slope of the bounds. */
function bounds(points: CameraPoint[], axis: 0 | 1, room: number, slope: number): [number, number] {
  const high = Math.max(...points.map((point) => point[axis] + (point[3] ?? room) + slope * point[2]));
  const low = Math.min(...points.map((point) => point[axis] - (point[3] ?? room) - slope * point[2]));
  return [low, high];
}

function middle(values: number[]): number {
  return (Math.min(...values) + Math.max(...values)) / 2;
}

/** Part of half the picture that a moving robot does not leave. */
const EDGE = 0.9;
/** Part of half the picture that a robot larger than the picture does not leave. */
const MIDDLE = 0.6;

/**
 * Return the shift of a picture from -1 to 1 that follows a robot from `low` to `high` in it: a robot that fits remains
 * inside, and a part of a larger robot remains near the middle.
 */
export function shiftTo(low: number, high: number): number {
  const fits = high - low <= 2 * EDGE;
  const [most, least] = fits ? [high - EDGE, low + EDGE] : [low - MIDDLE, high + MIDDLE];
  return most > 0 ? most : Math.min(least, 0);
}
