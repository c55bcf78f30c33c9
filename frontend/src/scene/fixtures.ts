// Small robots with their generated code, for tests (written by tools/page_fixtures.py).

import type { InverseModules, Placements, View } from "../backend/messages";
import platform from "./fixtures/3rrr.json";
import delta from "./fixtures/delta.json";
import fivebar from "./fixtures/fivebar.json";
import fourbar from "./fixtures/fourbar.json";
import gough_stewart from "./fixtures/gough_stewart.json";
import gripper from "./fixtures/gripper.json";
import orthoglide from "./fixtures/orthoglide.json";
import panda from "./fixtures/panda.json";
import planar2r from "./fixtures/planar2r.json";
import puma560 from "./fixtures/puma560.json";
import rx90 from "./fixtures/rx90.json";
import scara from "./fixtures/scara.json";
import sr400 from "./fixtures/sr400.json";
import ur5e from "./fixtures/ur5e.json";
import { endFrame } from "./extras";
import { loadPoseSolver, type PoseSolver } from "./poseSolver";
import { robotSize } from "./polyline";
import { home } from "./joints";
import { loadPostureSolver, type PostureSolver } from "./posture";

const ROBOTS = { delta, fivebar, fourbar, gough_stewart, gripper, orthoglide, panda, planar2r, platform, puma560, rx90, scara, sr400, ur5e };

export type Fixture = { view: View; placements: Placements; inverse?: InverseModules };

export function fixture(name: keyof typeof ROBOTS): Fixture {
  return ROBOTS[name] as unknown as Fixture;
}

/** Return a data URL of a module, because Node cannot import blobs. */
export function dataUrl(source: string): string {
  return `data:text/javascript;base64,${btoa(unescape(encodeURIComponent(source)))}`;
}

export async function placed(name: keyof typeof ROBOTS, values?: Record<string, number>): Promise<PostureSolver> {
  const { view, placements } = fixture(name);
  return loadPostureSolver(view, placements, { ...view.nominal, ...values }, dataUrl);
}

/** Return the solver of poses of a robot at its home posture, with the transforms of its frames. */
export async function solved(name: keyof typeof ROBOTS): Promise<{ view: View; postures: PostureSolver; solver: PoseSolver; q: number[]; reach: number; pose: (q: number[]) => number[] }> {
  const { view, inverse } = fixture(name);
  const postures = await placed(name);
  const q = postures.withCutJoints(home(view));
  const reach = robotSize(postures.transforms(q));
  const solver = await loadPoseSolver(view, postures, inverse ?? { modules: [], legs: [], pose: "full" }, view.nominal, reach, dataUrl);
  const j = endFrame(view);
  return { view, postures, solver, q, reach, pose: (at) => Array.from(postures.transforms(at).subarray(16 * (j - 1), 16 * j)) };
}
