// The scene's face to the rest of the page: no other file of the page knows three.js.

import type { Placements, View } from "../back/view";

export interface Motion {
  /** Seconds, ascending. */
  times: number[];
  /** A row of joint variables q for each time. */
  q: number[][];
}

export interface SceneOptions {
  dark?: boolean;
  /** Closes loops that have no closed form: active joints in, all joints out. */
  close?: (active: number[], from: number[]) => Promise<number[] | null>;
}

export interface Scene {
  setRobot(view: View, placements: Placements, parameters: Record<string, number>): void;
  setParameters(parameters: Record<string, number>): void;
  /** All joint variables; loops are closed by the scene when a joint that is active moved. */
  setPosture(q: number[]): Promise<number[]>;
  select(frame: number | null): void;
  onSelect(listener: (frame: number | null) => void): void;
  showFrames(frames: ReadonlySet<number> | "all"): void;
  ghosts(postures: number[][]): void;
  breakLoops(broken: boolean): void;
  play(motion: Motion, onTime: (time: number, q: number[]) => void): void;
  stop(): void;
  screenshot(): Promise<Blob>;
  setDark(dark: boolean): void;
  resize(): void;
  dispose(): void;
}

export type CreateScene = (container: HTMLElement, options: SceneOptions) => Scene;
