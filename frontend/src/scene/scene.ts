// Interface of the scene for the rest of the page; only files behind it depend on three.js.

import type { FrameSource } from "./video";
import type { LostMotion } from "./lostMotion";
import type { Mechanics, Module, Placements, View } from "../backend/messages";
import type { LabelStyle } from "./labels";
import type { PostureSolver } from "./posture";
import type { SupportForce } from "./support";

export interface Motion {
  /** Seconds, increasing. */
  times: number[];
  /** Joint variables q, one row per time. */
  q: number[][];
  /** Transform world T 0 per time (16 numbers, row-major), if the base moves. */
  base?: number[][] | null;
  /** Modal coordinates of flexible links per time. */
  modes?: number[][] | null;
  /** Frame whose path is drawn; default: the last frame. */
  frame?: number;
  /** Torques, powers and energies of the motion, if symoro computed them. */
  efforts?: MotionEfforts;
}

/** Quantities along a motion, one row per time, of the joints that have torques. */
export interface MotionEfforts {
  /** Frame numbers of these joints. */
  joints: number[];
  units: string[];
  tau: (number | null)[][];
  /** Effort limits of the joints; null if not given. */
  limits: (number | null)[];
  power?: (number | null)[][];
  kinetic?: (number | null)[] | null;
  potential?: (number | null)[] | null;
}

export type Place = [number, number, number];

export interface SceneOptions {
  dark?: boolean;
}

export interface Appearance {
  naming: LabelStyle;
  /** Whether coinciding frames are drawn apart, along their z axes. */
  expanded: boolean;
  /** Factor on the length of arrows and the size of joints. */
  scale: number;
  grid: boolean;
  meshes: boolean;
}

/** Mechanical quantities that are drawn. */
export interface Overlays {
  centre: boolean;
  gravity: boolean;
  wrenches: boolean;
  torques: boolean;
  contacts: boolean;
  velocity: boolean;
  force: boolean;
}

/** Numbers of the drawn mechanical quantities; those that are not drawn are undefined. */
export interface DrawnMechanics {
  /** Mass of the robot (kg) and its centre in frame 0 (m). */
  centre?: { mass: number; at: Place } | undefined;
  /**
   * Semi-axes of the ellipsoid of velocities (m/s) for joint velocities of norm 1, and the velocity of a prismatic joint that
   * counts as 1 rad/s.
   */
  velocity?: { semiAxes: number[]; unit: number } | undefined;
  /** Forces of the ground on a robot with contacts; null: no forces support it. */
  support?: SupportForce[] | null | undefined;
}

/** Torques of joints, each relative to the largest one of a motion (forces relative to the largest force). */
export interface JointTorques {
  joints: { frame: number; share: number; slides: boolean }[];
}

export type ViewDirection = "iso" | "top" | "front" | "side";

/** Result of a requested posture: the posture shown, and whether the loops are closed. */
export interface PostureResult {
  q: number[];
  closed: boolean;
}

export type GizmoMode = "translate" | "rotate";
/** Axes along which the handles move or turn a frame. */
export type GizmoAxes = "frame" | "world";

/** Another posture of the robot, drawn transparently: transforms of its frames, and the text of its label. */
export interface Ghost {
  T: Float64Array;
  tag: string;
}

/** A drag of the pointer in the picture. */
export type SceneDrag =
  | { kind: "start"; of: "frame" | "link" }
  /** Pose of the dragged frame in frame 0, or of frame 0 in the world (row-major). */
  | { kind: "frame"; frame: number; pose: number[]; mode: GizmoMode }
  /** A link is pulled at a point (in its frame) towards a line of sight in frame 0, whose direction has length one. */
  | { kind: "link"; frame: number; point: Place; from: Place; direction: Place }
  | { kind: "end" };

