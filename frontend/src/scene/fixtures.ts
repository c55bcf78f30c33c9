// Small robots with their generated code, for tests (written by tools/page_fixtures.py).

import type { Placements, View } from "../backend/messages";
import fourbar from "./fixtures/fourbar.json";
import gripper from "./fixtures/gripper.json";
import rx90 from "./fixtures/rx90.json";
import sr400 from "./fixtures/sr400.json";
import { loadPostureSolver, type PostureSolver } from "./posture";

const ROBOTS = { fourbar, gripper, rx90, sr400 };

export type Fixture = { view: View; placements: Placements };

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
