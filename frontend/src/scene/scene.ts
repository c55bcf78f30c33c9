// The scene's face to the rest of the page: no other file of the page knows three.js.

import type { Module, Placements, View } from "../back/messages";
import type { Naming } from "./labels";

export interface Motion {
  /** Seconds, ascending. */
  times: number[];
  /** A row of joint variables q for each time. */
  q: number[][];
  /** Where frame 0 stands in the world at each time, 16 numbers by rows, where that moves. */
  base?: number[][] | null;
  /** The frame whose path is drawn; the end frame unless told. */
  frame?: number;
  /** What it takes to move so, where symoro has told. */
  efforts?: Efforts;
}

/** Amounts along a motion, a row for each time, of the joints that have torques of their own. */
export interface Efforts {
  /** Their frames. */
  joints: number[];
  units: string[];
  tau: (number | null)[][];
  /** The largest torque that a joint can give; null where nothing is told. */
  limits: (number | null)[];
  power?: (number | null)[][];
  kinetic?: (number | null)[] | null;
  potential?: (number | null)[] | null;
}

export type Place = [number, number, number];

export interface SceneOptions {
  dark?: boolean;
}

export interface Look {
  naming: Naming;
  /** Whether frames that coincide are drawn apart, along their z axes. */
  expanded: boolean;
  /** A factor on the length of arrows and the size of joints. */
  scale: number;
  grid: boolean;
  meshes: boolean;
}

export type Standpoint = "iso" | "top" | "front" | "side";

/** A posture that was asked for: as it is shown, and whether the loops could be closed there. */
export interface Shown {
  q: number[];
  closed: boolean;
}

export interface Scene {
  /** Done when the robot can be moved; the posture is kept where it fits, else it is the robot's own home. */
  setRobot(view: View, placements: Placements, parameters: Record<string, number>, q?: number[]): Promise<void>;
  /** Code that closes the loops, where it comes after the robot. */
  setLoops(loops: Module): Promise<void>;
  setParameters(parameters: Record<string, number>): void;
  /** All joint variables; loops are closed by the scene when a joint that is active moved. */
  setPosture(q: number[]): Promise<number[]>;
  /** The same at once; the posture stays at the last valid one where the loops cannot be closed. */
  move(q: number[]): Shown;
  /** What `move` would come to from a posture, without drawing it. */
  follow(from: number[], to: number[]): Shown;
  /** A posture as it is, its loops known to be closed: a row of a motion. */
  put(q: number[]): void;
  /** Whether there is a robot that can be moved, and whether its loops can be closed. */
  ready(): { robot: boolean; loops: boolean };
  posture(): number[];
  /** Placement of a frame in frame 0, by rows. */
  placement(frame: number): number[];
  /** How large the robot is, in metres. */
  reach(): number;
  /** The pose of a base that is free to move: world T 0 by rows. */
  setBase(pose: number[] | null): void;
  select(frame: number | null): void;
  onSelect(listener: (frame: number | null) => void): void;
  showFrames(frames: ReadonlySet<number> | "all"): void;
  setLook(look: Partial<Look>): void;
  setMeshes(files: ReadonlyMap<string, File>): void;
  ghosts(postures: number[][]): void;
  /** Places of a frame in the world along a motion, a few hundred of them. */
  trace(frame: number, motion: Motion): Place[];
  /** A line through places of the world; null takes it away. */
  path(points: Place[] | null): void;
  breakLoops(broken: boolean): void;
  play(motion: Motion, onTime: (time: number, q: number[]) => void): void;
  stop(): void;
  look(from: Standpoint, orthographic?: boolean): void;
  fit(): void;
  /** Fits the robot into the picture if it is not all there, in its posture or in others. */
  keepInPicture(postures?: number[][]): void;
  /** Turns the camera about what it looks at, and goes nearer or farther. */
  orbit(right: number, up: number, nearer?: number): void;
  screenshot(): Promise<Blob>;
  setDark(dark: boolean): void;
  resize(): void;
  dispose(): void;
}

export type CreateScene = (container: HTMLElement, options: SceneOptions) => Scene;