export interface Scene {
  /**
   * Resolve when the robot can be moved; `q` is kept if it fits, otherwise the robot's home posture is used. The picture
   * is fitted to `another` robot, and remains for a robot that was edited.
   */
  setRobot(view: View, placements: Placements, parameters: Record<string, number>, q: number[] | undefined, another: boolean): Promise<void>;
  /** Set the code that closes the loops, if it is loaded after the robot. */
  setLoops(loops: Module): Promise<void>;
  setParameters(parameters: Record<string, number>): void;
  /** Set all joint variables; the scene closes the loops after a move of an active joint. */
  setPosture(q: number[]): Promise<number[]>;
  /** Set all joint variables immediately; if the loops cannot be closed, the last valid posture remains. */
  move(q: number[]): PostureResult;
  /** Return the result of `move` from a posture without drawing it. */
  follow(from: number[], to: number[]): PostureResult;
  /** Show a posture whose loops are known to be closed, such as a row of a motion. */
  put(q: number[]): void;
  /** Whether a robot can be moved, and whether its loops can be closed. */
  ready(): { robot: boolean; loops: boolean };
  posture(): number[];
  /** Return the transform of a frame in frame 0 (row-major). */
  transform(frame: number): number[];
  /** Return the size of the robot in metres. */
  reach(): number;
  /** Set the pose of a floating or wheeled base: world T 0 (row-major). */
  setBase(pose: number[] | null): void;
  /** Set the modal coordinates of flexible links, drawn with the next posture; null for straight links. */
  setModes(e: number[] | null): void;
  /** Draw the tracks of the wheels on the ground along a motion; null removes them. */
  tracks(motion: Motion | null): void;
  /** Move the camera with a robot that would leave the picture. */
  followRobot(): void;
  select(frame: number | null): void;
  onSelect(listener: (frame: number | null) => void): void;
  showFrames(frames: ReadonlySet<number> | "all"): void;
  setLook(look: Partial<Appearance>): void;
  setMeshes(files: ReadonlyMap<string, File>): void;
  /** Return the computation of postures and frame transforms of the robot; null until it is loaded. */
  postures(): PostureSolver | null;
  ghosts(ghosts: readonly Ghost[]): void;
  /** Emphasise a ghost by its index; null: none. */
  highlightGhost(index: number | null): void;
  /** Call a function when a ghost is clicked. */
  onGhost(listener: (index: number) => void): void;
  /** Show handles at a frame; null removes them. */
  gizmo(frame: number | null, mode: GizmoMode, axes: GizmoAxes): void;
  /** Call a function when a frame or a link is dragged, at most once per picture. */
  onDrag(listener: (drag: SceneDrag) => void): void;
  /** Return at most a few hundred positions of a frame in the world along a motion. */
  trace(frame: number, motion: Motion): Place[];
  /** Draw a line through points in the world; null removes it. */
  path(points: Place[] | null): void;
  /** Draw points of frame 0, coloured by numbers from 0 to 1; null removes them. */
  cloud(points: number[] | null, shares?: number[]): void;
  /** Select the mechanical quantities that are drawn; ellipsoids belong to the position of a frame. */
  overlay(shown: Overlays, frame: number): void;
  setMechanics(mechanics: Mechanics | null): void;
  setTorques(torques: JointTorques | null): void;
  /** Call a function with the numbers of each drawing of mechanical quantities. */
  onMechanics(listener: (numbers: DrawnMechanics) => void): void;
  /** Highlight joints and the links between them, such as those of a singular configuration, and draw the lost motions. */
  highlight(joints: readonly number[], lost: readonly LostMotion[]): void;
  breakLoops(broken: boolean): void;
  play(motion: Motion, onTime: (time: number, q: number[]) => void): void;
  stop(): void;
  look(from: ViewDirection, orthographic?: boolean): void;
  fit(): void;
  /** Fit the robot into the picture if it exceeds it in its posture or in the given ones. */
  keepInPicture(postures?: number[][]): void;
  /** Rotate the camera about its target and change its distance. */
  orbit(right: number, up: number, nearer?: number): void;
  /** Return the picture with its labels and without handles, as PNG. */
  screenshot(): Promise<Blob>;
  /** Return the picture as an SVG document. */
  svg(): string;
  /** Return the picture with its labels, for a video. */
  frameSource(): FrameSource;
  setDark(dark: boolean): void;
  resize(): void;
  dispose(): void;
}

export type CreateScene = (container: HTMLElement, options: SceneOptions) => Scene;
